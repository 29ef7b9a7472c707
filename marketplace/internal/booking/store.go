package booking

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// ErrStale is returned when a booking has changed since it was read.
var ErrStale = errors.New("the booking changed in the meantime")

// ErrNotOwner is returned when a key belongs to another request.
var ErrNotOwner = errors.New("the key belongs to another request")

// ErrIDTaken is returned when another booking of the integration has the id that a change stores
// without SharesID.
var ErrIDTaken = errors.New("another booking has the partner's booking id")

// ErrCodeTaken is returned when another booking of the integration has the code that a change stores.
var ErrCodeTaken = &domain.Error{Code: domain.Conflict, Message: "the partner reused a code"}

// Offer is the activity, variation and slot of a checkout.
type Offer struct {
	Activity    domain.Activity
	Integration domain.Integration
	Health      partnerapi.Health
	Start       time.Time // of the slot, as last stored
	Terms       domain.Terms
}

// Fresh is a partner's current answer about the slot of a checkout.
type Fresh struct {
	At        time.Time // when the partner was asked
	Variation uuid.UUID
	Asked     string       // the slot's id in the checkout
	Slot      *domain.Slot // nil if there is no slot
	Gone      bool         // the answer contains no slot with the checkout's id
}

// SeatsChange is the effect of a booking's change on the free seats of its slot, until the
// partner's next answer.
type SeatsChange struct {
	At   time.Time // answers about the slot after this time include it
	Free int       // seats that become free; negative: taken
}

// Record is a booking with the data for its next transition.
type Record struct {
	domain.Booking
	Version     int64
	Payments    []domain.Payment
	Integration domain.Integration // may be deleted
	Health      partnerapi.Health
	idTaken     bool   // another booking has the id from its confirm
	keyTaken    bool   // its key belongs to another request
	refusal     string // the partner's words, if it has just refused to confirm
}

// Due is the work of a sweep.
type Due struct {
	Expired   []uuid.UUID // holds that were not paid in time
	Withdrawn []uuid.UUID // holds of integrations that were deleted
	Reserves  []CallOf    // their replica crashed or was paused for too long
	Confirms  []CallOf    // their replica crashed or was paused for too long
	Dropped   []DroppedJob
}

// DroppedJob is a job that failed too often while its booking still waits for it.
type DroppedJob struct {
	Booking uuid.UUID
	Kind    JobKind
	Job     int64 // its id in the log
	Tries   int
}

// CallOf is a call of a booking.
type CallOf struct{ Booking, Call uuid.UUID }

// Job is work that continues after its caller has gone.
type Job struct {
	Kind    JobKind
	Booking uuid.UUID
	After   time.Duration // the earliest time, by the store's clock
}

// JobKind is the kind of a job.
type JobKind string

// The kinds.
const (
	ConfirmJob JobKind = "booking_confirm" // DeliverConfirm
	ReleaseJob JobKind = "booking_release" // DeliverRelease
	CancelJob  JobKind = "booking_cancel"  // DeliverCancel
)

// Call is a call to the partner that is recorded before it is sent.
type Call struct {
	ID       uuid.UUID
	Endpoint partnerapi.Endpoint
	At       time.Time
}

// CallEnd is the outcome of a call.
type CallEnd struct {
	ID     uuid.UUID
	Status int // of the answer; 0: no answer
	Took   time.Duration
	Error  string // "": it succeeded
}

// StatusAndDuration returns the status and the duration of the answer, or nil without an answer.
func (e CallEnd) StatusAndDuration() (status *int, milliseconds *int64) {
	if e.Status != 0 {
		status = &e.Status
	}
	if e.Took >= 0 {
		milliseconds = new(e.Took.Milliseconds())
	}
	return status, milliseconds
}

