package suite

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// mostUncancelled bounds the bookings made with a partner that takes no
// cancellations: they stay.
const mostUncancelled = 2

// contact is the guest of every test booking.
var contact = partnerapi.Contact{
	FullName: "Conformance Test", EmailAddress: "conformance@example.com", PhoneNumber: "+10000000000",
}

// hold is a hold that was made.
type hold struct {
	entry    *ledger.Entry
	answer   *probe.Answer
	code     string
	answered time.Time     // by this machine's clock
	expires  time.Time     // zero where it cannot be read
	life     time.Duration // from the answer to expires
}

// sendReserve sends one reserve. The attempt is in the ledger before it is
// sent, and what came of it before anything else happens. It outlives an
// interrupt: an answer that is not read is a hold that cannot be released.
func (s *session) sendReserve(ctx context.Context, purpose string, offer discover.Offer, units []partnerapi.UnitQuantity, full bool, key probe.Key) (*probe.Answer, *ledger.Entry, *obstacle) {
	return s.sendReserveAs(ctx, offer, units, func(entry *ledger.Entry) probe.Call { return reserveCall(purpose, entry, full, key) })
}

// sendReserveAs sends the reserve that is made of its entry.
func (s *session) sendReserveAs(ctx context.Context, offer discover.Offer, units []partnerapi.UnitQuantity, call func(*ledger.Entry) probe.Call) (*probe.Answer, *ledger.Entry, *obstacle) {
	if ctx.Err() != nil {
		return nil, nil, s.outOfTime()
	}
	entry, o := s.attempt(offer, units)
	if o != nil {
		return nil, nil, o
	}
	answer, o := s.call(context.WithoutCancel(ctx), rule.ReserveLimit, call(entry), false)
	s.ledger.Record(entry, func(e *ledger.Entry) { recordReserve(e, answer) })
	if o != nil {
		return nil, entry, o
	}
	return answer, entry, nil
}

// attempt enters a reserve that is about to be sent. What is out of bounds, or
// cannot be entered, is not to be sent.
func (s *session) attempt(offer discover.Offer, units []partnerapi.UnitQuantity) (*ledger.Entry, *obstacle) {
	if o := s.mayHold(); o != nil {
		return nil, o
	}
	entry, err := s.ledger.Attempt(ledger.SlotOf(offer), units)
	if err != nil {
		return nil, unrecorded(err)
	}
	return entry, nil
}

// unrecorded is the obstacle of a ledger that cannot be written.
func unrecorded(err error) *obstacle {
	return missing("the ledger cannot be written: %v", err)
}

// reserveCall is the reserve that an entry is about; full is one with contact and
// reference.
func reserveCall(purpose string, entry *ledger.Entry, full bool, key probe.Key) probe.Call {
	request := partnerapi.ReserveRequest{
		ProductID: entry.ProductID, OptionID: entry.OptionID, AvailabilityID: entry.AvailabilityID, Units: entry.Units,
	}
	if full {
		request.Contact, request.ResellerReference = &contact, entry.Reference
	}
	return probe.Call{
		Endpoint: partnerapi.Reserve, Purpose: purpose, Method: http.MethodPost, Path: partnerapi.ReservePath,
		Body: encode(request), Key: key,
	}
}

// recordReserve enters what a reserve brought. Whatever the status, an answer
// with a code is a hold to be released.
func recordReserve(entry *ledger.Entry, answer *probe.Answer) {
	switch {
	case answer == nil: // it was not sent
		entry.State = ledger.Refused
	case answer.Failure != nil:
		entry.State = ledger.Unheard
	default:
		fields := readObject(answer.Raw)
		entry.Code, entry.ExpiresAt = fields.text("reservationConfirmationCode"), fields.text("expiresAt")
		switch {
		case entry.Code != "" && answer.Response.Status/100 == 2:
			entry.State = ledger.Held
		case answer.Response.Status/100 == 2:
			entry.State, entry.Trouble = ledger.Unheard, "the answer to reserve had no code"
		default:
			entry.State, entry.Code = ledger.Refused, ""
		}
	}
}

// reserve makes a hold with the registered key. An obstacle with refused set is
// a lawful refusal.
func (s *session) reserve(ctx context.Context, purpose string, offer discover.Offer, units []partnerapi.UnitQuantity, full bool) (*hold, *obstacle) {
	return s.readHold(s.sendReserve(ctx, purpose, offer, units, full, probe.GoodKey))
}

