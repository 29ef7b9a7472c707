package catalog

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/singleflight"
)

// flights are the syncs under way. Of one kind for one integration there is one at a
// time. Whoever comes meanwhile wants what the partner says from now on, which the pull
// under way may have missed: a second one follows it, and serves all who have come by
// the time it starts.
type flights struct {
	waiting singleflight.Group
	flying  sync.Map // a *sync.Mutex for each name
}

// do has f run, now or after the one under way, and waits for it. What is under way
// serves others as well: it does not end with whoever asked for it.
func (all *flights) do(ctx context.Context, name string, f func(context.Context) (Sync, error)) (Sync, error) {
	done := all.waiting.DoChan(name, func() (any, error) {
		last, _ := all.flying.LoadOrStore(name, &sync.Mutex{})
		last.(*sync.Mutex).Lock()
		defer last.(*sync.Mutex).Unlock()
		all.waiting.Forget(name) // whoever comes from now on waits for the next one
		return safely(func() (Sync, error) { return f(context.WithoutCancel(ctx)) })
	})
	select {
	case flown := <-done:
		return flown.Val.(Sync), flown.Err
	case <-ctx.Done():
		return Sync{}, ctx.Err()
	}
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