// historyEntry is the call's entry in the history after it has ended.
func (c Call) historyEntry(e CallEnd) domain.HistoryEntry {
	entry := domain.HistoryEntry{At: c.At, Kind: domain.CallKind, Endpoint: c.Endpoint, Error: e.Error}
	entry.Status, entry.Duration = e.StatusAndDuration()
	return entry
}

// Breach is a breach of the contract in an answer that was used.
type Breach struct {
	At       time.Time           `json:"at"`
	Booking  uuid.UUID           `json:"booking_id"`
	Endpoint partnerapi.Endpoint `json:"endpoint"`
	Message  string              `json:"message"`
}

// Change is what a transition writes, atomically.
type Change struct {
	At         time.Time
	Booking    domain.Booking        // after the change
	History    []domain.HistoryEntry // moves
	Begins     *Call
	Ends       *CallEnd
	Payment    *domain.Payment
	Commission *decimal.Decimal // that accrues to the affiliate now
	Reverses   bool             // reverses the commission
	NewID      bool             // the booking receives the partner's id
	SharesID   bool             // another booking has the id; it is changed by ShareID
	SharesCode string           // a code of another booking, which is changed by ShareCode
	ChangesOld bool             // ends a reschedule; the old booking is changed by ChangeOld
	Breaches   []Breach
	Answers    *Key               // of the request that made it, with its answer
	Seats      *SeatsChange       // of its slot; nil: no effect
	Events     []domain.EventType // for the reseller
	Jobs       []Job
}

// Filter selects bookings. Zero values select all.
type Filter struct {
	domain.Scope          // the account is a reseller's
	Activity, Integration uuid.UUID
	Checkouts             bool // includes checkouts without a booking
	Status                domain.BookingStatus
	Attention             bool                   // only those that need attention
	Reason                domain.AttentionReason // only those that need it for this reason; "": any
	Reference             string                 // the reseller's
	Query                 string                 // an id, a reseller's reference, a partner's booking id, or the beginnings of words of the guest's
	Created, Start        Period
}

// Period is a range of time, both ends inclusive. A zero time sets no limit.
type Period struct{ From, To time.Time }

// Commission is an affiliate's share of a booking.
type Commission struct {
	Booking    uuid.UUID
	Currency   domain.Currency
	Amount     domain.Number
	AccruedAt  time.Time
	ReversedAt time.Time // zero: not reversed
}

// Store keeps bookings.
type Store interface {
	// IsAffiliate reports whether an affiliate with that id exists.
	IsAffiliate(ctx context.Context, id uuid.UUID) (bool, error)
	// CreateBooking stores a checkout with its reserve before that is sent, and the partner's
	// answer about the slot. The old booking of a reschedule is changed by ChangeOld, in the same
	// transaction. It returns ErrNotOwner if the key belongs to another request, or a Conflict if the
	// old booking cannot be rescheduled.
	CreateBooking(ctx context.Context, b domain.Booking, reserve Call, k Key, f Fresh) error
	// KeepFresh stores a partner's answer about a slot that is not booked. An older answer never
	// replaces a newer one.
	KeepFresh(ctx context.Context, f Fresh) error
	// HasCall reports whether a call is recorded.
	HasCall(ctx context.Context, call uuid.UUID) (bool, error)
	// Booking returns a booking or a checkout without one, or NotFound.
	Booking(ctx context.Context, id uuid.UUID) (Record, error)
	// Histories returns the history of bookings, oldest first.
	Histories(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID][]domain.HistoryEntry, error)
	// SaveBooking writes a change, those of other bookings that follow from it, and their jobs atomically. It returns ErrStale if the booking has
	// another version, ErrNotOwner if the change answers another request's key, or ErrIDTaken. It
	// increments the version. After any other error the change may have been written, or may still be written.
	SaveBooking(ctx context.Context, c Change, version int64) error
	// DueBookings returns expired holds, unfinished calls of at least that age by the store's
	// clock, and dropped jobs: at most most of each.
	DueBookings(ctx context.Context, takeOver time.Duration, most int) (Due, error)
}
