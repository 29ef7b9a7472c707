package conformance_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
)

func TestAnIntegrationHasOneRunAtATime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.start(t)
	_, err := b.service.Start(t.Context(), b.of, conformance.ReadOnly, nil, true)
	if underWay := (*conformance.UnderWay)(nil); !errors.As(err, &underWay) || underWay.Run != first || domain.CodeOf(err) != domain.Conflict {
		t.Errorf("want a conflict with the first one, got %v", err)
	}
	if jobs := b.count(t, `SELECT count(*) FROM river_job WHERE kind = 'conformance_run'`); jobs != 1 {
		t.Errorf("want one job, got %d", jobs)
	}
}

func TestAnAccountLeavesRoomForTheRunsOfOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var started atomic.Int64
	var all sync.WaitGroup
	for i := range 12 { // at the same time
		of := b.integration(t, fmt.Sprintf("https://%d.example", i))
		all.Go(func() {
			if _, err := b.service.Start(t.Context(), of, conformance.Full, nil, false); err == nil {
				started.Add(1)
			} else if domain.CodeOf(err) != domain.Conflict {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if started.Load() != 5 {
		t.Errorf("Expected five runs of one account, received %d", started.Load())
	}
	if _, err := b.service.Start(t.Context(), b.of, conformance.Full, nil, false); domain.CodeOf(err) != domain.Conflict {
		t.Errorf("want the sixth refused, got %v", err)
	}
	b.start(t) // the limit does not apply to operators
}

func TestAServiceWithoutTheCommandSaysSo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, err := conformance.NewService(b.store.Runs, false).Start(t.Context(), b.of, conformance.Full, nil, true); domain.CodeOf(err) != domain.Conflict {
		t.Errorf("want it refused, got %v", err)
	}
	if _, err := conformance.FindCommand("/no/such/command"); err == nil {
		t.Error("want a command that is not there refused")
	}
}

func TestAQueuedRunWhoseJobIsLostGetsAnother(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.start(t)
	runner := b.runner(t, writeAll)
	b.exec(t, `DELETE FROM river_job`)
	must(t, runner.Recover(t.Context()))
	if jobs := b.count(t, `SELECT count(*) FROM river_job`); jobs != 0 {
		t.Errorf("want its job waited for, got %d", jobs)
	}
	b.exec(t, `UPDATE conformance_runs SET created_at = now() - interval '1 hour' WHERE id = $1`, id)
	must(t, runner.Recover(t.Context()))
	must(t, runner.Recover(t.Context()))
	if jobs := b.count(t, `SELECT count(*) FROM river_job WHERE kind = 'conformance_run'`); jobs != 1 {
		t.Errorf("want one job again, got %d", jobs)
	}
}

func TestTheLastRunsOfEachIntegrationAreKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.exec(t, `INSERT INTO conformance_runs (id, integration_id, scope, state, verdict, created_at, finished_at)
		SELECT gen_random_uuid(), $1, 'full', 'finished', 'conformant', now() - n * interval '1 day', now() FROM generate_series(1, 9) n`, b.of)
	b.start(t)
	dropped, err := b.store.Runs.DropOldRuns(t.Context(), 4, 100)
	must(t, err)
	if left := b.count(t, `SELECT count(*) FROM conformance_runs WHERE created_at > now() - interval '4 days'`); dropped != 6 || left != 4 {
		t.Errorf("want the 4 newest left, got %d, and %d dropped", left, dropped)
	}
}
