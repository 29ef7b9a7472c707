package booking

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Key names a request that makes a booking, so that it is done once however often it
// is sent.
type Key struct {
	Account uuid.UUID
	Mode    marketplace.Mode
	Key     string
	Body    [32]byte      // SHA-256
	Booking uuid.UUID     // that the request is to make
	AskedAt time.Time     // by the store's clock: the key belongs to the request that asked then
	Age     time.Duration // since then, as it was read
	Answer  Answer        // none: it is under way, or its replica has died
	Made    bool          // there is the booking, or a checkout that has made none
}

// Answer is what a request was told.
type Answer struct {
	Status int
	Body   []byte // nil: nothing was done, and a retry starts again
}

const (
	// keysLive is how long an answer is kept.
	keysLive = 24 * time.Hour
	// flightTime is how long a request may be under way.
	flightTime = time.Minute
)

// KeyStore keeps the requests that name a key.
type KeyStore interface {
	// Claim returns what a checkout is about: what a variation and slot of a listed activity
	// of the key's mode are, or NotFound. Where it names a key it stores that, unless the account has it;
	// it returns the stored key, claimed now or before, whether or not there is an
	// offer.
	Claim(ctx context.Context, k Key, activity, variation uuid.UUID, slot string) (o Offer, stored Key, claimed bool, err error)
	// ReclaimKey replaces one key by another and returns the stored key; taken is false
	// if the old key has changed since it was read.
	ReclaimKey(ctx context.Context, k, before Key) (stored Key, taken bool, err error)
	// SettleKey stores the answer. Without an answer the key is free again, unless its
	// booking was begun, and the partner may keep seats for it. The error is ErrNotOwner
	// where the key is another request's, or has an answer.
	SettleKey(ctx context.Context, k Key) error
}

// Checkout reads the slot from the partner and reserves it. tell makes the
// answer of the booking, HELD, or of the error, where it has a body for that: it is repeated
// whenever the same key is sent. Else the error is returned: Invalid, NotFound,
// Conflict where the slot cannot be booked (with the partner's words, where it has some)
// or the same request is under way, Unprocessable where the key was used for another
// body, PartnerFailed, or PartnerLate, also where the first replica died and whether
// seats are held is not known. Without a key every error is returned; where ctx has ended
// meanwhile the hold is not needed, and is released.
func (s *Service) Checkout(ctx context.Context, o Order, k Key, tell func(Held, error) Answer) (Answer, error) {
	k.Account, k.Mode, k.Booking = o.Account, o.Mode, o.ID
	offer, stored, claimed, err := s.Keys.Claim(ctx, k, o.Activity, o.Variation, o.Slot)
	if err != nil && marketplace.CodeOf(err) != marketplace.NotFound {
		return Answer{}, err
	}
	if !claimed {
		again, failed := s.again(ctx, k, stored, tell)
		if failed != nil || again.Answer.Body != nil {
			return again.Answer, failed
		}
		stored = again
	}
	k = stored
	var held Held
	if err == nil {
		o.ID = k.Booking
		held, err = s.checkout(ctx, o, offer, request{k, tell})
	}
	switch {
	case held.answer != nil:
		return held.answer.Answer, nil
	case k.Key == "" && err != nil, errors.Is(err, errUnderWay):
		return Answer{}, err
	}
	k.Answer = tell(held, err)
	if k.Key != "" {
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), doubtTime)
		defer cancel()
		switch failed := s.Keys.SettleKey(within, k); {
		case errors.Is(failed, ErrNotOwner):
			return Answer{}, errUnderWay // the owner of the key knows its answer
		case failed != nil:
			return Answer{}, failed
		}
	}
	if k.Answer.Body != nil {
		err = nil
	}
	return k.Answer, err
}

// again returns the key of a request that was sent before: with the answer that it was
// given, or without one where it is to be done now, for the booking that the key names.
func (s *Service) again(ctx context.Context, k, before Key, tell func(Held, error) Answer) (Key, error) {
	var died error
	switch {
	case before.Age >= keysLive:
	case before.Body != k.Body:
		return Key{}, &marketplace.Error{Code: marketplace.Unprocessable, Message: "the Idempotency-Key was used with another body"}
	case before.Answer.Body != nil:
		return before, nil
	case before.Age < flightTime:
		return Key{}, errUnderWay
	case before.Made: // where the first replica lives after all, it gives back what it holds
		k.Booking, k.Made, died = before.Booking, true, errReplicaDied
		k.Answer = tell(Held{}, died)
	default:
		k.Booking = before.Booking // where the first replica lives after all, it makes nothing
	}
	stored, taken, err := s.Keys.ReclaimKey(ctx, k, before)
	switch {
	case err != nil:
		return Key{}, err
	case !taken:
		return Key{}, errUnderWay
	case stored.Answer.Body == nil && died != nil:
		return Key{}, died
	}
	return stored, nil
}

// errReplicaDied is what a key gives whose replica made a checkout, and did not come back.
var errReplicaDied = &marketplace.Error{Code: marketplace.PartnerLate, Message: "the service stopped during the call to the partner, so it is unknown whether seats are held; book again with a new Idempotency-Key"}

// errUnderWay says when to ask again, which tells it from conflicts that stay.
var errUnderWay = &marketplace.Error{Code: marketplace.Conflict, Reason: marketplace.IdempotencyKeyInFlight, Message: "a request with this Idempotency-Key is in progress"}
