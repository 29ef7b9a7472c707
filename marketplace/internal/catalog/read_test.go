package catalog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/marketplace/internal/catalog"
)

func read(t *testing.T, body string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Read(t.Context(), []byte(body))
	check(t, err)
	return c
}

// repeat joins the results of a function for 0 to n-1.
func repeat(n int, make func(int) string) string {
	var all strings.Builder
	for i := range n {
		if i > 0 {
			all.WriteByte(',')
		}
		all.WriteString(make(i))
	}
	return all.String()
}

const (
	adult = `{"id":"unit-adult","internalName":"Adult","type":"ADULT","pricingFrom":[{"original":2250,"currency":"EUR"}]}`
	child = `{"id":"unit-child","internalName":"Child","type":"CHILD","pricingFrom":[{"original":1100,"currency":"EUR"}]}`
)

func option(id string, units ...string) string {
	return fmt.Sprintf(`{"id":%q,"internalName":"x","availabilityType":"START_TIME","units":[%s]}`, id, strings.Join(units, ","))
}

// productWith returns a product with these options.
func productWith(options string) string {
	return `{"id":"p","internalName":"Walk","locale":"en","timeZone":"Europe/Lisbon","instantConfirmation":true,"options":[` + options + `]}`
}

func TestAProductThatCannotBeKeptIsSetAsideWithItsPlace(t *testing.T) {
	t.Parallel()
	student := func(i int) string {
		return fmt.Sprintf(`{"id":"student-%d","internalName":"x","type":"STUDENT","pricingFrom":[{"original":1,"currency":"EUR"}]}`, i)
	}
	deep := strings.Repeat(`[`, 600) + strings.Repeat(`]`, 600)
	for name, c := range map[string]struct{ product, pointer, words string }{
		"NUL in the name":             {product("p", "Walk", `Wa\u0000lk`), "/0/internalName", "without NUL"},
		"NUL in the id":               {product(`p`, `"p"`, `"p\u0000"`), "/0/id", "without NUL"},
		"NUL in an option's id":       {product("p", "morning", `\u0000`), "/0/options/0/id", "without NUL"},
		"NUL in a student's id":       {productWith(option("o", strings.Replace(student(1), "student-1", `s\u0000`, 1))), "/0/options/0/units/0/id", "without NUL"},
		"NUL in the reference":        {product("p", `"locale"`, `"reference":"\u0000","locale"`), "/0/reference", "without NUL"},
		"half a character":            {product("p", "Walk", `Wa\ud800lk`), "/0/internalName", "half a surrogate pair"},
		"the other half":              {product("p", "Walk", `Wa\udc00lk`), "/0/internalName", "half a surrogate pair"},
		"two halves in the wrong way": {product("p", "Walk", `\udc00\ud800`), "/0/internalName", "half a surrogate pair"},
		"half an id":                  {product("p", `"p"`, `"\uD83D"`), "/0/id", "half a surrogate pair"},
		"bad UTF-8":                   {product("p", "Walk", "Wa\xfflk"), "/0", "UTF-8"},
		"a long id":                   {product(strings.Repeat("i", 1001)), "/0/id", "at most 1,000 bytes"},
		"a long id of an option":      {product("p", "morning", strings.Repeat("ä", 501)), "/0/options/0/id", "at most 1,000 bytes"},
		"a long name":                 {product("p", "Walk", strings.Repeat("w", 10_001)), "/0/internalName", "at most 10,000 bytes"},
		"a long name of a unit":       {product("p", "Adult", strings.Repeat("w", 10_001)), "/0/options/0/units/0/internalName", "at most 10,000 bytes"},
		"many options":                {productWith(repeat(501, func(i int) string { return option(fmt.Sprint(i), adult) })), "/0/options", "at most 500, received"},
		"10,000 options":              {productWith(repeat(10_000, func(i int) string { return option(fmt.Sprint(i), adult) })), "/0", "at most 1048576 bytes"},
		"10,000 units":                {productWith(option("o", repeat(10_000, student))), "/0", "at most 1048576 bytes"},
		"many units":                  {productWith(option("o", repeat(101, student))), "/0/options/0/units", "at most 100 units, received"},
		"many prices": {productWith(option("o", strings.Replace(adult, `{"original":2250,"currency":"EUR"}`,
			repeat(201, func(int) string { return `{"original":2250,"currency":"EUR"}` }), 1))), "/0/options/0/units/0/pricingFrom", "at most 200, received"},
		"a price beyond int64":       {product("p", "2250", "9223372036854775808"), "/0/options/0/units/0/pricingFrom/0/original", "received 9223372036854775808"},
		"a price below 0":            {product("p", "2250", "-1"), "/0/options/0/units/0/pricingFrom/0/original", "received -1"},
		"an absurd price":            {product("p", "2250", "1000000000001"), "/0/options/0/units/0/pricingFrom/0/original", "received 1000000000001"},
		"a price in an exponent":     {product("p", "2250", "1e400000"), "/0/options/0/units/0/pricingFrom/0/original", "range"},
		"deep nesting":               {product("p", `"locale"`, `"more":`+deep+`,"locale"`), "/0/more", "512 levels"},
		"an option's id twice":       {productWith(option("o", adult) + "," + option("o", adult)), "/0/options/1/id", "no other option"},
		"an enormous unknown member": {product("p", `"locale"`, `"more":"`+strings.Repeat("x", 1<<20)+`","locale"`), "/0", "at most 1048576 bytes"},
		"no object":                  {`[]`, "/0", "object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, "["+c.product+","+product("other")+"]")
			if len(got.Products) != 1 || got.Products[0].ID != "other" || len(got.SetAside) != 1 {
				t.Fatalf("want the other one kept and this one set aside, got %d and %+v", len(got.Products), got.SetAside)
			}
			problem := got.SetAside[0].Problems[0]
			if !strings.HasPrefix(problem.Pointer, c.pointer) || !strings.Contains(problem.Message, c.words) {
				t.Errorf("want %q at %s, got %+v", c.words, c.pointer, problem)
			}
		})
	}
}

