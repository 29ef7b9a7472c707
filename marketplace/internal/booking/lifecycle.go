package booking

import (
	"slices"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
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
	confirmShared     event = "confirm is accepted with another booking's id"
	confirmRefuse     event = "confirm is refused"
	confirmFail       event = "confirm fails" // the answer is 5xx or invalid: the partner may have booked
	confirmUnanswered event = "confirm has no answer"
	confirmGiveUp     event = "confirm has no answer, last attempt"
	confirmAgain      event = "confirm is due again"

	codeShared      event = "another reserve returns its code"
	idShared        event = "another booking gets its id"
	customerCancel  event = "customer cancels"
	operatorCancel  event = "operator cancels"
	operatorConfirm event = "operator confirms"
	operatorDeliver event = "operator delivers"
	operatorResolve event = "operator resolves"

	rescheduleBegin event = "reschedule begins" // of the old booking, like the next two
	rescheduleEnd   event = "new booking is confirmed"
	rescheduleFail  event = "reschedule fails"

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

// oldEffect is what a transition of a reschedule's new booking does to the old one. Other bookings
// have no old one.
type oldEffect string

// The effects.
const (
	oldWaits   oldEffect = "waits"
	oldUnknown oldEffect = "waits, `reschedule_unknown`" // raised for the new booking, until the old one stays or is cancelled
	oldStays   oldEffect = "stays"                       // as it was before the reschedule
	oldEnds    oldEffect = "is cancelled"                // in the same transaction
)

// anywhere is the state of a row that applies in every state and keeps it.
const anywhere domain.BookingStatus = "any"

// transition is one row of the lifecycle.
type transition struct {
	From    domain.BookingStatus // "": before the booking exists
	On      event
	If      condition
	To      domain.BookingStatus
	Reason  domain.ReleaseReason
	Ask     ask
	Raises  domain.AttentionReason
	Settles []domain.AttentionReason
	Release domain.Delivery // the new state of the release
	Cancel  domain.Delivery // the new state of the cancellation
	Old     oldEffect
}

// changesOld reports whether the row ends a reschedule, which changes the old booking.
func (t transition) changesOld() bool { return t.Old == oldStays || t.Old == oldEnds }

// condition must hold for a booking for its row to apply.
type condition struct {
	Says  string
	holds func(domain.Booking) bool
}

var (
	confirming = condition{"confirm in progress", func(b domain.Booking) bool { return b.ConfirmCall != uuid.Nil }}
	confirmed  = condition{"confirmed by the partner", func(b domain.Booking) bool { return b.ExternalBookingID != "" }}
	doubted    = condition{"in doubt", func(b domain.Booking) bool { return b.Doubted }}
	releasing  = condition{"released", func(b domain.Booking) bool { return b.Release != "" }}
	canceling  = condition{"cancellation due", func(b domain.Booking) bool { return b.Cancellation == domain.Pending }}
	replacing  = condition{"of a reschedule", func(b domain.Booking) bool { return b.RescheduledFrom != uuid.Nil }}
	replaced   = condition{"rescheduled", func(b domain.Booking) bool { return b.RescheduledTo != uuid.Nil }}
	shared     = attended("id shared", domain.DuplicateID)
	unknown    = attended("reschedule in doubt", domain.RescheduleUnknown)
	listed     = attended("listed for operators", unpaidFor...)

	releaseParked = condition{"release given up", func(b domain.Booking) bool { return b.Release == domain.GivenUp }}
	cancelParked  = condition{"cancellation given up", func(b domain.Booking) bool { return b.Cancellation == domain.GivenUp }}
)

// attended is true for a booking that needs attention for one of these reasons.
func attended(says string, reasons ...domain.AttentionReason) condition {
	return condition{says, func(b domain.Booking) bool {
		return slices.ContainsFunc(b.Attention, func(a domain.Attention) bool { return slices.Contains(reasons, a.Reason) })
	}}
}

func not(c condition) condition {
	return condition{"not " + c.Says, func(b domain.Booking) bool { return !c.holds(b) }}
}

func allOf(c, d condition) condition {
	return condition{c.Says + ", " + d.Says, func(b domain.Booking) bool { return c.holds(b) && d.holds(b) }}
}

// unpaidFor are the attention reasons of a paid booking until it is confirmed or cancelled.
var unpaidFor = []domain.AttentionReason{domain.ConfirmRefused, domain.ConfirmUnknown, domain.LatePayment}

// doubting are the events after which it is unknown whether the partner has booked.
var doubting = []event{confirmFail, confirmUnanswered, confirmGiveUp}

// resolvable are the attention reasons that an operator can resolve. None keeps a payment from its
// booking.
var resolvable = []domain.AttentionReason{domain.DuplicatePayment, domain.DuplicateID, domain.ReserveUnknown, domain.ReleaseFailed, domain.CancelFailed}

// table contains every transition. The first matching row applies.
var table = []transition{
	{On: checkOut, To: domain.Reserving, Ask: askReserve, Old: oldWaits},
	// What was paid for the old booking pays for the new one.
	{From: domain.Reserving, On: reserveHold, If: replacing, To: domain.Paid, Ask: askConfirm, Old: oldWaits},
	{From: domain.Reserving, On: reserveHold, To: domain.Held},
	{From: domain.Reserving, On: reserveRefuse, To: domain.Refused, Old: oldStays},
	{From: domain.Reserving, On: reserveUnanswered, To: domain.Lost, Raises: domain.ReserveUnknown, Old: oldStays},
	{From: domain.Reserving, On: reserveUnwanted, To: domain.Released, Reason: domain.Unwanted, Ask: askRelease, Release: domain.Pending, Old: oldStays},
	{From: domain.Lost, On: reserveUnwanted, To: domain.Released, Reason: domain.Unwanted, Ask: askRelease, Release: domain.Pending, Settles: []domain.AttentionReason{domain.ReserveUnknown}},
	{From: domain.Lost, On: reserveRefuse, To: domain.Refused, Settles: []domain.AttentionReason{domain.ReserveUnknown}},

	{From: domain.Held, On: paymentSucceed, To: domain.Paid, Ask: askConfirm},
	{From: domain.Held, On: paymentFail, To: domain.Released, Reason: domain.PaymentFailed, Ask: askRelease, Release: domain.Pending},
	{From: domain.Held, On: abandon, To: domain.Released, Reason: domain.Abandoned, Ask: askRelease, Release: domain.Pending},
	{From: domain.Held, On: holdExpire, To: domain.Released, Reason: domain.Expired, Ask: askRelease, Release: domain.Pending},
	{From: domain.Held, On: partnerLeave, To: domain.Released, Reason: domain.Withdrawn, Ask: askRelease, Release: domain.Pending},

	{From: domain.Released, On: paymentSucceed, To: domain.Paid, Raises: domain.LatePayment},
	{From: domain.Released, On: paymentFail, To: domain.Released},
	{From: domain.Released, On: abandon, To: domain.Released},

	{From: domain.Paid, On: confirmAccept, To: domain.Confirmed, Settles: unpaidFor, Old: oldEnds},
	{From: domain.Paid, On: confirmShared, To: domain.Confirmed, Raises: domain.DuplicateID, Settles: unpaidFor, Old: oldEnds},
	// No operator is needed: the guest and the payment keep the old booking.
	{From: domain.Paid, On: confirmRefuse, If: allOf(replacing, not(doubted)), To: domain.Cancelled, Ask: askRelease, Release: domain.Pending, Old: oldStays},
	{From: domain.Paid, On: confirmRefuse, To: domain.Paid, Raises: domain.ConfirmRefused, Settles: []domain.AttentionReason{domain.ConfirmUnknown}},
	{From: domain.Paid, On: confirmFail, To: domain.Paid, Raises: domain.ConfirmRefused, Settles: []domain.AttentionReason{domain.ConfirmUnknown}, Old: oldUnknown},
	{From: domain.Paid, On: confirmUnanswered, If: not(listed), To: domain.Paid, Ask: askConfirmAgain, Old: oldUnknown},
	{From: domain.Paid, On: confirmUnanswered, If: listed, To: domain.Paid, Raises: domain.ConfirmUnknown, Old: oldUnknown},
	{From: domain.Paid, On: confirmGiveUp, To: domain.Paid, Raises: domain.ConfirmUnknown, Old: oldUnknown},
	{From: domain.Paid, On: confirmAgain, If: allOf(not(confirming), allOf(not(releasing), not(listed))), To: domain.Paid, Ask: askConfirm},
	{From: domain.Paid, On: operatorConfirm, If: allOf(not(confirming), not(releasing)), To: domain.Paid, Ask: askConfirm},
	{From: domain.Paid, On: operatorResolve, If: allOf(replacing, allOf(not(confirming), not(releasing))), To: domain.Cancelled, Ask: askRelease, Release: domain.Pending, Settles: slices.Concat(unpaidFor, resolvable, []domain.AttentionReason{domain.RescheduleUnknown}), Old: oldStays},
	{From: domain.Paid, On: operatorCancel, If: allOf(not(replacing), allOf(not(confirming), allOf(not(releasing), not(doubted)))), To: domain.Cancelled, Ask: askRelease, Release: domain.Pending, Settles: unpaidFor},
	{From: domain.Paid, On: operatorCancel, If: allOf(not(replacing), allOf(not(confirming), allOf(not(releasing), doubted))), To: domain.Cancelled, Ask: askRelease, Release: domain.Pending, Raises: domain.ConfirmUnknown, Settles: []domain.AttentionReason{domain.ConfirmRefused}},
	{From: domain.Paid, On: operatorCancel, If: allOf(not(confirming), releasing), To: domain.Cancelled, Settles: unpaidFor},
	{From: domain.Paid, On: paymentSucceed, To: domain.Paid, Raises: domain.DuplicatePayment},

	// While an operator has not decided, a cancel could cancel the other booking's guests.
	{From: domain.Confirmed, On: customerCancel, If: allOf(not(replaced), shared), To: domain.Cancelled, Cancel: domain.GivenUp},
	{From: domain.Confirmed, On: operatorCancel, If: allOf(not(replaced), shared), To: domain.Cancelled, Cancel: domain.GivenUp},
	{From: domain.Confirmed, On: customerCancel, If: not(replaced), To: domain.Cancelled, Ask: askCancel, Cancel: domain.Pending},
	{From: domain.Confirmed, On: operatorCancel, If: not(replaced), To: domain.Cancelled, Ask: askCancel, Cancel: domain.Pending},
	{From: domain.Confirmed, On: rescheduleBegin, If: not(replaced), To: domain.Confirmed},
	{From: domain.Confirmed, On: rescheduleEnd, If: shared, To: domain.Cancelled, Cancel: domain.GivenUp},
	{From: domain.Confirmed, On: rescheduleEnd, To: domain.Cancelled, Ask: askCancel, Cancel: domain.Pending},
	{From: domain.Confirmed, On: paymentSucceed, To: domain.Confirmed, Raises: domain.DuplicatePayment},

	{From: domain.Cancelled, On: confirmAccept, If: not(confirmed), To: domain.Cancelled, Ask: askCancel, Cancel: domain.Pending, Settles: []domain.AttentionReason{domain.ConfirmUnknown}},
	{From: domain.Cancelled, On: confirmShared, If: not(confirmed), To: domain.Cancelled, Cancel: domain.GivenUp, Raises: domain.DuplicateID, Settles: []domain.AttentionReason{domain.ConfirmUnknown}},
	{From: domain.Cancelled, On: customerCancel, If: not(replaced), To: domain.Cancelled},
	{From: domain.Cancelled, On: operatorCancel, If: not(replaced), To: domain.Cancelled},
	{From: domain.Cancelled, On: operatorResolve, To: domain.Cancelled, Settles: append([]domain.AttentionReason{domain.ConfirmUnknown}, resolvable...)},
	{From: domain.Cancelled, On: paymentSucceed, To: domain.Cancelled, Raises: domain.DuplicatePayment},

	// A confirm could book what the other customer has reserved.
	{From: domain.Held, On: codeShared, To: domain.Released, Reason: domain.Withdrawn, Ask: askRelease, Release: domain.Pending},
	{From: domain.Paid, On: codeShared, If: allOf(not(releasing), not(listed)), To: domain.Paid, Raises: domain.ConfirmUnknown, Old: oldUnknown},
	{From: anywhere, On: codeShared, To: anywhere},
	{From: domain.Cancelled, On: rescheduleEnd, To: domain.Cancelled}, // by a replica of a release that does not reschedule
	{From: anywhere, On: rescheduleFail, To: anywhere},
	{From: anywhere, On: idShared, If: canceling, To: anywhere, Cancel: domain.GivenUp, Raises: domain.DuplicateID},
	{From: anywhere, On: idShared, To: anywhere, Raises: domain.DuplicateID},
	{From: anywhere, On: releaseTaken, To: anywhere, Release: domain.Done, Settles: []domain.AttentionReason{domain.ReleaseFailed}},
	{From: anywhere, On: releaseGiveUp, To: anywhere, Release: domain.GivenUp, Raises: domain.ReleaseFailed},
	{From: anywhere, On: cancelTaken, To: anywhere, Cancel: domain.Done, Settles: []domain.AttentionReason{domain.CancelFailed}},
	{From: anywhere, On: cancelUnsupported, To: anywhere, Cancel: domain.NotSupported, Settles: []domain.AttentionReason{domain.CancelFailed}},
	{From: anywhere, On: cancelGiveUp, To: anywhere, Cancel: domain.GivenUp, Raises: domain.CancelFailed},
	{From: anywhere, On: operatorDeliver, If: cancelParked, To: anywhere, Ask: askCancel, Cancel: domain.Pending, Settles: []domain.AttentionReason{domain.CancelFailed, domain.DuplicateID}},
	{From: anywhere, On: operatorDeliver, If: releaseParked, To: anywhere, Ask: askRelease, Release: domain.Pending, Settles: []domain.AttentionReason{domain.ReleaseFailed}},
	{From: anywhere, On: operatorResolve, To: anywhere, Settles: resolvable},
}
