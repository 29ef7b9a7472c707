// Package booking leads bookings from checkout to their end: every move in one table
// (lifecycle.go), and every call to a partner around it. A move is stored, by
// compare-and-set, together with the job that acts on it (move.go); nothing is held while
// a partner is called. A checkout runs through once.go, checkout.go and reserve.go.
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

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// Partner is who is called: a partner.Client.
type Partner interface {
	FreshAvailability(ctx context.Context, t partner.Target, asked partnerapi.AvailabilityRequest, read func(context.Context, []byte) error) error
	Reserve(ctx context.Context, by partner.SendBy, t partner.Target, h partnerapi.Health, asked partnerapi.ReserveRequest, late func(partnerapi.ReserveAnswer, partner.Outcome)) (partnerapi.ReserveAnswer, partner.Outcome)
	Confirm(ctx context.Context, by partner.SendBy, t partner.Target, h partnerapi.Health, asked partnerapi.ConfirmRequest, tickets bool) (partnerapi.ConfirmAnswer, partner.Outcome)
	Release(ctx context.Context, by partner.SendBy, t partner.Target, code string) partner.Outcome
	Cancel(ctx context.Context, by partner.SendBy, t partner.Target, externalID, reason string) partner.Outcome
}

// Config is what a service is made of. Every field is required.
type Config struct {
	Store           Store
	Keys            KeyStore
	Partner         Partner
	Target          func(marketplace.Integration) (partner.Target, error)
	AffiliatesShare decimal.Decimal // percent of a booking's total
	Now             func() time.Time
	Log             *slog.Logger
	Told            func(before, after marketplace.Booking) // of every stored move; may be nil
}

// Service leads bookings through their life. It is safe for concurrent use.
type Service struct {
	Config
	moves      moves
	calls      sync.WaitGroup // that continue after their caller has gone
	stop       context.CancelFunc
	deliveries *partner.Permits
}

// NewService returns a service.
func NewService(c Config) *Service {
	now := c.Now
	c.Now = func() time.Time { return now().UTC().Truncate(time.Microsecond) } // the precision of the database
	life, stop := context.WithCancel(context.Background())
	s := &Service{Config: c, stop: stop, deliveries: partner.NewPermits(mostDeliveries)}
	s.moves = moves{c.Store, c.Log, &s.calls, life, c.Told}
	return s
}

// Wait waits for the calls that continue after their caller has gone, and until their
// results are stored.
func (s *Service) Wait() { s.calls.Wait() }

// Close is Wait where what cannot be stored now is given up: another replica takes such
// calls over.
func (s *Service) Close() {
	s.stop()
	s.calls.Wait()
}

// sendTime is how long after a call was put on record it may be sent: the longest wait
// for a permit is within it. It is measured from before the commit that puts it on
// record, so that a replica that was paused, or whose commit took long, does not send it.
const sendTime = 15 * time.Second

// takeOver is the age at which any replica may take over an unfinished call. Its
// replica cannot send it any more, and does not wait for an answer either.
var takeOver = sendTime + partnerapi.Confirm.Timeout(partnerapi.Degraded) + 5*time.Second

// Find returns a booking within the scope. Others are NotFound.
func (s *Service) Find(ctx context.Context, of marketplace.Scope, id uuid.UUID) (marketplace.Booking, error) {
	r, err := s.Store.Booking(ctx, id)
	if err == nil {
		err = visible(r.Booking, of)
	}
	if err != nil {
		return marketplace.Booking{}, err
	}
	return r.Booking, nil
}

// visible is NotFound for a booking that is not within the scope. A checkout that has made
// none is one of those, except for those who see all accounts.
func visible(b marketplace.Booking, of marketplace.Scope) error {
	if !of.Includes(b.AccountID, b.Mode) || of.Account != uuid.Nil && b.Code == "" {
		return &marketplace.Error{Code: marketplace.NotFound, Message: "booking not found"}
	}
	return nil
}
