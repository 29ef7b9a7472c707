package worker_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/waittest"
)

// doomedReplica is the environment variable that makes this test's process a replica on the
// database at that address, until it is killed.
const doomedReplica = "WORKER_TEST_DOOMED_REPLICA"

func runDoomed(address string) error {
	b := &bench{address: address, clock: clockwork.NewFakeClockAt(time.Now()), bookings: noBookings{}, events: noEvents{}, runs: noRuns{}}
	if command := os.Getenv(conformanceCommand); command != "" {
		var err error
		if b.runs, err = runnerAt(context.Background(), address, command, os.Stderr); err != nil {
			return err
		}
	}
	r, err := b.open(context.Background(), os.Stderr)
	if err != nil {
		return err
	}
	if err := r.Start(context.Background()); err != nil {
		return err
	}
	select {}
}

func TestTheWorkOfAKilledReplicaIsTakenOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.partner(t, 3)
	asked, never := make(chan struct{}, 1), make(chan struct{})
	t.Cleanup(func() { close(never) })
	p.before = func(*http.Request) { asked <- struct{}{}; <-never }
	doomed := exec.CommandContext(t.Context(), os.Args[0])
	doomed.Env = append(os.Environ(), doomedReplica+"="+b.address)
	doomed.Stderr = t.Output()
	check(t, doomed.Start())
	b.ask(t, catalog.ByOperator, p)
	<-asked
	check(t, doomed.Process.Kill())
	_ = doomed.Wait()
	if running := b.count(t, `SELECT count(*) FROM river_job WHERE state = 'running'`); running != 1 {
		t.Fatalf("want the job left behind, got %d", running)
	}
	p.set(func(p *platform) { p.before = nil })
	pgtest.Exec(t, b.store, `UPDATE river_job SET attempted_at = attempted_at - interval '1 day'`) // when it is rescued
	pgtest.Exec(t, b.store, `DELETE FROM river_leader`)
	b.replica(t)
	waittest.Until(t, "the job done by the other replica", func() bool { _, _, options, _ := p.counts(); return options == 3 })
	b.waitIdle(t)
	if pulls, _, _, slots := p.counts(); pulls != 2 || slots != 3 {
		t.Errorf("want the catalog pulled again, once, and each option once, got %d and %d", pulls, slots)
	}
}
