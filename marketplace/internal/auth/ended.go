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

// ended knows the sign-ins that were ended while an access token of theirs may still be
// good. A token tells nobody by itself that its sign-in has ended.
type ended struct {
	store   Store
	now     func() time.Time
	known   atomic.Pointer[endedSignIns]
	asking  sync.Mutex
	waiting singleflight.Group // for the first list
}

type endedSignIns struct {
	families map[uuid.UUID]bool
	at       time.Time
}

// has reports whether a sign-in has ended. Of requests that find the list too old one
// asks for a new one, while the others go by the old one.
func (e *ended) has(ctx context.Context, family uuid.UUID) (bool, error) {
	known := e.known.Load()
	if known == nil || e.now().Sub(known.at) >= endedFor {
		var err error
		switch {
		case known == nil:
			err = e.first(ctx)
		case !e.asking.TryLock():
			return known.families[family], nil
		default:
			err = e.ask(ctx)
			e.asking.Unlock()
		}
		if err != nil {
			return false, err
		}
		known = e.known.Load()
	}
	return known.families[family], nil
}

// first asks for the first list, once for all who wait for it: a database that does not
// answer keeps them no longer than one.
func (e *ended) first(ctx context.Context) error {
	_, err, _ := e.waiting.Do("", func() (any, error) { return nil, e.renew(context.WithoutCancel(ctx)) })
	return err
}

// renew has what this replica has ended be felt at once.
func (e *ended) renew(ctx context.Context) error {
	e.asking.Lock()
	defer e.asking.Unlock()
	return e.ask(ctx)
}

func (e *ended) ask(ctx context.Context) error {
	at := e.now()
	list, err := e.store.EndedFamilies(ctx, at.Add(-AccessLife-slack))
	if err != nil {
		return fmt.Errorf("ask which sign-ins have ended: %w", err)
	}
	families := make(map[uuid.UUID]bool, len(list))
	for _, family := range list {
		families[family] = true
	}
	e.known.Store(&endedSignIns{families: families, at: at})
	return nil
}
