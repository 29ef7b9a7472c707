package scenario

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// nonsense is a body that the marketplace never sends.
type nonsense struct {
	what     string
	body     []byte
	bodyType string // "": application/json
}

const (
	longText  = 100_000 // letters
	deepLists = 1_000   // one within the other
	manyUnits = 1_000   // of a party
)

// nonsenseOf makes bodies that make no sense out of one that does; id is the name
// of a field that it has to have, a text.
func nonsenseOf(valid any, id string) []nonsense {
	whole := encode(valid)
	form := url.Values{id: {"x"}}.Encode()
	return []nonsense{
		{what: "half a body", body: whole[:len(whole)/2]},
		{what: "no body"},
		{what: "a list in place of a body", body: []byte("[1,2,3]")},
		{what: "a body without " + id, body: edited(whole, func(body map[string]any) { delete(body, id) })},
		with(whole, "a number in place of "+id, id, 17),
		with(whole, id+" with signs of many alphabets that nobody knows", id, "Größe \x00 東京 '; --"),
		with(whole, id+" of 100,000 letters", id, strings.Repeat("x", longText)),
		with(whole, "1,000 lists, one within the other", "contact", json.RawMessage(strings.Repeat("[", deepLists)+strings.Repeat("]", deepLists))),
		{what: id + " twice in a body", body: append(fmt.Appendf(nil, `{%q:"x",`, id), whole[1:]...)},
		{what: "a body that is declared as text", body: whole, bodyType: "text/plain"},
		{what: "a body that is declared as nothing", body: whole, bodyType: probe.NoType},
		{what: "a form in place of a body", body: []byte(form), bodyType: "application/x-www-form-urlencoded"},
	}
}

// contactNonsense makes bodies whose guest is nobody out of one that makes sense.
func contactNonsense(valid any) []nonsense {
	whole := encode(valid)
	named := func(name any) map[string]any { return map[string]any{"fullName": name} }
	return []nonsense{
		with(whole, "a text in place of a guest", "contact", "x"),
		with(whole, "a guest's name that is no text", "contact", named([]any{1, nil})),
		with(whole, "a guest's name with a NUL in it", "contact", named("Conformance\x00Test")),
		with(whole, "a guest's name with half a character", "contact", named(json.RawMessage(`"Test \ud83c"`))),
	}
}

// windowNonsense makes windows that nobody asks for, and parties that no window is
// asked for, out of a question that makes sense. Months are lawful to answer.
func windowNonsense(valid partnerapi.AvailabilityRequest, lead string) []nonsense {
	whole := encode(valid)
	window := func(what, from, to string) nonsense {
		return nonsense{what: what, body: edited(whole, func(body map[string]any) { body["localDateStart"], body["localDateEnd"] = from, to })}
	}
	party := func(what string, units any) nonsense { return with(whole, what, "units", units) }
	return []nonsense{
		window("a date that no calendar has", "2030-02-30", "2030-02-31"),
		window("a date in words", "tomorrow", "tomorrow"),
		window("a window that ends before it begins", "2030-02-10", "2030-02-01"),
		window("a window of four months", "2030-01-01", "2030-04-30"),
		window("a window in the past", "1970-01-01", "1970-01-02"),
		party("an empty party", []any{}),
		party("no guests", quantity(lead, "0")),
		party("minus one guests", quantity(lead, "-1")),
		party("more guests than any number says", quantity(lead, "1e400")),
		party("1,000 units", slices.Repeat(quantity(lead, "1"), manyUnits)),
	}
}

// strangeParties are parties that no hold can be made for.
func strangeParties(lead string) map[string]any {
	return map[string]any{
		"an empty party":                  []any{},
		"no guests":                       quantity(lead, "0"),
		"minus one guests":                quantity(lead, "-1"),
		"a guest of a type not sold":      quantity("unit-that-nobody-knows", "1"),
		"more guests than can be counted": quantity(lead, "1"+strings.Repeat("0", 30)),
	}
}

// quantity is a party of one unit; the number may be any.
func quantity(unit, number string) []map[string]any {
	return []map[string]any{{"id": unit, "quantity": json.Number(number)}}
}

// strangeSegments are bodies for codes and ids that no partner can know; what a
// body is is part of the code. No code is a pattern that others could fit.
func strangeSegments(named string) []nonsense {
	return []nonsense{
		{what: "half a body", body: []byte(`{"reason":`)},
		{what: "a list in place of a body", body: []byte("[1,2,3]")},
		{what: "a body of another code", body: encode(map[string]string{named: "another-code"})},
		{what: "a text in place of a body", body: []byte("please"), bodyType: "text/plain"},
		{what: "Größe 東京 '; -- %2F ../", body: []byte("{}")},
		{what: "a NUL \x00"},
		{what: strings.Repeat("x", 1_000)},
	}
}

// strangeQueries are parameters of a pull that make no sense.
func strangeQueries() map[string]url.Values {
	return map[string]url.Values{
		"a limit below nothing":          {"limit": {"-1"}},
		"a limit in words":               {"limit": {"a few"}},
		"a limit that cannot be counted": {"limit": {"1" + strings.Repeat("0", 30)}},
		"changes since no time":          {"updated_since": {"2030-02-30T25:00:00Z"}},
	}
}

// with is a body of ours with one field of another value.
func with(whole []byte, what, field string, value any) nonsense {
	return nonsense{what: what, body: edited(whole, func(body map[string]any) { body[field] = value })}
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