func TestUnusualButValidProductsAreKept(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"an integer with a point":          product("p", "2250", "2250.0"),
		"the largest price":                product("p", "2250", "1000000000000"),
		"a whole pair":                     product("p", "Walk", `\ud83d\ude00`),
		"a backslash before u":             product("p", "Walk", `C:\\ud800`),
		"U+FFFD itself":                    product("p", "Walk", "\ufffd"),
		"half a character that is ignored": product("p", `"locale"`, `"more":"\ud800","locale"`),
		"NUL that is ignored":              product("p", `"locale"`, `"more":"\u0000","locale"`),
		"another ID beside id":             product("p", `"locale"`, `"ID":17,"locale"`),
		"no units":                         productWith(option("o")),
		"the longest id":                   product(strings.Repeat("i", 1000)),
	} {
		if got := read(t, "["+text+"]"); len(got.Products) != 1 || got.SetAside != nil {
			t.Errorf("%s: want it kept, got %+v", name, got.SetAside)
		}
	}
}

// Which of two different products with one id the partner books is unknown. A copy is harmless.
func TestDifferentProductsWithOneIDAreSetAside(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ second, sold string }{
		"a copy":            {product("p"), "p"},
		"another title":     {product("p", "Walk", "Boat"), ""},
		"another option":    {product("p", `"morning"`, `"evening"`), ""},
		"other prices":      {product("p", "2250", "2260"), ""},
		"an invalid second": {product("p", "2250", "-1"), "p"},
	} {
		got := read(t, "["+product("p")+","+c.second+","+product("other")+"]")
		var sold []string
		for _, p := range got.Products {
			sold = append(sold, p.ID)
		}
		if want := strings.Fields(c.sold + " other"); !slices.Equal(sold, want) || len(got.SetAside) != 1 || got.SetAside[0].ProductID != "p" {
			t.Errorf("%s: expected %v, and the second set aside, received %v and %+v", name, want, sold, got.SetAside)
		}
	}
}

func TestTheLastOfDuplicateMembersCounts(t *testing.T) {
	t.Parallel()
	got := read(t, `{"products":[],"products":[`+product("p", `"locale"`, `"id":"q","locale"`)+`]}`)
	if len(got.Products) != 1 || got.Products[0].ID != "q" {
		t.Errorf("want q, got %+v", got)
	}
}

