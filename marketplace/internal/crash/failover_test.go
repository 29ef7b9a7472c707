//go:build linux

package crash

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const (
	killMachine  fault = "the primary's machine killed (SIGKILL)"
	pauseMachine fault = "the primary's machine paused (SIGSTOP)"
	cutMachine   fault = "the primary's machine cut off the network"
)

// failoverPatience limits a failover, with the return of the old primary before it.
const failoverPatience = 5 * time.Minute

// failovers returns the number of failovers, as `make failover` sets it.
func failovers(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv("FAILOVERS"), "0"))
	if err != nil || n < 0 {
		t.Fatalf("FAILOVERS: want a number of failovers, got %q", os.Getenv("FAILOVERS"))
	}
	if n == 0 {
		t.Skip("takes minutes: run make failover")
	}
	return n
}

func TestNoPaymentIsLostWhenTheDatabaseFailsOver(t *testing.T) {
	t.Parallel()
	n := failovers(t)
	fleet := newFleet(t, seedOf(t))
	p := newPatroni(t, filepath.Join(fleet.dir, "patroni"))
	fleet.start(t, p.database())
	s := open(t, fleet, seatsOfASlot, faults)
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n+2)*failoverPatience)
	defer cancel()
	var over atomic.Bool
	outages := map[fault][]time.Duration{}
	go func() {
		defer over.Store(true)
		for i := range n {
			kind := []fault{killMachine, pauseMachine, cutMachine}[i%3]
			lasted, err := s.failOver(ctx, p, kind)
			if err != nil {
				t.Errorf("failover %d, %s: %v", i+1, kind, err)
				return
			}
			outages[kind] = append(outages[kind], lasted)
			t.Logf("failover %d, %s: %s", i+1, kind, lasted.Round(100*time.Millisecond))
		}
	}()
	f := testForm{bookings: n * 100, pace: 900 * time.Millisecond, takes: time.Duration(n+2) * failoverPatience, ends: over.Load}
	customers := s.sell(t, f)
	waitUntil(t, f.takes, "the last failover", over.Load)
	s.requireLaws(t, f, customers)
	t.Logf("seed %d, %s", s.seed, time.Since(began).Round(time.Second))
	for _, kind := range slices.Sorted(maps.Keys(outages)) {
		t.Logf("%s: %d times, at most %s without a write", kind, len(outages[kind]), slices.Max(outages[kind]).Round(100*time.Millisecond))
	}
}

// failOver disturbs the primary's machine until another one is the primary. It returns how long the service stored nothing.
func (s *shop) failOver(ctx context.Context, p *patroni, kind fault) (lasted time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, failoverPatience)
	defer cancel()
	for !p.members(ctx).complete() {
		if !wait(ctx, time.Second) {
			return 0, fmt.Errorf("the old primary does not follow the new one: %+v", p.members(context.WithoutCancel(ctx)))
		}
	}
	old, err := p.primary(ctx)
	if err != nil {
		return 0, err
	}
	end, err := p.disturb(old, kind)
	if err != nil {
		return 0, err
	}
	stored, failed := time.Now(), false
	for {
		status, _, _, err := s.ask(ctx, s.base(), http.MethodGet, "/readyz", nil)
		switch {
		case err != nil || status != http.StatusOK:
			failed = true
		case !failed:
			stored = time.Now()
		default:
			if now, err := p.primary(ctx); err == nil && now != old {
				return time.Since(stored), end()
			}
		}
		if !wait(ctx, 100*time.Millisecond) {
			return 0, fmt.Errorf("no other server became the primary: %+v", p.members(context.WithoutCancel(ctx)))
		}
	}
}

// disturb disturbs a machine until end is called.
func (p *patroni) disturb(machine int, kind fault) (end func() error, err error) {
	switch kind {
	case killMachine:
		p.signal(machine, syscall.SIGKILL)
		return func() error { return p.boot(machine) }, nil
	case pauseMachine:
		p.signal(machine, syscall.SIGSTOP)
		return func() error { p.signal(machine, syscall.SIGCONT); return nil }, nil
	default:
		return func() error { return p.link(machine, true) }, p.link(machine, false)
	}
}
