package booking

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// transitionFor returns the row for an event. The error is a Conflict that names the state.
func transitionFor(b domain.Booking, on event) (transition, error) {
	for _, row := range table {
		if row.On != on || row.From != b.Status && row.From != anywhere || row.If.holds != nil && !row.If.holds(b) {
			continue
		}
		if row.To == anywhere {
			row.From, row.To = b.Status, b.Status
		}
		return row, nil
	}
	return transition{}, refusal(b)
}

// refusal says why an event does not apply to a booking.
func refusal(b domain.Booking) error {
	refused := domain.Errorf(domain.Conflict, "the booking is %s", b.Status)
	refused.Reason = domain.BookingState
	switch {
	case b.Status == domain.Confirmed && replaced.holds(b):
		refused.Reason = domain.RescheduleInFlight
		refused.Message += ", and is being rescheduled: retry in a minute"
	case replaced.holds(b):
		refused.Message += ", because it was rescheduled to " + b.RescheduledTo.String()
	case confirming.holds(b):
		refused.Reason = domain.ConfirmationInFlight
		refused.Message += ", and its confirmation is in progress: retry in a minute"
	case b.Status == domain.Released:
		refused.Reason = domain.HoldExpired
	case b.Status == domain.Paid && releasing.holds(b):
		refused.Reason = domain.HoldExpired
		refused.Message += ", and its hold was released before"
	case b.Status == domain.Paid && replacing.holds(b):
		refused.Reason = domain.RescheduleInFlight
		refused.Message += ", and its reschedule has not ended"
	}
	return refused
}

// Actions returns what an operator can do about a booking that needs attention.
func Actions(b domain.Booking, about domain.AttentionReason) []domain.Action {
	list := []domain.Action{}
	for _, may := range []struct {
		action domain.Action
		on     event
	}{{domain.TryConfirm, operatorConfirm}, {domain.TryCancel, operatorCancel}, {domain.TryDeliver, operatorDeliver}} {
		if row, err := transitionFor(b, may.on); err == nil && (row.From != row.To || row.Ask != "") {
			list = append(list, may.action)
		}
	}
	if row, err := transitionFor(b, operatorResolve); err == nil && slices.Contains(row.Settles, about) {
		list = append(list, domain.Resolve)
	}
	return list
}

// move applies an event to a booking. The error is a Conflict that names the state. message is for
// operators if the event raises attention. why is the cause in the history. call is the confirm
// that begins or has ended.
func move(b domain.Booking, on event, at time.Time, why, message string, call uuid.UUID) (Change, error) {
	row, err := transitionFor(b, on)
	if err != nil {
		return Change{}, err
	}
	c := Change{At: at, Booking: apply(b, row, at, message, call)}
	if row.From != row.To || why != "" {
		c.History = []domain.HistoryEntry{{At: at, Kind: domain.MoveKind, From: row.From, To: row.To, Why: why}}
	}
	switch row.Ask {
	case askConfirm:
		c.Begins = &Call{ID: call, Endpoint: partnerapi.Confirm, At: at}
	case askConfirmAgain:
		c.Jobs = []Job{{Kind: ConfirmJob, Booking: b.ID, After: pause(b.ConfirmTries - 1)}}
	case askRelease:
		c.Jobs = []Job{{Kind: ReleaseJob, Booking: b.ID}}
	case askCancel:
		c.Jobs = []Job{{Kind: CancelJob, Booking: b.ID}}
	}
	c.ChangesOld = replacing.holds(b) && row.changesOld()
	c.Reverses = row.From == domain.Confirmed && row.From != row.To
	return c, nil
}

// ShareID returns the change of a booking when another booking of its integration has received its
// booking id (CNF-2).
func ShareID(b domain.Booking, at time.Time) (Change, error) {
	c, err := move(b, idShared, at, string(idShared), sharesID, uuid.Nil)
	c.Events = domain.BookingEvents(b, c.Booking)
	return c, err
}

// sharesID is shown to operators.
const sharesID = "another booking has the same id at the partner, so no cancellation is sent: ask the partner which booking it cancels with this id"

