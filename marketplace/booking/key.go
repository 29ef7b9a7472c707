package booking

import (
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace"
)

// Key names a request that makes a booking, so that it is done once however often it
// is sent.
type Key struct {
	Account uuid.UUID
	Key     string
	Body    [32]byte  // SHA-256
	Booking uuid.UUID // that the request is to make
	AskedAt time.Time
	Status  int
	Answer  []byte // nil: it is under way, or its replica has died
	Made    bool   // there is the booking, or a checkout that has made none
}

const (
	// keysLive is how long an answer is kept.
	keysLive = 24 * time.Hour
	// flightTime is how long a request may be under way.
	flightTime = time.Minute
)

// KeyStore keeps the requests that name a key.
type KeyStore interface {
	// ClaimKey stores a key where the account has none of it, or returns the one that
	// it has.
	ClaimKey(ctx context.Context, k Key) (before Key, claimed bool, err error)
	// ReclaimKey stores a key in the place of one that was asked for at that time, and
	// reports whether it was still there.
	ReclaimKey(ctx context.Context, k Key, before time.Time) (bool, error)
	// SettleKey stores the answer; where that is nil the key is free again.
	SettleKey(ctx context.Context, k Key) error
}

// Claim returns the key with the answer that was given to it, or without one where the
// request is to be done now, for the booking that it names. The error is Unprocessable
// where the key was used for another body, Conflict while it is under way, PartnerLate
// where its replica died, and whether seats are held is not known.
func (s *Service) Claim(ctx context.Context, k Key) (Key, error) {
	k.AskedAt = s.Now()
	before, claimed, err := s.Keys.ClaimKey(ctx, k)
	if err != nil || claimed {
		return k, err
	}
	expired := k.AskedAt.Sub(before.AskedAt) >= keysLive
	switch {
	case expired:
	case before.Body != k.Body:
		return k, &marketplace.Error{Code: marketplace.Unprocessable, Message: "the Idempotency-Key was used for another body"}
	case before.Answer != nil:
		return before, nil
	case k.AskedAt.Sub(before.AskedAt) < flightTime:
		return k, errUnderWay
	case before.Made:
		return k, &marketplace.Error{Code: marketplace.PartnerLate, Message: "the service ended while the partner was asked: whether seats are held is not known; book again with another key"}
	default:
		k.Booking = before.Booking // where the first replica lives after all, one of the two makes it
	}
	taken, err := s.Keys.ReclaimKey(ctx, k, before.AskedAt)
	if err == nil && !taken {
		err = errUnderWay
	}
	return k, err
}

var errUnderWay = &marketplace.Error{Code: marketplace.Conflict, Message: "a request with this Idempotency-Key is under way"}

// Settled stores the answer of a request, for whoever sends it again. It outlives ctx.
func (s *Service) Settled(ctx context.Context, k Key) error {
	return s.Keys.SettleKey(context.WithoutCancel(ctx), k)
}
