package booking

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// ErrStale says that a booking was moved by somebody else since it was read.
var ErrStale = errors.New("the booking changed meanwhile")

// ErrNotOwner says that a request's key belongs to another request by now.
var ErrNotOwner = errors.New("the key belongs to another request")

// Offer is what a checkout is about.
type Offer struct {
	Activity    marketplace.Activity
	Integration marketplace.Integration
	Health      partnerapi.Health
	Start       time.Time // of the slot, as last known
	Terms       marketplace.Terms
}

// Fresh is what a partner has just answered of the slot that a checkout names.
type Fresh struct {
	At        time.Time // when the partner was asked
	Variation uuid.UUID
	Asked     string            // the slot's id as the checkout names it
	Slot      *marketplace.Slot // nil if there is no slot
	Gone      bool              // the answer has no slot of the id that the checkout names
}

// SeatsChange is what a change of a booking does to the seats that are left in its slot,
// until the partner tells them again.
type SeatsChange struct {
	At   time.Time // what the partner has said of the slot after this includes it
	Free int       // seats that are given back; below 0: taken
}

// Record is a booking with what is needed to move it.
type Record struct {
	marketplace.Booking
	Version     int64
	Payments    []marketplace.Payment
	Integration marketplace.Integration // perhaps one that was deleted
	Health      partnerapi.Health
	disowned    bool // the key of the request that makes it belongs to another one
}

// Due is what a sweep has to see to.
type Due struct {
	Expired   []uuid.UUID // holds that were not paid in time
	Withdrawn []uuid.UUID // holds of integrations that were deleted
	Reserves  []CallOf    // whose replica died, or was paused for too long
	Confirms  []CallOf    // whose replica died, or was paused for too long
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

// Job is work that continues after its caller has gone.
type Job struct {
	Kind    JobKind
	Booking uuid.UUID
	After   time.Duration // not before, by the store's clock
}

// JobKind is what a job does.
type JobKind string

// The kinds.
const (
	ConfirmJob JobKind = "booking_confirm" // DeliverConfirm
	ReleaseJob JobKind = "booking_release" // DeliverRelease
	CancelJob  JobKind = "booking_cancel"  // DeliverCancel
)

// Call is a call to the partner that is on record before it is sent.
type Call struct {
	ID       uuid.UUID
	Endpoint partnerapi.Endpoint
	At       time.Time
}

// CallEnd is what came of a call.
type CallEnd struct {
	ID     uuid.UUID
	Status int // of the answer; 0 where none was read
	Took   time.Duration
	Error  string // "" of one that did what it should
}

// Known is what is known of it: nil where nothing is.
func (e CallEnd) Known() (status *int, milliseconds *int64) {
	if e.Status != 0 {
		status = &e.Status
	}
	if e.Took >= 0 {
		milliseconds = new(e.Took.Milliseconds())
	}
	return status, milliseconds
}

// over is the call in its booking's history, once it has ended.
func (c Call) over(e CallEnd) marketplace.HistoryEntry {
	entry := marketplace.HistoryEntry{At: c.At, Kind: marketplace.CallKind, Endpoint: c.Endpoint, Error: e.Error}
	entry.Status, entry.Duration = e.Known()
	return entry
}

// Breach is how a partner has broken the contract, in an answer that was used all the
// same.
type Breach struct {
	At       time.Time           `json:"at"`
	Booking  uuid.UUID           `json:"booking_id"`
	Endpoint partnerapi.Endpoint `json:"endpoint"`
	Message  string              `json:"message"`
}

// Change is what a move writes, all of it or nothing.
type Change struct {
	At         time.Time
	Booking    marketplace.Booking        // after the change
	History    []marketplace.HistoryEntry // moves
	Begins     *Call
	Ends       *CallEnd
	Payment    *marketplace.Payment
	Commission *decimal.Decimal // of its affiliate, which accrues now
	Reverses   bool             // that commission
	Breaches   []Breach
	Answers    *Key                    // of the request that has made it, with its answer
	Seats      *SeatsChange            // of its slot; nil: none
	Events     []marketplace.EventType // of which its reseller is told
	Jobs       []Job
}

// Filter says which bookings are wanted; zero values do not choose.
type Filter struct {
	marketplace.Scope     // the account is a reseller's
	Activity, Integration uuid.UUID
	Checkouts             bool // those too that have made no booking
	Status                marketplace.BookingStatus
	Attention             bool   // those alone that need an operator
	Reference             string // the reseller's
	Query                 string // an id, a reference of the reseller's, a booking id of the partner's, or words of the guest's name or addresses
	Created, Start        Period
}

// Period is from the one time to the other, both inclusive; a zero time is open.
type Period struct{ From, To time.Time }

// Commission is an affiliate's share of a booking.
type Commission struct {
	Booking    uuid.UUID
	Currency   marketplace.Currency
	Amount     marketplace.Number
	AccruedAt  time.Time
	ReversedAt time.Time // zero: it was not
}

// Store keeps bookings.
type Store interface {
	// IsAffiliate reports whether there is an affiliate of that id.
	IsAffiliate(ctx context.Context, id uuid.UUID) (bool, error)
	// CreateBooking stores a checkout with its reserve, before that is sent, and what the
	// partner has answered of the slot. Where it has a key that is another request's it
	// returns ErrNotOwner.
	CreateBooking(ctx context.Context, b marketplace.Booking, reserve Call, k Key, f Fresh) error
	// KeepFresh stores what the partner has answered of a slot that is not booked. Older
	// news never overwrites newer.
	KeepFresh(ctx context.Context, f Fresh) error
	// Recorded reports whether a call is on record.
	Recorded(ctx context.Context, call uuid.UUID) (bool, error)
	// Booking returns a booking, a checkout that has made none too, or NotFound.
	Booking(ctx context.Context, id uuid.UUID) (Record, error)
	// SaveBooking writes a change with its jobs, all of it, or returns ErrStale where
	// the booking is not of that version any more, or ErrNotOwner where it answers a key
	// that is another request's. The next version is one more. Where the error is any
	// other one, the change may have been written, or may be in a moment.
	SaveBooking(ctx context.Context, c Change, version int64) error
	// DueBookings returns what has expired, the calls without an end that were put on
	// record that long ago or more, by the store's clock, and the jobs that were dropped:
	// at most so many of each.
	DueBookings(ctx context.Context, takeOver time.Duration, most int) (Due, error)
}
