package storefront_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/marketplace/internal/waittest"
)

func TestReadersSeeEveryChangeThatWasAnsweredBeforeTheyAsked(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.add(t, s.register(t, "Old Town Walks"), "0")
	s.caughtUp(t)
	var answered atomic.Int64
	var over atomic.Bool
	var all sync.WaitGroup
	for reader := range 4 {
		all.Go(func() {
			q := storefront.Query{Page: 1, Limit: 10, Currency: []domain.Currency{"EUR", "USD"}[reader%2]}
			for !over.Load() {
				before := answered.Load()
				titles := list(t, s.Front, q).titles()
				if len(titles) != 1 {
					t.Errorf("want one activity, got %q", titles)
					return
				}
				var shown int64
				if _, err := fmt.Sscan(titles[0], &shown); err != nil || shown < before {
					t.Errorf("want %d or what came after it, got %q", before, titles)
					return
				}
			}
		})
	}
	for n := range int64(20) {
		s.do(t, `UPDATE activities SET title = $1`, fmt.Sprint(n+1))
		s.caughtUp(t)
		answered.Store(n + 1)
	}
	over.Store(true)
	all.Wait()
}

// silencedListener is a store whose feeds can be silenced, like a half-open connection.
type silencedListener struct {
	*postgres.Storefront
	silent  atomic.Bool
	listens atomic.Int64
}

type silentFeed struct {
	storefront.Feed
	store *silencedListener
}

func (d *silencedListener) Listen(ctx context.Context) (storefront.Feed, error) {
	d.listens.Add(1)
	feed, err := d.Storefront.Listen(ctx)
	return silentFeed{feed, d}, err
}

func (f silentFeed) Next(ctx context.Context) (storefront.Change, error) {
	reported, err := f.Feed.Next(ctx)
	if err == nil && f.store.silent.Load() {
		return f.Next(ctx)
	}
	return reported, err
}

func TestAFeedThatStopsReportingIsReplaced(t *testing.T) {
	t.Parallel()
	s := setup(t)
	store := &silencedListener{Storefront: s.store.Storefront}
	f := open(t, store, 1<<20)
	store.silent.Store(true)
	s.add(t, s.register(t, "Old Town Walks"), "Walk")
	waittest.Until(t, "it is still shown", func() bool { return len(list(t, f, storefront.Query{}).Data) == 1 })
	store.silent.Store(false)
	if err := f.CatchUp(t.Context()); err != nil || store.listens.Load() < 2 {
		t.Errorf("want it to listen again, got %d feeds and %v", store.listens.Load(), err)
	}
}

func TestAConnectionThatBreaksIsReplaced(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for n := range 3 {
		s.do(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query ~ '^LISTEN'`)
		s.add(t, s.register(t, "Old Town Walks"), fmt.Sprint(n))
		s.caughtUp(t)
		if got := list(t, s.Front, storefront.Query{}).titles(); len(got) != n+1 {
			t.Errorf("want %d, got %q", n+1, got)
		}
	}
}