// readHold reads the answer to a reserve.
func (s *session) readHold(answer *probe.Answer, entry *ledger.Entry, o *obstacle) (*hold, *obstacle) {
	switch {
	case o != nil:
		return nil, o
	case answer.BrokeOff(http.StatusOK, http.StatusCreated):
		return nil, breach(rule.ReserveJSON, answer, "want a whole JSON object: %s", answer.Failure.Message)
	case answer.OK(http.StatusBadRequest):
		o := missing("reserve was refused: %s", refusalOf(answer))
		o.refused, o.tryAnother, o.Exchanges = true, true, []*probe.Exchange{answer.Exchange}
		return nil, o
	case !answer.OK(http.StatusOK, http.StatusCreated):
		return nil, breach(rule.ReserveStatus, answer, "want 200 or 201 with a hold, got %s", got(answer))
	}
	if flaw := noObject(answer); flaw != "" {
		return nil, breach(rule.ReserveJSON, answer, "%s", flaw)
	}
	if problems := schemas.Validate(schemas.ReserveAnswer, answer.Raw); len(problems) > 0 {
		for _, problem := range problems {
			if r := owner(holdFields, problem); r.ID != rule.ReserveExpiresAt.ID {
				return nil, s.misfit(r, answer, problem)
			}
			s.findings.add(rule.ReserveExpiresAt, problems[0].String(), answer.Exchange, decoded(answer), problems[0].Pointer, s.redact)
		}
	}
	made := &hold{entry: entry, answer: answer, code: entry.Code, answered: answer.StartedAt.Add(answer.Duration)}
	if expires, err := partnerapi.ParseDateTime(entry.ExpiresAt); err == nil {
		made.expires, made.life = expires, expires.Sub(made.answered.Add(s.clock.ahead()))
		s.holdless = s.holdless || made.life > partnerapi.HoldlessAfter
	}
	return made, nil
}

// refusalOf returns the message of a refusal.
func refusalOf(answer *probe.Answer) string {
	if message := readObject(answer.Raw).text("message"); message != "" {
		return fmt.Sprintf("%q", message)
	}
	return "no message"
}

// guests returns a party of n leads of an option.
func guests(option discover.Option, n int64) []partnerapi.UnitQuantity {
	return []partnerapi.UnitQuantity{{ID: option.Lead(), Quantity: int(n)}}
}

// sendConfirm sends one confirm and enters a booking that it made.
func (s *session) sendConfirm(ctx context.Context, purpose string, h *hold, full bool, key probe.Key) (*probe.Answer, *obstacle) {
	return s.sendConfirmCall(ctx, h, confirmCall(purpose, h, full, key))
}

func (s *session) sendConfirmCall(ctx context.Context, h *hold, call probe.Call) (*probe.Answer, *obstacle) {
	if ctx.Err() != nil {
		return nil, s.outOfTime()
	}
	settle, o := s.confirming(h)
	if o != nil {
		return nil, o
	}
	answer, o := s.call(context.WithoutCancel(ctx), rule.ConfirmLimit, call, false)
	settle(answer)
	if o != nil {
		return nil, o
	}
	return answer, nil
}

func confirmCall(purpose string, h *hold, full bool, key probe.Key) probe.Call {
	request := partnerapi.ConfirmRequest{ReservationConfirmationCode: h.code}
	if full {
		request.Contact, request.ResellerReference = &contact, h.entry.Reference
	}
	return probe.Call{
		Endpoint: partnerapi.Confirm, Purpose: purpose, Method: http.MethodPost, Path: partnerapi.ConfirmPath,
		Body: encode(request), Key: key,
	}
}

// confirming enters that a hold's code is about to be confirmed: until the answer
// is read nobody knows whether there is a booking. The answers are to be given to
// settle. An obstacle says why the code must not be confirmed.
func (s *session) confirming(h *hold) (settle func(...*probe.Answer), o *obstacle) {
	if o := s.mayBook(h); o != nil {
		return nil, o
	}
	was := h.entry.State
	if was == ledger.Held || was == ledger.Undone {
		s.ledger.Record(h.entry, func(e *ledger.Entry) { e.State = ledger.Doubtful })
	}
	back := func() { s.ledger.Record(h.entry, func(e *ledger.Entry) { e.State = was }) }
	if err := s.ledger.Trouble(); err != nil {
		back()
		return nil, unrecorded(err)
	}
	return func(answers ...*probe.Answer) {
		booked, unheard := false, false
		for _, answer := range answers {
			switch {
			case answer == nil: // it was not sent
			case answer.Failure != nil:
				unheard = true
			case answer.Response.Status/100 == 2:
				booked = s.recordBooking(h, readObject(answer.Raw).text("externalBookingId")) || booked
			}
		}
		if !booked && !unheard {
			back()
		}
	}, nil
}

