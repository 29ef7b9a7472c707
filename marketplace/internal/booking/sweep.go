package booking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	// sweepMost limits the results of one query, and sweepRounds the queries of one sweep. The next
	// sweep is due soon.
	sweepMost   = 500
	sweepRounds = 20
)

var errDied = errors.New("no answer was read, because the service stopped")

// Sweep releases the holds that were not paid in time and those of deleted integrations.
// It resolves the calls of crashed replicas, and raises attention for dropped jobs.
func (s *Service) Sweep(ctx context.Context) error {
	for range sweepRounds {
		due, err := s.Store.DueBookings(ctx, takeOver, sweepMost)
		if err != nil {
			return err
		}
		if err := s.sweep(ctx, due); err != nil {
			return err
		}
		if max(len(due.Expired), len(due.Withdrawn), len(due.Reserves), len(due.Confirms), len(due.Dropped)) < sweepMost {
			break
		}
	}
	return nil
}

func (s *Service) sweep(ctx context.Context, due Due) error {
	var failed []error
	see := func(id uuid.UUID, decide func(Record) (Change, error)) {
		_, _, err := s.moves.step(ctx, id, decide)
		if err != nil && domain.CodeOf(err) != domain.Conflict { // another call was first
			failed = append(failed, fmt.Errorf("sweep booking %s: %w", id, err))
		}
	}
	for on, ids := range map[event][]uuid.UUID{holdExpire: due.Expired, partnerLeave: due.Withdrawn} {
		for _, id := range ids {
			see(id, func(r Record) (Change, error) { return move(r.Booking, on, s.Now(), string(on), "", uuid.Nil) })
		}
	}
	died := partner.Outcome{Kind: partner.Unanswered, Took: -1, Err: errDied}
	for _, c := range due.Reserves {
		see(c.Booking, func(r Record) (Change, error) {
			return reserveAnswer{call: Call{ID: c.Call}, Outcome: died}.move(r, s.Now())
		})
	}
	for _, c := range due.Confirms {
		see(c.Booking, func(r Record) (Change, error) { return s.applyConfirm(r, c.Call, partnerapi.ConfirmAnswer{}, died) })
	}
	for _, d := range due.Dropped {
		see(d.Booking, func(r Record) (Change, error) { return giveUpJob(r, d, s.Now()) })
	}
	return errors.Join(failed...)
}

// giveUpJob gives up the purpose of a dropped job if it is still due.
func giveUpJob(r Record, d DroppedJob, now time.Time) (Change, error) {
	on, owed := confirmGiveUp, false
	switch d.Kind {
	case ConfirmJob:
		_, err := transitionFor(r.Booking, confirmAgain)
		owed = err == nil
	case ReleaseJob:
		on, owed = release.giveUp, release.owed(r.Booking)
	case CancelJob:
		on, owed = cancellation.giveUp, cancellation.owed(r.Booking)
	}
	if !owed {
		return Change{}, nil
	}
	message := fmt.Sprintf("the service failed %d times and gives up; its log has the cause, with job_id %d", d.Tries, d.Job)
	return move(r.Booking, on, now, "", message, uuid.Nil)
}
