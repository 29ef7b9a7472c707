package domain

import (
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/schemas/partnerapi"
)

// BookingStatus is the state of a booking. Package booking contains the transitions.
type BookingStatus string

// The states that resellers see.
const (
	Held      BookingStatus = "HELD"      // the partner holds the seats until the hold expires
	Paid      BookingStatus = "PAID"      // the customer has paid; the partner has not confirmed yet
	Confirmed BookingStatus = "CONFIRMED" // the partner expects the guests
	Released  BookingStatus = "RELEASED"  // the hold was released
	Cancelled BookingStatus = "CANCELLED" // a paid booking was cancelled
)

// The states of a checkout without a booking. Resellers do not see them.
const (
	Reserving BookingStatus = "RESERVING" // recorded before reserve is sent
	Refused   BookingStatus = "REFUSED"   // the partner holds no seats
	Lost      BookingStatus = "LOST"      // it is unknown whether the partner holds seats
)

// BookingStatuses lists the states that resellers see.
func BookingStatuses() []BookingStatus {
	return []BookingStatus{Held, Paid, Confirmed, Released, Cancelled}
}

// ReleaseReason says why a hold was released.
type ReleaseReason string

// The reasons.
const (
	Abandoned     ReleaseReason = "abandoned"      // by the customer
	PaymentFailed ReleaseReason = "payment_failed" //
	Expired       ReleaseReason = "expired"        // the hold was not paid in time
	Unwanted      ReleaseReason = "unwanted"       // the hold arrived after the caller had given up
	Withdrawn     ReleaseReason = "withdrawn"      // the partner's integration was deleted
)

// Delivery is the progress of a call that is repeated until the partner accepts it.
type Delivery string

// The states of a delivery. "" means that none is due.
const (
	Pending      Delivery = "pending"
	Done         Delivery = "done"
	NotSupported Delivery = "not_supported" // the partner does not support the call (CAN-6)
	GivenUp      Delivery = "failed"        // an operator can send it again
)

// AttentionReason says why a booking needs an operator.
type AttentionReason string

// The reasons.
const (
	ConfirmRefused   AttentionReason = "confirm_refused"      // paid, and the partner refused to book
	ConfirmUnknown   AttentionReason = "confirm_unknown"      // paid, and it is unknown whether the partner has booked
	LatePayment      AttentionReason = "late_payment"         // paid after the hold was released
	DuplicatePayment AttentionReason = "duplicate_payment"    // paid twice
	DuplicateID      AttentionReason = "duplicate_booking_id" // another booking has the partner's booking id, so a cancel could cancel that one
	ReserveUnknown   AttentionReason = "reserve_unknown"      // the partner may hold seats that no booking uses, until the hold expires
	ReleaseFailed    AttentionReason = "release_failed"       // the partner did not accept the release
	CancelFailed     AttentionReason = "cancel_failed"        // the partner did not accept the cancellation
	// RescheduleUnknown means that it is unknown whether the partner has booked the new slot of a reschedule,
	// so both bookings are kept.
	RescheduleUnknown AttentionReason = "reschedule_unknown"
)

// AttentionReasons returns all reasons.
func AttentionReasons() []AttentionReason {
	return []AttentionReason{ConfirmRefused, ConfirmUnknown, LatePayment, DuplicatePayment, DuplicateID, ReserveUnknown, ReleaseFailed, CancelFailed, RescheduleUnknown}
}

// Action is a step that an operator can take.
type Action string

// The actions. Each is an operation of the operators' API.
const (
	TryConfirm Action = "confirm" // confirm again
	TryCancel  Action = "cancel"  // cancel the booking; the refund is made outside the marketplace
	TryDeliver Action = "deliver" // send the release or the cancellation again
	Resolve    Action = "resolve" // resolved outside the marketplace
)

// Attention says why a booking needs an operator.
type Attention struct {
	Reason  AttentionReason `json:"reason"`
	Since   time.Time       `json:"since"`
	Message string          `json:"message"`           // the partner's message, if it sent one
	Refund  List[string]    `json:"refund_references"` // references of payments to refund after a duplicate payment
}

// Payment is the payment provider's result.
type Payment struct {
	Reference string
	Succeeded bool
	At        time.Time
}

// Guests is the number of guests of one type in a booking.
type Guests struct {
	Type     partnerapi.UnitType `json:"type"`
	Quantity int                 `json:"quantity"`
	Price    *Number             `json:"price"`  // for one guest, in the booking's currency; null with a group price
	UnitID   string              `json:"unitId"` // the partner's
}

// HistoryKind is the kind of a history entry.
type HistoryKind string

// The kinds.
const (
	MoveKind HistoryKind = "move" // a change of state, or a payment that changed nothing
	CallKind HistoryKind = "call" // a call to the partner
)

// HistoryEntry is one event in a booking's history.
type HistoryEntry struct {
	At       time.Time
	Kind     HistoryKind
	From     BookingStatus
	To       BookingStatus
	Why      string // the cause, such as abandoned, or a payment's reference
	Endpoint partnerapi.Endpoint
	Status   *int   // of the partner's answer, if any
	Duration *int64 // absent while the call has not ended
	Error    string
}

