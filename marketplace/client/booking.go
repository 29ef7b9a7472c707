package client

import (
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Booking is what a customer has booked, as it stands.
type Booking struct {
	ID             string        `json:"_id"`
	ResellerID     string        `json:"reseller_id"`    // told to operators alone
	IntegrationID  string        `json:"integration_id"` // told to operators alone
	Mode           string        `json:"mode"`           // told to operators alone
	Status         BookingStatus `json:"status"`
	ReleaseReason  ReleaseReason `json:"release_reason"` // "": the hold was not given back
	ActivityID     string        `json:"activity_id"`
	VariationID    string        `json:"variation_id"`
	AvailabilityID string        `json:"availability_id"` // as the partner called the slot at checkout
	Start          time.Time     `json:"start"`           // in the product's zone
	End            time.Time     `json:"end"`
	TimeZone       string        `json:"time_zone"`      // of the product, such as Europe/Lisbon
	ActivityTitle  string        `json:"activity_title"` // this and the next two as they were at checkout
	VariationTitle string        `json:"variation_title"`
	Voucher        struct {
		PartnerName        string `json:"partner_name"`
		Address            string `json:"address"`
		Pickup             Pickup `json:"pickup"`
		CancellationPolicy string `json:"cancellation_policy"`
		Notes              string `json:"notes"`
	} `json:"voucher"` // what guests need beside their tickets
	Units               []BookedUnit        `json:"units"`
	Currency            string              `json:"currency"` // of the prices and the total
	Total               Decimal             `json:"total"`
	Contact             Contact             `json:"contact"`
	AffiliateCode       string              `json:"affiliate_code"` // "": it came by no affiliate
	ResellerReference   string              `json:"reseller_reference"`
	CreatedAt           time.Time           `json:"created_at"`
	ExpiresAt           time.Time           `json:"expires_at"`          // when the hold expires; zero if there is no hold
	ExternalBookingID   string              `json:"external_booking_id"` // the partner's, once it has confirmed
	Tickets             []partnerapi.Ticket `json:"tickets"`             // none of a cancelled booking
	Attention           *Attention          `json:"attention"`           // nil: it needs no operator
	PartnerRelease      Delivery            `json:"partner_release"`
	PartnerCancellation Delivery            `json:"partner_cancellation"`
	History             []HistoryEntry      `json:"history"` // the oldest first
}

// BookingStatus is where a booking is in its life.
type BookingStatus string

// The states that resellers see.
const (
	Held      BookingStatus = "HELD"      // the partner keeps the seats until ExpiresAt
	Paid      BookingStatus = "PAID"      // the customer has paid, the partner has not confirmed
	Confirmed BookingStatus = "CONFIRMED" // the partner expects the guests
	Released  BookingStatus = "RELEASED"  // the hold was given back
	Cancelled BookingStatus = "CANCELLED" // a paid booking was cancelled
)

// The states of a checkout that has made no booking. Operators alone see these.
const (
	Reserving BookingStatus = "RESERVING" // the partner is being asked
	Refused   BookingStatus = "REFUSED"   // the partner holds nothing
	Lost      BookingStatus = "LOST"      // whether the partner holds something is not known
)

// ReleaseReason is why a hold was given back.
type ReleaseReason string

// The reasons.
const (
	Abandoned     ReleaseReason = "abandoned"
	PaymentFailed ReleaseReason = "payment_failed"
	Expired       ReleaseReason = "expired"   // the hold was not paid in time
	Unwanted      ReleaseReason = "unwanted"  // the hold arrived after the caller had given up
	Withdrawn     ReleaseReason = "withdrawn" // the partner's integration was deleted
)

// BookedUnit are the guests of one unit.
type BookedUnit struct {
	UnitID   string              `json:"unit_id"`
	Type     partnerapi.UnitType `json:"type"`
	Quantity int                 `json:"quantity"`
	Price    Decimal             `json:"price"` // of one; "" with a group price
}

// Contact is the guest who books.
type Contact struct {
	FullName     string `json:"fullName"`
	EmailAddress string `json:"emailAddress"`
	PhoneNumber  string `json:"phoneNumber,omitempty"`
}

// Attention is why a booking needs an operator, and what can be done.
type Attention struct {
	Reason  AttentionReason `json:"reason"`
	Since   time.Time       `json:"since"`
	Message string          `json:"message"` // the partner's own words where it had some
	Actions []Action        `json:"actions"`
	Refund  []string        `json:"refund_references"` // of payments to refund, of DuplicatePayment
}

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

// Action is what an operator can do about it: each is a call of Operator's.
type Action string

// The actions.
const (
	MayConfirm Action = "confirm" // Operator.Confirm
	MayCancel  Action = "cancel"  // Operator.Cancel
	MayDeliver Action = "deliver" // Operator.Deliver
	MayResolve Action = "resolve" // Operator.Resolve
)

// Delivery is how far a release or a cancellation has come at the partner's. "" is that
// none is owed.
type Delivery string

// The ways of a delivery.
const (
	Pending      Delivery = "pending"
	Done         Delivery = "done"
	NotSupported Delivery = "not_supported" // the partner has no such call
	Failed       Delivery = "failed"        // an operator may have it sent again
)

// HistoryEntry is something that happened to a booking.
type HistoryEntry struct {
	At         time.Time     `json:"at"`
	Kind       HistoryKind   `json:"kind"`
	From       BookingStatus `json:"from"` // of a move
	To         BookingStatus `json:"to"`
	Why        string        `json:"why"`         // what moved it, such as abandoned, or a payment's reference
	Endpoint   string        `json:"endpoint"`    // of the partner, such as confirm; of a call
	Status     int           `json:"status"`      // of the partner's answer; 0: none was read
	DurationMS *int64        `json:"duration_ms"` // of a call; nil while no end of it is known
	Error      string        `json:"error"`
}

// HistoryKind tells the two kinds of what happened.
type HistoryKind string

// The kinds.
const (
	MoveKind HistoryKind = "move" // of the state, or a payment that moved nothing
	CallKind HistoryKind = "call" // to the partner
)
