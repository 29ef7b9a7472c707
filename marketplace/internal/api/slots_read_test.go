package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/schemas"
)

// aSlot is a slot that the test stores as a pull would.
type aSlot struct {
	id, date, start, end string
	status               string
	vacancies            any
	pricing              any
}

func (b *bench) put(t *testing.T, variation string, slots ...aSlot) {
	t.Helper()
	for _, s := range slots {
		pgtest.Exec(t, b.store, `
			INSERT INTO slots (variation_id, availability_id, local_date, starts_at, ends_at, status, vacancies, capacity, unit_pricing, news_at)
			VALUES ($1, $2, $3::text::date, $4::text::timestamptz, $5::text::timestamptz, $6, $7, 15, $8::text::jsonb, $9)`,
			uuid.MustParse(variation), s.id, s.date, s.start, s.end, s.status, s.vacancies, s.pricing, b.now())
	}
}

// slot returns a slot on a day.
type slot struct {
	ID        string `json:"availability_id"`
	Start     string `json:"start"`
	End       string `json:"end"`
	Status    string `json:"status"`
	Bookable  bool   `json:"bookable"`
	Vacancies *int   `json:"vacancies"`
	Capacity  *int   `json:"capacity"`
	Currency  string `json:"currency"`
	Pricing   struct {
		Units []struct {
			Type  string  `json:"type"`
			Price float64 `json:"price"`
		} `json:"units"`
	} `json:"pricing"`
}

// walk returns the mock partner's first activity, priced in EUR, and its first variation.
func (b *bench) walk(t *testing.T, reseller header) (path string, variation string) {
	t.Helper()
	first := b.list(t, resellersList, reseller).Data[0]
	if first.Currency != "EUR" {
		t.Fatalf("want an activity in EUR, got %s in %s", first.Title, first.Currency)
	}
	return resellersList + "/" + first.ID, first.Variations[0].ID
}

func read[T any](t *testing.T, b *bench, schema, path string, who header) (read T) {
	t.Helper()
	a := b.do(t, "GET", path, "", who)
	for _, problem := range schemas.Validate(schema, a.body) {
		t.Errorf("%s: %s: %s", path, problem, a.body)
	}
	a.data(t, &read)
	return read
}

func asJSON(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	must(t, err)
	return string(text)
}

func TestAnActivityIsReadByItself(t *testing.T) {
	t.Parallel()
	b, made := newStockedBench(t)
	reseller := b.signIn(t, domain.Reseller)
	first := b.list(t, resellersList+"?currency=USD", reseller).Data[0]
	one := read[client.Activity](t, b, schemas.ActivityAnswer, resellersList+"/"+first.ID+"?currency=USD&language=pt", reseller)
	if one.ID != first.ID || one.Currency != "USD" {
		t.Errorf("want %s in USD, got %+v", first.ID, one)
	}
	wantProblem(t, b.do(t, "GET", resellersList+"/"+first.ID+"?currency=eur&language=x_y", "", reseller), 400, "currency: expected", "language: expected")
	wantProblem(t, b.do(t, "GET", resellersList+"/"+first.ID+"?currency=CHF", "", reseller), 400, "currency: there is no exchange rate for CHF")
	for _, id := range []string{uuid.NewString(), "17", strings.ToUpper(first.ID) + "0"} {
		wantProblem(t, b.do(t, "GET", resellersList+"/"+id, "", reseller), 404, "activity not found")
	}
	b.do(t, "DELETE", "/api/v1/partner-integrations/"+made.ID, "", b.signIn(t, domain.Partner))
	wantProblem(t, b.do(t, "GET", resellersList+"/"+first.ID, "", reseller), 404, "activity not found")
}

