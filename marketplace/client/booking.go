package client

import (
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Booking is the current state of a booking.
type Booking struct {
	ID                  string              `json:"_id"`
	ResellerID          string              `json:"reseller_id,omitempty"`    // operators only
	IntegrationID       string              `json:"integration_id,omitempty"` // operators only
	Mode                string              `json:"mode,omitempty"`           // operators only
	Status              BookingStatus       `json:"status"`
	ReleaseReason       ReleaseReason       `json:"release_reason" wire:"null"` // "": the hold was not released
	ActivityID          string              `json:"activity_id"`
	VariationID         string              `json:"variation_id"`
	AvailabilityID      string              `json:"availability_id"`     // the partner's id of the slot at checkout
	Start               time.Time           `json:"start" wire:"offset"` // in the product's zone
	End                 time.Time           `json:"end" wire:"offset"`
	TimeZone            string              `json:"time_zone"`      // of the product, such as Europe/Lisbon
	ActivityTitle       string              `json:"activity_title"` // as of the checkout, like the next two
	VariationTitle      string              `json:"variation_title"`
	Voucher             Voucher             `json:"voucher"`
	Units               []BookedUnit        `json:"units"`
	Currency            string              `json:"currency"` // of the prices and the total
	Total               Decimal             `json:"total"`
	Contact             Contact             `json:"contact"`
	AffiliateCode       string              `json:"affiliate_code" wire:"null"` // "": no affiliate
	ResellerReference   string              `json:"reseller_reference"`
	CreatedAt           time.Time           `json:"created_at"`
	ExpiresAt           time.Time           `json:"expires_at" wire:"null"`          // when the hold expires; zero: no hold
	ExternalBookingID   string              `json:"external_booking_id" wire:"null"` // the partner's booking id; set when the partner confirms
	Tickets             []partnerapi.Ticket `json:"tickets"`                         // empty for a cancelled booking
	Attention           *Attention          `json:"attention"`                       // nil: no attention needed
	PartnerRelease      Delivery            `json:"partner_release" wire:"null"`
	PartnerCancellation Delivery            `json:"partner_cancellation" wire:"null"`
	RescheduledFrom     string              `json:"rescheduled_from" wire:"null"` // the booking that it replaces; "": none
	RescheduledTo       string              `json:"rescheduled_to" wire:"null"`   // the booking that replaces it, or will once the partner confirms that one
	RefundDue           Decimal             `json:"refund_due"`                   // what it costs less than RescheduledFrom; "": nothing
	History             []HistoryEntry      `json:"history"`                      // oldest first
}

// Voucher is what guests need in addition to their tickets.
type Voucher struct {
	PartnerName        string `json:"partner_name"`
	Address            string `json:"address"`
	Pickup             Pickup `json:"pickup"`
	CancellationPolicy string `json:"cancellation_policy"`
	Notes              string `json:"notes"`
}

// BookedUnit is a number of guests of one unit in a booking.
type BookedUnit struct {
	UnitID   string              `json:"unit_id"`
	Type     partnerapi.UnitType `json:"type"`
	Quantity int                 `json:"quantity"`
	Price    Decimal             `json:"price"` // for one guest; "" with a group price
}

// HistoryEntry is a state change of a booking, or a call to its partner.
type HistoryEntry struct {
	At         time.Time           `json:"at"`
	Kind       HistoryKind         `json:"kind"`
	From       BookingStatus       `json:"from,omitempty"` // for a state change
	To         BookingStatus       `json:"to,omitempty"`
	Why        string              `json:"why,omitempty"`         // the cause, such as abandoned, or a payment's reference
	Endpoint   partnerapi.Endpoint `json:"endpoint,omitempty"`    // of the partner, such as confirm; for a call
	Status     int                 `json:"status,omitempty"`      // of the partner's answer; 0: no answer
	DurationMS *int64              `json:"duration_ms,omitempty"` // of a call; nil while it has not ended
	Error      string              `json:"error,omitempty"`
}

// BookingStatus is the state of a booking.
type BookingStatus string

// The states that resellers see.
const (
	Held      BookingStatus = "HELD"      // the partner holds the seats until ExpiresAt
	Paid      BookingStatus = "PAID"      // the customer has paid; the partner has not confirmed yet
	Confirmed BookingStatus = "CONFIRMED" // the partner expects the guests
	Released  BookingStatus = "RELEASED"  // the hold was released
	Cancelled BookingStatus = "CANCELLED" // a paid booking was cancelled
)

// The states of a checkout without a booking. Only operators see them.
const (
	Reserving BookingStatus = "RESERVING" // the partner has been asked to reserve
	Refused   BookingStatus = "REFUSED"   // the partner holds no seats
	Lost      BookingStatus = "LOST"      // it is unknown whether the partner holds seats
)

// ReleaseReason says why a hold was released.
type ReleaseReason string

// The reasons.
const (
	Abandoned     ReleaseReason = "abandoned"
	PaymentFailed ReleaseReason = "payment_failed"
	Expired       ReleaseReason = "expired"   // the hold was not paid in time
	Unwanted      ReleaseReason = "unwanted"  // the hold arrived after the caller had given up
	Withdrawn     ReleaseReason = "withdrawn" // the partner's integration was deleted
)

// Contact is the guest who made the booking.
type Contact struct {
	FullName     string `json:"fullName,omitempty"` // "" after EraseGuest, like the others
	EmailAddress string `json:"emailAddress,omitempty"`
	PhoneNumber  string `json:"phoneNumber,omitempty"`
}

// Attention says why a booking needs an operator and what the operator can do.
type Attention struct {
	Reason  AttentionReason `json:"reason"`
	Since   time.Time       `json:"since"`
	Message string          `json:"message"`           // the partner's message, if it sent one
	Refund  []string        `json:"refund_references"` // references of payments to refund; for DuplicatePayment
	Actions []Action        `json:"actions"`
}

// AttentionReason says why a booking needs an operator.
type AttentionReason string

// The reasons.
const (
	ConfirmRefused   AttentionReason = "confirm_refused"      // paid, and the partner refused to book
	ConfirmUnknown   AttentionReason = "confirm_unknown"      // paid, and it is unknown whether the partner has booked
	LatePayment      AttentionReason = "late_payment"         // paid after the hold was released
	DuplicatePayment AttentionReason = "duplicate_payment"    // paid twice
	DuplicateID      AttentionReason = "duplicate_booking_id" // another booking has the partner's booking id
	ReserveUnknown   AttentionReason = "reserve_unknown"      // the partner may hold seats that no booking uses, until the hold expires
	ReleaseFailed    AttentionReason = "release_failed"       // the partner did not accept the release
	CancelFailed     AttentionReason = "cancel_failed"        // the partner did not accept the cancellation
	// RescheduleUnknown means that it is unknown whether the partner has booked the new slot of a reschedule,
	// so both bookings are kept.
	RescheduleUnknown AttentionReason = "reschedule_unknown"
)

// Action is a step that an operator can take. Each is a method of Operator.
type Action string

// The actions.
const (
	MayConfirm Action = "confirm" // Operator.Confirm
	MayCancel  Action = "cancel"  // Operator.Cancel
	MayDeliver Action = "deliver" // Operator.Deliver
	MayResolve Action = "resolve" // Operator.Resolve
)

// Delivery is the progress of a release or a cancellation at the partner. It is "" if none is due.
type Delivery string

// The states of a delivery.
const (
	Pending      Delivery = "pending"
	Done         Delivery = "done"
	NotSupported Delivery = "not_supported" // the partner does not support the call
	Failed       Delivery = "failed"        // an operator can send it again
)

// HistoryKind is the kind of a history entry.
type HistoryKind string

// The kinds.
const (
	MoveKind HistoryKind = "move" // a state change, or a payment that changed nothing
	CallKind HistoryKind = "call" // a call to the partner
)