// recordBooking enters a booking of a hold, and reports whether it is the hold's
// own. One under another id than the hold's first is an entry of its own, to be
// cancelled as well.
func (s *session) recordBooking(h *hold, id string) bool {
	entry := h.entry
	if entry.BookingID != "" && entry.BookingID != id {
		entry = s.ledger.Add(h.entry.Slot, h.entry.Units)
	}
	if entry.State == ledger.Booked {
		return true // a repeat that was answered with the same booking
	}
	s.bookings++
	s.ledger.Record(entry, func(e *ledger.Entry) {
		e.State, e.BookingID = ledger.Booked, id
		if id == "" {
			e.State, e.Trouble = ledger.Doubtful, undo.NoBookingID
		}
	})
	return entry == h.entry
}

// confirm turns a hold into a booking with the registered key.
func (s *session) confirm(ctx context.Context, purpose string, h *hold, full bool) (*probe.Answer, string, *obstacle) {
	if s.noCancel && s.bookings >= mostUncancelled {
		return nil, "", missing("the partner takes no cancellations: no more than %d bookings are made", mostUncancelled)
	}
	answer, o := s.sendConfirm(ctx, purpose, h, full, probe.GoodKey)
	switch {
	case o != nil:
		return nil, "", o
	case answer.BrokeOff(http.StatusOK):
		return answer, "", breach(rule.ConfirmJSON, answer, "want a whole JSON object: %s", answer.Failure.Message)
	case !answer.OK(http.StatusOK):
		r := rule.ConfirmStatus
		if !full && answer.OK(http.StatusBadRequest) {
			r = rule.ConfirmMinimal
		}
		return answer, "", breach(r, answer, "want 200 for a live hold, got %s", got(answer))
	}
	if flaw := noObject(answer); flaw != "" {
		return answer, "", breach(rule.ConfirmJSON, answer, "%s", flaw)
	}
	var fatal *obstacle
	for _, problem := range schemas.Validate(s.confirmSchema(), answer.Raw) {
		r := owner(bookingFields, problem)
		if r.ID == rule.ConfirmJSON.ID || r.ID == rule.ConfirmBookingID.ID {
			fatal = s.misfit(r, answer, problem)
			continue
		}
		s.findings.add(r, problem.String(), answer.Exchange, decoded(answer), problem.Pointer, s.redact)
	}
	return answer, readObject(answer.Raw).text("externalBookingId"), fatal
}

func (s *session) confirmSchema() string {
	if s.config.HandlesTicketDelivery {
		return schemas.ConfirmAnswerWithTickets
	}
	return schemas.ConfirmAnswer
}

// releaseHold releases a live hold with the registered key.
func (s *session) releaseHold(ctx context.Context, purpose string, h *hold, body bool) (*probe.Answer, *obstacle) {
	answer, o := s.release(ctx, purpose, h.code, body, probe.GoodKey)
	switch {
	case o != nil:
		return nil, o
	case answer.BrokeOff(http.StatusOK):
		return answer, breach(rule.ReleaseJSON, answer, "want a whole JSON object: %s", answer.Failure.Message)
	case !answer.OK(http.StatusOK):
		r := rule.ReleaseStatus
		if !body {
			r = rule.ReleaseWithoutBody
		}
		return answer, breach(r, answer, "want 200 for a live hold, got %s", got(answer))
	case undo.Done(answer):
		s.settle(h)
	}
	return answer, nil
}

// settle enters that a hold is over. What became a booking stays one.
func (s *session) settle(h *hold) {
	s.ledger.Record(h.entry, func(e *ledger.Entry) {
		if e.State == ledger.Held {
			e.State = ledger.Undone
		}
	})
}

// cancelBooking cancels a live booking with the registered key.
func (s *session) cancelBooking(ctx context.Context, purpose string, h *hold, id string, body bool) (*probe.Answer, *obstacle) {
	answer, o := s.cancel(ctx, purpose, id, body, probe.GoodKey)
	switch {
	case o != nil:
		return nil, o
	case answer.BrokeOff(http.StatusOK):
		return answer, breach(rule.CancelJSON, answer, "want a whole JSON object: %s", answer.Failure.Message)
	case !body && !answer.OK(http.StatusOK):
		return answer, breach(rule.CancelWithoutBody, answer, "want 200 for a live booking, got %s", got(answer))
	case answer.OK(http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented):
		s.noCancel = true
		return answer, missing("the partner takes no cancellations: it answered %s", got(answer))
	case !answer.OK(http.StatusOK):
		return answer, breach(rule.CancelStatus, answer, "want 200 for a live booking, got %s", got(answer))
	}
	if undo.Done(answer) {
		s.ledger.Record(h.entry, func(e *ledger.Entry) { e.State = ledger.Undone })
	}
	return answer, nil
}
