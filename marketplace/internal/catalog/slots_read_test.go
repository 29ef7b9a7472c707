package catalog_test

import (
	"strings"
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas"
)

func TestSlotsThatCannotBeStoredAreSetAside(t *testing.T) {
	t.Parallel()
	window := catalog.Window{Zone: time.UTC, From: time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 8, 30, 0, 0, 0, 0, time.UTC)}
	good := slot("s", "2026-07-01")
	with := func(before, after string) string { return strings.Replace(good, before, after, 1) }
	price := func(fields string) string {
		return with(`"capacity":10`, `"unitPricing":[{"unitId":"unit-adult","currency":"EUR",`+fields+`}]`)
	}
	for body, want := range map[string]string{
		"17":              "/0 expected",
		"null":            "/0 expected",
		`{}`:              "/0/id missing",
		with(`"s"`, `""`): "/0/id expected",
		with(`"s"`, `"`+strings.Repeat("s", 1001)+`"`):  "/0/id expected at most 1,000 bytes",
		with(`"s"`, `"\u0000"`):                         `/0/id expected at most 1,000 bytes, without NUL`,
		with(`"s"`, `"\ud800"`):                         "/0/id expected at most 1,000 bytes, without NUL or half a surrogate pair",
		with(`10:00:00+01:00`, `10:00:00`):              "/0/localDateTimeStart expected a date-time",
		with(`"2026-07-01T10`, `"99999-07-01T10`):       "/0/localDateTimeStart expected a date-time",
		with(`"2026-07-01T10`, `"2026-02-30T10`):        "/0/localDateTimeStart expected a date-time",
		with(`"2026-07-01T10`, `"2026-06-30T10`):        "/0/localDateTimeStart expected a start from 2026-07-01 to 2026-08-30",
		with(`"2026-07-01T10`, `"0000-07-01T10`):        "/0/localDateTimeStart expected a year from 2000 to 2200",
		with(`"2026-07-01T12`, `"9999-12-31T12`):        "/0/localDateTimeEnd expected a year from 2000 to 2200",
		with(`"2026-07-01T10`, `"1999-12-31T10`):        "/0/localDateTimeStart expected a year from 2000 to 2200",
		with(`"2026-07-01T12`, `"2201-01-01T12`):        "/0/localDateTimeEnd expected a year from 2000 to 2200",
		with(`"2026-07-01T12`, `"2026-07-01T10`):        "/0/localDateTimeEnd expected an end after the start",
		with(`AVAILABLE`, `available`):                  "/0/status expected",
		with(`"vacancies":8`, `"vacancies":-1`):         "/0/vacancies expected",
		with(`"vacancies":8`, `"vacancies":2147483648`): "/0/vacancies expected a number of seats, an integer from 0 to 2147483647",
		with(`"capacity":10`, `"capacity":1e30`):        "/0/capacity expected",
		with(`"capacity":10`, `"capacity":"10"`):        "/0/capacity expected",
		price(`"original":-5`):                          "/0/unitPricing/0/original expected",
		price(`"original":1000000000001`):               "/0/unitPricing/0/original expected",
		price(`"original":9223372036854775808`):         "/0/unitPricing/0/original expected",
		price(`"retail":10.5`):                          "/0/unitPricing/0/retail expected",
		price(`"other":1`):                              "/0/unitPricing/0/original",
		price(`"price":1,"currencyPrecision":19`):       "/0/unitPricing/0/currencyPrecision expected",
		with(`"capacity":10`, `"unitPricing":[`+strings.TrimSuffix(strings.Repeat(`{"unitId":"u","price":1,"currency":"EUR"},`, 101), ",")+`]`): "/0/unitPricing expected an array of at most 100",
		with(`"capacity":10`, `"unitPricing":[{"unitId":"\u0000","price":1,"currency":"EUR"}]`):                                                 "/0/unitPricing/0/unitId expected at most 1,000 bytes, without NUL",
		with(`"capacity":10`, `"more":`+strings.Repeat("[", 600)+strings.Repeat("]", 600)):                                                      "levels",
	} {
		answer, err := catalog.ReadSlots(t.Context(), []byte("["+body+"]"), window)
		if err != nil || len(answer.Slots) != 0 || len(answer.SetAside) != 1 {
			t.Errorf("%.200s: want it set aside, got %+v, %v", body, answer, err)
			continue
		}
		if problem := answer.SetAside[0].Problems[0]; !strings.Contains(problem.Pointer+" "+problem.Message, want) {
			t.Errorf("%.200s: want %s, got %s %s", body, want, problem.Pointer, problem.Message)
		}
	}
	for _, body := range []string{good, with(`"capacity":10`, `"capacity":null`), price(`"original":null,"price":5.0`), with(`"vacancies":8`, `"vacancies":2147483647`), with(`10:00:00+01:00`, `23:59:59.999-11:00`), with(`10:00:00+01:00`, `23:59-11:00`)} {
		if strings.Contains(body, "23:59") {
			body = strings.Replace(body, `"2026-07-01T12`, `"2026-07-03T12`, 1)
		}
		if answer, err := catalog.ReadSlots(t.Context(), []byte("["+body+"]"), window); err != nil || len(answer.Slots) != 1 {
			t.Errorf("%s: want it read, got %+v, %v", body, answer, err)
		}
	}
}

func FuzzReadSlots(f *testing.F) {
	for _, seed := range []string{
		"[]", "{}", "[" + slot("a", "2026-07-01") + "]", `[{"id":"a"}]`, "[" + slot("a", "2026-07-01", `"status":"FREESALE","unitPricing":[{"unitId":"u","type":"ADULT","price":1e3,"currency":"EUR"}]`) + "]",
	} {
		f.Add([]byte(seed))
	}
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	check(f, err)
	window := catalog.Window{Zone: lisbon, From: time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 8, 30, 0, 0, 0, 0, time.UTC)}
	f.Fuzz(func(t *testing.T, body []byte) {
		answer, err := catalog.ReadSlots(t.Context(), body, window)
		if err != nil {
			if answer != nil {
				t.Errorf("want an error or an answer, got both: %v", err)
			}
			return
		}
		if whole := schemas.Validate(schemas.AvailabilityAnswer, body); whole == nil && len(answer.Slots) == 0 && len(answer.SetAside) == 0 && strings.ContainsRune(string(body), '{') {
			t.Errorf("want the slots read, got none of %s", body)
		}
		ids := map[string]bool{}
		for _, s := range answer.Slots {
			if ids[s.ID] || s.ID == "" || !s.End.After(s.Start) || s.LocalDate.Before(window.From) || s.LocalDate.After(window.To) || s.Vacancies != nil && *s.Vacancies < 0 {
				t.Errorf("want no such slot stored: %+v", s)
			}
			ids[s.ID] = true
			if domain.DateIn(s.Start, lisbon) != s.LocalDate {
				t.Errorf("want the date of %s in Lisbon, got %s", s.Start, s.LocalDate)
			}
		}
		for _, aside := range answer.SetAside {
			if len(aside.Problems) == 0 {
				t.Errorf("want a reason, got none for %+v", aside)
			}
		}
	})
}
