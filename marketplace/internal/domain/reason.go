package domain

import (
	"net/http"
	"slices"
	"time"
)

// Reason is the error_code of an answer, for programs. A reason is never renamed and never changes
// its meaning.
type Reason string

// The reasons, in the order of their statuses.
const (
	InvalidRequest         Reason = "invalid_request"
	NoExchangeRate         Reason = "no_exchange_rate"
	BadCredentials         Reason = "unauthorized"
	WrongRole              Reason = "forbidden"
	Unknown                Reason = "not_found"
	MethodNotAllowed       Reason = "method_not_allowed"
	StateConflict          Reason = "conflict"
	AlreadyExists          Reason = "already_exists"
	BookingState           Reason = "booking_state"
	ConfirmationInFlight   Reason = "confirmation_in_flight"
	HoldExpired            Reason = "hold_expired"
	IdempotencyKeyInFlight Reason = "idempotency_key_in_flight"
	SlotSoldOut            Reason = "slot_sold_out"
	ReserveRefused         Reason = "reserve_refused"
	SlotStarted            Reason = "slot_started"
	SameSlot               Reason = "same_slot"
	PaymentRequired        Reason = "payment_required"
	RescheduleInFlight     Reason = "reschedule_in_flight"
	CursorExpired          Reason = "cursor_expired"
	BodyTooLarge           Reason = "body_too_large"
	UnsupportedMediaType   Reason = "unsupported_media_type"
	IdempotencyKeyReused   Reason = "idempotency_key_reused"
	ConnectionTestFailed   Reason = "connection_test_failed"
	KeyRequired            Reason = "key_required"
	TooManyRequests        Reason = "rate_limited"
	UnexpectedError        Reason = "internal_error"
	PartnerError           Reason = "partner_error"
	ServiceUnavailable     Reason = "service_unavailable"
	PartnerTimeout         Reason = "partner_timeout"
)

// ReasonRow documents a reason.
type ReasonRow struct {
	Reason  Reason
	Status  int
	Meaning string
	Retry   string // whether a retry can help, and how
	// RetryAfter is the answer's Retry-After unless the error has another one; 0 means no header.
	RetryAfter time.Duration
}

