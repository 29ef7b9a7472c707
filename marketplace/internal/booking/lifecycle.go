package booking

import (
	"slices"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// event is what can happen to a booking.
type event string

// The events.
const (
	checkOut          event = "checkout"
	reserveHold       event = "reserve is answered with a hold"
	reserveRefuse     event = "reserve is refused"
	reserveUnanswered event = "reserve has no answer"
	reserveUnwanted   event = "a late hold arrives" // or an answer of which only the code is usable

	paymentSucceed event = "payment succeeds"
	paymentFail    event = "payment fails"
	abandon        event = "customer abandons"
	holdExpire     event = "hold expires"
	partnerLeave   event = "integration is deleted"

	confirmAccept     event = "confirm is accepted"
	confirmRefuse     event = "confirm is refused"
	confirmFail       event = "confirm fails" // the answer is 5xx or invalid: the partner may have booked
	confirmUnanswered event = "confirm has no answer"
	confirmGiveUp     event = "confirm has no answer, last attempt"
	confirmAgain      event = "confirm is due again"

	customerCancel  event = "customer cancels"
	operatorCancel  event = "operator cancels"
	operatorConfirm event = "operator confirms"
	operatorDeliver event = "operator delivers"
	operatorResolve event = "operator resolves"

	releaseTaken      event = "release is accepted"
	releaseGiveUp     event = "release is given up"
	cancelTaken       event = "cancel is accepted"
	cancelUnsupported event = "cancel is not supported"
	cancelGiveUp      event = "cancel is given up"
)

// ask is the call to the partner that a transition requires.
type ask string

// The calls.
const (
	askReserve      ask = "reserve"
	askConfirm      ask = "confirm"
	askConfirmAgain ask = "confirm later" // by a job
	askRelease      ask = "release"       // by a job, until the partner accepts it
	askCancel       ask = "cancel"        // by a job, until the partner accepts it
)

// anywhere is the state of a row that applies in every state and keeps it.
const anywhere marketplace.BookingStatus = "any"

// transition is one row of the lifecycle.
type transition struct {
	From    marketplace.BookingStatus // "": before the booking exists
	On      event
	If      condition
	To      marketplace.BookingStatus
	Reason  marketplace.ReleaseReason
	Ask     ask
	Raises  marketplace.AttentionReason
	Settles []marketplace.AttentionReason
	Release marketplace.Delivery // the new state of the release
	Cancel  marketplace.Delivery // the new state of the cancellation
}

// condition must hold for a booking for its row to apply.
type condition struct {
	Says  string
	holds func(marketplace.Booking) bool
}

var (
	confirming = condition{"confirm in progress", func(b marketplace.Booking) bool { return b.ConfirmCall != uuid.Nil }}
	confirmed  = condition{"confirmed by the partner", func(b marketplace.Booking) bool { return b.ExternalBookingID != "" }}
	doubted    = condition{"in doubt", func(b marketplace.Booking) bool { return b.Doubted }}
	releasing  = condition{"released", func(b marketplace.Booking) bool { return b.Release != "" }}
	listed     = condition{"listed for operators", func(b marketplace.Booking) bool {
		return slices.ContainsFunc(b.Attention, func(a marketplace.Attention) bool { return slices.Contains(unpaidFor, a.Reason) })
	}}

	releaseParked = condition{"release given up", func(b marketplace.Booking) bool { return b.Release == marketplace.GivenUp }}
	cancelParked  = condition{"cancellation given up", func(b marketplace.Booking) bool { return b.Cancellation == marketplace.GivenUp }}
)

func not(c condition) condition {
	return condition{"not " + c.Says, func(b marketplace.Booking) bool { return !c.holds(b) }}
}

func both(c, d condition) condition {
	return condition{c.Says + ", " + d.Says, func(b marketplace.Booking) bool { return c.holds(b) && d.holds(b) }}
}

// unpaidFor are the attention reasons of a paid booking until it is confirmed or cancelled.
var unpaidFor = []marketplace.AttentionReason{marketplace.ConfirmRefused, marketplace.ConfirmUnknown, marketplace.LatePayment}

// doubting are the events after which it is unknown whether the partner has booked.
var doubting = []event{confirmFail, confirmUnanswered, confirmGiveUp}

// seenTo are the attention reasons that an operator can resolve. Each leaves the booking in a final
// state.
var seenTo = []marketplace.AttentionReason{marketplace.DuplicatePayment, marketplace.ReserveUnknown, marketplace.ReleaseFailed, marketplace.CancelFailed}

// table contains every transition. The first matching row applies.
var table = []transition{
	{On: checkOut, To: marketplace.Reserving, Ask: askReserve},
	{From: marketplace.Reserving, On: reserveHold, To: marketplace.Held},
	{From: marketplace.Reserving, On: reserveRefuse, To: marketplace.Refused},
	{From: marketplace.Reserving, On: reserveUnanswered, To: marketplace.Lost, Raises: marketplace.ReserveUnknown},
	{From: marketplace.Reserving, On: reserveUnwanted, To: marketplace.Released, Reason: marketplace.Unwanted, Ask: askRelease, Release: marketplace.Pending},
	{From: marketplace.Lost, On: reserveUnwanted, To: marketplace.Released, Reason: marketplace.Unwanted, Ask: askRelease, Release: marketplace.Pending, Settles: []marketplace.AttentionReason{marketplace.ReserveUnknown}},
	{From: marketplace.Lost, On: reserveRefuse, To: marketplace.Refused, Settles: []marketplace.AttentionReason{marketplace.ReserveUnknown}},

	{From: marketplace.Held, On: paymentSucceed, To: marketplace.Paid, Ask: askConfirm},
	{From: marketplace.Held, On: paymentFail, To: marketplace.Released, Reason: marketplace.PaymentFailed, Ask: askRelease, Release: marketplace.Pending},
	{From: marketplace.Held, On: abandon, To: marketplace.Released, Reason: marketplace.Abandoned, Ask: askRelease, Release: marketplace.Pending},
	{From: marketplace.Held, On: holdExpire, To: marketplace.Released, Reason: marketplace.Expired, Ask: askRelease, Release: marketplace.Pending},
	{From: marketplace.Held, On: partnerLeave, To: marketplace.Released, Reason: marketplace.Withdrawn, Ask: askRelease, Release: marketplace.Pending},

	{From: marketplace.Released, On: paymentSucceed, To: marketplace.Paid, Raises: marketplace.LatePayment},
	{From: marketplace.Released, On: paymentFail, To: marketplace.Released},
	{From: marketplace.Released, On: abandon, To: marketplace.Released},

	{From: marketplace.Paid, On: confirmAccept, To: marketplace.Confirmed, Settles: unpaidFor},
	{From: marketplace.Paid, On: confirmRefuse, To: marketplace.Paid, Raises: marketplace.ConfirmRefused, Settles: []marketplace.AttentionReason{marketplace.ConfirmUnknown}},
	{From: marketplace.Paid, On: confirmFail, To: marketplace.Paid, Raises: marketplace.ConfirmRefused, Settles: []marketplace.AttentionReason{marketplace.ConfirmUnknown}},
	{From: marketplace.Paid, On: confirmUnanswered, If: not(listed), To: marketplace.Paid, Ask: askConfirmAgain},
	{From: marketplace.Paid, On: confirmUnanswered, If: listed, To: marketplace.Paid, Raises: marketplace.ConfirmUnknown},
	{From: marketplace.Paid, On: confirmGiveUp, To: marketplace.Paid, Raises: marketplace.ConfirmUnknown},
	{From: marketplace.Paid, On: confirmAgain, If: both(not(confirming), both(not(releasing), not(listed))), To: marketplace.Paid, Ask: askConfirm},
	{From: marketplace.Paid, On: operatorConfirm, If: both(not(confirming), not(releasing)), To: marketplace.Paid, Ask: askConfirm},
	{From: marketplace.Paid, On: operatorCancel, If: both(not(confirming), both(not(releasing), not(doubted))), To: marketplace.Cancelled, Ask: askRelease, Release: marketplace.Pending, Settles: unpaidFor},
	{From: marketplace.Paid, On: operatorCancel, If: both(not(confirming), both(not(releasing), doubted)), To: marketplace.Cancelled, Ask: askRelease, Release: marketplace.Pending, Raises: marketplace.ConfirmUnknown, Settles: []marketplace.AttentionReason{marketplace.ConfirmRefused}},
	{From: marketplace.Paid, On: operatorCancel, If: both(not(confirming), releasing), To: marketplace.Cancelled, Settles: unpaidFor},
	{From: marketplace.Paid, On: paymentSucceed, To: marketplace.Paid, Raises: marketplace.DuplicatePayment},

	{From: marketplace.Confirmed, On: customerCancel, To: marketplace.Cancelled, Ask: askCancel, Cancel: marketplace.Pending},
	{From: marketplace.Confirmed, On: operatorCancel, To: marketplace.Cancelled, Ask: askCancel, Cancel: marketplace.Pending},
	{From: marketplace.Confirmed, On: paymentSucceed, To: marketplace.Confirmed, Raises: marketplace.DuplicatePayment},

	{From: marketplace.Cancelled, On: confirmAccept, If: not(confirmed), To: marketplace.Cancelled, Ask: askCancel, Cancel: marketplace.Pending, Settles: []marketplace.AttentionReason{marketplace.ConfirmUnknown}},
	{From: marketplace.Cancelled, On: customerCancel, To: marketplace.Cancelled},
	{From: marketplace.Cancelled, On: operatorCancel, To: marketplace.Cancelled},
	{From: marketplace.Cancelled, On: operatorResolve, To: marketplace.Cancelled, Settles: append([]marketplace.AttentionReason{marketplace.ConfirmUnknown}, seenTo...)},
	{From: marketplace.Cancelled, On: paymentSucceed, To: marketplace.Cancelled, Raises: marketplace.DuplicatePayment},

	{From: anywhere, On: releaseTaken, To: anywhere, Release: marketplace.Done, Settles: []marketplace.AttentionReason{marketplace.ReleaseFailed}},
	{From: anywhere, On: releaseGiveUp, To: anywhere, Release: marketplace.GivenUp, Raises: marketplace.ReleaseFailed},
	{From: anywhere, On: cancelTaken, To: anywhere, Cancel: marketplace.Done, Settles: []marketplace.AttentionReason{marketplace.CancelFailed}},
	{From: anywhere, On: cancelUnsupported, To: anywhere, Cancel: marketplace.NotSupported, Settles: []marketplace.AttentionReason{marketplace.CancelFailed}},
	{From: anywhere, On: cancelGiveUp, To: anywhere, Cancel: marketplace.GivenUp, Raises: marketplace.CancelFailed},
	{From: anywhere, On: operatorDeliver, If: cancelParked, To: anywhere, Ask: askCancel, Cancel: marketplace.Pending, Settles: []marketplace.AttentionReason{marketplace.CancelFailed}},
	{From: anywhere, On: operatorDeliver, If: releaseParked, To: anywhere, Ask: askRelease, Release: marketplace.Pending, Settles: []marketplace.AttentionReason{marketplace.ReleaseFailed}},
	{From: anywhere, On: operatorResolve, To: anywhere, Settles: seenTo},
}
