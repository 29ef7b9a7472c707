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

// endedFor is the maximum age of the list of ended sessions. The end of a session on another
// replica takes effect after that time at the latest.
const endedFor = time.Second

// slack is the assumed maximum difference between replicas' clocks.
const slack = time.Minute

// ended lists ended sessions whose access tokens may still be valid. A token does not show that its
// session has ended.
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

// has reports whether a session has ended. A list past half its maximum age is renewed in the
// background. A list that is too old is renewed first.
func (e *ended) has(ctx context.Context, family uuid.UUID) (bool, error) {
	known := e.known.Load()
	if known == nil || e.now().Sub(known.at) >= endedFor/2 {
		asked := e.asking.DoChan("", func() (any, error) {
			return nil, e.renew(context.WithoutCancel(ctx)) // the store has its own limit
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

// renew applies sessions that this replica has ended immediately.
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
	if known := e.known.Load(); known == nil || !known.at.After(at) { // a later query may finish first
		e.known.Store(&endedSignIns{families: families, at: at})
	}
	return nil
}
