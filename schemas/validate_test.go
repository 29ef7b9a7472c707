package schemas_test

import (
	"encoding/json"
	"fmt"
	"math"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"partnerkit.dev/schemas"
)

// Examples of resources, for the tests that take them apart.
const (
	pricingText = `{"original": 100, "currency": "EUR"}`
	unitText    = `{"id": "unit-adult", "internalName": "", "type": "ADULT", "pricingFrom": [` + pricingText + `]}`
	optionText  = `{"id": "o", "internalName": "", "availabilityType": "START_TIME", "units": [` + unitText + `]}`
	productText = `{"id": "p", "internalName": "", "locale": "en", "timeZone": "UTC", "instantConfirmation": true, "options": [` + optionText + `]}`
	ticketText  = `{"redemptionMethod": "DIGITAL", "deliveryOptions": [{"deliveryFormat": "QRCODE", "deliveryMethod": "TICKET", "deliveryValue": "x"}]}`
)

// lines are the problems as people read them.
func lines(problems []schemas.Problem) []string {
	var all []string
	for _, problem := range problems {
		all = append(all, problem.String())
	}
	return all
}

func expect(t *testing.T, schema, text string, want ...string) {
	t.Helper()
	if got := lines(schemas.Validate(schema, []byte(text))); !reflect.DeepEqual(got, want) {
		t.Errorf("%s judges %.200s\nwant %q\ngot  %q", schema, text, want, got)
	}
}

func TestProblemsReadLikeWords(t *testing.T) {
	t.Parallel()
	wrong := strings.Replace(productText, `"original": 100`, `"original": 22.5`, 1)
	expect(t, schemas.ProductsAnswer, `{"products": [`+productText+`, `+productText+`, `+wrong+`]}`,
		`products[2].options[0].units[0].pricingFrom[0].original: expected an integer in the smallest currency unit, from 0 to 10^12, received 22.5`)
	expect(t, schemas.ProductsAnswer, `[`+wrong+`]`,
		`[0].options[0].units[0].pricingFrom[0].original: expected an integer in the smallest currency unit, from 0 to 10^12, received 22.5`)
	expect(t, schemas.ProductsAnswer, `{}`, `products: missing, expected an array of products`)
	expect(t, schemas.ProductsAnswer, `"no"`, `expected an array of products, or an object whose products is that array, received "no"`)
	expect(t, schemas.Slot, `{"id": 7, "localDateTimeStart": "tomorrow", "status": "OPEN"}`,
		`id: expected a string that is not empty, received 7`,
		`localDateTimeEnd: missing, expected a date-time with a UTC offset, such as 2026-07-01T09:00:00+02:00`,
		`localDateTimeStart: expected a date-time with a UTC offset, such as 2026-07-01T09:00:00+02:00, received "tomorrow"`,
		`status: expected one of AVAILABLE, FREESALE, LIMITED, SOLD_OUT or CLOSED, received "OPEN"`)
	expect(t, schemas.ReleaseAnswer, `{"success": "yes"}`, `success: expected true or false, received "yes"`)
	expect(t, schemas.SyncTriggerAnswer, `{"success": 0, "data": []}`, `data: expected an object, received an empty array`, `success: expected 1, received 0`)
}

func TestEachMissingPropertyAndEachWrongPlaceIsOneProblem(t *testing.T) {
	t.Parallel()
	expect(t, schemas.Product, `{"id": null, "options": [{"units": {}}, 5]}`,
		`id: expected a string that is not empty, received null`,
		`instantConfirmation: missing, expected true or false`,
		`internalName: missing, expected a string`,
		`locale: missing, expected a BCP 47 language tag such as en or pt-BR`,
		`options[0].availabilityType: missing, expected one of START_TIME or OPENING_HOURS`,
		`options[0].id: missing, expected a string that is not empty`,
		`options[0].internalName: missing, expected a string`,
		`options[0].units: expected an array of at most 100 units, received an object`,
		`options[1]: expected an object, received 5`,
		`timeZone: missing, expected an IANA time zone such as Europe/Lisbon`)
}

func TestAnOptionalObjectThatIsWrongIsOneProblem(t *testing.T) {
	t.Parallel()
	expect(t, schemas.ConfirmRequest, `{"reservationConfirmationCode": "c", "contact": "Ana"}`, `contact: expected an object, received "Ana"`)
	expect(t, schemas.ConfirmRequest, `{"reservationConfirmationCode": "c", "contact": {"fullName": 7}}`, `contact.fullName: expected a string, received 7`)
}

