package booking

import (
	"slices"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Event is what can happen to a booking.
type Event string

// The events.
const (
	CheckOut          Event = "checkout"
	ReserveHold       Event = "reserve is answered with a hold"
	ReserveRefuse     Event = "reserve is refused"
	ReserveUnanswered Event = "reserve has no answer"
	ReserveUnwanted   Event = "a hold comes that nobody waits for" // or an answer that cannot be used but for its code

	PaymentSucceed Event = "payment succeeds"
	PaymentFail    Event = "payment fails"
	Abandon        Event = "customer abandons"
	HoldExpire     Event = "hold expires"
	PartnerLeave   Event = "integration is deleted"

	ConfirmAccept     Event = "confirm is accepted"
	ConfirmRefuse     Event = "confirm is refused"
	ConfirmFail       Event = "confirm fails" // it was answered, with 5xx or what makes no sense: the partner may have booked
	ConfirmUnanswered Event = "confirm has no answer"
	ConfirmGiveUp     Event = "confirm has no answer for good"
	ConfirmAgain      Event = "confirm is due again"

	CustomerCancel  Event = "customer cancels"
	OperatorCancel  Event = "operator cancels"
	OperatorConfirm Event = "operator confirms"
	OperatorDeliver Event = "operator delivers"
	OperatorResolve Event = "operator resolves"

	ReleaseTaken      Event = "release is taken"
	ReleaseGiveUp     Event = "release is given up"
	CancelTaken       Event = "cancel is taken"
	CancelUnsupported Event = "cancel is not supported"
	CancelGiveUp      Event = "cancel is given up"
)

// Ask is what a move has the partner asked for.
type Ask string

// What can be asked.
const (
	AskReserve      Ask = "reserve"
	AskConfirm      Ask = "confirm"
	AskConfirmAgain Ask = "confirm later" // by a job
	AskRelease      Ask = "release"       // by a job, until it is taken
	AskCancel       Ask = "cancel"        // by a job, until it is taken
)

// anywhere is the state of a row that holds in every one, and stays there.
const anywhere marketplace.BookingStatus = "any"

// Row is one move of the lifecycle.
type Row struct {
	From    marketplace.BookingStatus // "" is before there is a booking
	On      Event
	If      Condition
	To      marketplace.BookingStatus
	Reason  marketplace.ReleaseReason
	Ask     Ask
	Raises  marketplace.AttentionReason
	Settles []marketplace.AttentionReason
	Release marketplace.Delivery // what becomes of the release
	Cancel  marketplace.Delivery // what becomes of the cancellation
}

// Condition is what must hold of a booking for a row.
type Condition struct {
	Says  string
	holds func(marketplace.Booking) bool
}

var (
	confirming = Condition{"confirm under way", func(b marketplace.Booking) bool { return b.ConfirmCall != uuid.Nil }}
	confirmed  = Condition{"confirmed by the partner", func(b marketplace.Booking) bool { return b.ExternalBookingID != "" }}
	doubted    = Condition{"in doubt", func(b marketplace.Booking) bool { return b.Doubted }}
	releasing  = Condition{"released", func(b marketplace.Booking) bool { return b.Release != "" }}
	told       = Condition{"listed for operators", func(b marketplace.Booking) bool {
		return slices.ContainsFunc(b.Attention, func(a marketplace.Attention) bool { return slices.Contains(unpaidFor, a.Reason) })
	}}

	releaseParked = Condition{"release given up", func(b marketplace.Booking) bool { return b.Release == marketplace.GivenUp }}
	cancelParked  = Condition{"cancellation given up", func(b marketplace.Booking) bool { return b.Cancellation == marketplace.GivenUp }}
)

func not(c Condition) Condition {
	return Condition{"not " + c.Says, func(b marketplace.Booking) bool { return !c.holds(b) }}
}

func both(c, d Condition) Condition {
	return Condition{c.Says + ", " + d.Says, func(b marketplace.Booking) bool { return c.holds(b) && d.holds(b) }}
}

// unpaidFor are the reasons that a paid booking is in until it is confirmed or
// cancelled.
var unpaidFor = []marketplace.AttentionReason{marketplace.ConfirmRefused, marketplace.ConfirmUnknown, marketplace.LatePayment}

// doubting are the events after which the partner may have booked, and nobody knows.
var doubting = []Event{ConfirmFail, ConfirmUnanswered, ConfirmGiveUp}

// seenTo are the reasons that an operator may call seen to: each leaves the booking in
// a final state.
var seenTo = []marketplace.AttentionReason{marketplace.DuplicatePayment, marketplace.ReserveUnknown, marketplace.ReleaseFailed, marketplace.CancelFailed}

// table is every move that a booking can make. The first row that fits counts.
var table = []Row{
	{On: CheckOut, To: marketplace.Reserving, Ask: AskReserve},
	{From: marketplace.Reserving, On: ReserveHold, To: marketplace.Held},
	{From: marketplace.Reserving, On: ReserveRefuse, To: marketplace.Refused},
	{From: marketplace.Reserving, On: ReserveUnanswered, To: marketplace.Lost, Raises: marketplace.ReserveUnknown},
	{From: marketplace.Reserving, On: ReserveUnwanted, To: marketplace.Released, Reason: marketplace.Unwanted, Ask: AskRelease, Release: marketplace.Pending},
	{From: marketplace.Lost, On: ReserveUnwanted, To: marketplace.Released, Reason: marketplace.Unwanted, Ask: AskRelease, Release: marketplace.Pending, Settles: []marketplace.AttentionReason{marketplace.ReserveUnknown}},
	{From: marketplace.Lost, On: ReserveRefuse, To: marketplace.Refused, Settles: []marketplace.AttentionReason{marketplace.ReserveUnknown}},

	{From: marketplace.Held, On: PaymentSucceed, To: marketplace.Paid, Ask: AskConfirm},
	{From: marketplace.Held, On: PaymentFail, To: marketplace.Released, Reason: marketplace.PaymentFailed, Ask: AskRelease, Release: marketplace.Pending},
	{From: marketplace.Held, On: Abandon, To: marketplace.Released, Reason: marketplace.Abandoned, Ask: AskRelease, Release: marketplace.Pending},
	{From: marketplace.Held, On: HoldExpire, To: marketplace.Released, Reason: marketplace.Expired, Ask: AskRelease, Release: marketplace.Pending},
	{From: marketplace.Held, On: PartnerLeave, To: marketplace.Released, Reason: marketplace.Withdrawn, Ask: AskRelease, Release: marketplace.Pending},

	{From: marketplace.Released, On: PaymentSucceed, To: marketplace.Paid, Raises: marketplace.LatePayment},
	{From: marketplace.Released, On: PaymentFail, To: marketplace.Released},
	{From: marketplace.Released, On: Abandon, To: marketplace.Released},

	{From: marketplace.Paid, On: ConfirmAccept, To: marketplace.Confirmed, Settles: unpaidFor},
	{From: marketplace.Paid, On: ConfirmRefuse, To: marketplace.Paid, Raises: marketplace.ConfirmRefused, Settles: []marketplace.AttentionReason{marketplace.ConfirmUnknown}},
	{From: marketplace.Paid, On: ConfirmFail, To: marketplace.Paid, Raises: marketplace.ConfirmRefused, Settles: []marketplace.AttentionReason{marketplace.ConfirmUnknown}},
	{From: marketplace.Paid, On: ConfirmUnanswered, If: not(told), To: marketplace.Paid, Ask: AskConfirmAgain},
	{From: marketplace.Paid, On: ConfirmUnanswered, If: told, To: marketplace.Paid, Raises: marketplace.ConfirmUnknown},
	{From: marketplace.Paid, On: ConfirmGiveUp, To: marketplace.Paid, Raises: marketplace.ConfirmUnknown},
	{From: marketplace.Paid, On: ConfirmAgain, If: both(not(confirming), both(not(releasing), not(told))), To: marketplace.Paid, Ask: AskConfirm},
	{From: marketplace.Paid, On: OperatorConfirm, If: both(not(confirming), not(releasing)), To: marketplace.Paid, Ask: AskConfirm},
	{From: marketplace.Paid, On: OperatorCancel, If: both(not(confirming), both(not(releasing), not(doubted))), To: marketplace.Cancelled, Ask: AskRelease, Release: marketplace.Pending, Settles: unpaidFor},
	{From: marketplace.Paid, On: OperatorCancel, If: both(not(confirming), both(not(releasing), doubted)), To: marketplace.Cancelled, Ask: AskRelease, Release: marketplace.Pending, Raises: marketplace.ConfirmUnknown, Settles: []marketplace.AttentionReason{marketplace.ConfirmRefused}},
	{From: marketplace.Paid, On: OperatorCancel, If: both(not(confirming), releasing), To: marketplace.Cancelled, Settles: unpaidFor},
	{From: marketplace.Paid, On: PaymentSucceed, To: marketplace.Paid, Raises: marketplace.DuplicatePayment},

	{From: marketplace.Confirmed, On: CustomerCancel, To: marketplace.Cancelled, Ask: AskCancel, Cancel: marketplace.Pending},
	{From: marketplace.Confirmed, On: OperatorCancel, To: marketplace.Cancelled, Ask: AskCancel, Cancel: marketplace.Pending},
	{From: marketplace.Confirmed, On: PaymentSucceed, To: marketplace.Confirmed, Raises: marketplace.DuplicatePayment},

	{From: marketplace.Cancelled, On: ConfirmAccept, If: not(confirmed), To: marketplace.Cancelled, Ask: AskCancel, Cancel: marketplace.Pending, Settles: []marketplace.AttentionReason{marketplace.ConfirmUnknown}},
	{From: marketplace.Cancelled, On: CustomerCancel, To: marketplace.Cancelled},
	{From: marketplace.Cancelled, On: OperatorCancel, To: marketplace.Cancelled},
	{From: marketplace.Cancelled, On: OperatorResolve, To: marketplace.Cancelled, Settles: append([]marketplace.AttentionReason{marketplace.ConfirmUnknown}, seenTo...)},
	{From: marketplace.Cancelled, On: PaymentSucceed, To: marketplace.Cancelled, Raises: marketplace.DuplicatePayment},

	{From: anywhere, On: ReleaseTaken, To: anywhere, Release: marketplace.Done, Settles: []marketplace.AttentionReason{marketplace.ReleaseFailed}},
	{From: anywhere, On: ReleaseGiveUp, To: anywhere, Release: marketplace.GivenUp, Raises: marketplace.ReleaseFailed},
	{From: anywhere, On: CancelTaken, To: anywhere, Cancel: marketplace.Done, Settles: []marketplace.AttentionReason{marketplace.CancelFailed}},
	{From: anywhere, On: CancelUnsupported, To: anywhere, Cancel: marketplace.NotSupported, Settles: []marketplace.AttentionReason{marketplace.CancelFailed}},
	{From: anywhere, On: CancelGiveUp, To: anywhere, Cancel: marketplace.GivenUp, Raises: marketplace.CancelFailed},
	{From: anywhere, On: OperatorDeliver, If: cancelParked, To: anywhere, Ask: AskCancel, Cancel: marketplace.Pending, Settles: []marketplace.AttentionReason{marketplace.CancelFailed}},
	{From: anywhere, On: OperatorDeliver, If: releaseParked, To: anywhere, Ask: AskRelease, Release: marketplace.Pending, Settles: []marketplace.AttentionReason{marketplace.ReleaseFailed}},
	{From: anywhere, On: OperatorResolve, To: anywhere, Settles: seenTo},
}
