package booking

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"partnerkit.dev/marketplace/internal/domain"
)

// transitionStore stores transitions by compare-and-set.
type transitionStore struct {
	store        Store
	log          *slog.Logger
	calls        *sync.WaitGroup // the service's
	life         context.Context // ends with the service
	onTransition func(before, after domain.Booking)
}

const (
	// mostRaces limits the retries after concurrent changes.
	mostRaces = 20
	// mostDoubts limits the retries after a commit with an unknown outcome.
	mostDoubts = 1
	// storeTime limits a read or a write of the store. One that hangs has an unknown outcome, too.
	storeTime = 5 * time.Second
	// doubtTime limits what a checkout asks the store before it answers. The store has usually just
	// failed.
	doubtTime = time.Second
)

// step makes a transition: it reads the booking and stores what decide returns. It
// retries on a concurrent change. A change without a booking is ignored.
func (m transitionStore) step(ctx context.Context, id uuid.UUID, decide func(Record) (Change, error)) (Record, Change, error) {
	r, err := m.read(ctx, id)
	if err != nil {
		return r, Change{}, err
	}
	return m.stepFrom(ctx, r, decide)
}

// errOutraced is returned when concurrent changes came first every time.
var errOutraced = &domain.Error{Code: domain.Unavailable, Message: "the booking is being changed by other requests", Cause: ErrStale}

// stepFrom is step for a booking that was just read. After a commit with an unknown outcome it
// reads the booking before anything else. If decide then finds nothing to do, it returns the change
// that was in doubt.
func (m transitionStore) stepFrom(ctx context.Context, r Record, decide func(Record) (Change, error)) (Record, Change, error) {
	var doubted Change
	doubts := 0
	for range mostRaces {
		c, err := decide(r)
		switch {
		case err != nil:
			return r, c, err
		case c.Booking.ID == uuid.Nil:
			return r, doubted, nil
		}
		c.Seats, c.Events = seatsChange(r.Booking, c), domain.BookingEvents(r.Booking, c.Booking)
		err = m.save(ctx, c, r.Version)
		keyTaken, idTaken := r.keyTaken || errors.Is(err, ErrNotOwner), r.idTaken || errors.Is(err, ErrIDTaken)
		switch {
		case err == nil:
			m.record(r.Booking, c.Booking)
			r.Booking, r.Version = c.Booking, r.Version+1
			return r, c, nil
		case errors.Is(err, ErrStale), errors.Is(err, ErrNotOwner), errors.Is(err, ErrIDTaken):
		case domain.CodeOf(err) != domain.Internal:
			return r, Change{}, err
		case doubts == mostDoubts:
			return r, c, err
		default:
			doubts, doubted = doubts+1, c
		}
		next, failed := m.read(ctx, r.ID)
		if failed != nil {
			r.keyTaken = keyTaken
			return r, doubted, failed
		}
		r, r.keyTaken, r.idTaken = next, keyTaken, idTaken
	}
	return r, doubted, errOutraced
}

func (m transitionStore) read(ctx context.Context, id uuid.UUID) (Record, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	return m.store.Booking(ctx, id)
}

func (m transitionStore) save(ctx context.Context, c Change, version int64) error {
	traceBooking(ctx, c.Booking)
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	return m.store.SaveBooking(ctx, c, version)
}

// traceBooking adds the booking's id to the trace of the current request or job.
func traceBooking(ctx context.Context, b domain.Booking) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(attribute.String("marketplace.booking.id", b.ID.String()))
	}
}

// record counts a transition. It logs new and ended attention reasons.
func (m transitionStore) record(before, after domain.Booking) {
	if m.onTransition != nil {
		m.onTransition(before, after)
	}
	log := m.log.With(slog.String("booking_id", after.ID.String()), slog.String("integration_id", after.IntegrationID.String()))
	for _, opened := range domain.NewAttention(before, after) {
		log.Warn("a booking needs an operator", slog.String("reason", string(opened.Reason)))
	}
	for _, closed := range domain.NewAttention(after, before) {
		log.Info("a booking no longer needs an operator", slog.String("reason", string(closed.Reason)), slog.String("status", string(after.Status)))
	}
}

const (
	// storePatience is how long a caller waits until the result of its call is stored. storePause is
	// the pause between tries; it doubles up to longestStorePause.
	storePatience     = 20 * time.Second
	storePause        = 250 * time.Millisecond
	longestStorePause = 5 * time.Second
	// longestStore limits the tries in the background.
	longestStore = time.Hour
)

// errNotStored is returned while the result of a call is not stored yet.
var errNotStored = &domain.Error{Code: domain.Unavailable, Message: "the database is unavailable: the result of a call to the partner is not stored yet"}

// storeResult stores the result of a call, which cannot be repeated. While the database is unavailable
// it retries, even after ctx ends. After a while the caller receives errNotStored; left is then
// true, and the retries continue in the background.
func (m transitionStore) storeResult(ctx context.Context, r Record, left *atomic.Bool, decide func(Record) (Change, error)) (Record, Change, error) {
	type stored struct {
		r   Record
		c   Change
		err error
	}
	done := make(chan stored, 1)
	m.calls.Go(func() {
		after, c, err := m.retryStore(context.WithoutCancel(ctx), r, decide)
		done <- stored{after, c, err}
	})
	timer := time.NewTimer(storePatience)
	defer timer.Stop()
	select {
	case s := <-done:
		return s.r, s.c, s.err
	case <-timer.C:
		left.Store(true)
		return r, Change{}, errNotStored
	}
}

// retryStore retries storing a transition until it succeeds, the service ends, or the
// transition is obsolete.
func (m transitionStore) retryStore(ctx context.Context, r Record, decide func(Record) (Change, error)) (Record, Change, error) {
	var doubted Change
	pause := storePause
	for began := time.Now(); ; pause = min(2*pause, longestStorePause) {
		after, c, err := m.stepFrom(ctx, r, decide)
		if c.Booking.ID != uuid.Nil {
			doubted = c
		}
		if err == nil || domain.CodeOf(err) != domain.Internal && !errors.Is(err, ErrStale) {
			return after, doubted, err
		}
		r.keyTaken = after.keyTaken
		m.log.Warn("the result of a call is not stored yet", slog.String("booking_id", r.ID.String()), slog.Any("error", err))
		if time.Since(began) > longestStore {
			return after, doubted, err
		}
		select {
		case <-m.life.Done():
			return after, doubted, err
		case <-time.After(pause):
		}
	}
}
