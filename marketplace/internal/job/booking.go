package job

import (
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
)

// QueueBookings is where what is owed to partners waits.
const QueueBookings = "bookings"

// The jobs of a booking.
type (
	// Confirm sends a confirm again that had no answer.
	Confirm struct {
		Booking uuid.UUID `json:"booking_id"`
	}
	// Release sends a release until it is taken.
	Release struct {
		Booking uuid.UUID `json:"booking_id"`
	}
	// Cancel sends a cancellation until it is taken.
	Cancel struct {
		Booking uuid.UUID `json:"booking_id"`
	}
	// Sweep releases what has expired, and sees to the calls of replicas that died and
	// to what dropped jobs were for.
	Sweep struct {
		Due time.Time `json:"due"`
	}
)

// Kind names it in the queue.
func (Confirm) Kind() string { return "booking_confirm" }

// Kind names it in the queue.
func (Release) Kind() string { return "booking_release" }

// Kind names it in the queue.
func (Cancel) Kind() string { return "booking_cancel" }

// Kind names it in the queue.
func (Sweep) Kind() string { return "booking_sweep" }

// failures is how often such a job may fail, or be its replica's last, before it is
// dropped: half a day, with pauses that grow. What a partner does not take is no failure.
// A sweep hands what a dropped one was for to an operator.
const failures = 12

// InsertOpts let one wait or run for a booking: it stays until confirm is not due any more.
func (Confirm) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueBookings, MaxAttempts: failures, UniqueOpts: oneAtATime}
}

// InsertOpts let there be another: where an operator has what was given up sent again,
// the job that gave it up may not have ended yet.
func (Release) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueBookings, MaxAttempts: failures}
}

// InsertOpts let there be another, as for a release.
func (Cancel) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueBookings, MaxAttempts: failures}
}

// InsertOpts let there be one for each time.
func (Sweep) InsertOpts() river.InsertOpts { return chore }
