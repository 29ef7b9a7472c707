package control_test

import (
	"fmt"
	"testing"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/internal/catalog"
)

// slots lists what GET /_mock/slots answers.
func (o operator) slots(query string) []map[string]any {
	o.t.Helper()
	var slots []map[string]any
	for _, slot := range o.call("GET", "/_mock/slots"+query, "", 200)["slots"].([]any) {
		slots = append(slots, slot.(map[string]any))
	}
	return slots
}

func TestEverySlotOfAnOptionIsListed(t *testing.T) {
	t.Parallel()
	o := start(t)
	slots := o.slots("?product=tokyo-market&option=breakfast&from=2026-07-10&days=3")
	for _, slot := range slots {
		start := slot["localDateTimeStart"].(string)
		if slot["productId"] != "tokyo-market" || slot["optionId"] != "breakfast" || start < "2026-07-10" || start >= "2026-07-13" || slot["localDateTimeEnd"].(string) <= start {
			t.Errorf("want slots of the option on three days, got %v", slot)
		}
		if _, ok := slot["vacancies"].(float64); !ok || slot["status"] == "" || slot["held"] != 0.0 {
			t.Errorf("want what is in the slot, got %v", slot)
		}
	}
	if len(slots) == 0 {
		t.Fatal("want slots, got none")
	}
}

func TestSlotsAreThoseOfTwoWeeksOfTheFirstOptionUnlessAskedOtherwise(t *testing.T) {
	t.Parallel()
	o := start(t)
	slots := o.slots("")
	first, last := slots[0], slots[len(slots)-1]
	if first["productId"] != "lisbon-walk" || first["optionId"] != "small-group" {
		t.Errorf("want the catalog's first option, got %v", first)
	}
	if from, to := first["localDateTimeStart"].(string)[:10], last["localDateTimeStart"].(string)[:10]; from != "2026-07-01" || to != "2026-07-14" {
		t.Errorf("want two weeks from today on, got %s to %s", from, to)
	}
	// In Auckland it is the next day already.
	o.call("POST", "/_mock/clock", `{"set":"2026-07-01T13:00:00Z"}`, 200)
	if slot := o.slots("?product=auckland-sail&days=1")[0]; slot["localDateTimeStart"].(string)[:10] != "2026-07-02" {
		t.Errorf("want today in the product's zone, got %v", slot["localDateTimeStart"])
	}
}

func TestSlotsThatCannotBeListedAreRefused(t *testing.T) {
	t.Parallel()
	o := start(t)
	for query, want := range map[string]struct {
		status int
		words  string
	}{
		"?product=nothing":                   {404, `no product "nothing"`},
		"?product=tokyo-market&option=lunch": {404, `no option "lunch"`},
		"?days=0":                            {400, "days: want a number from 1 to 60, got 0"},
		"?days=61":                           {400, "days: want a number from 1 to 60, got 61"},
		"?days=many":                         {400, "days: want a number"},
		"?from=tomorrow":                     {400, "from: want a date such as 2026-07-01"},
		"?from=0001-01-01":                   {400, "from: want a date such as 2026-07-01"},
		"?slot=1":                            {400, `no parameter "slot"`},
	} {
		o.refused("GET", "/_mock/slots"+query, "", want.status, want.words)
	}
}

func TestASlotIsChangedAsStaffWould(t *testing.T) {
	t.Parallel()
	o := start(t)
	id := slot(t, o.mock.Default())
	change := func(what string) map[string]any {
		return o.call("PATCH", "/_mock/slots", fmt.Sprintf(`{"productId":"tokyo-market","optionId":"breakfast","availabilityId":%q,%s}`, id, what), 200)
	}
	if got := change(`"status":"SOLD_OUT"`); got["status"] != "SOLD_OUT" || got["vacancies"] != 0.0 || got["availabilityId"] != id {
		t.Errorf("want it sold out, got %v", got)
	}
	o.call("POST", "/bookings/reserve", fmt.Sprintf(reserveBody, id), 400)
	if got := change(`"status":"AVAILABLE","vacancies":7,"capacity":20`); got["status"] != "AVAILABLE" || got["vacancies"] != 7.0 || got["capacity"] != 20.0 || got["elsewhere"] != 13.0 {
		t.Errorf("want 7 of 20 left, got %v", got)
	}
	o.call("POST", "/bookings/reserve", fmt.Sprintf(reserveBody, id), 200)
	if got := change(`"status":"CLOSED"`); got["status"] != "CLOSED" || got["held"] != 1.0 {
		t.Errorf("want it closed, and the hold still there, got %v", got)
	}
}

func TestChangesOfASlotThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	o := start(t)
	id := slot(t, o.mock.Default())
	for what, words := range map[string]string{
		`"status":"OPEN"`:                    `status: want one of [AVAILABLE FREESALE LIMITED SOLD_OUT CLOSED], got "OPEN"`,
		`"vacancies":-1`:                     "vacancies: want a number from 0 to 1000000, got -1",
		`"capacity":9000000000000000000`:     "capacity: want a number from 0 to 1000000",
		`"vacancies":"3"`:                    "cannot be read",
		`"seats":3`:                          `unknown field "seats"`,
		`"status":"AVAILABLE","vacancies":0`: "the slot would be SOLD_OUT, not AVAILABLE",
	} {
		body := fmt.Sprintf(`{"productId":"tokyo-market","optionId":"breakfast","availabilityId":%q,%s}`, id, what)
		o.refused("PATCH", "/_mock/slots", body, 400, words)
	}
	o.refused("PATCH", "/_mock/slots", `{}`, 400, "want what to change")
	o.refused("PATCH", "/_mock/slots", "", 400, "want a JSON object")
	o.refused("PATCH", "/_mock/slots", `{"productId":"tokyo-market","optionId":"breakfast","availabilityId":"x","status":"CLOSED"}`, 404, `no slot "x"`)
	o.refused("PATCH", "/_mock/slots", `{"productId":"x","status":"CLOSED"}`, 404, `no product "x"`)
}

func TestSlotsWithoutLimitAreListedAsSuch(t *testing.T) {
	t.Parallel()
	o := start(t, func(options *mockpartner.Options) { options.Catalog = catalog.Default() })
	for _, slot := range o.slots("?product=paris-audio&days=2") {
		if slot["counted"] != false {
			t.Errorf("want no limit, got %v", slot)
		}
	}
}
