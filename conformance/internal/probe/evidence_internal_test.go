package probe

import (
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
)

func TestAnExcerptIsTheLargestPartAroundThePlaceThatCanBeShown(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", longestExcerpt)
	unit := map[string]any{"id": "unit-adult", "a/b": 7.0}
	product := map[string]any{"id": "boat", "note": large, "options": []any{map[string]any{"note": large}, map[string]any{"units": []any{unit}}}}
	for _, c := range []struct{ name, place, wantIn, wantPlace string }{
		{"a field of a unit", "/options/1/units/0/a~1b", `"units": [`, "/units/0/a~1b"},
		{"a field that is missing", "/options/1/units/0/type", `"units": [`, "/units/0/type"},
		{"a small field beside large ones", "/id", `"boat"`, ""},
		{"a field that is too large", "/note", "xxx", ""},
		{"an invalid index", "/options/7/id", "[", ""},
		{"all of it", "", "{", ""},
	} {
		text, place := excerpt(product, c.place, strings.Clone)
		if !strings.Contains(text, c.wantIn) || place != c.wantPlace || len(text) > longestExcerpt+len("\n…") {
			t.Errorf("%s: want %q in it and the place %q, got %q and %q", c.name, c.wantIn, c.wantPlace, text, place)
		}
	}
	if text, place := excerpt(unit, "/id", strings.Clone); place != "/id" || !strings.Contains(text, "unit-adult") {
		t.Errorf("want a small value whole, got %q and %q", text, place)
	}
}

func TestAMarkLeavesTheExchangeItselfAsItWas(t *testing.T) {
	t.Parallel()
	exchange := &report.Exchange{Number: 4, Response: &report.Response{Status: 200}}
	shown := Marked(exchange, map[string]any{"success": "yes"}, "/success", strings.Clone)
	if shown.Response.Body.Place != "/success" || shown.Number != 4 || exchange.Response.Body.Excerpt != "" {
		t.Errorf("want a marked copy, got %+v of %+v", shown.Response, exchange.Response)
	}
	if unanswered := (&report.Exchange{}); Marked(unanswered, nil, "", strings.Clone) != unanswered {
		t.Error("want an exchange without an answer unchanged")
	}
}

func TestAnExcerptFullOfKeysShowsNoPartOfOne(t *testing.T) {
	t.Parallel()
	const key = "tour-operator-key"
	text, _ := excerpt(map[string]any{"note": strings.Repeat(key, 2000)}, "/note", NewRedactor(key).Redact)
	if strings.Contains(text, key[:5]) || !strings.HasSuffix(text, "…") {
		t.Errorf("want a cut excerpt without any part of the key, got %q", text)
	}
}