// Sold is what was sold, in the catalog's words at checkout. Later changes of the catalog do not
// change it.
type Sold struct {
	ActivityTitle  string  `json:"activity_title"`
	VariationTitle string  `json:"variation_title"`
	Voucher        Voucher `json:"voucher"`
}

// Voucher is what guests need in addition to their tickets.
type Voucher struct {
	PartnerName        string `json:"partner_name"`
	Address            string `json:"address"`
	Pickup             Pickup `json:"pickup"`
	CancellationPolicy string `json:"cancellation_policy"`
	Notes              string `json:"notes"`
}

// Booking is a reseller's booking of a party in a slot.
type Booking struct {
	ID                  uuid.UUID // sent to the partner as resellerReference
	AccountID           uuid.UUID // of the reseller
	IntegrationID       uuid.UUID
	Mode                Mode // of the integration
	ActivityID          uuid.UUID
	VariationID         uuid.UUID
	ProductID, OptionID string // the partner's
	AvailabilityID      string // the current id at checkout, which was reserved
	Zone                string // of the product, IANA
	Start, End          time.Time
	Sold                Sold
	Status              BookingStatus
	Reason              ReleaseReason // why it is RELEASED
	Guests              []Guests
	Currency            Currency
	Total               Number
	Contact             partnerapi.Contact
	AffiliateID         uuid.UUID // zero: no affiliate
	ResellerReference   string    // the reseller's own reference
	Code                string    // of the hold; "": no hold yet
	ExpiresAt           time.Time
	PaymentReference    string // of the payment that counts; "": not paid
	ExternalBookingID   string // the partner's id of a confirmed booking
	Tickets             []partnerapi.Ticket
	ConfirmCall         uuid.UUID // the confirm in progress, or whose replica crashed; zero: none
	ConfirmTries        int
	Doubted             bool // a confirm failed or had no answer, so the partner may have booked
	Release             Delivery
	ReleaseTries        int
	ReleaseSince        time.Time // when it became due
	Cancellation        Delivery
	CancelTries         int
	CancelSince         time.Time
	CancelReason        string
	RescheduledFrom     uuid.UUID // the booking that it replaces; zero: none
	RescheduledTo       uuid.UUID // the booking that replaces it, or will once the partner confirms that one; zero: none
	ReplacedTotal       *Number   // the total of RescheduledFrom, in the same currency; nil: it replaces none
	CreatedAt           time.Time
	Attention           []Attention // oldest first
}

// RefundDue returns what a booking costs less than the one that it replaces. It is nil if it costs as much
// or more, or replaces none.
func (b Booking) RefundDue() *Number {
	if b.ReplacedTotal == nil || !b.ReplacedTotal.GreaterThan(b.Total.Decimal) {
		return nil
	}
	return &Number{b.ReplacedTotal.Sub(b.Total.Decimal)}
}

// Invariant is an invariant of bookings that always holds, even after crashes.
type Invariant struct{ ID, Says, Why string }

// The invariants of bookings.
var (
	PaymentKept      = Invariant{"payment-kept", "A payment is never lost or reversed. A paid booking stays PAID, CONFIRMED or CANCELLED.", "The customer has paid. Only an operator decides about a refund."}
	ReservedOnce     = Invariant{"reserved-once", "Reserve is sent once for a booking, and is stored before it is sent.", "A reserve without an answer may have taken seats. A second one would take them twice (RSV-3)."}
	ConfirmedOnce    = Invariant{"confirmed-once", "Confirm is not retried automatically after an answer, nor while one is in progress.", "An answer is final. A partner that does not recognise a repeated confirm books twice (CNF-4)."}
	NoConfirmAfter   = Invariant{"no-confirm-after-release", "No confirm of a code follows its release.", "The seats may belong to another customer by then (CNF-5)."}
	ConfirmedIsPaid  = Invariant{"confirmed-is-paid", "A CONFIRMED booking was paid and has the partner's booking id.", "The partner expects only paying guests. Without its id the booking could not be cancelled."}
	HoldsEnd         = Invariant{"holds-end", "A hold with a known code ends with a confirm or a release, or is listed because the partner does not accept the release.", "Unused holds block seats for other customers (REL-7)."}
	CancelPropagates = Invariant{"cancel-propagates", "A cancelled booking that the partner has confirmed is cancelled at the partner, or is listed until it is.", "Otherwise the partner expects guests who do not come (CAN-3)."}
	OneOfTwo         = Invariant{"one-of-two", "A reschedule cancels the old booking in the transaction that confirms the new one, and never without it.", "The guest must not be left without a booking, nor pay for two."}
	NothingStuck     = Invariant{"nothing-stuck", "A booking that is not final waits for a definite next event: the customer until the hold expires, a call, a job, or an operator who is notified.", "A customer who has paid must not wait forever."}
)

// BookingInvariants returns the invariants of bookings.
func BookingInvariants() []Invariant {
	return []Invariant{PaymentKept, ReservedOnce, ConfirmedOnce, NoConfirmAfter, ConfirmedIsPaid, HoldsEnd, CancelPropagates, OneOfTwo, NothingStuck}
}