// reasons is the table of the OpenAPI document and the reseller guide.
var reasons = []ReasonRow{
	{InvalidRequest, http.StatusBadRequest, "The request is wrong. `error` names each bad field.", "No. Correct the request.", 0},
	{NoExchangeRate, http.StatusBadRequest, "There is no exchange rate for a price in the requested currency.", "No. Ask for another currency.", 0},
	{BadCredentials, http.StatusUnauthorized, "The credentials are missing, wrong or expired. The answer does not say which.", "Once, with fresh credentials.", 0},
	{WrongRole, http.StatusForbidden, "The credentials are valid, but do not allow this.", "No. Use an account that has the required role.", 0},
	{Unknown, http.StatusNotFound, "The path or the object does not exist, or the object belongs to another account.", "No.", 0},
	{MethodNotAllowed, http.StatusMethodNotAllowed, "The path does not accept this method. `Allow` lists the methods that it accepts.", "No.", 0},
	{StateConflict, http.StatusConflict, "The current state does not allow the request. `message` says why.", "No. Read the current state first.", 0},
	{AlreadyExists, http.StatusConflict, "An object with this unique value already exists.", "No. Use the existing object, or another value.", 0},
	{BookingState, http.StatusConflict, "The booking's status does not allow the request. `message` names the status.", "No. Read the booking first.", 0},
	{ConfirmationInFlight, http.StatusConflict, "The partner is confirming the booking.", "Yes, after a minute.", 0},
	{HoldExpired, http.StatusConflict, "The hold expired or was released. Payments are still accepted.", "No. Make a new booking.", 0},
	{IdempotencyKeyInFlight, http.StatusConflict, "The first request with this `Idempotency-Key` has not finished.", "Yes, with the same key, after `Retry-After`.", time.Second},
	{SlotSoldOut, http.StatusConflict, "The partner no longer sells the slot, or has stated too few seats. `message` may be the partner's own text.", "No. Choose another slot.", 0},
	{ReserveRefused, http.StatusConflict, "The partner refused the booking, and it is not known that the slot is full. `message` is the partner's own text for the customer.", "No. Show `message`. Another slot, party or date may be accepted.", 0},
	{SlotStarted, http.StatusConflict, "The slot has already started.", "No. Choose another slot.", 0},
	{SameSlot, http.StatusConflict, "The booking already has this slot.", "No. Choose another slot.", 0},
	{PaymentRequired, http.StatusConflict, "The new slot costs more than the booking. `payment_due` has the difference. Nothing was reserved.", "Yes, with the `reference` of the customer's payment and a new `Idempotency-Key`.", 0},
	{RescheduleInFlight, http.StatusConflict, "The booking is being rescheduled, and the partner has not decided yet.", "Yes, after a minute.", 0},
	{CursorExpired, http.StatusGone, "Events after the cursor may have been deleted.", "No. Read the bookings, then the feed without a cursor.", 0},
	{BodyTooLarge, http.StatusRequestEntityTooLarge, "The body exceeds 1 MiB.", "No. Send less.", 0},
	{UnsupportedMediaType, http.StatusUnsupportedMediaType, "The body's content type is not `application/json`.", "No. Send JSON.", 0},
	{IdempotencyKeyReused, http.StatusUnprocessableEntity, "The `Idempotency-Key` was used before with another body.", "No. Use a new key.", 0},
	{ConnectionTestFailed, http.StatusUnprocessableEntity, "The partner does not work with the new settings, which were not stored. `error` has the partner's answer.", "Yes, once the partner works or the settings are right. `force` stores them untested.", 0},
	{KeyRequired, http.StatusUnprocessableEntity, "`base_url` has another scheme, host or port, and the stored key is sent only to those that it was given for.", "Yes, with `auth_key` in the same request.", 0},
	{TooManyRequests, http.StatusTooManyRequests, "The credential, account or address has used up its limit.", "Yes, after `Retry-After`.", 0},
	{UnexpectedError, http.StatusInternalServerError, "An error in the service. Its log has the details under the `X-Request-Id`.", "No. Report the `X-Request-Id`.", 0},
	{PartnerError, http.StatusBadGateway, "The partner cannot be reached, or its answer is unusable. Nothing was booked.", "Yes, after `Retry-After`, for a booking with a new `Idempotency-Key`.", 10 * time.Second},
	{ServiceUnavailable, http.StatusServiceUnavailable, "The database is unavailable. A change may or may not have been stored.", "Yes, after `Retry-After`: reads, payments, and bookings with the same `Idempotency-Key`.", 2 * time.Second},
	{PartnerTimeout, http.StatusGatewayTimeout, "The partner did not answer in time. Seats that it still holds are released.", "Yes, after `Retry-After`, for a booking with a new `Idempotency-Key`.", 10 * time.Second},
}

// Reasons returns the table.
func Reasons() []ReasonRow { return slices.Clone(reasons) }

// Row returns the documentation of the reason.
func (r Reason) Row() ReasonRow {
	for _, row := range reasons {
		if row.Reason == r {
			return row
		}
	}
	return UnexpectedError.Row() // a test ensures that every reason has a row
}

// usual are the default reasons of codes.
var usual = map[Code]Reason{
	Invalid:       InvalidRequest,
	Unauthorized:  BadCredentials,
	Forbidden:     WrongRole,
	NotFound:      Unknown,
	Conflict:      StateConflict,
	Unprocessable: IdempotencyKeyReused,
	RateLimited:   TooManyRequests,
	PartnerFailed: PartnerError,
	PartnerLate:   PartnerTimeout,
	Unavailable:   ServiceUnavailable,
	Internal:      UnexpectedError,
}
