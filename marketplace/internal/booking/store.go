package booking

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// ErrStale says that a booking was moved by somebody else since it was read.
var ErrStale = errors.New("the booking was moved meanwhile")

// Offer is what a checkout is about.
type Offer struct {
	Activity    marketplace.Activity
	Integration marketplace.Integration
	Health      partnerapi.Health
	Start       time.Time // of the slot, as it is known
	Terms       marketplace.Terms
}

// Record is a booking with what is needed to move it.
type Record struct {
	marketplace.Booking
	Version     int64
	Payments    []marketplace.Payment
	Integration marketplace.Integration // perhaps one that was deleted
	Health      partnerapi.Health
}

// Due is what a sweep has to see to.
type Due struct {
	Expired   []uuid.UUID // holds that nobody paid in time
	Withdrawn []uuid.UUID // holds of integrations that were deleted
	Reserves  []CallOf    // whose replica died
	Confirms  []CallOf    // whose replica died
	Dropped   []DroppedJob
}

// DroppedJob is a job that has failed too often, of a booking that still waits for it.
type DroppedJob struct {
	Booking uuid.UUID
	Kind    JobKind
	Job     int64 // as the log names it
	Tries   int
}

// CallOf is a call of a booking.
type CallOf struct{ Booking, Call uuid.UUID }

// Store keeps bookings.
type Store interface {
	// Offer returns what a listed activity's variation and slot are, or NotFound.
	Offer(ctx context.Context, activity, variation uuid.UUID, slot string) (Offer, error)
	// IsAffiliate reports whether there is an affiliate of that id.
	IsAffiliate(ctx context.Context, id uuid.UUID) (bool, error)
	// CreateBooking stores a checkout with its reserve, before that is sent.
	CreateBooking(ctx context.Context, b marketplace.Booking, reserve Call) error
	// Booking returns a booking, a checkout that has made none too, or NotFound.
	Booking(ctx context.Context, id uuid.UUID) (Record, error)
	// SaveBooking writes a change with its jobs, all of it, or returns ErrStale where
	// the booking is not of that version any more. The next version is one more.
	SaveBooking(ctx context.Context, c Change, version int64) error
	// DueBookings returns what has expired by now, the calls that were begun before
	// stale and have no end, and the jobs that were dropped: at most so many of each.
	DueBookings(ctx context.Context, now, stale time.Time, most int) (Due, error)
}
