package auth

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/singleflight"
)

// endedFor is how old the list of ended sign-ins may be: what another replica ended is
// felt so much later at most.
const endedFor = time.Second

// slack is how far the clocks of replicas may be apart.
const slack = time.Minute

// ended lists the sign-ins that have ended while an access token of theirs may still be
// valid. A token itself does not show that its sign-in has ended.
type ended struct {
	store  Store
	now    func() time.Time
	known  atomic.Pointer[endedSignIns]
	asking singleflight.Group
	put    sync.Mutex
}

type endedSignIns struct {
	families map[uuid.UUID]bool
	at       time.Time
}

// has reports whether a sign-in has ended. A list that is halfway to too old is renewed
// while requests go by it; one that is too old is waited for.
func (e *ended) has(ctx context.Context, family uuid.UUID) (bool, error) {
	known := e.known.Load()
	if known == nil || e.now().Sub(known.at) >= endedFor/2 {
		asked := e.asking.DoChan("", func() (any, error) {
			return nil, e.renew(context.WithoutCancel(ctx)) // the store has a limit of its own
		})
		if known == nil || e.now().Sub(known.at) >= endedFor {
			select {
			case done := <-asked:
				if done.Err != nil {
					return false, done.Err
				}
			case <-ctx.Done():
				return false, ctx.Err()
			}
			known = e.known.Load()
		}
	}
	return known.families[family], nil
}

// renew has what this replica has ended be felt immediately.
func (e *ended) renew(ctx context.Context) error {
	at := e.now()
	list, err := e.store.EndedFamilies(ctx, at.Add(-AccessLife-slack))
	if err != nil {
		return fmt.Errorf("read which sessions have ended: %w", err)
	}
	families := make(map[uuid.UUID]bool, len(list))
	for _, family := range list {
		families[family] = true
	}
	e.put.Lock()
	defer e.put.Unlock()
	if known := e.known.Load(); known == nil || !known.at.After(at) { // a later question may be answered first
		e.known.Store(&endedSignIns{families: families, at: at})
	}
	return nil
}
