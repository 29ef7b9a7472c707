package catalog

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// flights are the syncs under way. Of one kind for one integration there is one at a
// time. Whoever comes meanwhile wants what the partner says from now on, which the pull
// under way may have missed: a second one follows it, and serves all who have come by
// the time it starts.
type flights struct {
	mu   sync.Mutex
	kept map[string]*lane
}

// lane is one at a time.
type lane struct{ next *flight }

type flight struct {
	run  func() (Sync, error) // of whoever came first
	done chan struct{}        // closed once made and err are there
	made Sync
	err  error
}

// do has f run, now or after the one under way, and waits for it. What is under way
// serves others as well: it does not end with whoever asked for it.
func (all *flights) do(ctx context.Context, name string, f func(context.Context) (Sync, error)) (Sync, error) {
	mine := all.board(name, func() (Sync, error) { return f(context.WithoutCancel(ctx)) })
	select {
	case <-mine.done:
		return mine.made, mine.err
	case <-ctx.Done():
		return Sync{}, ctx.Err()
	}
}

func (all *flights) board(name string, run func() (Sync, error)) *flight {
	mine := &flight{run: run, done: make(chan struct{})}
	all.mu.Lock()
	defer all.mu.Unlock()
	if under := all.kept[name]; under != nil {
		if under.next == nil {
			under.next = mine
		}
		return under.next
	}
	if all.kept == nil {
		all.kept = map[string]*lane{}
	}
	all.kept[name] = &lane{}
	go func() {
		for now := mine; now != nil; now = all.after(name) {
			now.made, now.err = safely(now.run)
			close(now.done)
		}
	}()
	return mine
}

// after returns the flight that follows, or gives the lane up.
func (all *flights) after(name string) *flight {
	all.mu.Lock()
	defer all.mu.Unlock()
	under := all.kept[name]
	next := under.next
	if under.next = nil; next == nil {
		delete(all.kept, name)
	}
	return next
}

// safely turns a panic into an error that says where it came from, for the log: nobody
// above would catch it, and a partner's answer must not end the service.
func safely(f func() (Sync, error)) (made Sync, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("a sync panicked: %v\n%s", panicked, debug.Stack())
		}
	}()
	return f()
}
