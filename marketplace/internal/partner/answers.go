package partner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"strings"

	"partnerkit.dev/internal/safetext"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// longestWords limits the stored part of a partner's message, in characters.
const longestWords = 500

// words returns the partner's message from the body of a refusal (RSV-5, CNF-5) as one short line,
// or "" without a message. A message that is too long is better than none.
func words(body []byte) string { return oneLine(member(body, "message")) }

func oneLine(text string) string {
	short := strings.Join(strings.Fields(safetext.Line(text)), " ")
	if letters := []rune(short); len(letters) > longestWords {
		short = string(letters[:longestWords]) + "…"
	}
	return short
}

// mostBreaches limits the breaches kept of one answer.
const mostBreaches = 5

// readHold reads the answer to reserve (RSV-2). It reads the code even if the
// answer violates its schema: the hold must be released.
func readHold(into *partnerapi.ReserveAnswer) func(context.Context, []byte) error {
	return func(_ context.Context, body []byte) error {
		problems := schemas.Decode(schemas.ReserveAnswer, body, into)
		if problems == nil {
			return nil
		}
		*into = partnerapi.ReserveAnswer{ReservationConfirmationCode: member(body, "reservationConfirmationCode")}
		if err := checkStorable(into.ReservationConfirmationCode); err != nil {
			*into = partnerapi.ReserveAnswer{}
			return fmt.Errorf("reservationConfirmationCode: %w", err)
		}
		return errors.New(problems[0].String())
	}
}

// longestID limits a partner's codes and ids, in bytes.
const longestID = 1000

// checkStorable says why a text cannot be stored. Such an answer is treated as invalid.
func checkStorable(text string) error {
	switch {
	case len(text) > longestID:
		return fmt.Errorf("expected at most %d bytes", longestID)
	case strings.Contains(text, "\x00"):
		return errNUL
	}
	return nil
}

var errNUL = errors.New(`expected a text without the character \u0000`)

// readBooking reads the answer to confirm (CNF-2). An answer with the booking's id is usable
// despite other breaches.
func readBooking(into *partnerapi.ConfirmAnswer, breaches *[]string, tickets bool) func(context.Context, []byte) error {
	return func(_ context.Context, body []byte) error {
		name := schemas.ConfirmAnswer
		if tickets {
			name = schemas.ConfirmAnswerWithTickets
		}
		problems := schemas.Decode(name, body, into)
		if problems != nil {
			*into = partnerapi.ConfirmAnswer{ExternalBookingID: member(body, "externalBookingId"), Status: member(body, "status")}
			if into.ExternalBookingID == "" {
				return errors.New(problems[0].String())
			}
		}
		if err := checkStorable(into.ExternalBookingID); err != nil {
			*into = partnerapi.ConfirmAnswer{}
			return &unstorable{fmt.Errorf("externalBookingId: %w", err)}
		}
		into.Tickets = readTickets(body, breaches)
		for _, problem := range problems[:min(len(problems), mostBreaches)] {
			*breaches = append(*breaches, problem.String())
		}
		if into.Status != partnerapi.StatusConfirmed {
			*breaches = append(*breaches, "status: expected "+partnerapi.StatusConfirmed)
		}
		return nil
	}
}

// readTickets returns the tickets of an answer with the delivery options that guests can use. A bad
// option costs itself only. Breaches of the schema are noted elsewhere.
func readTickets(body []byte, breaches *[]string) (good []partnerapi.Ticket) {
	for i, raw := range elements(body, "tickets") {
		ticket := partnerapi.Ticket{RedemptionMethod: member(raw, "redemptionMethod")}
		if strings.Contains(ticket.RedemptionMethod, "\x00") {
			ticket.RedemptionMethod = ""
		}
		for k, raw := range elements(raw, "deliveryOptions") {
			var option partnerapi.DeliveryOption
			if schemas.Decode(schemas.DeliveryOption, raw, &option) != nil {
				continue
			}
			if option.DeliveryFormat != partnerapi.PDFURL || partnerapi.IsWebAddress(option.DeliveryValue) {
				ticket.DeliveryOptions = append(ticket.DeliveryOptions, option)
			} else if len(*breaches) < mostBreaches {
				*breaches = append(*breaches, fmt.Sprintf("tickets[%d].deliveryOptions[%d].deliveryValue: expected an http or https address for PDF_URL", i, k))
			}
		}
		if len(ticket.DeliveryOptions) > 0 {
			good = append(good, ticket)
		}
	}
	return good
}

// unstorable is the error of an answer that may be valid but cannot be stored.
type unstorable struct{ error }

func (u *unstorable) Unwrap() error { return u.error }

// readDone reads the answer to release or cancel (REL-2, CAN-2).
func readDone(_ context.Context, body []byte) error {
	var done partnerapi.Done
	if problems := schemas.Decode(schemas.ReleaseAnswer, body, &done); problems != nil {
		return errors.New(problems[0].String())
	}
	if !done.Success {
		return errors.New("success: expected true")
	}
	return nil
}

// member returns the string with that name in an object, or "".
func member(body []byte, name string) (text string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(body, &object) != nil || json.Unmarshal(object[name], &text) != nil {
		return ""
	}
	return text
}

// elements returns the elements of the array with that name in an object, or nil.
func elements(body []byte, name string) (list []json.RawMessage) {
	var object map[string]json.RawMessage
	if json.Unmarshal(body, &object) != nil || json.Unmarshal(object[name], &list) != nil {
		return nil
	}
	return list
}
