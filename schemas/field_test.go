package schemas_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"partnerkit.dev/schemas"
)

// field is one row of the tables in the *_fields_test.go files: what one field
// of one schema may be, and what it may not.
type field struct {
	schema, place string // place is a JSON pointer into an example of the schema
	need          need
	good          []string // JSON texts
	bad           []mistake
}

// need says what an absent field and a null come to.
type need int

const (
	required need = iota // neither
	optional             // both are lawful
	open                 // anything is lawful
)

// mistake is an unlawful value and the problem that it makes, at the field or
// at a place below it.
type mistake struct{ value, keyword, below string }

// fields are rows that differ in nothing but their places.
type fields []field

func must(schema string, places ...string) fields     { return rows(schema, required, places) }
func may(schema string, places ...string) fields      { return rows(schema, optional, places) }
func anything(schema string, places ...string) fields { return rows(schema, open, places) }

func rows(schema string, need need, places []string) (f fields) {
	for _, place := range places {
		f = append(f, field{schema: schema, place: place, need: need})
	}
	return f
}

func (f fields) lawful(values ...string) fields {
	for i := range f {
		f[i].good = append(f[i].good, values...)
	}
	return f
}

func (f fields) not(keyword string, values ...string) fields {
	for _, value := range values {
		f = f.notBelow("", keyword, value)
	}
	return f
}

func (f fields) notBelow(below, keyword, value string) fields {
	for i := range f {
		f[i].bad = append(f[i].bad, mistake{value: value, keyword: keyword, below: below})
	}
	return f
}

func tables() fields {
	return slices.Concat(catalogFields(), slotFields(), bookingFields(), webhookFields(), requestFields(), operatorActivityFields())
}

// tabled reports whether a schema judges what others send, which the tables are of. What the
// marketplace answers has a law.
func tabled(name string) bool {
	return strings.HasPrefix(name, "partner/") || strings.HasPrefix(name, "webhook/") || strings.HasSuffix(name, "-request")
}

// sometimes are the fields of answers that may be left out.
var sometimes = []string{
	"booking/booking/mode", "booking/booking/reseller_id", "booking/booking/integration_id", "booking/booking/history/0/from", "booking/booking/history/0/to", "booking/booking/history/0/why",
	"booking/booking/history/0/endpoint", "booking/booking/history/0/error", "booking/booking/history/0/status", "booking/booking/history/0/duration_ms", "reseller/error/retry", "reseller/error/run_id",
	"integration/partner-events-answer/data/events/0/data/run_id", "integration/partner-events-answer/data/events/0/data/reason",
	"integration/partner-events-answer/data/events/0/data/valid_until",
	"integration/exchange/response", "integration/exchange/failure", "integration/exchange/request/body/text", "integration/exchange/request/body/cut",
	"integration/exchange/request/body/excerpt", "integration/exchange/request/body/place", "integration/exchange/response/body/text",
	"integration/exchange/response/body/cut", "integration/exchange/response/body/excerpt", "integration/exchange/response/body/place",
	"reseller/pagination/page", "reseller/pagination/totalCount", "reseller/pagination/totalCountCapped",
}

func TestEveryFieldOfAnAnswerIsThereAndOfOneKind(t *testing.T) {
	t.Parallel()
	for _, name := range schemas.Names() {
		if tabled(name) {
			continue
		}
		document := source(t, name)
		for _, place := range places(t, document, document, "") {
			f := field{schema: name, place: place, need: required}
			if slices.Contains(sometimes, name+place) {
				f.need = optional
				f.expect(t, absent, nil)
			} else {
				f.expect(t, absent, &mistake{keyword: "required"})
			}
			refused := 0
			for _, value := range []string{`7`, `"x"`, `true`, `[]`, `{}`} {
				if problems := schemas.Validate(name, f.example(t, value)); problems != nil {
					refused++
				}
			}
			if refused < 4 {
				t.Errorf("%s: want all kinds but one refused at %s, got %d of 5 refused", name, place, refused)
			}
		}
	}
}

func TestEveryFieldTakesWhatIsLawfulAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, f := range tables() {
		t.Run(f.schema+f.place, func(t *testing.T) {
			t.Parallel()
			f.judge(t)
		})
	}
}

func (f field) judge(t *testing.T) {
	for _, value := range f.good {
		f.expect(t, value, nil)
	}
	switch f.need {
	case required:
		f.expect(t, absent, &mistake{keyword: "required"})
		f.expect(t, "null", &mistake{keyword: "type"})
	case optional:
		f.expect(t, absent, nil)
		f.expect(t, "null", nil)
	}
	unlawful := len(f.bad)
	if f.need == required {
		unlawful += 2
	}
	if len(f.good) == 0 || unlawful < 2 && f.need != open {
		t.Errorf("the table has %d lawful and %d unlawful values, want at least 1 and 2", len(f.good), unlawful)
	}
	for _, bad := range f.bad {
		f.expect(t, bad.value, &bad)
	}
}