func TestIDsThatDifferByCaseOrSpaceAreDifferent(t *testing.T) {
	t.Parallel()
	ids := []string{"a", "A", " a", "a ", "\u00e1", "a\u0301", "a\u200b"}
	var texts []string
	for _, id := range ids {
		texts = append(texts, product(id))
	}
	got := read(t, "["+strings.Join(texts, ",")+"]")
	for i, p := range got.Products {
		if p.ID != ids[i] {
			t.Errorf("want %q, got %q", ids[i], p.ID)
		}
	}
	if len(got.Products) != len(ids) {
		t.Errorf("want all of them, got %+v", got.SetAside)
	}
}

func TestWhenAProductWasModifiedChangesNothing(t *testing.T) {
	t.Parallel()
	a, b := read(t, "["+product("p", `"locale"`, `"updatedAt":"2026-07-01T09:00:00Z","locale"`)+"]"), read(t, "["+product("p", `"locale"`, `"updatedAt":7,"locale"`)+"]")
	if a.Products[0].Hash != b.Products[0].Hash {
		t.Errorf("want one hash, got those of %s and %s", a.Products[0].Text, b.Products[0].Text)
	}
}

// No partner must send limits of a party, so none that cannot be kept costs a product.
func TestTheLimitsOfAPartyAreStoredWhereTheyCanBeKept(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		`{"minUnits":2,"maxUnits":9}`:  `"restrictions":{"minUnits":2,"maxUnits":9}`,
		`{"minUnits":0,"maxUnits":9}`:  `"restrictions":{"maxUnits":9}`,
		`{"minUnits":9,"maxUnits":2}`:  ``,
		`{"minUnits":-3,"maxUnits":0}`: ``,
		`"two to nine"`:                ``,
	} {
		limited := func(units ...string) catalog.Option {
			got := read(t, "["+productWith(strings.Replace(option("o", units...), `"id"`, `"restrictions":`+sent+`,"id"`, 1))+"]")
			if len(got.Products) != 1 {
				t.Fatalf("%s: want the product stored, got %+v", sent, got.SetAside)
			}
			return got.Products[0].Options[0]
		}
		stored, reordered := limited(adult, child), limited(child, adult)
		if has := strings.Contains(string(stored.Text), "restrictions"); has != (want != "") || !strings.Contains(string(stored.Text), want) {
			t.Errorf("%s: want %q, got %s", sent, want, stored.Text)
		}
		unlimited := read(t, "["+productWith(option("o", adult, child))+"]").Products[0].Options[0]
		if stored.Hash != reordered.Hash || (stored.Hash == unlimited.Hash) != (want == "") {
			t.Errorf("%s: want a change of the limits noticed, and another order of units not, got %s", sent, reordered.Text)
		}
	}
}

func TestMoreProductsThanAnyPartnerHasAreNoCatalog(t *testing.T) {
	t.Parallel()
	body := "[" + strings.Repeat("{},", 999_999) + "{}]"
	if _, err := catalog.Read(t.Context(), []byte(body)); err == nil || !strings.Contains(err.Error(), "at most 100000 products") {
		t.Errorf("want a million refused, got %v", err)
	}
}

func TestTheListOfWhatIsSetAsideIsCutWhereItIsLong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body  string
		total int
	}{
		"many":  {"[" + repeat(3000, func(int) string { return "7" }) + "]", 3000},
		"wordy": {"[" + repeat(2000, func(i int) string { return `{"id":"` + strings.Repeat("x", 500) + fmt.Sprint(i) + `"}` }) + "]", 2000},
	} {
		got := read(t, c.body)
		text, err := json.Marshal(got.SetAside)
		check(t, err)
		last := got.SetAside[len(got.SetAside)-1]
		if want := plural.Count(c.total-len(got.SetAside)+1, "more product"); len(text) > 512<<10 || !strings.Contains(last.Problems[0].Message, want) {
			t.Errorf("%s: want at most 512 KiB that end with %q, got %d and %+v", name, want, len(text), last)
		}
	}
}

