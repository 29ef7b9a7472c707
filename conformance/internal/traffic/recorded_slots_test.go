package traffic_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// catalogOfOne is a pull of a catalog with one option.
func catalogOfOne(second float64) string {
	return entry(second, "GET", "/products", "", 200, `[{"id":"p","internalName":"Tour","locale":"en","timeZone":"UTC","instantConfirmation":true,"options":[
		{"id":"o","internalName":"Tour","availabilityType":"START_TIME","units":[{"id":"unit-adult","internalName":"Adult","type":"ADULT","pricingFrom":[{"original":2500,"currency":"EUR"}]}]}]}]`)
}

// dayOf returns the date of a day, counted from the first one of July 2026.
func dayOf(n int) string {
	return time.Date(2026, 7, n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// slotOf is a slot at ten o'clock on a day, with that many seats left; below 0 they are not counted.
func slotOf(day, left int) string {
	seats := fmt.Sprintf(`,"vacancies":%d,"capacity":20`, left)
	if left < 0 {
		seats = ""
	}
	return fmt.Sprintf(`{"id":"s%d","localDateTimeStart":"%sT10:00:00Z","localDateTimeEnd":"%sT11:00:00Z","status":"AVAILABLE"%s}`, day, dayOf(day), dayOf(day), seats)
}

// window is a call about the slots from one day to another.
func window(second float64, from, to int, slots ...string) string {
	return entry(second, "POST", "/availability",
		fmt.Sprintf(`{"productId":"p","optionId":"o","localDateStart":%q,"localDateEnd":%q,"units":[{"id":"unit-adult","quantity":1}]}`, dayOf(from), dayOf(to)),
		200, "["+strings.Join(slots, ",")+"]")
}

// last is the last day that a marketplace asks about, on the first of July.
const last = 61

func TestWindowsOfARecordingAgreeWhereNothingCanHaveChangedThem(t *testing.T) {
	t.Parallel()
	reserved := func(second float64, left int) string {
		return window(second, 10, 10, strings.Replace(slotOf(10, left), "s10", "s", 1))
	}
	refused := confirm(700, "R1", 400, `{"message":"gone"}`)
	for what, c := range map[string]struct {
		calls  []string
		broken []string
	}{
		"a live hold is refused, and its seat is free": {calls: []string{reserved(2, 12), reserve(3, "a", "R1"), reserved(4, 11), reserved(600, 12), refused}, broken: []string{"reserve.kept-until-expiry"}},
		"a live hold is refused, and its seat is not":  {calls: []string{reserved(2, 12), reserve(3, "a", "R1"), reserved(4, 11), reserved(600, 11), refused}, broken: []string{"confirm.status"}},
		"a live hold is refused, its seat unseen":      {calls: []string{reserved(2, 12), reserve(3, "a", "R1"), refused}, broken: []string{"confirm.status"}},
		"a day that is the same":                       {calls: []string{window(2, 1, last, slotOf(9, 12), slotOf(10, 12)), window(3, 10, 10, slotOf(10, 12))}},
		"a day that is empty":                          {calls: []string{window(2, 1, last, slotOf(9, 12), slotOf(10, 12)), window(3, 10, 10)}, broken: []string{"availability.one-day"}},
		"an empty day before a longer window":          {calls: []string{window(2, 10, 10), window(3, 1, last, slotOf(9, 12), slotOf(10, 12))}, broken: []string{"availability.one-day"}},
		"a longer window without the day":              {calls: []string{window(2, 10, 10, slotOf(10, 12)), window(3, 1, last, slotOf(9, 12))}, broken: []string{"availability.one-day"}},
		"a longer window that is empty":                {calls: []string{window(2, 10, 10, slotOf(10, 12)), window(3, 1, last)}, broken: []string{"availability.one-day"}},
		"a longer window without its last day":         {calls: []string{window(2, last, last, slotOf(last, 12)), window(3, 1, last, slotOf(9, 12))}, broken: []string{"availability.window-end"}},
		"a day that may have been sold out":            {calls: []string{window(2, 1, last, slotOf(9, 12), slotOf(10, 4)), window(3, 10, 10)}},
		"seats that are not counted":                   {calls: []string{window(2, 1, last, slotOf(9, 12), slotOf(10, -1)), window(3, 10, 10)}},
		"seats that may have become free":              {calls: []string{window(2, 1, last, slotOf(9, 12)), window(3, 10, 10, slotOf(10, 2))}},
		"a slot that was reserved":                     {calls: []string{window(2, 10, 10, strings.Replace(slotOf(10, 12), "s10", "s", 1)), reserve(3, "a", "R1"), window(4, 1, last, slotOf(9, 12))}},
		"a day that starts too soon":                   {calls: []string{window(2, 1, last, slotOf(2, 12), slotOf(9, 12)), window(3, 2, 2)}},
		"answers too far apart":                        {calls: []string{window(2, 1, last, slotOf(9, 12), slotOf(10, 12)), window(90, 10, 10)}},
		"a window that a marketplace does not ask for": {calls: []string{window(2, 1, last, slotOf(9, 12), slotOf(10, 12)), window(3, 10, 12)}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			outcome, err := judgeFiles(t, catalogOfOne(1)+strings.Join(c.calls, ""))
			if err != nil {
				t.Fatal(err)
			}
			if ids := brokenRules(outcome.Result); !slices.Equal(ids, c.broken) {
				t.Errorf("want broken %v, got %v", c.broken, ids)
			}
		})
	}
}

// The catalog says in which zone the days are, and whether the option is sold.
func TestWindowsOfAnUnknownOptionAreNotCompared(t *testing.T) {
	t.Parallel()
	outcome, err := judgeFiles(t, window(2, 1, last, slotOf(9, 12), slotOf(10, 12))+window(3, 10, 10))
	if err != nil {
		t.Fatal(err)
	}
	if ids := brokenRules(outcome.Result); ids != nil {
		t.Errorf("want nothing broken, got %v", ids)
	}
}
