package partner

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"

	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// longestWords bounds what is kept of a partner's message, in letters.
const longestWords = 500

// words are a partner's own, of the body of a refusal (RSV-5, CNF-5): in one line, and
// not long. They are "" where it has none.
func words(body []byte) string {
	var said partnerapi.Refusal
	if schemas.Decode(schemas.Refusal, body, &said) != nil {
		return ""
	}
	return oneLine(said.Message)
}

func oneLine(text string) string {
	letters := []rune(strings.ToValidUTF8(text, "\uFFFD"))
	for i, letter := range letters {
		if !unicode.IsPrint(letter) {
			letters[i] = ' '
		}
	}
	short := strings.Join(strings.Fields(string(letters)), " ")
	if letters = []rune(short); len(letters) > longestWords {
		short = string(letters[:longestWords]) + "…"
	}
	return short
}

// mostBreaches is how many are kept of one answer.
const mostBreaches = 5

// readHold reads the answer to reserve (RSV-2). Of one that breaks its schema the code
// is read all the same: what it holds has to be released.
func readHold(into *partnerapi.ReserveAnswer) func([]byte) error {
	return func(body []byte) error {
		problems := schemas.Decode(schemas.ReserveAnswer, body, into)
		if problems == nil {
			return nil
		}
		*into = partnerapi.ReserveAnswer{ReservationConfirmationCode: member(body, "reservationConfirmationCode")}
		return errors.New(problems[0].String())
	}
}

// readBooking reads the answer to confirm (CNF-2). One that names its booking is good,
// whatever else it breaks.
func readBooking(into *partnerapi.ConfirmAnswer, breaches *[]string, tickets bool) func([]byte) error {
	return func(body []byte) error {
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
		for _, problem := range problems[:min(len(problems), mostBreaches)] {
			*breaches = append(*breaches, problem.String())
		}
		if into.Status != partnerapi.StatusConfirmed {
			*breaches = append(*breaches, "status: want "+partnerapi.StatusConfirmed)
		}
		return nil
	}
}

// readDone reads the answer to release, and to cancel (REL-2, CAN-2).
func readDone(body []byte) error {
	var done partnerapi.Done
	if problems := schemas.Decode(schemas.ReleaseAnswer, body, &done); problems != nil {
		return errors.New(problems[0].String())
	}
	if !done.Success {
		return errors.New("success: want true")
	}
	return nil
}

// member is the text of that name in an object; "" where there is none.
func member(body []byte, name string) (text string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(body, &object) != nil || json.Unmarshal(object[name], &text) != nil {
		return ""
	}
	return text
}

// goodTickets are those of an answer that keep their schema.
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
