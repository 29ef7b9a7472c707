package booking

import (
	"context"
	"errors"
	"log/slog"
	"slices"
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
	Availability(ctx context.Context, t partner.Target, asked partnerapi.AvailabilityRequest, readable func([]byte) error) ([]byte, error)
	Reserve(ctx context.Context, t partner.Target, h partnerapi.Health, asked partnerapi.ReserveRequest, late func(partnerapi.ReserveAnswer, partner.Outcome)) (partnerapi.ReserveAnswer, partner.Outcome)
	Confirm(ctx context.Context, t partner.Target, h partnerapi.Health, asked partnerapi.ConfirmRequest, tickets bool) (partnerapi.ConfirmAnswer, partner.Outcome)
	Release(ctx context.Context, t partner.Target, code string) partner.Outcome
	Cancel(ctx context.Context, t partner.Target, externalID, reason string) partner.Outcome
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
}

// Service leads bookings through their life. It is safe for concurrent use.
type Service struct {
	Config
	calls  sync.WaitGroup // that outlive whoever asked for them
	shares shares
}

// NewService returns a service.
func NewService(c Config) *Service {
	now := c.Now
	c.Now = func() time.Time { return now().UTC().Truncate(time.Microsecond) } // as it is stored
	return &Service{Config: c}
}

// Wait waits for the calls that outlive whoever asked for them.
func (s *Service) Wait() { s.calls.Wait() }

// mostRaces bounds how often a move is tried that others come before.
const mostRaces = 20

// step moves a booking: it reads it, and stores what decide makes of it, anew where
// somebody else was first. A change without a booking is none.
func (s *Service) step(ctx context.Context, id uuid.UUID, decide func(Record) (Change, error)) (Record, Change, error) {
	r, err := s.Store.Booking(ctx, id)
	if err != nil {
		return r, Change{}, err
	}
	return s.stepFrom(ctx, r, decide)
}

// stepFrom is step for a booking that was just read.
func (s *Service) stepFrom(ctx context.Context, r Record, decide func(Record) (Change, error)) (Record, Change, error) {
	for range mostRaces {
		c, err := decide(r)
		if err != nil || c.Booking.ID == uuid.Nil {
			return r, c, err
		}
		err = s.Store.SaveBooking(ctx, c, r.Version)
		if err == nil {
			s.alarm(r.Booking, c.Booking)
			r.Booking, r.Version = c.Booking, r.Version+1
			return r, c, nil
		}
		if !errors.Is(err, ErrStale) {
			return r, Change{}, err
		}
		if r, err = s.Store.Booking(ctx, r.ID); err != nil {
			return r, Change{}, err
		}
	}
	return r, Change{}, ErrStale
}

// alarm logs why a booking needs an operator from now on.
func (s *Service) alarm(before, after marketplace.Booking) {
	for _, a := range after.Attention {
		if !slices.ContainsFunc(before.Attention, func(known marketplace.Attention) bool { return known.Reason == a.Reason }) {
			s.Log.Warn("a booking needs an operator", slog.String("booking_id", after.ID.String()), slog.String("integration_id", after.IntegrationID.String()), slog.String("reason", string(a.Reason)))
		}
	}
}

const (
	// insistFor is how long what a partner has answered is tried to be stored.
	insistFor   = 20 * time.Second
	insistPause = 250 * time.Millisecond
)

// insist stores what came of a call, which cannot be asked for again: it outlives ctx,
// and a database that is away for a moment.
func (s *Service) insist(ctx context.Context, r Record, decide func(Record) (Change, error)) (Record, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), insistFor)
	defer cancel()
	for {
		after, _, err := s.stepFrom(ctx, r, decide)
		if err == nil || marketplace.CodeOf(err) != marketplace.Internal {
			return after, err
		}
		s.Log.Warn("what came of a call is not stored yet", slog.String("booking_id", r.ID.String()), slog.Any("error", err))
		select {
		case <-ctx.Done():
			return after, err
		case <-time.After(insistPause):
		}
	}
}

// visible returns a booking that the account may see; the zero id sees all. A checkout
// that has made none is NotFound.
func visible(b marketplace.Booking, account uuid.UUID) error {
	if account != uuid.Nil && b.AccountID != account || account != uuid.Nil && b.Code == "" {
		return &marketplace.Error{Code: marketplace.NotFound, Message: "booking not found"}
	}
	return nil
}

// end is what the history keeps of a call that is over.
func end(call uuid.UUID, o partner.Outcome) *CallEnd {
	e := &CallEnd{ID: call, Status: o.Status, Took: o.Took}
	switch {
	case o.Message != "":
		e.Error = o.Message
	case o.Err != nil:
		e.Error = o.Err.Error()
	}
	return e
}

func breaches(b marketplace.Booking, endpoint partnerapi.Endpoint, at time.Time, messages []string) (list []Breach) {
	for _, message := range messages {
		list = append(list, Breach{At: at, Booking: b.ID, Endpoint: endpoint, Message: message})
	}
	return list
}
