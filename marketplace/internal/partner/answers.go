package partner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"partnerkit.dev/internal/safetext"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// longestWords limits the stored part of a partner's message, in characters.
const longestWords = 500

// words returns the partner's message from the body of a refusal (RSV-5, CNF-5) as one short line,
// or "" without a message.
func words(body []byte) string {
	var refusal partnerapi.Refusal
	if schemas.Decode(schemas.Refusal, body, &refusal) != nil {
		return ""
	}
	return oneLine(refusal.Message)
}

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
		if problems == nil && checkStorable(into.ReservationConfirmationCode) == nil && storableTime(into.ExpiresAt) == nil {
			return nil
		}
		*into = partnerapi.ReserveAnswer{ReservationConfirmationCode: member(body, "reservationConfirmationCode")}
		if err := checkStorable(into.ReservationConfirmationCode); err != nil {
			*into = partnerapi.ReserveAnswer{}
			return fmt.Errorf("reservationConfirmationCode: %w", err)
		}
		if problems == nil {
			return fmt.Errorf("expiresAt: %w", errTime)
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

// isUnprintable reports whether a ticket cannot be stored.
func isUnprintable(ticket partnerapi.Ticket) bool {
	text, err := json.Marshal(ticket)
	return err != nil || bytes.Contains(text, []byte(`\u0000`))
}

var (
	errTime = errors.New("expected a time between 2000 and 2200")
	errNUL  = errors.New(`expected a text without the character \u0000`)
)

// storableTime is storable for a date-time that passed its schema.
func storableTime(text string) error {
	at, err := partnerapi.ParseDateTime(text)
	if err == nil && (at.UTC().Year() < 2000 || at.UTC().Year() > 2200) {
		err = errTime
	}
	return err
}

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
			*into = partnerapi.ConfirmAnswer{ExternalBookingID: member(body, "externalBookingId"), Status: member(body, "status"), Tickets: goodTickets(body)}
			if into.ExternalBookingID == "" {
				return errors.New(problems[0].String())
			}
		}
		if err := checkStorable(into.ExternalBookingID); err != nil {
			*into = partnerapi.ConfirmAnswer{}
			return &unstorable{fmt.Errorf("externalBookingId: %w", err)}
		}
		if n := len(into.Tickets); n > 0 {
			if into.Tickets = slices.DeleteFunc(into.Tickets, isUnprintable); len(into.Tickets) < n {
				*breaches = append(*breaches, "tickets: "+errNUL.Error())
			}
		}
		into.Tickets = withAddresses(into.Tickets, breaches)
		for _, problem := range problems[:min(len(problems), mostBreaches)] {
			*breaches = append(*breaches, problem.String())
		}
		if into.Status != partnerapi.StatusConfirmed {
			*breaches = append(*breaches, "status: expected "+partnerapi.StatusConfirmed)
		}
		return nil
	}
}

// withAddresses drops documents whose address is not http or https, and tickets that are empty
// afterwards.
func withAddresses(tickets []partnerapi.Ticket, breaches *[]string) (good []partnerapi.Ticket) {
	for i, ticket := range tickets {
		var options []partnerapi.DeliveryOption
		for j, option := range ticket.DeliveryOptions {
			if option.DeliveryFormat == partnerapi.PDFURL && !isWebAddress(option.DeliveryValue) {
				if len(*breaches) < mostBreaches {
					*breaches = append(*breaches, fmt.Sprintf("tickets[%d].deliveryOptions[%d].deliveryValue: expected an http or https address for PDF_URL", i, j))
				}
				continue
			}
			options = append(options, option)
		}
		if ticket.DeliveryOptions = options; len(options) > 0 {
			good = append(good, ticket)
		}
	}
	return good
}

func isWebAddress(text string) bool {
	address, err := url.Parse(text)
	return err == nil && (address.Scheme == "https" || address.Scheme == "http") && address.Hostname() != ""
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

// goodTickets returns the tickets of an answer that match their schema.
func goodTickets(body []byte) (good []partnerapi.Ticket) {
	var answer map[string]json.RawMessage
	var tickets []json.RawMessage
	if json.Unmarshal(body, &answer) != nil || json.Unmarshal(answer["tickets"], &tickets) != nil {
		return nil
	}
	for _, raw := range tickets {
		var ticket partnerapi.Ticket
		if schemas.Decode(schemas.Ticket, raw, &ticket) == nil {
			good = append(good, ticket)
		}
	}
	return good
}
