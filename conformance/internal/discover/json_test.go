package discover_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/schemas"
)

func TestDecodeReadsOneWholeJSONText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		`{"a":1.50}`:       map[string]any{"a": json.Number("1.50")},
		" \t\r\n [1] \n":   []any{json.Number("1")},
		`"é\u00e9"`:        "éé",
		"null":             nil,
		"9007199254740993": json.Number("9007199254740993"), // more than a float holds
	} {
		got, err := discover.Decode([]byte(text))
		gotText, _ := json.Marshal(got)
		wantText, _ := json.Marshal(want)
		if err != nil || string(gotText) != string(wantText) {
			t.Errorf("%q: want %s, got %s, %v", text, wantText, gotText, err)
		}
	}
}

func TestDecodeSaysWhatIsNoJSONText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                               "the body is empty",
		" \n\t":                          "the body is empty",
		"<html>":                         "invalid character '<' looking for beginning of value, at byte 1 of 6",
		`{"a":1`:                         "unexpected end of JSON input, at byte 6 of 6",
		`{"a":1}}`:                       "after top-level value, at byte 8 of 8",
		`{"a":1} {"b":2}`:                "after top-level value",
		`[1,]`:                           "invalid character ']'",
		`{a:1}`:                          "invalid character 'a'",
		`{'a':1}`:                        `invalid character '\''`,
		`[01]`:                           "invalid character '1'",
		`[NaN]`:                          "invalid character 'N'",
		"[\"a\nb\"]":                     "in string literal",
		"\ufeff[]":                       "received a byte order mark",
		"\x1f\x8b\x08[]":                 "received a body compressed with gzip",
		"[\"\xff\"]":                     "the body is not UTF-8",
		"[\"\xed\xa0\x80\"]":             "the body is not UTF-8",
		nestArrays(100_000):              "exceeded max depth",
		nestArrays(9_000):                "nested too deeply: expected at most 512 levels",
		nestArrays(schemas.MaxDepth + 1): "nested too deeply",
	} {
		if _, err := discover.Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: want %q, got %v", text, want, err)
		}
	}
	if _, err := discover.Decode([]byte(nestArrays(schemas.MaxDepth))); err != nil {
		t.Errorf("want %d levels read, got %v", schemas.MaxDepth, err)
	}
	// Brackets in texts nest nothing.
	if _, err := discover.Decode([]byte(`["` + strings.Repeat(`[{\"`, 1000) + `"]`)); err != nil {
		t.Errorf("want brackets in texts not counted, got %v", err)
	}
}

func nestArrays(levels int) string {
	return strings.Repeat("[", levels) + strings.Repeat("]", levels)
}

func TestDecodeElementReadsNoMoreThanTwoMegabytes(t *testing.T) {
	t.Parallel()
	text := func(size int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("x", size-2) + `"`) }
	if _, err := discover.DecodeElement(text(2 << 20)); err != nil {
		t.Errorf("want 2 MB read, got %v", err)
	}
	if _, err := discover.DecodeElement(text(2<<20 + 1)); err == nil || !strings.Contains(err.Error(), "larger than 2 MiB") {
		t.Errorf("want more refused, got %v", err)
	}
}

func TestProductsTakesAnArrayAndAnObjectWithOne(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`[]`:                       {},
		` [ ] `:                    {},
		`[{"id":"1"}, {"id":"2"}]`: {`{"id":"1"}`, `{"id":"2"}`},
		`{"products":[]}`:          {},
		`{"products":[1,"a, b",[2,3],{"c":[4,5]}]}`:   {`1`, `"a, b"`, `[2,3]`, `{"c":[4,5]}`},
		`{"total":9,"products":[null],"Products":{}}`: {`null`},
		`{"products":[{"a":"]"},{"b":"\"],["}]}`:      {`{"a":"]"}`, `{"b":"\"],["}`},
		"\n{\n\"products\" : [ 1 , 2 ]\n}\n":          {`1`, `2`},
	} {
		got, err := discover.Products([]byte(text))
		if err != nil || !slices.EqualFunc(got, want, func(a json.RawMessage, b string) bool { return string(a) == b }) {
			t.Errorf("%s: want %q, got %q, %v", text, want, got, err)
		}
	}
}

func TestProductsDistinguishesAWrongShapeFromInvalidJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`:                       "the object has no products",
		`{"Products":[]}`:          "the object has no products",
		`{"data":{"products":[]}}`: "the object has no products",
		`{"products":{}}`:          "products: unexpected shape: expected an array, received an object",
		`{"products":null}`:        "received null",
		`"products"`:               "received a string",
		`12`:                       "received a number",
		`-1`:                       "received a number",
		`true`:                     "received a boolean",
		`null`:                     "received null",
	} {
		if _, err := discover.Products([]byte(text)); !errors.Is(err, discover.ErrShape) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %v: %q, got %v", text, discover.ErrShape, want, err)
		}
	}
	for _, text := range []string{"", "{", "[", `{"products":[}`, "[]x", "[\"\xff\"]"} {
		if _, err := discover.Products([]byte(text)); err == nil || errors.Is(err, discover.ErrShape) {
			t.Errorf("%q: want an error other than of the shape, got %v", text, err)
		}
	}
}

// Millions of elements fit into an answer only where each is too short to be
// lawful.
func TestElementsReturnsNoMoreThanCanBeLawful(t *testing.T) {
	t.Parallel()
	raw := []byte("[" + strings.Repeat("0,", 1<<20) + "0]")
	got, err := discover.Elements(raw)
	if err != nil || len(got) > len(raw)/100+1000 || len(got) < len(raw)/200 {
		t.Errorf("want about %d elements, got %d, %v", len(raw)/100, len(got), err)
	}
	const lawful = `{"id":"a","localDateTimeStart":"2026-01-01T00:00:00Z","localDateTimeEnd":"2026-01-01T00:00:01Z","status":"CLOSED"}`
	got, err = discover.Elements([]byte("[" + strings.Repeat(lawful+",", 9999) + lawful + "]"))
	if err != nil || len(got) != 10_000 {
		t.Errorf("want all of 10,000 lawful slots, got %d, %v", len(got), err)
	}
}

// For any text: no panic, and the same elements as encoding/json finds.
func FuzzElements(f *testing.F) {
	for _, seed := range []string{`[]`, `[1,"a,b",[2],{"c":[3]}]`, `["\\",",","\"]"]`, `[[],[]]`, ` [ null ] `, `{"products":[1]}`, `[1`, "[\"\xff\"]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := discover.Elements(raw)
		if err != nil {
			return
		}
		var want []json.RawMessage
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatalf("want no elements of %q: %v", raw, err)
		}
		if len(got) > len(want) || len(got) < min(len(want), 1000+len(raw)/100) {
			t.Fatalf("want %d elements of %q, got %d", len(want), raw, len(got))
		}
		for i := range got {
			if string(got[i]) != string(want[i]) {
				t.Fatalf("want element %d of %q to be %q, got %q", i, raw, want[i], got[i])
			}
		}
	})
}
