package marketplace

import (
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/schemas/partnerapi"
)

// BookingStatus is where a booking is in its life. Package booking has the moves.
type BookingStatus string

// The states that resellers see.
const (
	Held      BookingStatus = "HELD"      // the partner keeps the seats until the hold's expiry
	Paid      BookingStatus = "PAID"      // the customer has paid, the partner has not confirmed
	Confirmed BookingStatus = "CONFIRMED" // the partner expects the guests
	Released  BookingStatus = "RELEASED"  // the hold was given back
	Cancelled BookingStatus = "CANCELLED" // a paid booking was cancelled
)

// The states of a checkout that has made no booking. Resellers do not see these.
const (
	Reserving BookingStatus = "RESERVING" // on record before reserve is sent
	Refused   BookingStatus = "REFUSED"   // the partner holds nothing
	Lost      BookingStatus = "LOST"      // whether the partner holds something is not known
)

// BookingStatuses lists the states that resellers see.
func BookingStatuses() []BookingStatus {
	return []BookingStatus{Held, Paid, Confirmed, Released, Cancelled}
}

// ReleaseReason is why a hold was given back.
type ReleaseReason string

// The reasons.
const (
	Abandoned     ReleaseReason = "abandoned"      // by the customer
	PaymentFailed ReleaseReason = "payment_failed" //
	Expired       ReleaseReason = "expired"        // the hold was not paid in time
	Unwanted      ReleaseReason = "unwanted"       // the hold arrived after the caller had given up
	Withdrawn     ReleaseReason = "withdrawn"      // the partner's integration was deleted
)

// Delivery is how far a call that is sent until the partner takes it has come.
type Delivery string

// The ways of a delivery. "" is that none is owed.
const (
	Pending      Delivery = "pending"
	Done         Delivery = "done"
	NotSupported Delivery = "not_supported" // the partner has no such call (CAN-6)
	GivenUp      Delivery = "failed"        // an operator may have it sent again
)

// AttentionReason is why a booking needs an operator.
type AttentionReason string

// The reasons.
const (
	ConfirmRefused   AttentionReason = "confirm_refused"   // paid, and the partner has answered that it does not book
	ConfirmUnknown   AttentionReason = "confirm_unknown"   // paid, and whether the partner has booked is not known
	LatePayment      AttentionReason = "late_payment"      // paid after the hold was given back
	DuplicatePayment AttentionReason = "duplicate_payment" // paid twice
	ReserveUnknown   AttentionReason = "reserve_unknown"   // the partner may hold seats that no booking uses until the hold expires
	ReleaseFailed    AttentionReason = "release_failed"    // the partner did not take the release
	CancelFailed     AttentionReason = "cancel_failed"     // the partner did not take the cancellation
)

// AttentionReasons lists them.
func AttentionReasons() []AttentionReason {
	return []AttentionReason{ConfirmRefused, ConfirmUnknown, LatePayment, DuplicatePayment, ReserveUnknown, ReleaseFailed, CancelFailed}
}

// Action is what an operator can do about it.
type Action string

// The actions, each a call of the operators' surface.
const (
	TryConfirm Action = "confirm" // confirm again
	TryCancel  Action = "cancel"  // cancel the booking; the refund is made outside the marketplace
	TryDeliver Action = "deliver" // send the release or the cancellation again
	Resolve    Action = "resolve" // it was seen to elsewhere
)

// Attention is why a booking needs an operator, and what can be done.
type Attention struct {
	Reason  AttentionReason `json:"reason"`
	Since   time.Time       `json:"since"`
	Message string          `json:"message"`           // the partner's own words where it had some
	Refund  List[string]    `json:"refund_references"` // of payments to refund, where one was made twice
	Actions []Action        `json:"actions"`
}

// Payment is what the payment provider said of one.
type Payment struct {
	Reference string
	Succeeded bool
	At        time.Time
}

// Guests are the guests of one type in a booking.
type Guests struct {
	Type     partnerapi.UnitType `json:"type"`
	Quantity int                 `json:"quantity"`
	Price    *Number             `json:"price"`  // of one, in the booking's currency; null with a group price
	UnitID   string              `json:"unitId"` // the partner's
}

// HistoryKind tells the two kinds of what happened to a booking.
type HistoryKind string

// The kinds.
const (
	MoveKind HistoryKind = "move" // of its state, or a payment that moved nothing
	CallKind HistoryKind = "call" // to the partner
)

