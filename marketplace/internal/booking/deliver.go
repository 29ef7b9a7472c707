package booking

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// DeliverConfirm repeats a confirm without an answer if it is still due. It returns the pause
// before the next try; 0 means that no further try is due.
func (s *Service) DeliverConfirm(ctx context.Context, id uuid.UUID) (again time.Duration, err error) {
	r, err := s.Store.Booking(ctx, id)
	if err != nil {
		return 0, err
	}
	leave, room := s.deliveries.Try(r.IntegrationID)
	if !room {
		return busyPause, nil
	}
	defer leave()
	call, by := uuid.New(), partner.SendWithin(sendTime)
	r, _, err = s.moves.stepFrom(ctx, r, func(r Record) (Change, error) {
		again = 0
		if r.ConfirmCall == call {
			return Change{}, nil // stored; only the database's reply was lost
		}
		if _, err := transitionFor(r.Booking, confirmAgain); err != nil { // already settled
			if confirming.holds(r.Booking) { // or will be; if not, there is no other job
				again = pause(r.ConfirmTries - 1)
			}
			return Change{}, nil
		}
		return move(r.Booking, confirmAgain, s.Now(), "", "", call)
	})
	if err != nil || r.ConfirmCall != call {
		return again, err
	}
	if listed.holds(r.Booking) { // the booking was read again, and another confirm has been answered
		_, err := s.endConfirm(ctx, r, call, partnerapi.ConfirmAnswer{}, partner.Outcome{Kind: partner.NotSent, Err: errAnswered})
		return 0, err
	}
	if r, err = s.confirm(ctx, r, call, by); err != nil {
		return 0, err // no other job exists until this one ends
	}
	if _, err := transitionFor(r.Booking, confirmAgain); err == nil {
		again = pause(r.ConfirmTries - 1)
	}
	return again, nil
}

var errAnswered = &domain.Error{Code: domain.Conflict, Message: "not sent, because an earlier confirm has been answered"}

// delivery is a call that is repeated until the partner accepts it.
type delivery struct {
	endpoint partnerapi.Endpoint
	owed     func(domain.Booking) bool
	count    func(*domain.Booking) (tries *int, since time.Time)
	send     func(context.Context, *Service, partner.SendBy, Record, partner.Target) partner.Outcome
	taken    event
	giveUp   event
}

var release = delivery{
	endpoint: partnerapi.Release,
	owed:     func(b domain.Booking) bool { return b.Release == domain.Pending },
	count:    func(b *domain.Booking) (*int, time.Time) { return &b.ReleaseTries, b.ReleaseSince },
	send: func(ctx context.Context, s *Service, by partner.SendBy, r Record, t partner.Target) partner.Outcome {
		return s.Partner.Release(ctx, by, t, r.Code)
	},
	taken: releaseTaken, giveUp: releaseGiveUp,
}

var cancellation = delivery{
	endpoint: partnerapi.Cancel,
	owed:     func(b domain.Booking) bool { return b.Cancellation == domain.Pending },
	count:    func(b *domain.Booking) (*int, time.Time) { return &b.CancelTries, b.CancelSince },
	send: func(ctx context.Context, s *Service, by partner.SendBy, r Record, t partner.Target) partner.Outcome {
		return s.Partner.Cancel(ctx, by, t, r.ExternalBookingID, r.CancelReason)
	},
	taken: cancelTaken, giveUp: cancelGiveUp,
}

// DeliverRelease sends a release that is due. It returns the pause before the next try; 0 means
// that no further try is due.
func (s *Service) DeliverRelease(ctx context.Context, id uuid.UUID) (again time.Duration, err error) {
	return s.deliver(ctx, id, release)
}

// DeliverCancel sends a cancellation that is due. It returns the pause before the next try; 0 means
// that no further try is due.
func (s *Service) DeliverCancel(ctx context.Context, id uuid.UUID) (again time.Duration, err error) {
	return s.deliver(ctx, id, cancellation)
}

