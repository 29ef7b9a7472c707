package schemas_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"partnerkit.dev/schemas"
)

// field is a place in a schema's values, and what the schema says of it.
type field struct {
	schema, pointer string
	rule, above     map[string]any // its keywords and those of what it is in, with those of what they refer to
	required        bool
}

// documents are all schemas.
var documents = sync.OnceValue(func() map[string]map[string]any {
	all := map[string]map[string]any{}
	for _, name := range schemas.Names() {
		text, err := schemas.Source(name)
		if err != nil {
			panic(err)
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var document map[string]any
		if err := decoder.Decode(&document); err != nil {
			panic(err)
		}
		all[name] = document
	}
	return all
})

// key is the name that stands for any name of a map. It is also a language.
const key = "de"

// fields lists the places that a schema describes itself: properties, and the elements of arrays and
// maps. Those of other files are theirs.
func fields(schema string) (found []field) {
	document := documents()[schema]
	var visit func(node map[string]any, above string)
	add := func(in map[string]any, pointer string, node any, required bool) {
		if node, ok := node.(map[string]any); ok {
			found = append(found, field{schema, pointer, resolve(schema, node), resolve(schema, in), required})
			visit(node, pointer)
		}
	}
	visit = func(node map[string]any, above string) {
		if ref, ok := node["$ref"].(string); ok && strings.HasPrefix(ref, "#") {
			visit(lookup(document, ref[1:]).(map[string]any), above)
		}
		for _, branch := range branches(node) {
			visit(branch, above)
		}
		add(node, above+"/0", node["items"], true)
		add(node, above+"/"+key, node["additionalProperties"], false)
		properties, _ := node["properties"].(map[string]any)
		required, _ := node["required"].([]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			add(node, above+"/"+name, properties[name], slices.Contains(required, any(name)))
		}
	}
	visit(document, "")
	return found
}

func branches(node map[string]any) (all []map[string]any) {
	for _, keyword := range []string{"anyOf", "allOf"} {
		list, _ := node[keyword].([]any)
		for _, branch := range list {
			all = append(all, branch.(map[string]any))
		}
	}
	return all
}

// resolve returns a node's keywords with those of what it refers to. Its type is the node's own, or
// else all types of its branches.
func resolve(schema string, node map[string]any) map[string]any {
	rule := map[string]any{"home": schema} // where its own references lead from
	if ref, ok := node["$ref"].(string); ok {
		file, pointer, _ := strings.Cut(ref, "#")
		home := schema
		if file != "" {
			home = path.Join(path.Dir(schema), strings.TrimSuffix(file, ".schema.json"))
		}
		maps.Copy(rule, resolve(home, lookup(documents()[home], pointer).(map[string]any)))
	}
	var kinds []any
	for _, branch := range branches(node) {
		one := resolve(schema, branch)
		for _, kind := range types(one) {
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
		if branch["type"] != "null" {
			maps.Copy(rule, one)
		}
		rule["type"] = kinds
	}
	maps.Copy(rule, node)
	if node["items"] != nil || node["properties"] != nil {
		rule["home"] = schema
	}
	return rule
}

func types(rule map[string]any) []any {
	if list, ok := rule["type"].([]any); ok {
		return list
	}
	if rule["type"] == nil {
		return nil
	}
	return []any{rule["type"]}
}

// samples are values of each format and pattern. A new one needs its own.
var samples = map[string]struct{ lawful, unlawful []string }{
	`\S`: {[]string{"x", " x ", "."}, []string{" ", " \t\n"}},
	"date-time": {
		[]string{"2026-07-01T09:00:00+02:00", "2026-07-01T09:00:00Z", "2026-07-01T09:00:00.123456-11:30", "2026-07-01t09:00:00z", "2026-07-01T09:00+02:00", "2026-07-01T09:00Z"},
		[]string{"", "2026-07-01", "2026-07-01T09:00:00", "2026-07-01 09:00:00Z", "2026-07-01T09:00", "2026-07-01T09Z", "2026-07-01T09:00.5Z", "2026-07-01T9:00:00Z", "2026-07-01T09:00:00,5Z",
			"2026-07-01T09:00:00+0200", "2026-02-30T09:00:00Z", "2026-07-01T24:00:00Z", "2026-07-01T09:00:00+24:00", "1782896400"},
	},
	"date":           {[]string{"2026-07-01", "2028-02-29"}, []string{"", "2026-7-1", "01.07.2026", "2026-02-30", "2026-07-01T00:00:00Z"}},
	"iso4217":        {[]string{"EUR", "JPY", "ZWG"}, []string{"eur", "EURO", "€", "", "XQQ"}},
	"uuid":           {[]string{"0197c6f2-8d5e-7b3a-9c41-52e0f6a1d7b8"}, []string{"", "a-1", "0197c6f28d5e7b3a9c4152e0f6a1d7b8"}},
	"email":          {[]string{"ana@example.com"}, []string{"", "ana"}},
	"bcp47":          {[]string{"en", "pt-BR", "zh-Hant-TW"}, []string{"", "en_US", "english language", "e", "x"}},
	"iana-time-zone": {[]string{"Europe/Lisbon", "UTC", "America/Argentina/Buenos_Aires"}, []string{"", "Local", "Europe/Atlantis", "+02:00", "../../etc/passwd", "/etc/localtime", "localtime", "posix/Europe/Lisbon", "right/Europe/Lisbon", "posixrules", "Factory", "europe/lisbon"}},
	"uri":            {[]string{"https://h"}, []string{"", "api.example.com", "/partner", "https://h/%zz", "https://h/\x00"}},
	`^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@]+(/[^?#]*)?$`: {
		[]string{"https://h", "http://127.0.0.1:8081/s/one/", "HTTPS://api.example.com/partner", "https://[::1]:8443/x"},
		[]string{"ftp://h", "https://user:pass@h", "https://h?x=1", "https://h/#top"},
	},
	`^[^\x00]*$`:                                     {[]string{"x\r\n", "\x7f"}, []string{"\x00", "a\x00b"}},
	`^[^\x00]*[^\x00\s][^\x00]*$`:                    {[]string{"x", " x ", "."}, []string{" ", " \t\n", "a\x00b"}},
	`^2([01][0-9]{2}|200)-`:                          {[]string{"2000-01-01T00:00:00+14:00", "2200-12-31T23:59:59-12:00"}, []string{"1999-12-31T23:59:59Z", "2201-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"}},
	`^[Hh][Tt][Tt][Pp][Ss]?://[^/]`:                  {[]string{"https://images.example.com/a%20b.jpg?w=1"}, []string{"javascript:alert(1)", "ftp://h/x", "https:///x"}},
	`^[!-~]([ -~]*[!-~])?$`:                          {[]string{"k", "a key, with: spaces"}, []string{"", " k", "k ", "k\n", "k\r\nX: y", "clé"}},
	`^[a-z][a-z0-9-]{0,40}(\.[a-z0-9-]{1,40}){1,4}$`: {[]string{"reserve.vacancies.one"}, []string{"", "reserve", "Reserve.one", "a..b"}},
	`^[0-9a-fA-F]{64}$`:                              {[]string{strings.Repeat("aF", 32)}, []string{"", strings.Repeat("a", 63), strings.Repeat("g", 64)}},
	`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`:    {[]string{"0197c3a0-5c1e-7d5a-9d55-3f1f6f0c2b12"}, []string{"", "17", "0197C3A0-5C1E-7D5A-9D55-3F1F6F0C2B12"}},
	`^whsec_`: {[]string{"whsec_x"}, []string{"", "x"}},
	`^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$`: {[]string{"x", "東京"}, []string{" ", "a\x00", "a\nb"}},
	`^[^\x00-\x1f\x7f]*$`:                  {[]string{`naïve "quoted" 東京`}, []string{"a\x00b", "\x1b[2J", "a\nb"}},
	`^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$`: {[]string{"two\nlines"}, []string{"a\x00b", "\x1b[2J"}},
}

// conditional are fields whose other fields decide what is lawful. They have their own tests.
var conditional = []string{"partner/unit-pricing/original", "partner/unit-pricing/price", "partner/unit/type", "partner/unit/id"}

func TestEveryKeywordOfEveryFieldIsEnforced(t *testing.T) {
	t.Parallel()
	for _, schema := range schemas.Names() {
		t.Run(schema, func(t *testing.T) {
			t.Parallel()
			for _, f := range fields(schema) {
				f.judge(t)
			}
		})
	}
}

func (f field) judge(t *testing.T) {
	t.Helper()
	base := f.sample()
	f.kinds(t)
	f.bounds(t)
	switch base := base.(type) {
	case string:
		f.texts(t, base)
	case []any:
		f.lists(t, base)
	}
	switch {
	case strings.HasSuffix(f.pointer, "/0") || f.conditional():
	case f.required:
		f.refused(t, absent, "required")
	default:
		f.taken(t, absent)
	}
	if f.rule["additionalProperties"] == false {
		field{f.schema, f.pointer + "/unknown", nil, f.rule, false}.refused(t, true, "additionalProperties")
	}
}

func (f field) conditional() bool { return slices.Contains(conditional, f.schema+f.pointer) }

// kinds tries a value of each JSON type.
func (f field) kinds(t *testing.T) {
	t.Helper()
	lawful := types(f.rule)
	for kind, value := range map[string]any{"null": nil, "number": json.Number("1.5"), "string": "x", "boolean": true, "array": []any{}, "object": map[string]any{}} {
		switch {
		case lawful == nil || f.conditional():
		case kind == "null" && slices.Contains(lawful, any(kind)):
			f.taken(t, value)
		case !slices.Contains(lawful, any(kind)):
			f.refused(t, value, "type")
		}
	}
	values, _ := f.rule["enum"].([]any)
	if value, ok := f.rule["const"]; ok {
		values = []any{value}
	}
	for _, value := range values {
		f.taken(t, value)
		if text, ok := value.(string); ok {
			for _, other := range []string{text + " ", ""} {
				f.refused(t, other, "enum", "const")
			}
		}
	}
	switch value := f.rule["const"].(type) {
	case bool:
		f.refused(t, !value, "const")
	case json.Number:
		f.refused(t, json.Number("1"+value), "const")
	}
}

// bounds tries the numbers around a minimum and a maximum, and one between two multiples.
func (f field) bounds(t *testing.T) {
	t.Helper()
	step, digits := big.NewRat(1, 100), 2
	if slices.Contains(types(f.rule), any("integer")) {
		step, digits = big.NewRat(1, 1), 0
		f.taken(t, json.Number(f.number()+".0"))
	}
	for keyword, beyond := range map[string]*big.Rat{"minimum": new(big.Rat).Neg(step), "maximum": step} {
		if bound, ok := f.rule[keyword].(json.Number); ok {
			last, _ := new(big.Rat).SetString(bound.String())
			f.taken(t, bound)
			f.refused(t, json.Number(last.Add(last, beyond).FloatString(digits)), keyword)
		}
	}
	if part, ok := f.rule["multipleOf"].(json.Number); ok {
		f.taken(t, part)
		f.refused(t, json.Number("0.5"+strings.TrimPrefix(part.String(), "0.")), "multipleOf")
	}
}

// texts tries the samples of a format and pattern, and texts around the shortest and the longest.
func (f field) texts(t *testing.T, base string) {
	t.Helper()
	letter := "ã"
	for _, keyword := range []string{"format", "pattern"} {
		if name, ok := f.rule[keyword].(string); ok {
			letter = "x"
			known, ok := samples[name]
			if !ok {
				t.Errorf("%s%s: expected samples of the %s %s", f.schema, f.pointer, keyword, name)
			}
			for _, value := range known.unlawful {
				f.refused(t, value, "format", "pattern", "minLength")
			}
			for _, value := range known.lawful {
				if keyword == "pattern" || f.rule["pattern"] == nil {
					f.taken(t, value)
				}
			}
		}
	}
	if least, ok := f.count("minLength"); ok {
		f.refused(t, strings.Repeat(letter, least-1), "minLength", "pattern")
	}
	if most, ok := f.count("x-maxBytes"); ok {
		f.taken(t, strings.Repeat("ä", most/2))
		f.refused(t, strings.Repeat("ä", most/2)+"x", "x-maxBytes")
		f.refused(t, strings.Repeat("x", most+1), "maxLength", "x-maxBytes")
	} else if most, ok := f.count("maxLength"); ok && f.rule["format"] != "email" { // which bounds it, too
		longest := base + strings.Repeat(letter, max(most-len([]rune(base)), 0))
		f.taken(t, longest)
		f.refused(t, longest+letter, "maxLength")
	}
}

// lists tries arrays with the fewest and the most elements.
func (f field) lists(t *testing.T, base []any) {
	t.Helper()
	if least, ok := f.count("minItems"); ok {
		f.refused(t, base[:least-1], "minItems")
	}
	if most, ok := f.count("maxItems"); ok {
		f.taken(t, slices.Repeat(base[:1], most))
		f.refused(t, slices.Repeat(base[:1], most+1), "maxItems")
	}
}

func (f field) count(keyword string) (n int, ok bool) {
	number, ok := f.rule[keyword].(json.Number)
	if ok {
		n, _ = strconv.Atoi(number.String())
	}
	return n, ok
}

// number is a lawful number.
func (f field) number() string {
	for _, keyword := range []string{"const", "minimum", "maximum"} {
		if number, ok := f.rule[keyword].(json.Number); ok {
			return number.String()
		}
	}
	return "1"
}

// sample is a lawful value of the field: of an example, or else one that fits.
func (f field) sample() any {
	for _, example := range f.examples() {
		if value := lookup(example, f.pointer); value != nil && (f.rule["items"] == nil || len(value.([]any)) > 0) {
			return value
		}
	}
	return fitting(f.rule)
}

func (f field) examples() []any {
	list, _ := documents()[f.schema]["examples"].([]any)
	return list
}

func fitting(rule map[string]any) any {
	home := rule["home"].(string)
	for _, keyword := range []string{"pattern", "format"} {
		if name, ok := rule[keyword].(string); ok {
			return samples[name].lawful[0]
		}
	}
	if values, ok := rule["enum"].([]any); ok {
		return values[0]
	}
	if items, ok := rule["items"].(map[string]any); ok {
		return []any{fitting(resolve(home, items))}
	}
	if number, ok := rule["minimum"]; ok {
		return number
	}
	switch kinds := types(rule); {
	case slices.Contains(kinds, any("string")):
		return strings.Repeat("x", 20)
	case slices.Contains(kinds, any("object")):
		object := map[string]any{}
		properties, _ := rule["properties"].(map[string]any)
		required, _ := rule["required"].([]any)
		for _, name := range required {
			object[name.(string)] = fitting(resolve(home, properties[name.(string)].(map[string]any)))
		}
		return object
	case slices.Contains(kinds, any("array")):
		return []any{}
	case slices.Contains(kinds, any("boolean")):
		return true
	}
	return json.Number("1")
}

// absent stands for a field that is left out.
var absent any = struct{}{}

func (f field) taken(t *testing.T, value any) {
	t.Helper()
	if problems := schemas.ValidateValue(f.schema, f.with(value)); problems != nil && !f.conditional() {
		t.Errorf("%s%s: expected %.60v to be lawful, received %v", f.schema, f.pointer, value, problems)
	}
}

// refused expects one problem, at the field, with one of the keywords.
func (f field) refused(t *testing.T, value any, keywords ...string) {
	t.Helper()
	problems := schemas.ValidateValue(f.schema, f.with(value))
	if len(problems) != 1 || problems[0].Pointer != f.pointer || !slices.Contains(keywords, problems[0].Keyword) {
		t.Errorf("%s%s: with %.60v, expected one problem with %v, received %+v", f.schema, f.pointer, value, keywords, problems)
	}
}

// with returns an example with that value of the field: the first one that has the field, or else
// the first one that has what it is in, or else one that gets it.
func (f field) with(value any) any {
	place, all := strings.Split(f.pointer, "/")[1:], f.examples()
	above := f.pointer[:strings.LastIndex(f.pointer, "/")]
	for _, pointer := range []string{f.pointer, above} {
		for _, example := range all {
			if lookup(example, pointer) != nil {
				return put(example, place, value)
			}
		}
	}
	return put(put(all[0], place[:len(place)-1], fitting(f.above)), place, value)
}

// put returns a copy of a node with another value at a place.
func put(node any, place []string, value any) any {
	if len(place) == 0 {
		return value
	}
	if list, ok := node.([]any); ok {
		list = append(slices.Clone(list), nil)[:max(len(list), 1)]
		list[0] = put(list[0], place[1:], value)
		return list
	}
	object, _ := node.(map[string]any)
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	object[place[0]] = put(object[place[0]], place[1:], value)
	if object[place[0]] == absent {
		delete(object, place[0])
	}
	return object
}

// sometimes are the fields of the marketplace's answers that may be left out.
var sometimes = []string{
	"booking/booking/mode", "booking/booking/reseller_id", "booking/booking/integration_id", "booking/booking/history/0/from", "booking/booking/history/0/to", "booking/booking/history/0/why",
	"booking/booking/history/0/endpoint", "booking/booking/history/0/error", "booking/booking/history/0/status", "booking/booking/history/0/duration_ms", "reseller/error/retry", "reseller/error/run_id", "reseller/error/payment_due",
	"integration/partner-events-answer/data/events/0/data/run_id", "integration/partner-events-answer/data/events/0/data/reason",
	"integration/partner-events-answer/data/events/0/data/valid_until", "integration/partner-events-answer/data/events/0/data/settings",
	"integration/exchange/response", "integration/exchange/failure", "integration/exchange/bad_input", "integration/exchange/request/body/text", "integration/exchange/request/body/cut",
	"integration/exchange/request/body/excerpt", "integration/exchange/request/body/place", "integration/exchange/response/body/text",
	"integration/exchange/response/body/cut", "integration/exchange/response/body/excerpt", "integration/exchange/response/body/place",
	"reseller/pagination/page", "reseller/pagination/totalCount", "reseller/pagination/totalCountCapped",
}

// mayBeEmpty are the texts that others must send and that need no content.
var mayBeEmpty = []string{
	"partner/product/internalName", "partner/option/internalName", "partner/unit/internalName", "partner/confirm-answer/status", "partner/ticket/redemptionMethod",
}

// What the marketplace answers is always there and of one kind, and what it is sent is bounded. What
// a partner must send says something.
func TestEveryFieldIsDetermined(t *testing.T) {
	t.Parallel()
	for _, schema := range schemas.Names() {
		for _, f := range fields(schema) {
			name, kinds := schema+f.pointer, slices.DeleteFunc(slices.Clone(types(f.rule)), func(kind any) bool { return kind == "null" })
			limited := func(keywords []string) bool {
				return slices.ContainsFunc(keywords, func(keyword string) bool { return f.rule[keyword] != nil })
			}
			if strings.HasPrefix(schema, "partner/") || strings.HasPrefix(schema, "webhook/") {
				empty := f.required && slices.Contains(kinds, any("string")) && !limited([]string{"minLength", "enum", "format", "const"})
				if expected := slices.Contains(mayBeEmpty, name); empty != expected {
					t.Errorf("%s: expected a text that may be empty to be %t", name, expected)
				}
				continue
			}
			if !strings.HasSuffix(schema, "-request") {
				if required := !slices.Contains(sometimes, name); f.required != required && !strings.HasSuffix(name, "/"+key) {
					t.Errorf("%s: expected required to be %t", name, required)
				}
				if len(kinds) != 1 {
					t.Errorf("%s: expected one type, received %v", name, kinds)
				}
				continue
			}
			for _, kind := range kinds {
				bounds := map[any][]string{"string": {"maxLength", "enum", "format", "pattern", "maximum"}, "integer": {"maximum"}, "number": {"maximum"}, "array": {"maxItems"}}[kind]
				if bounds != nil && !limited(bounds) {
					t.Errorf("%s: expected a bound, such as %v", name, bounds)
				}
				if kind != "string" && f.rule["maximum"] != nil && f.rule["minimum"] == nil {
					t.Errorf("%s: expected a minimum", name)
				}
			}
		}
	}
}

func TestEverySchemaRefusesWhatIsNotOfItsKind(t *testing.T) {
	t.Parallel()
	for _, name := range schemas.Names() {
		if isShared(name) {
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

// isShared reports whether a file holds shared values; it describes no body.
func isShared(name string) bool { return path.Base(name) == "definitions" }

func source(t *testing.T, name string) map[string]any {
	t.Helper()
	text, err := schemas.Source(name)
	check(t, err)
	return decodeJSON(t, text).(map[string]any)
}

func examples(t *testing.T, name string) []any {
	t.Helper()
	list, _ := source(t, name)["examples"].([]any)
	return list
}

func decodeJSON(t testing.TB, text []byte) any {
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