func TestAPointerEscapesNamesAsRFC6901HasIt(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"de": "/de", "a b": "/a b", "a/b": "/a~1b", "~1": "/~01", "100%2F": "/100%2F", "ü": "/ü"} {
		activity := examples(t, schemas.Activity)[0].(map[string]any)
		activity["translation"] = map[string]any{name: "x"}
		problems := schemas.ValidateValue(schemas.Activity, activity)
		if len(problems) != 1 || problems[0].Pointer != "/translation"+want || problems[0].Message != `expected an object, received "x"` {
			t.Errorf("%q: want one problem at /translation%s, got %+v", name, want, problems)
		}
	}
}

func TestUnknownFieldsAreLawfulEverywhere(t *testing.T) {
	t.Parallel()
	for _, name := range schemas.Names() {
		if name == schemas.ActivityChangeRequest {
			continue // where a typo must not pass
		}
		for _, example := range examples(t, name) {
			var objects []map[string]any
			walk(example, "", func(place string, node map[string]any) {
				if !slices.Contains([]string{"translation", "counts", "revenue", "rates", "header"}, path.Base(place)) { // maps, not objects with fields
					objects = append(objects, node)
				}
			})
			for _, object := range objects {
				object["x-unknown"] = map[string]any{"deep": []any{json.Number("1e9"), nil}}
			}
			if problems := schemas.ValidateValue(name, example); problems != nil {
				t.Errorf("%s: %v", name, problems)
			}
		}
	}
}

func TestGuestTypesWithAFixedIDBearItAndNoOthersDo(t *testing.T) {
	t.Parallel()
	unit := func(id, kind string) string {
		return fmt.Sprintf(`{"id": %q, "internalName": "", "type": %q, "pricingFrom": [%s]}`, id, kind, pricingText)
	}
	for _, lawful := range [][2]string{
		{"unit-adult", "ADULT"}, {"unit-child", "CHILD"}, {"unit-infant", "INFANT"}, {"unit-senior", "SENIOR"},
		{"unit-student", "STUDENT"}, {"anything", "STUDENT"},
	} {
		expect(t, "partner/unit", unit(lawful[0], lawful[1]))
	}
	expect(t, "partner/unit", unit("adult", "ADULT"), `id: expected unit-adult, the id of every unit of type ADULT, received "adult"`)
	expect(t, "partner/unit", unit("Unit-Child", "CHILD"), `id: expected unit-child, the id of every unit of type CHILD, received "Unit-Child"`)
	expect(t, "partner/unit", unit("unit-adult", "INFANT"), `id: expected unit-infant, the id of every unit of type INFANT, received "unit-adult"`)
	expect(t, "partner/unit", unit("unit-student", "SENIOR"), `id: expected unit-senior, the id of every unit of type SENIOR, received "unit-student"`)
	expect(t, "partner/unit", unit("", "ADULT"), `id: expected a string that is not empty, received ""`)
	for _, taken := range []string{"unit-adult", "unit-child", "unit-infant", "unit-senior"} {
		expect(t, "partner/unit", unit(taken, "STUDENT"),
			fmt.Sprintf(`id: expected an id of its own for a unit of type STUDENT, not that of another type, received %q`, taken))
	}
}

func TestAnAmountIsReadFromOriginalElseRetailElsePrice(t *testing.T) {
	t.Parallel()
	price := func(amounts string) string { return `{"unitId": "u", "currency": "EUR"` + amounts + `}` }
	for _, lawful := range []string{
		`, "original": 1`, `, "retail": 1`, `, "price": 1`, `, "original": null, "retail": 1`, `, "original": null, "retail": null, "price": 0`,
		`, "original": 1, "retail": 2, "price": 3`,
	} {
		expect(t, "partner/unit-pricing", price(lawful))
	}
	expect(t, "partner/unit-pricing", price(``), `original: missing, expected an integer in the smallest currency unit, from 0 to 10^12, here or in retail or price`)
	expect(t, "partner/unit-pricing", price(`, "original": null, "retail": null, "price": null`),
		`original: expected an integer in the smallest currency unit, from 0 to 10^12, here or in retail or price, received null`)
	expect(t, "partner/unit-pricing", price(`, "original": "1", "retail": 1`), `original: expected an integer in the smallest currency unit, from 0 to 10^12, received "1"`)
	expect(t, "partner/unit-pricing", price(`, "original": 1, "price": 1.5`), `price: expected an integer in the smallest currency unit, from 0 to 10^12, received 1.5`)
}

