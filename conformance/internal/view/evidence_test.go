package view

import (
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
)

func TestMessagesLinkToTheRulesThatTheyName(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"reserve.code": true, "reserve.code.unique": true, "products.json": true}
	for message, want := range map[string][]linkedText{
		"":                  {{Text: ""}},
		"nothing to link":   {{Text: "nothing to link"}},
		"Émile says: é … 5": {{Text: "Émile says: é … 5"}},
		"reserve.code":      {{Text: ""}, {Text: "reserve.code", Rule: "reserve.code"}, {Text: ""}},
		"blocked by reserve.code.unique.": {
			{Text: "blocked by "}, {Text: "reserve.code.unique", Rule: "reserve.code.unique"}, {Text: "."},
		},
		"products.json, reserve.code; reserve.codes": {
			{Text: ""}, {Text: "products.json", Rule: "products.json"}, {Text: ", "},
			{Text: "reserve.code", Rule: "reserve.code"}, {Text: "; reserve.codes"},
		},
	} {
		if got := linkRules(message, known); !slices.Equal(got, want) {
			t.Errorf("linked(%q) = %+v, want %+v", message, got, want)
		}
	}
}

func TestJSONBodiesAreIndentedUnlessTheyAreCutBrokenOrTooDeep(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		name string
		body report.Body
		want string
	}{
		{"an object", report.Body{Text: `{"a":[1,2]}`}, "{\n  \"a\": [\n    1,\n    2\n  ]\n}"},
		{"a big number", report.Body{Text: `{"a":12345678901234567890.10}`}, "{\n  \"a\": 12345678901234567890.10\n}"},
		{"a body that was cut", report.Body{Text: `{"a":1}`, Cut: true}, `{"a":1}`},
		{"a broken body", report.Body{Text: `{"a":`}, `{"a":`},
		{"two documents", report.Body{Text: `{} {}`}, `{} {}`},
		{"an HTML page", report.Body{Text: `<h1>502</h1>`}, `<h1>502</h1>`},
		{"no body", report.Body{}, ""},
		{"too deep", report.Body{Text: deep(maxDepth + 1)}, deep(maxDepth + 1)},
	} {
		if got := newBodyView(c.body).Text; got != c.want {
			t.Errorf("%s is shown as %q, want %q", c.name, got, c.want)
		}
	}
}

func TestALongBodyIsShownInPartAndTheNoteSaysSo(t *testing.T) {
	t.Parallel()
	v := newBodyView(report.Body{Text: strings.Repeat("a", maxBody+1), Size: maxBody + 1})
	if len(v.Text) != maxBody || v.Note != "32.0 KiB, the beginning is shown" {
		t.Errorf("%d bytes are shown with the note %q", len(v.Text), v.Note)
	}
}

func TestAnAnswerIsSummedUpInAFewWords(t *testing.T) {
	t.Parallel()
	response, failure := &report.Response{Status: 200}, &report.Failure{Kind: report.TooLarge}
	for _, c := range []struct {
		exchange report.Exchange
		want     string
	}{
		{report.Exchange{Response: response}, "200"},
		{report.Exchange{Failure: failure}, "too large"},
		{report.Exchange{Response: response, Failure: failure}, "200, then too large"},
		{report.Exchange{}, "no answer"},
	} {
		if got := answer(c.exchange); got != c.want {
			t.Errorf("the answer is summed up as %q, want %q", got, c.want)
		}
	}
}

func TestThePlaceInQuestionIsMarked(t *testing.T) {
	t.Parallel()
	const text = `{
  "id": "boat",
  "a/b": {"x": [1, 22]},
  "units": [
    {"id": "adult"},
    {"id": "child", "price": null}
  ]
}`
	for _, c := range []struct{ place, want, missing string }{
		{"/id", `"id": "boat"`, ""},
		{"/units/1", `{"id": "child", "price": null}`, ""},
		{"/units/1/price", `"price": null`, ""},
		{"/units", "\"units\": [\n    {\"id\": \"adult\"},\n    {\"id\": \"child\", \"price\": null}\n  ]", ""},
		{"/a~1b/x/1", "22", ""},
		{"/units/0/type", "", "type"},
		{"/units/7", "", "7"},
		{"/c~1d", "", "c/d"},
		{"", "", ""},
	} {
		got := mark(text, c.place)
		if got.Marked != c.want || got.Missing != c.missing || got.Before+got.Marked+got.After != text {
			t.Errorf("at %s: want %q marked and %q missing, got %+v", c.place, c.want, c.missing, got)
		}
	}
	for _, broken := range []string{"", "{", `{"a": "b`, "no JSON", `{"a":1}` + "\n…"} {
		if got := mark(broken, "/b"); got.Before != broken {
			t.Errorf("%q: want it unchanged, got %+v", broken, got)
		}
	}
}