func TestACalendarHasARowForEveryDate(t *testing.T) {
	t.Parallel()
	b, _ := newStockedBench(t)
	reseller := b.signIn(t, domain.Reseller)
	path, variation := b.walk(t, reseller)
	own := `[{"unitId":"unit-adult","original":100,"currency":"EUR"}]`
	dear := `[{"unitId":"unit-adult","original":90000,"currency":"EUR"}]`
	b.put(t, variation,
		aSlot{"a", "2026-07-02", "2026-07-02 07:00Z", "2026-07-02 08:00Z", "LIMITED", 2, dear},
		aSlot{"b", "2026-07-02", "2026-07-02 09:00Z", "2026-07-02 10:00Z", "AVAILABLE", 9, own},
		aSlot{"c", "2026-07-02", "2026-07-02 11:00Z", "2026-07-02 12:00Z", "CLOSED", 9, nil},
		aSlot{"d", "2026-07-02", "2026-07-02 13:00Z", "2026-07-02 14:00Z", "SOLD_OUT", 0, `[{"unitId":"unit-adult","original":1,"currency":"EUR"}]`},
		aSlot{"e", "2026-07-03", "2026-07-03 07:00Z", "2026-07-03 08:00Z", "SOLD_OUT", 0, nil},
		aSlot{"f", "2026-07-04", "2026-07-04 07:00Z", "2026-07-04 08:00Z", "FREESALE", nil, own},
		aSlot{"g", "2026-07-04", "2026-07-04 09:00Z", "2026-07-04 10:00Z", "LIMITED", 3, own},
		aSlot{"h", "2026-07-05", "2026-07-05 09:00Z", "2026-07-05 10:00Z", "CLOSED", 3, own},
		aSlot{"i", "2026-07-06", "2026-07-06 09:00Z", "2026-07-06 10:00Z", "AVAILABLE", 3, own},
	)
	got := read[[]client.Day](t, b, schemas.CalendarAnswer, path+"/variations/"+variation+"/calendar?from=2026-07-01&to=2026-07-05", reseller)
	want := `[{"date":"2026-07-01","status":"NONE","from_price":null,"currency":"EUR","slots":0,"vacancies":0},` +
		`{"date":"2026-07-02","status":"AVAILABLE","from_price":1,"currency":"EUR","slots":3,"vacancies":11},` +
		`{"date":"2026-07-03","status":"SOLD_OUT","from_price":null,"currency":"EUR","slots":1,"vacancies":0},` +
		`{"date":"2026-07-04","status":"FREESALE","from_price":1,"currency":"EUR","slots":2,"vacancies":null},` +
		`{"date":"2026-07-05","status":"NONE","from_price":null,"currency":"EUR","slots":0,"vacancies":0}]`
	if text := asJSON(t, got); text != want {
		t.Errorf("want %s\ngot  %s", want, text)
	}
	if whole := read[[]client.Day](t, b, schemas.CalendarAnswer, path+"/variations/"+variation+"/calendar?from=2026-07-01&to=2026-08-31&currency=USD", reseller); len(whole) != 62 || whole[1].FromPrice != "1.25" {
		t.Errorf("want 62 dates in USD, got %d, %+v", len(whole), whole)
	}
}

func TestAnActivityHasTheCalendarsOfItsVariations(t *testing.T) {
	t.Parallel()
	b, _ := newStockedBench(t)
	reseller := b.signIn(t, domain.Reseller)
	path, first := b.walk(t, reseller)
	b.put(t, first, aSlot{"a", "2026-07-02", "2026-07-02 07:00Z", "2026-07-02 08:00Z", "LIMITED", 2, nil})
	const dates = "/calendar?from=2026-07-01&to=2026-07-03&currency=USD"
	whole := read[[]client.VariationCalendar](t, b, schemas.ActivityCalendarAnswer, path+dates, reseller)
	for i, v := range b.list(t, resellersList, reseller).Data[0].Variations {
		alone := read[[]client.Day](t, b, schemas.CalendarAnswer, path+"/variations/"+v.ID+dates, reseller)
		if len(whole) <= i || whole[i].VariationID != v.ID || asJSON(t, whole[i].Days) != asJSON(t, alone) || len(alone) != 3 {
			t.Errorf("want the own calendar of each variation, got %s", asJSON(t, whole))
		}
	}
	pgtest.Exec(t, b.store, `UPDATE variations SET partner_active = false WHERE id = $1`, uuid.MustParse(first))
	for _, v := range read[[]client.VariationCalendar](t, b, schemas.ActivityCalendarAnswer, path+dates, reseller) {
		if v.VariationID == first {
			t.Error("want no calendar of what is no longer in the catalog")
		}
	}
	wantProblem(t, b.do(t, "GET", path+"/calendar?from=2026-07-02&to=2026-07-01", "", reseller), 400, "to: must not be before from")
	wantProblem(t, b.do(t, "GET", path+"/calendar?from=2026-07-02&to=2026-10-01&date=x", "", reseller), 400, "date: unknown query parameter")
	wantProblem(t, b.do(t, "GET", resellersList+"/"+uuid.NewString()+dates, "", reseller), 404, "activity not found")
}

