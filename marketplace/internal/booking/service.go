// Package booking takes bookings from checkout to their final state. One table contains every
// transition (lifecycle.go). A transition is stored by compare-and-set, together with the job that
// acts on it (move.go). No lock is held while a partner is called. A checkout passes through
// once.go, checkout.go and reserve.go.
//
// docs/booking.md shows the table.
package booking

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/parts"
	"partnerkit.dev/schemas/partnerapi"
)

// Partner calls partners. It is a partner.Client.
type Partner interface {
	FreshAvailability(ctx context.Context, t partner.Target, asked partnerapi.AvailabilityRequest, read func(context.Context, []byte) error) error
	Reserve(ctx context.Context, by partner.SendBy, t partner.Target, h partnerapi.Health, asked partnerapi.ReserveRequest, late func(partnerapi.ReserveAnswer, partner.Outcome)) (partnerapi.ReserveAnswer, partner.Outcome)
	Confirm(ctx context.Context, by partner.SendBy, t partner.Target, h partnerapi.Health, asked partnerapi.ConfirmRequest, tickets bool) (partnerapi.ConfirmAnswer, partner.Outcome)
	Release(ctx context.Context, by partner.SendBy, t partner.Target, code string) partner.Outcome
	Cancel(ctx context.Context, by partner.SendBy, t partner.Target, externalID, reason string) partner.Outcome
}

// Config configures a service.
type Config struct {
	Store           Store
	Keys            KeyStore
	Partner         Partner
	Target          func(domain.Integration) (partner.Target, error)
	AffiliatesShare decimal.Decimal // percent of a booking's total
	Now             func() time.Time
	Log             *slog.Logger
	OnTransition    func(before, after domain.Booking) `part:"optional"` // called after every stored transition
}

// Service manages the life of bookings. It is safe for concurrent use.
type Service struct {
	Config
	moves      transitionStore
	calls      sync.WaitGroup // calls that continue after their caller has gone
	stop       context.CancelFunc
	deliveries *partner.Permits
}

// NewService returns a service.
func NewService(c Config) (*Service, error) {
	if err := parts.Check("bookings", c); err != nil {
		return nil, err
	}
	now := c.Now
	c.Now = func() time.Time { return now().UTC().Truncate(time.Microsecond) } // the precision of the database
	life, stop := context.WithCancel(context.Background())
	s := &Service{Config: c, stop: stop, deliveries: partner.NewPermits(mostDeliveries)}
	s.moves = transitionStore{c.Store, c.Log, &s.calls, life, c.OnTransition}
	return s, nil
}

// Wait waits for calls whose caller has gone, until their results are stored.
func (s *Service) Wait() { s.calls.Wait() }

// Close is like Wait, but gives up results that cannot be stored now. Another replica takes those
// calls over.
func (s *Service) Close() {
	s.stop()
	s.calls.Wait()
}

// sendTime is how long after a call was recorded it may be sent. It includes the longest wait for a
// permit. It is measured from before the commit that records the call, so that a replica that was
// paused, or whose commit took long, does not send it.
const sendTime = 15 * time.Second

// takeOver is the age at which any replica may take over an unfinished call. The first replica can
// no longer send it, and no longer waits for an answer.
var takeOver = sendTime + partnerapi.Confirm.Timeout(partnerapi.Degraded) + 5*time.Second

// Find returns a booking within the scope, or NotFound.
func (s *Service) Find(ctx context.Context, of domain.Scope, id uuid.UUID) (domain.Booking, error) {
	r, err := s.Store.Booking(ctx, id)
	if err == nil {
		err = checkVisible(r.Booking, of)
	}
	if err != nil {
		return domain.Booking{}, err
	}
	return r.Booking, nil
}

// checkVisible returns NotFound for a booking outside the scope. A checkout without a booking is visible
// only to those who see all accounts.
func checkVisible(b domain.Booking, of domain.Scope) error {
	if !of.Includes(b.AccountID, b.Mode) || of.Account != uuid.Nil && b.Code == "" {
		return &domain.Error{Code: domain.NotFound, Message: "booking not found"}
	}
	return nil
}
