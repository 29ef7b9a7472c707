package suite

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"partnerkit.dev/conformance/discover"
	"partnerkit.dev/conformance/ledger"
	"partnerkit.dev/conformance/probe"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// nonsense is a body that the marketplace never sends.
type nonsense struct {
	what string
	body []byte
}

const (
	longText  = 100_000 // letters
	deepLists = 1_000   // one within the other
)

// nonsenseOf makes bodies that make no sense out of one that does; id is the name
// of a field that it has to have, a text.
func nonsenseOf(valid any, id string) []nonsense {
	whole := encode(valid)
	with := func(value any) []byte {
		return edited(whole, func(body map[string]any) { body[id] = value })
	}
	return []nonsense{
		{"half a body", whole[:len(whole)/2]},
		{"no body", nil},
		{"a list in place of a body", []byte("[1,2,3]")},
		{"a body without " + id, edited(whole, func(body map[string]any) { delete(body, id) })},
		{"a number in place of " + id, with(17)},
		{id + " with signs of many alphabets that nobody knows", with("Größe \x00 東京 '; --")},
		{id + " of 100,000 letters", with(strings.Repeat("x", longText))},
		{"1,000 lists, one within the other", edited(whole, func(body map[string]any) {
			body["contact"] = json.RawMessage(strings.Repeat("[", deepLists) + strings.Repeat("]", deepLists))
		})},
	}
}

// edited returns a body of ours with a change.
func edited(whole []byte, change func(body map[string]any)) []byte {
	body := map[string]any{}
	if err := json.Unmarshal(whole, &body); err != nil {
		panic(err) // encode made it
	}
	change(body)
	return encode(body)
}

// strangeParties are parties that no hold can be made for.
func strangeParties(option discover.Option) map[string]any {
	lead := option.Lead()
	return map[string]any{
		"an empty party":                  []any{},
		"no guests":                       []partnerapi.UnitQuantity{{ID: lead, Quantity: 0}},
		"minus one guests":                []partnerapi.UnitQuantity{{ID: lead, Quantity: -1}},
		"a guest of a type not sold":      []partnerapi.UnitQuantity{{ID: "unit-that-nobody-knows", Quantity: 1}},
		"more guests than can be counted": []map[string]any{{"id": lead, "quantity": json.Number("1" + strings.Repeat("0", 30))}},
	}
}

// sendNonsense sends a reserve that should make no hold. One that it makes all the
// same is in the ledger, and released at once.
func (s *session) sendNonsense(ctx context.Context, purpose string, offer discover.Offer, body []byte) (*probe.Answer, bool, *obstacle) {
	if ctx.Err() != nil {
		return nil, false, s.outOfTime()
	}
	entry, o := s.attempt(offer, nil)
	if o != nil {
		return nil, false, o
	}
	call := probe.Call{
		Endpoint: partnerapi.Reserve, Purpose: purpose, Method: http.MethodPost, Path: partnerapi.ReservePath, Body: body, Key: probe.GoodKey,
	}
	answer, o := s.call(context.WithoutCancel(ctx), rule.ReserveLimit, call, false)
	s.ledger.Record(entry, func(e *ledger.Entry) { recordReserve(e, answer) })
	if o != nil || entry.State != ledger.Held {
		return answer, false, o
	}
	_, o = s.releaseHold(ctx, "release it", &hold{entry: entry, answer: answer, code: entry.Code}, true)
	return answer, true, o
}