func TestADayHasItsSlotsInTheProductsZone(t *testing.T) {
	t.Parallel()
	b, _ := newStockedBench(t)
	reseller := b.signIn(t, domain.Reseller)
	path, variation := b.walk(t, reseller)
	// In Lisbon clocks are set back from 02:00 to 01:00 on 2026-10-25, so this night has two
	// starts at half past one.
	pgtest.Exec(t, b.store, `UPDATE activities SET product = jsonb_set(product, '{timeZone}', '"Europe/Lisbon"') WHERE id = $1`,
		strings.TrimPrefix(path, resellersList+"/"))
	b.put(t, variation,
		aSlot{"second", "2026-10-25", "2026-10-25 01:30Z", "2026-10-25 02:30Z", "SOLD_OUT", 0, nil},
		aSlot{"first", "2026-10-25", "2026-10-25 00:30Z", "2026-10-25 01:30Z", "LIMITED", 2, `[{"unitId":"unit-adult","retail":500,"original":700,"currency":"EUR"}]`},
		aSlot{"hidden", "2026-10-25", "2026-10-25 05:30Z", "2026-10-25 06:30Z", "CLOSED", 2, nil},
		aSlot{"free", "2026-10-25", "2026-10-25 22:30Z", "2026-10-25 23:30Z", "FREESALE", 7, nil},
		aSlot{"tomorrow", "2026-10-26", "2026-10-26 00:30Z", "2026-10-26 01:30Z", "AVAILABLE", 2, nil},
	)
	got := read[[]slot](t, b, schemas.SlotsAnswer, path+"/variations/"+variation+"/availability?date=2026-10-25", reseller)
	var listed []string
	for _, s := range got {
		listed = append(listed, strings.Join([]string{s.ID, s.Start, s.End, s.Status, asJSON(t, s.Bookable), asJSON(t, s.Vacancies)}, " "))
	}
	want := []string{
		"first 2026-10-25T01:30:00+01:00 2026-10-25T01:30:00+00:00 LIMITED true 2",
		"second 2026-10-25T01:30:00+00:00 2026-10-25T02:30:00+00:00 SOLD_OUT false 0",
		"free 2026-10-25T22:30:00+00:00 2026-10-25T23:30:00+00:00 FREESALE true null",
	}
	if strings.Join(listed, "\n") != strings.Join(want, "\n") {
		t.Fatalf("want\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(listed, "\n"))
	}
	if got[0].Pricing.Units[0].Price != 7 || got[1].Pricing.Units[0].Price == 7 || got[0].Currency != "EUR" {
		t.Errorf("want the slot's own price before the option's, got %+v", got)
	}
	for _, date := range []string{"2026-10-27", "0000-01-01", "9999-12-31"} {
		if none := b.do(t, "GET", path+"/variations/"+variation+"/availability?date="+date, "", reseller); string(none.body) != `{"success":1,"data":[]}` {
			t.Errorf("%s: want no slots, got %s", date, none.body)
		}
	}
}

func TestEveryMistakeInACalendarsQueryIsNamed(t *testing.T) {
	t.Parallel()
	b, _ := newStockedBench(t)
	reseller := b.signIn(t, domain.Reseller)
	path, variation := b.walk(t, reseller)
	other := b.list(t, resellersList, reseller).Data[1]
	for query, words := range map[string][]string{
		"":                              {"from: is required", "to: is required"},
		"from=2026-07-01&to=2026-09-01": {"to: expected at most 62 dates, including from and to"},
		"from=2026-07-02&to=2026-07-01": {"to: must not be before from"},
		"from=2026-02-30&to=1.7.2026":   {"from: expected a date such as 2026-07-01", "to: expected a date"},
		"from=2026-07-01&to=2026-07-02&currency=x":   {"currency: expected"},
		"from=2026-07-01&to=2026-07-02&currency=CHF": {"currency: there is no exchange rate for CHF"},
	} {
		wantProblem(t, b.do(t, "GET", path+"/variations/"+variation+"/calendar?"+query, "", reseller), 400, words...)
	}
	for query, words := range map[string][]string{
		"": {"date: is required"}, "date=today": {"date: expected a date"}, "date=2026-07-01&date=2026-07-02": {"date: expected one value"},
		"date=2026-07-01&currency=CHF": {"currency: there is no exchange rate for CHF"},
	} {
		wantProblem(t, b.do(t, "GET", path+"/variations/"+variation+"/availability?"+query, "", reseller), 400, words...)
	}
	for wrong, says := range map[string]string{
		path + "/variations/" + uuid.NewString():                    "variation not found",
		path + "/variations/17":                                     "variation not found",
		path + "/variations/" + other.Variations[0].ID:              "variation not found",
		resellersList + "/17/variations/" + variation:               "activity not found",
		resellersList + "/" + other.ID + "/variations/" + variation: "variation not found",
	} {
		wantProblem(t, b.do(t, "GET", wrong+"/calendar?from=2026-07-01&to=2026-07-02", "", reseller), 404, says)
		wantProblem(t, b.do(t, "GET", wrong+"/availability?date=2026-07-01", "", reseller), 404, says)
	}
}

func TestACalendarsTagChangesWithItsContent(t *testing.T) {
	t.Parallel()
	b, _ := newStockedBench(t)
	reseller := b.signIn(t, domain.Reseller)
	path, variation := b.walk(t, reseller)
	calendar := path + "/variations/" + variation + "/calendar?from=2026-07-02&to=2026-07-02"
	for _, one := range []string{calendar, path, path + "/variations/" + variation + "/availability?date=2026-07-02"} {
		tag := b.do(t, "GET", one, "", reseller).Header.Get("ETag")
		if a := b.do(t, "GET", one, "", reseller, header{"If-None-Match", tag}); tag == "" || a.StatusCode != 304 {
			t.Errorf("%s: want it not sent again, got %d for %q", one, a.StatusCode, tag)
		}
	}
	tag := b.do(t, "GET", calendar, "", reseller).Header.Get("ETag")
	b.put(t, variation, aSlot{"a", "2026-07-02", "2026-07-02 07:00Z", "2026-07-02 08:00Z", "LIMITED", 2, nil})
	if a := b.do(t, "GET", calendar, "", reseller, header{"If-None-Match", tag}); a.StatusCode != 200 {
		t.Errorf("want the current calendar, got %d", a.StatusCode)
	}
}
