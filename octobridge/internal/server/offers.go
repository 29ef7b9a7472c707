package server

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"partnerkit.dev/octobridge/internal/offer"
	"partnerkit.dev/schemas/partnerapi"
)

// recently is how old a catalog may be that answers a health probe, or that an unknown option is looked up
// in. An older one is good enough to translate ids, which do not change.
const recently = 30 * time.Second

// offers remembers the supplier's catalog. It is safe for concurrent use.
type offers struct {
	read func(context.Context) (*offer.Offer, error)
	now  func() time.Time

	pulls singleflight.Group
	mu    sync.Mutex
	last  *offer.Offer // nil before the first
	at    time.Time
}

// fresh returns the current catalog.
func (o *offers) fresh(ctx context.Context) (*offer.Offer, error) {
	pulled := o.pulls.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), partnerapi.Products.Timeout(partnerapi.Healthy))
		defer cancel()
		at := o.now()
		offered, err := o.read(ctx)
		if err != nil {
			return nil, err
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		o.last, o.at = offered, at
		return offered, nil
	})
	select {
	case result := <-pulled:
		if result.Err != nil {
			return nil, result.Err
		}
		return result.Val.(*offer.Offer), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// recent returns a catalog that is not old.
func (o *offers) recent(ctx context.Context) (*offer.Offer, error) {
	if last, at := o.remembered(); last != nil && o.now().Sub(at) < recently {
		return last, nil
	}
	return o.fresh(ctx)
}

func (o *offers) remembered() (*offer.Offer, time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.last, o.at
}

// option returns an option that is sold.
func (o *offers) option(ctx context.Context, productID, optionID string) (*offer.Option, error) {
	if last, _ := o.remembered(); last != nil {
		if option, ok := last.Option(productID, optionID); ok {
			return option, nil
		}
	}
	offered, err := o.recent(ctx)
	if err != nil {
		return nil, err
	}
	option, ok := offered.Option(productID, optionID)
	if !ok {
		return nil, badRequest(fmt.Sprintf("there is no product %.100q with an option %.100q", productID, optionID))
	}
	return option, nil
}

// Offer returns the supplier's current catalog.
func (s *Server) Offer(ctx context.Context) (*offer.Offer, error) { return s.offered.fresh(ctx) }

// readOffer is called by one pull at a time.
func (s *Server) readOffer(ctx context.Context) (*offer.Offer, error) {
	products, err := s.Supplier.Products(ctx)
	if err != nil {
		return nil, err
	}
	return s.translator.Translate(products), nil
}
