package catalog_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/mockpartner/catalog"
)

// check ends the test on an error.
var check = errtest.Check

// walk is a catalog of one option with a calendar.
func walk(kind, calendar string) string {
	return `products:
  - id: walk
    internalName: Walk
    locale: en
    timeZone: Europe/Lisbon
    instantConfirmation: true
    options:
      - {id: tour, internalName: Tour, availabilityType: ` + kind + `, units: [{id: unit-adult, internalName: Adult, type: ADULT, pricingFrom: [{original: 1, currency: EUR}]}]}
    schedules:
      tour: {calendar: ` + calendar + `}
`
}

// 2026-07-01 is a Wednesday.
const nineDays = `{from: 2026-07-01, days: 9, slots: [
  {at: "09:30", lasts: 2h, capacity: 20, left: [3, 0, none, closed, 12/15, free, 7, 8, 9]},
  {at: "14:00", lasts: 1h, weekdays: [Wednesday], left: [5/5, 6/6], prices: []}]}`

func indexOption(t *testing.T, text string) *catalog.IndexedOption {
	t.Helper()
	c, err := catalog.Parse("c.yaml", []byte(text))
	check(t, err)
	index, err := c.Index()
	check(t, err)
	option, _ := index.Products[0].Option("tour")
	return option
}

func dayOf(date string) int64 {
	day, _ := time.Parse(time.DateOnly, date)
	return day.Unix() / (24 * 60 * 60)
}

func TestACalendarSaysWhatIsLeftOfEachSlot(t *testing.T) {
	t.Parallel()
	option := indexOption(t, walk("START_TIME", nineDays))
	for _, c := range []struct {
		date string
		want *catalog.Moment
	}{
		{"2026-07-01", &catalog.Moment{Counted: true, Vacancies: 3, Capacity: 20}},
		{"2026-07-02", &catalog.Moment{Counted: true, Vacancies: 0, Capacity: 20}},
		{"2026-07-03", nil},
		{"2026-07-04", &catalog.Moment{Counted: true, Closed: true, Vacancies: 20, Capacity: 20}},
		{"2026-07-05", &catalog.Moment{Counted: true, Vacancies: 12, Capacity: 15}},
		{"2026-07-06", &catalog.Moment{Capacity: 20}},
		// Days that it does not list: the same weekday of its last week, or of its first.
		{"2026-07-10", nil},
		{"2026-07-14", &catalog.Moment{Counted: true, Vacancies: 7, Capacity: 20}},
		{"2026-07-15", &catalog.Moment{Counted: true, Vacancies: 8, Capacity: 20}},
		{"2027-07-08", &catalog.Moment{Counted: true, Vacancies: 9, Capacity: 20}},
		{"2026-06-24", &catalog.Moment{Counted: true, Vacancies: 3, Capacity: 20}},
		{"2026-06-30", &catalog.Moment{Counted: true, Vacancies: 7, Capacity: 20}},
	} {
		got := option.Moment(dayOf(c.date), 9*60+30)
		if (got == nil) != (c.want == nil) {
			t.Errorf("%s: want %+v, got %+v", c.date, c.want, got)
			continue
		}
		if got != nil {
			c.want.Lasts = 2 * time.Hour
			if got.Vacancies != c.want.Vacancies || got.Capacity != c.want.Capacity || got.Closed != c.want.Closed || got.Counted != c.want.Counted || got.Lasts != c.want.Lasts || got.Prices != nil {
				t.Errorf("%s: want %+v, got %+v", c.date, c.want, got)
			}
		}
	}
	if afternoon := option.Moment(dayOf("2026-07-08"), 14*60); afternoon == nil || afternoon.Vacancies != 6 || afternoon.Prices == nil {
		t.Errorf("want the second Wednesday's slot with an empty list of prices, got %+v", afternoon)
	}
	if thursday := option.Moment(dayOf("2026-07-09"), 14*60); thursday != nil {
		t.Errorf("want no slot on a Thursday, got %+v", thursday)
	}
}

func TestAnInvalidCalendarIsRefusedWithItsPlace(t *testing.T) {
	t.Parallel()
	for calendar, want := range map[string]string{
		`{from: July, days: 1, slots: []}`:                                                                               "calendar: from: expected a date",
		`{from: 2026-07-01, days: 0, slots: []}`:                                                                         "calendar: days: expected a number from 1 to 366, received 0",
		`{from: 2026-07-01, days: 2, slots: [{at: "09:30", lasts: 2h, left: [1]}]}`:                                      "slots[0].left: expected an entry for each of the days, received only 1",
		`{from: 2026-07-01, days: 1, slots: [{at: "09:30", lasts: 2h, left: [1, 2]}]}`:                                   "slots[0].left: expected 1 entries",
		`{from: 2026-07-01, days: 1, slots: [{at: "9:30", lasts: 2h, left: [1]}]}`:                                       "slots[0].at: expected a time of day",
		`{from: 2026-07-01, days: 1, slots: [{at: "09:30", until: "10:00", left: [1]}]}`:                                 "slots[0].lasts: expected a duration",
		`{from: 2026-07-01, days: 1, slots: [{at: "09:30", lasts: 2h, left: [many]}]}`:                                   `expected the remaining seats of a slot, such as 12, 12/20, closed, closed 3/20, free or none, received "many"`,
		`{from: 2026-07-01, days: 1, slots: [{at: "09:30", lasts: 2h, weekdays: [Fry], left: [1]}]}`:                     "slots[0].weekdays[0]: expected a weekday",
		`{from: 2026-07-01, days: 1, slots: [{at: "09:30", lasts: 2h, left: [1]}, {at: "09:30", lasts: 1h, left: [1]}]}`: "there is a slot at 09:30 on this day already",
		`{from: 2026-07-01, days: 1, slots: []}, starts: ["09:30"]`:                                                      "a calendar allows only cutOff, limitedAt, freesale, hideVacancies and seats",
	} {
		c, err := catalog.Parse("c.yaml", []byte(walk("START_TIME", calendar)))
		if err == nil {
			_, err = c.Index()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %s, got %v", calendar, want, err)
		}
	}
}

func TestACalendarIsShownAsItIsWritten(t *testing.T) {
	t.Parallel()
	c, err := catalog.Parse("c.yaml", []byte(walk("START_TIME", nineDays)))
	check(t, err)
	text, err := json.Marshal(c)
	check(t, err)
	again, err := catalog.Parse("again", text)
	check(t, err)
	if _, err := again.Index(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if twice, _ := json.Marshal(again); string(twice) != string(text) {
		t.Errorf("want the same again, got\n%s\n%s", text, twice)
	}
}
