//go:build linux

package crash

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// replicated is a store whose reads may be answered by a standby.
type replicated struct {
	primary, standby *server
	reads            *postgres.Standby
	store            *postgres.Store

	mu      sync.Mutex
	commits []time.Time // when each change was committed, or a little later
}

func newReplicated(t *testing.T) *replicated {
	t.Helper()
	dir, err := os.MkdirTemp("", "marketplace-standby-")
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	check(t, os.Chmod(dir, 0o711))
	server := func(name string) *server {
		folder := filepath.Join(dir, name)
		check(t, os.MkdirAll(folder, 0o755))
		s := newServer(t, folder, nil)
		t.Cleanup(func() { check(t, s.end(syscall.SIGKILL)) })
		return s
	}
	r := &replicated{primary: server("primary"), standby: server("standby")}
	check(t, r.primary.make())
	check(t, r.primary.start(t.Context()))
	_, err = postgres.Migrate(t.Context(), r.primary.address())
	check(t, err)
	check(t, r.standby.copyOf(r.primary))
	check(t, r.standby.start(t.Context()))
	r.reads, err = postgres.OpenStandby(r.primary.address(), r.standby.address(), 4, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
	check(t, err)
	t.Cleanup(r.reads.Close)
	r.store, err = postgres.OpenWith(t.Context(), r.primary.address(), postgres.Options{Connections: 4, Standby: r.reads})
	check(t, err)
	t.Cleanup(r.store.Close)
	pgtest.Sell(t, r.store, pgtest.Stock{})
	pgtest.Exec(t, r.store, `UPDATE slots SET vacancies = 0 WHERE variation_id = $1`, changed)
	return r
}

// changed is the variation whose slot counts the changes, as its vacancies.
var changed = pgtest.ID("activity1")

// change commits one more change.
func (r *replicated) change(ctx context.Context) error {
	_, err := r.store.Pool().Exec(ctx, `UPDATE slots SET vacancies = vacancies + 1 WHERE variation_id = $1`, changed)
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.commits = append(r.commits, time.Now())
	}
	return err
}

// committed returns how many changes had been committed at a time.
func (r *replicated) committed(at time.Time) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n < len(r.commits) && !r.commits[n].After(at) {
		n++
	}
	return n
}

// read reads the slot, which may be stale, and returns an error if it is too old.
func (r *replicated) read(ctx context.Context, change time.Time) error {
	least := max(r.committed(time.Now().Add(-domain.MaxStaleness)), r.committed(change))
	slots, err := r.store.Storefront.Slots(domain.AllowStale(ctx, change), []uuid.UUID{changed}, time.Time{}, time.Now().AddDate(100, 0, 0))
	if err != nil {
		return err
	}
	if len(slots) != 1 || *slots[0].Vacancies < least {
		return fmt.Errorf("expected a slot with at least %d changes, received %+v", least, slots)
	}
	return nil
}

// answeredBy waits until a server has answered some more reads.
func (r *replicated) answeredBy(t *testing.T, server string) {
	t.Helper()
	const some = 10
	standbyBefore, primaryBefore, _ := r.reads.Reads()
	waitUntil(t, patience, "reads of the "+server, func() bool {
		standby, primary, age := r.reads.Reads()
		if server == "standby" {
			return t.Failed() || standby > standbyBefore+some
		}
		return t.Failed() || primary > primaryBefore+some && age > 2*domain.MaxStaleness
	})
}

// It changes and reads all the time, while the standby falls behind, is killed, is paused and comes
// back, and at last stops following the primary.
func TestReadsOfAStandbyAreNeverTooOld(t *testing.T) {
	t.Parallel()
	r := newReplicated(t)
	ctx, stop := context.WithCancel(t.Context())
	var inside sync.WaitGroup
	defer inside.Wait()
	defer stop()
	repeat := func(pause time.Duration, what string, do func() error) {
		inside.Go(func() {
			for wait(ctx, pause) {
				if err := do(); err != nil && ctx.Err() == nil {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
	repeat(20*time.Millisecond, "a change", func() error { return r.change(ctx) })
	repeat(15*time.Millisecond, "a read", func() error { return r.read(ctx, time.Time{}) })
	repeat(50*time.Millisecond, "a read of an own change", func() error {
		if err := r.change(ctx); err != nil {
			return err
		}
		return r.read(ctx, time.Now())
	})
	r.answeredBy(t, "standby")
	for _, disturbance := range []struct {
		name       string
		begin, end func() error
	}{
		{"it falls behind", func() error { return r.standby.query(ctx, "SELECT pg_wal_replay_pause()") }, func() error { return r.standby.query(ctx, "SELECT pg_wal_replay_resume()") }},
		{"it is killed", func() error { return r.standby.end(syscall.SIGKILL) }, func() error { return r.standby.start(ctx) }},
		{"it is paused", func() error { return r.standby.signal(syscall.SIGSTOP) }, func() error { return r.standby.signal(syscall.SIGCONT) }},
	} {
		if err := disturbance.begin(); err != nil {
			t.Fatalf("%s: %v", disturbance.name, err)
		}
		r.answeredBy(t, "primary")
		if err := disturbance.end(); err != nil {
			t.Fatalf("%s: %v", disturbance.name, err)
		}
		r.answeredBy(t, "standby")
	}
	check(t, r.standby.query(ctx, "SELECT pg_promote()"))
	r.answeredBy(t, "primary")
	standby, primary, _ := r.reads.Reads()
	t.Logf("%d changes, %d reads of the standby, %d of the primary", r.committed(time.Now()), standby, primary)
}
