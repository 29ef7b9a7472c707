package booking

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// Key identifies a request that makes a booking, so that it is processed once however often it is
// sent.
type Key struct {
	Account uuid.UUID
	Mode    domain.Mode
	Key     string
	Body    [32]byte      // SHA-256
	Booking uuid.UUID     // that the request will make
	AskedAt time.Time     // by the store's clock; the key belongs to the request with this time
	Age     time.Duration // time since AskedAt when the key was read
	Answer  Answer        // empty: the request is in progress, or its replica crashed
	Made    bool          // the booking, or a checkout without one, exists
}

// Answer is a request's HTTP answer.
type Answer struct {
	Status int
	Body   []byte // nil: nothing was done, and a retry starts again
}

const (
	// keysLive is how long an answer is kept.
	keysLive = 24 * time.Hour
	// flightTime is how long a request may take.
	flightTime = time.Minute
)

// KeyStore keeps the keys of requests.
type KeyStore interface {
	// Claim returns the listed activity, variation and slot of a checkout in the key's mode, or
	// NotFound. If the request has a key, Claim stores it unless the account has it already. It
	// returns the stored key, new or old, even if the offer is not found.
	Claim(ctx context.Context, k Key, activity, variation uuid.UUID, slot string) (o Offer, stored Key, claimed bool, err error)
	// ReclaimKey replaces one key by another and returns the stored key; taken is false
	// if the old key has changed since it was read.
	ReclaimKey(ctx context.Context, k, before Key) (stored Key, taken bool, err error)
	// SettleKey stores the answer. Without an answer it frees the key, unless the key's booking was
	// begun: the partner may hold seats for it. The error is ErrNotOwner if the key belongs to
	// another request or has an answer.
	SettleKey(ctx context.Context, k Key) error
	// FreeKey deletes a key that was stored for a booking, unless that was begun.
	FreeKey(ctx context.Context, k Key) error
}

// Checkout reads the slot from the partner and reserves it. respond builds the answer for a HELD
// booking or for an error. An answer with a body is stored, and repeated whenever the same key is
// sent. Otherwise the error is returned: Invalid or NotFound. Conflict means that the slot cannot
// be booked (with the partner's message, if any) or that the same request is in progress.
// Unprocessable means that the key was used with another body. PartnerFailed and PartnerLate mean
// that the partner failed, or that a replica crashed and it is unknown whether seats are held.
// Without a key every error is returned. If ctx ends first, the hold is released.
func (s *Service) Checkout(ctx context.Context, o Order, k Key, respond func(Held, error) Answer) (Answer, error) {
	k.Account, k.Mode, k.Booking = o.Account, o.Mode, o.ID
	offer, stored, claimed, err := s.Keys.Claim(ctx, k, o.Activity, o.Variation, o.Slot)
	if err != nil && domain.CodeOf(err) != domain.NotFound {
		s.freeKey(ctx, k)
		return Answer{}, err
	}
	if !claimed {
		again, failed := s.repeatedKey(ctx, k, stored, o.reschedules(), respond)
		if failed != nil || again.Answer.Body != nil {
			return again.Answer, failed
		}
		stored = again
	}
	k = stored
	var held Held
	switch {
	case o.reschedules() && k.Made:
		held, err = s.resume(ctx, k.Booking)
	case err == nil:
		o.ID = k.Booking
		held, err = s.checkout(ctx, o, offer, request{k, respond})
	}
	switch {
	case held.answer != nil:
		return held.answer.Answer, nil
	case k.Key == "" && err != nil, errors.Is(err, errUnderWay):
		return Answer{}, err
	}
	k.Answer = respond(held, err)
	if k.Key != "" {
		switch failed := s.settleKey(ctx, k); {
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

// settleKey stores the answer to a request, or frees its key. If the store fails, it is tried again in the
// background, until another request may take the key over.
func (s *Service) settleKey(ctx context.Context, k Key) error {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	failed := s.Keys.SettleKey(within, k)
	if failed != nil && !errors.Is(failed, ErrNotOwner) {
		s.calls.Go(func() {
			_ = s.keepTrying(func(ctx context.Context) error { return s.Keys.SettleKey(ctx, k) })
		})
	}
	return failed
}

// keepTrying does what the store has just failed to do, until it succeeds, the service ends, or another
// request may have taken the key over. It returns the last error.
func (s *Service) keepTrying(do func(context.Context) error) (failed error) {
	began := time.Now()
	for pause := storePause; ; pause = min(2*pause, longestStorePause) {
		select {
		case <-s.moves.life.Done():
			return cmp.Or(failed, context.Cause(s.moves.life))
		case <-time.After(pause):
		}
		within, cancel := context.WithTimeout(context.Background(), storeTime)
		failed = do(within)
		cancel()
		if failed == nil || errors.Is(failed, ErrNotOwner) || time.Since(began) > flightTime {
			return failed
		}
	}
}

// freeKey frees a key whose claim failed, but may have been stored: a retry would be refused until flightTime has passed.
// If this fails too, it will be.
func (s *Service) freeKey(ctx context.Context, k Key) {
	if k.Key == "" {
		return
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), doubtTime)
	defer cancel()
	_ = s.Keys.FreeKey(within, k)
}

// repeatedKey returns the key of a repeated request: with its stored answer, or without one if the
// request must be processed now, for the booking that the key names. A reschedule is resumed, because its
// booking says how it ended.
func (s *Service) repeatedKey(ctx context.Context, k, before Key, reschedules bool, respond func(Held, error) Answer) (Key, error) {
	var died error
	switch {
	case before.Age >= keysLive:
	case before.Body != k.Body:
		return Key{}, &domain.Error{Code: domain.Unprocessable, Message: "the Idempotency-Key was used with another body"}
	case before.Answer.Body != nil:
		return before, nil
	case before.Age < flightTime:
		return Key{}, errUnderWay
	case before.Made && !reschedules: // if the first replica is still running, it releases its hold
		k.Booking, k.Made, died = before.Booking, true, errReplicaDied
		k.Answer = respond(Held{}, died)
	default:
		k.Booking, k.Made = before.Booking, before.Made // if the first replica is still running, it creates nothing
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

// errReplicaDied is returned for a key whose replica began a checkout and crashed.
var errReplicaDied = &domain.Error{Code: domain.PartnerLate, Message: "the service stopped during the call to the partner, so it is unknown whether seats are held; book again with a new Idempotency-Key"}

// errUnderWay says when to ask again, unlike lasting conflicts.
var errUnderWay = &domain.Error{Code: domain.Conflict, Reason: domain.IdempotencyKeyInFlight, Message: "a request with this Idempotency-Key is in progress"}