// ShareCode returns the change of a booking when another reserve of its integration has returned its
// code (RSV-4).
func ShareCode(b domain.Booking, at time.Time) (Change, error) {
	c, err := move(b, codeShared, at, string(codeShared), sharesCode, uuid.Nil)
	c.Seats, c.Events = seatsChange(b, c), domain.BookingEvents(b, c.Booking)
	return c, err
}

// sharesCode is shown to operators.
const sharesCode = "another reserve returned its code, so confirm is not repeated: ask the partner what is booked with it"

// ChangeOld returns the change of a reschedule's old booking that follows from the state of the new one.
// The error is a Conflict that names the state.
func ChangeOld(old, by domain.Booking, at time.Time) (Change, error) {
	on, why := rescheduleFail, "the reschedule to "+by.ID.String()+" failed"
	switch by.Status {
	case domain.Reserving:
		on, why = rescheduleBegin, "the reschedule to "+by.ID.String()+" begins"
	case domain.Confirmed:
		on, why = rescheduleEnd, "rescheduled to "+by.ID.String()
	}
	c, err := move(old, on, at, why, "", uuid.Nil)
	if err != nil {
		return c, err
	}
	c.Booking.RescheduledTo = by.ID
	switch on {
	case rescheduleEnd:
		c.Booking.CancelReason = "rescheduled"
	case rescheduleFail:
		c.Booking.RescheduledTo = uuid.Nil
	}
	c.Events = domain.BookingEvents(old, c.Booking)
	return c, nil
}

// bothKept is shown to operators about a reschedule in doubt.
const bothKept = "it is unknown whether the partner has booked the new slot, so both bookings are kept: confirm again, or resolve if the partner has not booked it"

// apply returns the booking after a transition.
func apply(b domain.Booking, row transition, at time.Time, message string, call uuid.UUID) domain.Booking {
	b.Status = row.To
	if row.Reason != "" {
		b.Reason = row.Reason
	}
	if row.Release != "" {
		b.Release = row.Release
	}
	if row.Cancel != "" {
		b.Cancellation = row.Cancel
	}
	switch row.Ask {
	case askConfirm:
		b.ConfirmCall, b.ConfirmTries = call, b.ConfirmTries+1
	case askRelease:
		b.ReleaseTries, b.ReleaseSince = 0, at
	case askCancel:
		b.CancelTries, b.CancelSince = 0, at
	}
	switch row.On {
	case confirmAccept, confirmShared: // another confirm in progress cannot add anything
		b.ConfirmCall = uuid.Nil
	case confirmRefuse, confirmFail, confirmUnanswered, confirmGiveUp:
		if b.ConfirmCall == call { // otherwise this call came late and another one is in progress
			b.ConfirmCall = uuid.Nil
		}
	}
	b.Doubted = row.On != confirmAccept && row.On != confirmShared && (b.Doubted || slices.Contains(doubting, row.On))
	b.Attention = slices.DeleteFunc(slices.Clone(b.Attention), func(a domain.Attention) bool {
		return a.Reason == row.Raises || slices.Contains(row.Settles, a.Reason) || a.Reason == domain.RescheduleUnknown && row.changesOld()
	})
	if row.Raises != "" {
		b.Attention = append(b.Attention, domain.Attention{Reason: row.Raises, Since: at, Message: message})
	}
	if replacing.holds(b) && row.Old == oldUnknown && !unknown.holds(b) {
		b.Attention = append(b.Attention, domain.Attention{Reason: domain.RescheduleUnknown, Since: at, Message: bothKept})
	}
	return b
}

// end is the outcome of a call in the history.
func end(call uuid.UUID, o partner.Outcome) *CallEnd {
	e := &CallEnd{ID: call, Status: o.Status, Took: o.Took}
	switch {
	case o.Message != "":
		e.Error = o.Message
	case o.Err != nil:
		e.Error = o.Err.Error()
	}
	return e
}

func breaches(b domain.Booking, endpoint partnerapi.Endpoint, at time.Time, messages []string) (list []Breach) {
	for _, message := range messages {
		list = append(list, Breach{At: at, Booking: b.ID, Endpoint: endpoint, Message: message})
	}
	return list
}
