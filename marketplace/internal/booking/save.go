package booking

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// moves stores the moves of bookings, by compare-and-set.
type moves struct {
	store Store
	log   *slog.Logger
	calls *sync.WaitGroup // the service's
	life  context.Context // of the service
}

const (
	// mostRaces bounds how often a move is tried that others come before.
	mostRaces = 20
	// mostDoubts bounds how often one is tried whose commit is not known to have been made.
	mostDoubts = 1
	// storeTime bounds a read or a write of the store: one that hangs is in doubt, too.
	storeTime = 5 * time.Second
	// doubtTime bounds what a checkout still asks the store before it answers, most often
	// one that has just failed.
	doubtTime = time.Second
)

// step moves a booking: it reads it, and stores what decide makes of it, anew where
// somebody else was first. A change without a booking is none.
func (m moves) step(ctx context.Context, id uuid.UUID, decide func(Record) (Change, error)) (Record, Change, error) {
	r, err := m.read(ctx, id)
	if err != nil {
		return r, Change{}, err
	}
	return m.stepFrom(ctx, r, decide)
}

// stepFrom is step for a booking that was just read. A commit whose outcome is not known
// may have been made, so the booking is read before anything else is done: where decide
// then finds nothing to do the change that was in doubt is returned.
func (m moves) stepFrom(ctx context.Context, r Record, decide func(Record) (Change, error)) (Record, Change, error) {
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
		c.Seats = seatsChange(r.Booking, c)
		err = m.save(ctx, c, r.Version)
		disowned := r.disowned || errors.Is(err, ErrNotOwner)
		switch {
		case err == nil:
			m.alarm(r.Booking, c.Booking)
			r.Booking, r.Version = c.Booking, r.Version+1
			return r, c, nil
		case errors.Is(err, ErrStale), errors.Is(err, ErrNotOwner):
		case marketplace.CodeOf(err) != marketplace.Internal:
			return r, Change{}, err
		case doubts == mostDoubts:
			return r, c, err
		default:
			doubts, doubted = doubts+1, c
		}
		next, failed := m.read(ctx, r.ID)
		if failed != nil {
			r.disowned = disowned
			return r, doubted, failed
		}
		r, r.disowned = next, disowned
	}
	return r, doubted, ErrStale
}

func (m moves) read(ctx context.Context, id uuid.UUID) (Record, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	return m.store.Booking(ctx, id)
}

func (m moves) save(ctx context.Context, c Change, version int64) error {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	return m.store.SaveBooking(ctx, c, version)
}

// alarm logs why a booking needs an operator from now on.
func (m moves) alarm(before, after marketplace.Booking) {
	for _, a := range after.Attention {
		if !slices.ContainsFunc(before.Attention, func(known marketplace.Attention) bool { return known.Reason == a.Reason }) {
			m.log.Warn("a booking needs an operator", slog.String("booking_id", after.ID.String()), slog.String("integration_id", after.IntegrationID.String()), slog.String("reason", string(a.Reason)))
		}
	}
}

const (
	// insistFor is how long whoever made a call waits until what came of it is stored,
	// insistPause how long until that is tried again; it doubles up to insistRarely.
	insistFor    = 20 * time.Second
	insistPause  = 250 * time.Millisecond
	insistRarely = 5 * time.Second
	// insistLongest is how long it is tried in the background.
	insistLongest = time.Hour
)

// errNotStored says that what came of a call is not stored yet.
var errNotStored = &marketplace.Error{Code: marketplace.Unavailable, Message: "the database is unavailable: what came of the call to the partner is not stored yet"}

// insist stores what came of a call, which cannot be asked for again: it outlives ctx,
// and a database that is away. Whoever waits for it is told errNotStored after a while;
// left is then true, and it goes on in the background.
func (m moves) insist(ctx context.Context, r Record, left *atomic.Bool, decide func(Record) (Change, error)) (Record, Change, error) {
	type stored struct {
		r   Record
		c   Change
		err error
	}
	done := make(chan stored, 1)
	m.calls.Go(func() {
		after, c, err := m.persist(context.WithoutCancel(ctx), r, decide)
		done <- stored{after, c, err}
	})
	timer := time.NewTimer(insistFor)
	defer timer.Stop()
	select {
	case s := <-done:
		return s.r, s.c, s.err
	case <-timer.C:
		left.Store(true)
		return r, Change{}, errNotStored
	}
}

// persist tries to store a move until that is done, the service ends, or nobody can want
// it any more.
func (m moves) persist(ctx context.Context, r Record, decide func(Record) (Change, error)) (Record, Change, error) {
	var doubted Change
	pause := insistPause
	for began := time.Now(); ; pause = min(2*pause, insistRarely) {
		after, c, err := m.stepFrom(ctx, r, decide)
		if c.Booking.ID != uuid.Nil {
			doubted = c
		}
		if err == nil || marketplace.CodeOf(err) != marketplace.Internal {
			return after, doubted, err
		}
		r.disowned = after.disowned
		m.log.Warn("what came of a call is not stored yet", slog.String("booking_id", r.ID.String()), slog.Any("error", err))
		if time.Since(began) > insistLongest {
			return after, doubted, err
		}
		select {
		case <-m.life.Done():
			return after, doubted, err
		case <-time.After(pause):
		}
	}
}