// HistoryEntry is something that happened to a booking.
type HistoryEntry struct {
	At       time.Time           `json:"at"`
	Kind     HistoryKind         `json:"kind"`
	From     BookingStatus       `json:"from,omitempty"`
	To       BookingStatus       `json:"to,omitempty"`
	Why      string              `json:"why,omitempty"` // what moved it, such as abandoned, or a payment's reference
	Endpoint partnerapi.Endpoint `json:"endpoint,omitempty"`
	Status   *int                `json:"status,omitempty"`      // of the partner's answer, where one was read
	Duration *int64              `json:"duration_ms,omitempty"` // absent while no end is known
	Error    string              `json:"error,omitempty"`
}

// Sold is what was sold, in the words of the catalog at checkout: later changes of the
// catalog do not change what guests were promised.
type Sold struct {
	ActivityTitle  string  `json:"activity_title"`
	VariationTitle string  `json:"variation_title"`
	Voucher        Voucher `json:"voucher"`
}

// Voucher is what guests need beside their tickets.
type Voucher struct {
	PartnerName        string `json:"partner_name"`
	Address            string `json:"address"`
	Pickup             Pickup `json:"pickup"`
	CancellationPolicy string `json:"cancellation_policy"`
	Notes              string `json:"notes"`
}

// Booking is what a customer books through a reseller: a party in a slot.
type Booking struct {
	ID                  uuid.UUID // the partner knows it as resellerReference
	AccountID           uuid.UUID // the reseller's
	IntegrationID       uuid.UUID
	Mode                Mode // the integration's
	ActivityID          uuid.UUID
	VariationID         uuid.UUID
	ProductID, OptionID string // the partner's
	AvailabilityID      string // the fresh one, which was reserved
	Zone                string // the product's, IANA
	Start, End          time.Time
	Sold                Sold
	Status              BookingStatus
	Reason              ReleaseReason // why it is RELEASED
	Guests              []Guests
	Currency            Currency
	Total               Number
	Contact             partnerapi.Contact
	AffiliateID         uuid.UUID // the zero id: it came by no affiliate
	ResellerReference   string    // the reseller's own word for it
	Code                string    // of the hold; "" before there is one
	ExpiresAt           time.Time
	PaymentReference    string // of the payment that counts; "": it is not paid
	ExternalBookingID   string // the partner's, of a confirmed one
	Tickets             []partnerapi.Ticket
	ConfirmCall         uuid.UUID // the confirm that is under way, or was when its replica died; the zero id: none is
	ConfirmTries        int
	Doubted             bool // a confirm had no answer, or failed: the partner may have booked
	Release             Delivery
	ReleaseTries        int
	ReleaseSince        time.Time // when it was owed first
	Cancellation        Delivery
	CancelTries         int
	CancelSince         time.Time
	CancelReason        string
	CreatedAt           time.Time
	Attention           []Attention // the oldest first
}

// Law is an invariant of bookings that holds at every moment, in spite of crashes.
type Law struct{ ID, Says, Why string }

// The laws of bookings.
var (
	PaymentKept      = Law{"payment-kept", "A payment is never lost or reversed. A paid booking stays PAID, CONFIRMED or CANCELLED.", "The customer has paid. Only an operator decides about a refund."}
	ReservedOnce     = Law{"reserved-once", "Reserve is sent once for a booking, and is stored before it is sent.", "A reserve without an answer may have taken seats. A second one would take them twice (RSV-3)."}
	ConfirmedOnce    = Law{"confirmed-once", "Confirm is not retried automatically after an answer, nor while one is in progress.", "An answer is final. A partner that does not recognise a repeated confirm books twice (CNF-4)."}
	NoConfirmAfter   = Law{"no-confirm-after-release", "No confirm of a code follows its release.", "The seats may belong to another customer by then (CNF-5)."}
	ConfirmedIsPaid  = Law{"confirmed-is-paid", "A CONFIRMED booking was paid and has the partner's booking id.", "The partner expects only paying guests. Without its id the booking could not be cancelled."}
	HoldsEnd         = Law{"holds-end", "A hold with a known code ends with a confirm or a release, or is listed because the partner does not accept the release.", "Unused holds block seats for other customers (REL-7)."}
	CancelPropagates = Law{"cancel-propagates", "A cancelled booking that the partner has confirmed is cancelled at the partner, or is listed until it is.", "Otherwise the partner expects guests who do not come (CAN-3)."}
	NothingStuck     = Law{"nothing-stuck", "A booking that is not final waits for a definite next event: the customer until the hold expires, a call, a job, or an operator who is notified.", "A customer who has paid must not wait forever."}
)

// BookingLaws lists the laws of bookings.
func BookingLaws() []Law {
	return []Law{PaymentKept, ReservedOnce, ConfirmedOnce, NoConfirmAfter, ConfirmedIsPaid, HoldsEnd, CancelPropagates, NothingStuck}
}
