// Package storefront serves the catalog to resellers and affiliates: the list, an activity, and a
// variation's calendar and days.
//
// The list is kept in memory. An index holds the listed activities in order. Encoded pages are
// cached with their gzip while the index has the same entries in their place, so a changed activity
// invalidates only the pages that contain it. The database notifies every replica of changes in the
// order of commits. CatchUp waits for all notifications so far: after a commit and CatchUp, every
// later read shows the change.
package storefront

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/singleflight"

	"partnerkit.dev/marketplace/internal/parts"
)

// Config configures a Front.
type Config struct {
	Store        Store
	PageCache    int64 // the size of the page cache
	AffiliateURL AffiliateURL
	Now          func() time.Time
	Log          *slog.Logger
}

// Front serves reads of resellers and affiliates. It is safe for concurrent use.
type Front struct {
	store        Store
	affiliateURL AffiliateURL
	now          func() time.Time
	log          *slog.Logger
	current      atomic.Pointer[snapshot]
	cache        *cache
	flights      singleflight.Group
	hits, misses atomic.Uint64 // of the page cache

	name  string // distinguishes its marks from other replicas'
	mu    sync.Mutex
	marks map[string]chan struct{} // awaited marks; closed when all earlier commits are visible
	last  uint64
	stop  context.CancelFunc
	ended chan struct{}
}

// Open returns a front that has read the whole list, and that follows changes until it is closed.
func Open(ctx context.Context, c Config) (*Front, error) {
	if err := parts.Check("storefront", c); err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	f := &Front{
		store: c.Store, affiliateURL: c.AffiliateURL, now: c.Now, log: c.Log, cache: newCache(c.PageCache),
		name: uuid.NewString(), marks: map[string]chan struct{}{}, stop: stop, ended: make(chan struct{}),
	}
	feed, err := f.listen(ctx)
	if err != nil {
		stop()
		return nil, err
	}
	go f.run(running, feed)
	return f, nil
}

// Close stops following. The front must not be used afterwards.
func (f *Front) Close() {
	f.stop()
	<-f.ended
}

// catchUpTime limits CatchUp. A database that has become unavailable must not delay the answer to a
// stored change.
const catchUpTime = 4 * time.Second

var errClosed = errors.New("the storefront is closed")

// PageCache returns the hits and misses of the page cache, and its size in bytes.
func (f *Front) PageCache() (hits, misses uint64, bytes int64) {
	return f.hits.Load(), f.misses.Load(), f.cache.size()
}

// CatchUp waits until every later read shows all earlier commits. Call it after a commit that
// readers see, before answering. If it fails, the commit stands and becomes visible with the
// database's notification.
func (f *Front) CatchUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, catchUpTime)
	defer cancel()
	f.mu.Lock()
	f.last++
	name, seen := f.name+" "+strconv.FormatUint(f.last, 10), make(chan struct{})
	f.marks[name] = seen
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.marks, name)
		f.mu.Unlock()
	}()
	if err := f.store.Announce(ctx, name); err != nil {
		return err
	}
	select {
	case <-seen:
		return nil
	case <-f.ended:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// awaitedMarks returns the marks that callers wait for.
func (f *Front) awaitedMarks() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Keys(f.marks))
}

// wakeWaiters wakes the callers that wait for the marks.
func (f *Front) wakeWaiters(names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range names {
		if seen := f.marks[name]; seen != nil {
			close(seen)
			delete(f.marks, name)
		}
	}
}