func TestTicketsAreDueOnlyFromPartnersThatDeliverThem(t *testing.T) {
	t.Parallel()
	booking := func(tickets string) string { return `{"externalBookingId": "b", "status": "CONFIRMED"` + tickets + `}` }
	for _, without := range []string{``, `, "tickets": null`, `, "tickets": []`} {
		expect(t, schemas.ConfirmAnswer, booking(without))
	}
	const due = `an array of at least one ticket, due from a partner that delivers tickets`
	expect(t, schemas.ConfirmAnswerWithTickets, booking(``), `tickets: missing, expected `+due)
	expect(t, schemas.ConfirmAnswerWithTickets, booking(`, "tickets": null`), `tickets: expected `+due+`, received null`)
	expect(t, schemas.ConfirmAnswerWithTickets, booking(`, "tickets": "x"`), `tickets: expected `+due+`, received "x"`)
	expect(t, schemas.ConfirmAnswerWithTickets, booking(`, "tickets": []`), `tickets: expected `+due+`, received an empty array`)
	expect(t, schemas.ConfirmAnswerWithTickets, booking(`, "tickets": [`+ticketText+`, {}]`),
		`tickets[1].deliveryOptions: missing, expected an array of delivery options`,
		`tickets[1].redemptionMethod: missing, expected a string`)
	expect(t, schemas.ConfirmAnswerWithTickets, `{"tickets": [`+ticketText+`]}`,
		`externalBookingId: missing, expected a string that is not empty`, `status: missing, expected a string`)
}

func TestATextThatIsNoJSONIsOneProblem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                    `expected JSON, received nothing`,
		" \n\t":                               `expected JSON, received nothing`,
		`{"products": [`:                      `expected JSON, received a text that is cut off after 14 bytes`,
		`"abc`:                                `expected JSON, received a text that is cut off after 4 bytes`,
		"[1,\n  2;]":                          `invalid JSON at line 2, column 4: invalid character ';' after array element`,
		`<html>`:                              `invalid JSON at line 1, column 1: invalid character '<' looking for beginning of value`,
		`[] []`:                               `expected one JSON text, received more after its end: "[]"`,
		"[]\x00":                              `expected one JSON text, received more after its end: "\x00"`,
		"[\"\xff\"]":                          `expected JSON in UTF-8, received other bytes at offset 2`,
		"\xef\xbb\xbf[]":                      `expected JSON, received a byte order mark (UTF-8) before it`,
		`[NaN]`:                               `invalid JSON at line 1, column 2: invalid character 'N' looking for beginning of value`,
		`[01]`:                                `invalid JSON at line 1, column 3: invalid character '1' after array element`,
		`[1e999999999]`:                       `[0]: expected a number within the range of a double, received "1e999999999"`,
		`[1e-999999999]`:                      `[0]: expected a number within the range of a double, received "1e-999999999"`,
		`[{"b": 1e500, "a": 2e500}]`:          `[0].a: expected a number within the range of a double, received "2e500"`,
		`[` + strings.Repeat("9", 1001) + `]`: `[0]: expected a number of at most 1000 characters, received 1001`,
	} {
		problems := schemas.Validate(schemas.ProductsAnswer, []byte(text))
		if len(problems) != 1 || problems[0].Keyword != "json" || problems[0].String() != want {
			t.Errorf("%.60q\nwant %s\ngot  %v", text, want, problems)
		}
	}
}

func TestNestingIsBounded(t *testing.T) {
	t.Parallel()
	nested := func(levels int) string {
		return `{"reason": "", "x": ` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1) + `}`
	}
	expect(t, schemas.CancelRequest, nested(schemas.MaxDepth))
	for _, levels := range []int{schemas.MaxDepth + 2, 9000, 100_000} {
		problems := schemas.Validate(schemas.CancelRequest, []byte(nested(levels)))
		if len(problems) != 1 || problems[0].Keyword != "json" {
			t.Errorf("%d levels: want one problem with the JSON, got %d: %.200v", levels, len(problems), problems)
		}
	}
}

func TestAnUnknownSchemaIsAProblemNotAPanic(t *testing.T) {
	t.Parallel()
	problems := schemas.Validate("partner/nothing", []byte(`{}`))
	if len(problems) != 1 || problems[0].Keyword != "schema" || !strings.Contains(problems[0].Message, "partner/nothing") {
		t.Errorf("want one problem that names the schema, got %v", problems)
	}
}

