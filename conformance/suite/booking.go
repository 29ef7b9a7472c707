package suite

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"partnerkit.dev/conformance/discover"
	"partnerkit.dev/conformance/ledger"
	"partnerkit.dev/conformance/probe"
	"partnerkit.dev/conformance/rule"
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
	entry   *ledger.Entry
	answer  *probe.Answer
	code    string
	expires time.Time     // zero where it cannot be read
	life    time.Duration // from the answer to expires
}

// sendReserve sends one reserve. The attempt is in the ledger before it is
// sent, and what came of it before anything else happens. It outlives an
// interrupt: an answer that is not read is a hold that cannot be released.
func (s *session) sendReserve(ctx context.Context, purpose string, offer discover.Offer, units []partnerapi.UnitQuantity, full bool, key probe.Key) (*probe.Answer, *ledger.Entry, *obstacle) {
	if ctx.Err() != nil {
		return nil, nil, s.outOfTime()
	}
	entry := s.ledger.Attempt(offer, sizeOf(units))
	answer, o := s.call(context.WithoutCancel(ctx), rule.ReserveLimit, s.reserveCall(purpose, offer, units, full, key), false)
	s.ledger.Record(entry, func(e *ledger.Entry) { recordReserve(e, answer) })
	if o != nil {
		return nil, entry, o
	}
	return answer, entry, nil
}

func (s *session) reserveCall(purpose string, offer discover.Offer, units []partnerapi.UnitQuantity, full bool, key probe.Key) probe.Call {
	request := partnerapi.ReserveRequest{
		ProductID: offer.Product.ID, OptionID: offer.Option.ID, AvailabilityID: offer.Slot.ID, Units: units,
	}
	if full {
		request.Contact, request.ResellerReference = &contact, "conformance-"+s.nonce
	}
	return probe.Call{
		Endpoint: partnerapi.Reserve, Purpose: purpose, Method: http.MethodPost, Path: partnerapi.ReservePath,
		Body: encode(request), Key: key,
	}
}

// sizeOf counts the guests of a party.
func sizeOf(units []partnerapi.UnitQuantity) (guests int64) {
	for _, unit := range units {
		guests += int64(unit.Quantity)
	}
	return guests
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
	answer, entry, o := s.sendReserve(ctx, purpose, offer, units, full, probe.GoodKey)
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
				return nil, breach(r, answer, "%s", problem)
			}
			s.findings.add(rule.ReserveExpiresAt, problems[0].String(), answer.Exchange, readObject(answer.Raw), s.redact)
		}
	}
	made := &hold{entry: entry, answer: answer, code: entry.Code}
	if expires, err := partnerapi.ParseDateTime(entry.ExpiresAt); err == nil {
		answered := answer.StartedAt.Add(answer.Duration).Add(s.clock.ahead())
		made.expires, made.life = expires, expires.Sub(answered)
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
	if ctx.Err() != nil {
		return nil, s.outOfTime()
	}
	answer, o := s.call(context.WithoutCancel(ctx), rule.ConfirmLimit, s.confirmCall(purpose, h, full, key), false)
	s.recordConfirm(h, answer)
	if o != nil {
		return nil, o
	}
	return answer, nil
}

func (s *session) confirmCall(purpose string, h *hold, full bool, key probe.Key) probe.Call {
	request := partnerapi.ConfirmRequest{ReservationConfirmationCode: h.code}
	if full {
		request.Contact, request.ResellerReference = &contact, "conformance-"+s.nonce
	}
	return probe.Call{
		Endpoint: partnerapi.Confirm, Purpose: purpose, Method: http.MethodPost, Path: partnerapi.ConfirmPath,
		Body: encode(request), Key: key,
	}
}

const noBookingID = "the answer to confirm had no externalBookingId"

// recordConfirm enters what a confirm brought. A booking under another id than
// the hold's first one is an entry of its own, to be cancelled as well.
func (s *session) recordConfirm(h *hold, answer *probe.Answer) {
	if answer == nil {
		return
	}
	if answer.Failure != nil {
		s.ledger.Record(h.entry, func(e *ledger.Entry) {
			if e.State == ledger.Held || e.State == ledger.Undone {
				e.State = ledger.Doubtful
			}
		})
		return
	}
	id := readObject(answer.Raw).text("externalBookingId")
	if answer.Response.Status/100 != 2 {
		return
	}
	entry := h.entry
	if entry.BookingID != "" && entry.BookingID != id {
		entry = s.ledger.Attempt(h.entry.Offer, h.entry.Guests)
	}
	if entry.State == ledger.Booked {
		return // a repeat that was answered with the same booking
	}
	s.bookings++
	s.ledger.Record(entry, func(e *ledger.Entry) {
		e.State, e.BookingID = ledger.Booked, id
		if id == "" {
			e.State, e.Trouble = ledger.Doubtful, noBookingID
		}
	})
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
			fatal = breach(r, answer, "%s", problem)
			continue
		}
		s.findings.add(r, problem.String(), answer.Exchange, readObject(answer.Raw), s.redact)
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
	case undone(answer):
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
	if undone(answer) {
		s.ledger.Record(h.entry, func(e *ledger.Entry) { e.State = ledger.Undone })
	}
	return answer, nil
}