const absent = ""

// expect puts value at the field's place and expects no problem, or exactly one.
func (f field) expect(t *testing.T, value string, want *mistake) {
	t.Helper()
	text := f.example(t, value)
	var wanted []string
	if want != nil {
		wanted = []string{f.place + want.below + " " + want.keyword}
	}
	var got []string
	problems := schemas.Validate(f.schema, text)
	for _, problem := range problems {
		got = append(got, problem.Pointer+" "+problem.Keyword)
	}
	if !slices.Equal(got, wanted) {
		t.Errorf("with %q: want problems %q, got %q\n%v", value, wanted, got, problems)
	}
}

// example returns an example of the field's schema with the field replaced, or
// without it.
func (f field) example(t *testing.T, value string) []byte {
	t.Helper()
	parentPlace, name := f.place[:strings.LastIndex(f.place, "/")], f.place[strings.LastIndex(f.place, "/")+1:]
	for _, example := range examples(t, f.schema) {
		parent, ok := lookup(example, parentPlace).(map[string]any)
		if !ok || f.need != optional && f.need != open && !has(parent, name) {
			continue
		}
		delete(parent, name)
		if value != absent {
			parent[name] = decoded(t, []byte(value))
		}
		text, err := json.Marshal(example)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	t.Fatalf("no example of %s has a place %s", f.schema, f.place)
	return nil
}

func TestTheTablesCoverEveryFieldThatOthersSend(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for _, f := range tables() {
		key := f.schema + f.place
		if covered[key] {
			t.Errorf("%s stands twice in the tables", key)
		}
		covered[key] = true
	}
	for _, name := range schemas.Names() {
		if !tabled(name) {
			continue
		}
		document := source(t, name)
		for _, place := range places(t, document, document, "") {
			if !covered[name+place] {
				t.Errorf("%s: the field %s is in no table", name, place)
			}
			delete(covered, name+place)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(covered)) {
		t.Errorf("the tables have %s, which no schema has", key)
	}
}

// places lists the fields that a schema describes itself, as pointers into its
// values, without those of other files.
func places(t *testing.T, document, node map[string]any, above string) []string {
	var found []string
	if ref, ok := node["$ref"].(string); ok && strings.HasPrefix(ref, "#") {
		found = append(found, places(t, document, lookup(document, ref[1:]).(map[string]any), above)...)
	}
	if items, ok := node["items"].(map[string]any); ok {
		found = append(found, places(t, document, items, above+"/0")...)
	}
	properties, _ := node["properties"].(map[string]any)
	for name, property := range properties {
		place := above + "/" + name
		found = append(found, place)
		found = append(found, places(t, document, property.(map[string]any), place)...)
	}
	return found
}

func TestEverySchemaRefusesWhatIsNotOfItsKind(t *testing.T) {
	t.Parallel()
	for _, name := range schemas.Names() {
		if shared(name) {
			continue
		}
		for _, value := range []string{`null`, `7`, `"x"`, `true`} {
			problems := schemas.Validate(name, []byte(value))
			if len(problems) != 1 || problems[0].Pointer != "" || problems[0].Keyword != "type" {
				t.Errorf("%s takes %s: want one problem of the whole text, got %v", name, value, problems)
			}
		}
	}
}

// shared reports whether a file holds shared values; it describes no body.
func shared(name string) bool { return path.Base(name) == "definitions" }

func source(t *testing.T, name string) map[string]any {
	t.Helper()
	text, err := schemas.Source(name)
	if err != nil {
		t.Fatal(err)
	}
	return decoded(t, text).(map[string]any)
}

func examples(t *testing.T, name string) []any {
	t.Helper()
	list, _ := source(t, name)["examples"].([]any)
	return list
}

func decoded(t testing.TB, text []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("decode %s: %v", text, err)
	}
	return value
}

// lookup follows a pointer without escapes; nil where it leads nowhere.
func lookup(value any, pointer string) any {
	for _, token := range strings.Split(pointer, "/")[1:] {
		switch parent := value.(type) {
		case map[string]any:
			value = parent[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(parent) {
				return nil
			}
			value = parent[i]
		default:
			return nil
		}
	}
	return value
}

func has(object map[string]any, name string) bool {
	_, ok := object[name]
	return ok
}