func (s *Service) deliver(ctx context.Context, id uuid.UUID, d delivery) (again time.Duration, err error) {
	r, err := s.Store.Booking(ctx, id)
	if err != nil {
		return 0, err
	}
	leave, room := s.deliveries.Try(r.IntegrationID)
	if !room {
		return busyPause, nil
	}
	defer leave()
	var call Call
	by := partner.SendWithin(sendTime)
	r, c, err := s.moves.stepFrom(ctx, r, func(r Record) (Change, error) {
		if !d.owed(r.Booking) {
			return Change{}, nil
		}
		call = Call{ID: uuid.New(), Endpoint: d.endpoint, At: s.Now()}
		c := Change{At: call.At, Booking: r.Booking, Begins: &call}
		tries, _ := d.count(&c.Booking)
		*tries++
		return c, nil
	})
	if err != nil || c.Begins == nil {
		return 0, err
	}
	outcome := partner.Outcome{Kind: partner.NotSent}
	if target, err := s.Target(r.Integration); err != nil { // its key was erased: the booking will need attention
		outcome.Err = err
	} else {
		outcome = d.send(ctx, s, by, r, target)
	}
	var left atomic.Bool // not read: the caller does the same in both cases
	r, _, err = s.moves.storeResult(ctx, r, &left, func(r Record) (Change, error) {
		c := Change{At: s.Now(), Booking: r.Booking}
		if d.owed(r.Booking) {
			var err error
			if c, err = applyDelivery(r, d, outcome, s.Now()); err != nil {
				return c, err
			}
		}
		c.Ends = end(call.ID, outcome)
		return c, nil
	})
	if err != nil || !d.owed(r.Booking) {
		return 0, err
	}
	tries, _ := d.count(&r.Booking)
	return pause(*tries - 1), nil
}

// applyDelivery applies the outcome of a delivery to a booking.
func applyDelivery(r Record, d delivery, o partner.Outcome, now time.Time) (Change, error) {
	_, since := d.count(&r.Booking)
	on := event("")
	switch {
	case o.Kind == partner.Done:
		on = d.taken
	case o.Kind == partner.Unsupported:
		on = cancelUnsupported
	case isParked(since, now):
		on = d.giveUp
	default:
		return Change{At: now, Booking: r.Booking}, nil
	}
	message := ""
	if o.Err != nil {
		message = o.Err.Error()
	}
	c, err := move(r.Booking, on, now, "", message, uuid.Nil)
	c.Breaches = breaches(r.Booking, d.endpoint, now, o.Breaches)
	return c, err
}

const (
	// mostDeliveries limits the concurrent deliveries to one partner in a replica: a
	// partner that hangs must not occupy all workers.
	mostDeliveries = 4
	// busyPause is the pause of a delivery when too many are in progress.
	busyPause = 3 * time.Second
)

// pauses are the pauses between tries. The last one doubles up to longestPause.
var pauses = []time.Duration{time.Second, 5 * time.Second, 15 * time.Second, time.Minute}

const longestPause = 15 * time.Minute

// pause returns the pause after a number of tries. It varies by a fifth, so that calls that failed
// together are not repeated together.
func pause(tries int) time.Duration {
	wait := pauses[min(max(tries, 0), len(pauses)-1)]
	for range tries - len(pauses) + 1 {
		if wait *= 2; wait >= longestPause {
			wait = longestPause
			break
		}
	}
	return wait + time.Duration((rand.Float64()-0.5)*0.4*float64(wait))
}

// mostConfirms limits automatic confirms without an answer.
const mostConfirms = 5

// silence returns the event for a confirm without an answer. It is repeated a few times until the
// hold expires.
func silence(b domain.Booking, now time.Time) event {
	if b.ConfirmTries >= mostConfirms || !now.Before(b.ExpiresAt) {
		return confirmGiveUp
	}
	return confirmUnanswered
}

// deliverFor is how long a release or a cancellation is repeated before the booking needs
// attention.
const deliverFor = 72 * time.Hour

// isParked reports whether a delivery that has been due since then is given up.
func isParked(since, now time.Time) bool { return now.Sub(since) >= deliverFor }
