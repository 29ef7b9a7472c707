// Package storefront shows resellers and affiliates the catalog: the list, an activity,
// a variation's calendar and day.
//
// The list is kept ready. An index in memory holds the listed activities in their order;
// pages are made once, with their gzip, and stand as long as the index has the same
// entries at their place: one activity that changes unmakes the pages that show it, and
// no other. The database tells what has changed in the order of its commits, to every
// replica, and CatchUp waits for what has been told so far: who calls it after a commit
// knows that every later read here shows it.
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
)

// Config is what a Front is made of. Every field is required.
type Config struct {
	Store        Store
	PageCache    int64 // bytes of made pages that are kept
	AffiliateURL AffiliateURL
	Now          func() time.Time
	Log          *slog.Logger
}

// Front answers what resellers and affiliates read. It is safe for concurrent use.
type Front struct {
	store        Store
	affiliateURL AffiliateURL
	now          func() time.Time
	log          *slog.Logger
	current      atomic.Pointer[snapshot]
	cache        *cache
	flights      singleflight.Group
	hits, misses atomic.Uint64 // of the pages that were asked for

	name  string // tells its marks from other replicas'
	mu    sync.Mutex
	marks map[string]chan struct{} // that somebody waits for: closed when all that was committed before is shown
	last  uint64
	stop  context.CancelFunc
	ended chan struct{}
}

// Open returns a front that has read the whole list, and follows what changes until it
// is closed.
func Open(ctx context.Context, c Config) (*Front, error) {
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

// Close ends the following. It must not be read from any more.
func (f *Front) Close() {
	f.stop()
	<-f.ended
}

// catchUpTime bounds how long CatchUp waits: a database that is gone meanwhile must not
// keep the answer to what is stored.
const catchUpTime = 4 * time.Second

var errClosed = errors.New("the storefront is closed")

// PageCache tells how often a page was made already and how often it had to be made,
// and how much the made ones take, in bytes.
func (f *Front) PageCache() (hits, misses uint64, bytes int64) {
	return f.hits.Load(), f.misses.Load(), f.cache.size()
}

// CatchUp waits until every later read shows all that was committed before. Call it
// after a commit that readers see, before answering. If it fails, the commit stands, and
// is shown as soon as the database's notification arrives.
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

// waiting returns the marks that are waited for now.
func (f *Front) waiting() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Keys(f.marks))
}

// reached wakes those who wait for the marks.
func (f *Front) reached(names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range names {
		if seen := f.marks[name]; seen != nil {
			close(seen)
			delete(f.marks, name)
		}
	}
}