func TestNothingThatTheDatabaseRefusesIsInTheRecord(t *testing.T) {
	t.Parallel()
	got := read(t, `[{"id":"a\u0000b\u001b[31m","x\u0000":1e999999},{"id":"`+strings.Repeat("l", 5000)+`"}]`)
	text, err := json.Marshal(got.SetAside)
	check(t, err)
	if strings.Contains(string(text), `\u00`) || len(text) > 4000 {
		t.Errorf("want short texts without control characters, got %s", text)
	}
}

// Reading an answer of many megabytes needs at most a few times its size in memory.
func TestAHostileBodyTakesBoundedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads many megabytes")
	}
	const size = 4 << 20
	for name, body := range map[string]string{
		"tiny products":            "[" + strings.Repeat("7,", size/2) + "7]",
		"one product of nothing":   `[{"id":"p","more":[` + strings.Repeat("[],", size/3) + `[]]}]`,
		"products beyond the size": "[" + repeat(size>>21, func(int) string { return "[" + strings.Repeat("[],", 2<<20/3) + "[]]" }) + "]",
		"members beside the array": `{"products":[],` + repeat(size/8, func(int) string { return `"a":1` }) + "}",
	} {
		text := []byte(body)
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = catalog.Read(t.Context(), text)
		runtime.ReadMemStats(&after)
		// TotalAlloc counts all allocations, and fewer bytes are in use at a time.
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 4*size {
			t.Errorf("%s: want at most 4 times the %d MiB of the body, got %d MiB", name, size>>20, grown>>20)
		}
		runtime.KeepAlive(text)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "[]", "null", `{"products":[]}`, `{"Products":[]}`, "[" + product("a") + "," + product("a") + "]", `{"products":[` + product("a") + `],"more":{"products":1}}`,
		`[{"id":"a\u0000"}]`, `[{"id":"\ud800"}]`, "[\"\xff\"]", `[[[[]]]]`, `["\\\""]`, `{"a":"]},{[","products":["x,y",{"a":"}"}]}`, `[1e999]`, `{"pro\u0064ucts":[7]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := catalog.Read(t.Context(), body)
		if err != nil {
			if bytes.HasPrefix(body, []byte("[")) && json.Valid(body) && bytes.Count(body, []byte(",")) < 1000 {
				t.Fatalf("want an array read, got %v", err)
			}
			return
		}
		var list []json.RawMessage
		var object map[string]json.RawMessage
		if json.Unmarshal(body, &list) != nil {
			if err := json.Unmarshal(body, &object); err != nil {
				t.Fatalf("want only JSON read, got %v", err)
			}
			if err := json.Unmarshal(object["products"], &list); err != nil {
				t.Fatalf("want only an array read, got %v", err)
			}
		}
		if len(c.Products)+len(c.SetAside) != len(list) && len(list) < 1000 {
			t.Fatalf("want each of %d products, got %d kept and %d set aside", len(list), len(c.Products), len(c.SetAside))
		}
		var kept []string
		for _, p := range c.Products {
			kept = append(kept, p.ID)
			if strings.Contains(p.ID+p.Name+string(p.Text), "\x00") || !utf8.ValidString(p.ID+p.Name) || !json.Valid(p.Text) {
				t.Fatalf("want what can be stored, got %+v", p)
			}
		}
		slices.Sort(kept)
		if len(slices.Compact(kept)) != len(c.Products) {
			t.Fatal("want each id once")
		}
	})
}

func TestAnAnswerIsJudgedNoLongerThanItsCallMayTake(t *testing.T) {
	t.Parallel()
	late := errors.New("the time of the call is over")
	ctx, end := context.WithCancelCause(t.Context())
	end(late)
	body := []byte("[" + repeat(1000, func(int) string { return "{}" }) + "]")
	if _, err := catalog.Read(ctx, body); !errors.Is(err, late) {
		t.Errorf("want the products left unjudged, got %v", err)
	}
	if _, err := catalog.ReadSlots(ctx, body, catalog.Window{Zone: time.UTC}); !errors.Is(err, late) {
		t.Errorf("want the slots left unjudged, got %v", err)
	}
}