func TestValuesThatNoJSONDecodesToAreProblems(t *testing.T) {
	t.Parallel()
	for _, value := range []any{struct{}{}, []string{"x"}, math.NaN(), math.Inf(1), json.Number("abc"), json.Number(""), make(chan int)} {
		problems := schemas.ValidateValue(schemas.CancelRequest, map[string]any{"reason": value})
		if len(problems) != 1 || problems[0].Keyword != "json" || problems[0].Pointer != "/reason" {
			t.Errorf("%v: want one problem at /reason, got %v", value, problems)
		}
	}
	if problems := schemas.ValidateValue("reseller/pagination", map[string]any{"pageSize": 20, "page": 1.0, "totalCount": uint64(3), "next_cursor": nil}); problems != nil {
		t.Errorf("Go's own numbers are numbers: %v", problems)
	}
}

func TestTheSameTextGivesTheSameProblemsInTheOrderOfTheText(t *testing.T) {
	t.Parallel()
	text := []byte(`[` + strings.Repeat(`{"id": 7, "options": [{}, {}]},`, 11) + `{}]`)
	first := schemas.Validate(schemas.ProductsAnswer, text)
	for range 20 {
		if again := schemas.Validate(schemas.ProductsAnswer, text); !reflect.DeepEqual(again, first) {
			t.Fatalf("want %v\ngot  %v", first, again)
		}
	}
	if first[0].Pointer != "/0/id" || !strings.HasPrefix(first[len(first)-1].Pointer, "/7/") {
		t.Errorf("the order is not that of the text: %q", lines(first))
	}
}

func TestProblemsAreBoundedInNumberAndLength(t *testing.T) {
	t.Parallel()
	const many = 100_000
	for name, text := range map[string]string{
		"wrong products":  `[` + strings.Repeat(`7,`, many) + `7]`,
		"wrong options":   strings.Replace(productText, `"options": [`, `"options": [`+strings.Repeat(`7,`, many), 1),
		"empty products":  `[` + strings.Repeat(`{},`, many/2) + `{}]`,
		"nested mistakes": `[` + strings.Repeat(`{"options":[`+strings.Repeat(`{"units":[`+strings.Repeat(`{},`, 20)+`{}]},`, 20)+`{}]},`, 100) + `{}]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := schemas.ProductsAnswer
			if text[0] == '{' {
				schema = schemas.Product
			}
			problems := schemas.Validate(schema, []byte(text))
			if len(problems) != schemas.MaxProblems {
				t.Errorf("want %d problems, got %d", schemas.MaxProblems, len(problems))
			}
		})
	}
}

func TestWrongValuesAreShownShortlyAndEscaped(t *testing.T) {
	t.Parallel()
	got := func(value string) string {
		text := fmt.Sprintf(`{"success": %s}`, value)
		problems := schemas.Validate(schemas.ReleaseAnswer, []byte(text))
		if len(problems) != 1 {
			t.Fatalf("%.60s: want one problem, got %v", value, problems)
		}
		_, after, _ := strings.Cut(problems[0].Message, ", received ")
		return after
	}
	for value, want := range map[string]string{
		`"a\u001b[2J\n\u202eb"`:             `"a\x1b[2J\n\u202eb"`,
		`[1, 2]`:                            `an array`,
		`[]`:                                `an empty array`,
		`{"a": 1}`:                          `an object`,
		`1.50`:                              `1.50`,
		strings.Repeat("1", 900):            strings.Repeat("1", 60) + `…`,
		`"` + strings.Repeat("é", 60) + `"`: `"` + strings.Repeat("é", 60) + `"`,
		`"` + strings.Repeat("é", 61) + `"`: `"` + strings.Repeat("é", 60) + `"…`,
	} {
		if shown := got(value); shown != want || !utf8.ValidString(shown) {
			t.Errorf("%.60s: want %s, got %s", value, want, shown)
		}
	}
	if long := got(`"` + strings.Repeat("x", 500_000) + `"`); len(long) > 100 {
		t.Errorf("a long string is shown in %d bytes", len(long))
	}
}

func TestUnknownFieldsAreNamedWithTheKnownOnes(t *testing.T) {
	t.Parallel()
	expect(t, schemas.ActivityChangeRequest, `{"location": {"town": "Lisbon"}, "translation": {"en_US": {}}}`,
		"location.town: unknown field; expected one of city, country, region",
		`translation.en_US: expected a language such as en or pt-BR, received "en_US"`)
}

// check ends the test on an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
