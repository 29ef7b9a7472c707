package main_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// A broken partner breaks one rule, named by its id, in the way that its name
// says. Those marked deep are broken only where few would look: in the last
// product, its last option, or after the 30th day.
type brokenPartner struct {
	name string
	rule string
	hook hook
	args []string
}

// lastOption is the catalog's end.
const lastOption = "trawler"

func TestEveryBrokenPartnerFailsTheRuleThatItBreaksAndNoOther(t *testing.T) {
	t.Parallel()
	for _, partner := range slices.Concat(brokenCatalogs(), brokenSlots(), brokenReserves(), brokenConfirms(), brokenReleases(), brokenCancels(), brokenKeys(), brokenLimits()) {
		t.Run(partner.rule+": "+partner.name, func(t *testing.T) {
			t.Parallel()
			url := startBroken(t, partner.hook)
			r := judge(t, url, ofMock(url, partner.args...)...)
			if failed := r.outcomes(report.Failed); !slices.Equal(failed, []string{partner.rule}) {
				t.Fatalf("want only %s failed, got %v\n%s", partner.rule, failed, r.said())
			}
			if r.code != 1 || r.result.Verdict != report.Nonconformant {
				t.Errorf("want exit 1 and nonconformant, got exit %d and %s", r.code, r.result.Verdict)
			}
			found := r.rule(t, partner.rule)
			if found.Message == "" || len(found.Exchanges) == 0 {
				t.Errorf("want a message and evidence, got %q and %d exchanges", found.Message, len(found.Exchanges))
			}
		})
	}
}

// startBroken starts a mock partner with a hook round every call.
func startBroken(t *testing.T, h hook) string {
	t.Helper()
	b := newBroken()
	_, url := startMock(t, mockpartner.Options{Around: b.around(h)}, b.take)
	return url
}

// on makes a hook for the lawful answers of one endpoint.
func on(endpoint partnerapi.Endpoint, change func(*exchange)) hook {
	return hook{after: func(e *exchange) {
		if e.endpoint == endpoint && e.ok() {
			change(e)
		}
	}}
}

// inCatalog makes a hook that changes the last product of every catalog.
func inCatalog(change func(product map[string]any)) hook {
	return on(partnerapi.Products, func(e *exchange) {
		e.products(func(products []any) []any {
			if len(products) > 0 {
				change(products[len(products)-1].(map[string]any))
			}
			return products
		})
	})
}

// inOption makes a hook that changes the last option of the last product.
func inOption(change func(option map[string]any)) hook {
	return inCatalog(func(product map[string]any) { change(last(product["options"])) })
}

// inUnit makes a hook that changes the last unit of that option.
func inUnit(change func(unit map[string]any)) hook {
	return inOption(func(option map[string]any) { change(last(option["units"])) })
}

// inPrice makes a hook that changes the last price of that unit.
func inPrice(change func(price map[string]any)) hook {
	return inUnit(func(unit map[string]any) { change(last(unit["pricingFrom"])) })
}

func last(list any) map[string]any {
	array := list.([]any)
	return array[len(array)-1].(map[string]any)
}

func set(name string, value any) func(map[string]any) {
	return func(object map[string]any) { object[name] = value }
}

func without(name string) func(map[string]any) {
	return func(object map[string]any) { delete(object, name) }
}

func brokenCatalogs() []brokenPartner {
	duplicate := func(list string) func(map[string]any) {
		return func(object map[string]any) {
			array := object[list].([]any)
			object[list] = append(array, array[0])
		}
	}
	return []brokenPartner{
		{name: "the last product has no id", rule: "products.product.id", hook: inCatalog(without("id"))},
		{name: "the last product has no name", rule: "products.product.internal-name", hook: inCatalog(set("internalName", nil))},
		{name: "the last product's locale has an underscore", rule: "products.product.locale", hook: inCatalog(set("locale", "en_US"))},
		{name: "the last product's zone is an offset", rule: "products.product.time-zone", hook: inCatalog(set("timeZone", "UTC+2"))},
		{name: "the last product says instantConfirmation in words", rule: "products.product.instant-confirmation", hook: inCatalog(set("instantConfirmation", "yes"))},
		{name: "the last product has no options", rule: "products.product.options", hook: inCatalog(set("options", []any{}))},
		{name: "the last product's reference is a number", rule: "products.product.optional-fields", hook: inCatalog(set("reference", 17))},
		{name: "a text stands among the products", rule: "products.fields", hook: on(partnerapi.Products, func(e *exchange) {
			e.products(func(products []any) []any { return append(products, "and many more") })
		})},
		{name: "the last option has no id", rule: "products.option.id", hook: inOption(without("id"))},
		{name: "the last unit has no id", rule: "products.unit.id", hook: inUnit(without("id"))},
		{name: "the last unit has no name", rule: "products.unit.internal-name", hook: inUnit(without("internalName"))},
		{name: "the last option's units change with every pull", rule: "products.unit.permanent", hook: drifting(func(e *exchange, id string) {
			e.products(func(products []any) []any {
				option := last(products[len(products)-1].(map[string]any)["options"])
				extra := map[string]any{"id": id, "internalName": "Student", "type": "STUDENT", "pricingFrom": []any{map[string]any{"original": 100, "currency": "EUR"}}}
				option["units"] = append(option["units"].([]any), extra)
				return products
			})
		})},
		{name: "the last option has no name", rule: "products.option.internal-name", hook: inOption(without("internalName"))},
		{name: "the last option's type is written small", rule: "products.option.availability-type", hook: inOption(set("availabilityType", "start_time"))},
		{name: "the last option's cut-off is a number", rule: "products.option.cancellation-cutoff", hook: inOption(set("cancellationCutoff", 24))},
		{name: "the last option's units are an object", rule: "products.option.units", hook: inOption(set("units", map[string]any{}))},
		{name: "the last unit's type is unknown", rule: "products.unit.type", hook: inUnit(set("type", "PENSIONER"))},
		{name: "the last unit has no price", rule: "products.unit.pricing-from", hook: inUnit(set("pricingFrom", []any{}))},
		{name: "the last unit's age is a text", rule: "products.unit.restrictions", hook: inUnit(set("restrictions", map[string]any{"minAge": "18"}))},
		{name: "the last adult unit bears an id of its own", rule: "products.unit.fixed-id", hook: inOption(func(o map[string]any) { o["units"].([]any)[0].(map[string]any)["id"] = "adult" })},
		{name: "the last price is in euros, not cents", rule: "products.pricing.original", hook: inPrice(set("original", 22.5))},
		{name: "the last price's currency is a sign", rule: "products.pricing.currency", hook: inPrice(set("currency", "€"))},
		{name: "the last price's precision is a text", rule: "products.pricing.precision", hook: inPrice(set("currencyPrecision", "2"))},
		{name: "the last price's net is a text", rule: "products.pricing.retail-net", hook: inPrice(set("net", "1800"))},
		{name: "the last option stands twice", rule: "products.option.unique", hook: inCatalog(duplicate("options"))},
		{name: "the last option's first unit stands twice", rule: "products.unit.unique", hook: inOption(duplicate("units"))},
		{name: "a product stands twice", rule: "products.product.unique", hook: on(partnerapi.Products, func(e *exchange) {
			e.products(func(products []any) []any { return append(products, products[0]) })
		})},
		{name: "the last product's id changes with every pull", rule: "products.product.permanent", hook: drifting(func(e *exchange, id string) {
			e.products(func(products []any) []any {
				products[len(products)-1].(map[string]any)["id"] = id
				return products
			})
		})},
		{name: "the last option's id changes with every pull", rule: "products.option.permanent", hook: drifting(func(e *exchange, id string) {
			e.products(func(products []any) []any {
				last(products[len(products)-1].(map[string]any)["options"])["id"] = id
				return products
			})
		})},
		{name: "the catalog lies under data", rule: "products.shape", hook: on(partnerapi.Products, func(e *exchange) { e.answer = []byte(`{"data":` + string(e.answer) + `}`) })},
		{name: "a comma stands behind the catalog", rule: "products.json", hook: on(partnerapi.Products, func(e *exchange) { e.answer = append(e.answer, ',') })},
		{name: "the catalog comes with 202", rule: "products.status", hook: on(partnerapi.Products, func(e *exchange) { e.status = http.StatusAccepted })},
		{name: "the probe has nothing to show", rule: "products.probe.status", hook: on(partnerapi.Products, func(e *exchange) {
			if e.request.URL.Query().Has("limit") {
				e.reply(http.StatusNoContent, nil)
			}
		})},
		{name: "updated_since is refused", rule: "products.updated-since", hook: on(partnerapi.Products, func(e *exchange) {
			if e.request.URL.Query().Has("updated_since") {
				e.reply(http.StatusBadRequest, map[string]any{"message": "unknown parameter"})
			}
		})},
	}
}

// drifting makes a hook for catalogs; the id it is given differs each time.
func drifting(change func(e *exchange, id string)) hook {
	return on(partnerapi.Products, func(e *exchange) {
		if !e.request.URL.Query().Has("limit") {
			e.mu.Lock()
			n := e.calls[partnerapi.Products]
			e.mu.Unlock()
			change(e, "drifting-"+strings.Repeat("i", n))
		}
	})
}

// lateSlots makes a hook that changes the slots after the 30th day.
func lateSlots(change func(slot map[string]any)) hook {
	late := time.Now().AddDate(0, 0, 30).Format(partnerapi.DateLayout)
	return on(partnerapi.Availability, func(e *exchange) {
		e.slots(func(slots []any) []any {
			for _, slot := range slots {
				slot := slot.(map[string]any)
				if slot["localDateTimeStart"].(string) > late {
					change(slot)
				}
			}
			return slots
		})
	})
}

// lateSlot makes a hook that changes only the last slot of the last option.
func lateSlot(change func(slot map[string]any)) hook {
	return on(partnerapi.Availability, func(e *exchange) {
		if !strings.Contains(string(e.body), lastOption) {
			return
		}
		e.slots(func(slots []any) []any {
			if len(slots) > 1 {
				change(slots[len(slots)-1].(map[string]any))
			}
			return slots
		})
	})
}

func brokenSlots() []brokenPartner {
	window := func(e *exchange) (from, to string) {
		var request partnerapi.AvailabilityRequest
		_ = json.Unmarshal(e.body, &request)
		return request.LocalDateStart, request.LocalDateEnd
	}
	keep := func(e *exchange, wanted func(date string) bool) {
		e.slots(func(slots []any) []any {
			return slices.DeleteFunc(slots, func(slot any) bool {
				return !wanted(slot.(map[string]any)["localDateTimeStart"].(string)[:10])
			})
		})
	}
	price := map[string]any{"unitId": "unit-adult", "original": 1000, "currency": "EUR"}
	with := func(changes ...func(map[string]any)) func(map[string]any) {
		return func(slot map[string]any) {
			one := map[string]any{}
			for name, value := range price {
				one[name] = value
			}
			for _, change := range changes {
				change(one)
			}
			slot["unitPricing"] = []any{one}
		}
	}
	return []brokenPartner{
		{name: "the last slot has no id", rule: "availability.slot.id", hook: lateSlot(without("id"))},
		{name: "late starts have no offset", rule: "availability.slot.start", hook: lateSlot(func(s map[string]any) {
			s["localDateTimeStart"] = s["localDateTimeStart"].(string)[:19]
		})},
		{name: "late ends have no offset", rule: "availability.slot.end", hook: lateSlots(func(s map[string]any) { s["localDateTimeEnd"] = s["localDateTimeEnd"].(string)[:19] })},
		{name: "the last slot's status is made up", rule: "availability.slot.status", hook: lateSlot(set("status", "OPEN"))},
		{name: "the last slot's vacancies are negative", rule: "availability.slot.vacancies", hook: lateSlot(set("vacancies", -1))},
		{name: "the last slot's capacity is a text", rule: "availability.slot.capacity", hook: lateSlot(set("capacity", "12"))},
		{name: "the last slot's prices are an object", rule: "availability.slot.unit-pricing", hook: lateSlot(set("unitPricing", map[string]any{}))},
		{name: "late prices name no unit", rule: "availability.unit-pricing.unit-id", hook: lateSlots(with(without("unitId")))},
		{name: "late prices are for a made-up type", rule: "availability.unit-pricing.unit-type", hook: lateSlots(with(set("unitType", "GROWN-UP")))},
		{name: "late prices are texts", rule: "availability.unit-pricing.amount", hook: lateSlots(with(set("original", "1000")))},
		{name: "late prices name no amount", rule: "availability.unit-pricing.amount", hook: lateSlots(with(without("original")))},
		{name: "late prices are in pounds by name", rule: "availability.unit-pricing.currency", hook: lateSlots(with(set("currency", "pounds")))},
		{name: "late precisions are texts", rule: "availability.unit-pricing.precision", hook: lateSlots(with(set("currencyPrecision", "2")))},
		{name: "late prices are for units that nobody sells", rule: "availability.unit-pricing.known-unit", hook: lateSlots(with(set("unitId", "unit-martian")))},
		{name: "late slots end before they start", rule: "availability.slot.ends-later", hook: lateSlots(func(s map[string]any) { s["localDateTimeEnd"] = s["localDateTimeStart"] })},
		{name: "the last slot bears the id of the one before", rule: "availability.slot.unique", hook: on(partnerapi.Availability, func(e *exchange) {
			e.slots(func(slots []any) []any {
				if n := len(slots); n > 20 && strings.Contains(string(e.body), lastOption) {
					slots[n-1].(map[string]any)["id"] = slots[n-2].(map[string]any)["id"]
				}
				return slots
			})
		})},
		{name: "slot ids of the last option are positions", rule: "availability.slot.permanent", hook: on(partnerapi.Availability, func(e *exchange) {
			if from, to := window(e); !strings.Contains(string(e.body), lastOption) || from == to {
				return
			}
			e.mu.Lock()
			n := e.calls[partnerapi.Availability]
			e.mu.Unlock()
			e.slots(func(slots []any) []any {
				for i, slot := range slots {
					slot.(map[string]any)["id"] = strings.Repeat("s", n) + strings.Repeat("i", i)
				}
				return slots
			})
		})},
		{name: "a slot after the window is shown", rule: "availability.window", hook: lateSlot(func(s map[string]any) {
			s["id"], s["localDateTimeStart"], s["localDateTimeEnd"] = "far", "2199-01-01T09:00:00Z", "2199-01-01T10:00:00Z"
		})},
		{name: "the end of the window is left out", rule: "availability.one-day", hook: on(partnerapi.Availability, func(e *exchange) {
			_, to := window(e)
			keep(e, func(date string) bool { return date < to })
		})},
		{name: "a window without slots is a 404", rule: "availability.empty", hook: on(partnerapi.Availability, func(e *exchange) {
			if string(e.answer) == "[]" || string(e.answer) == "[]\n" {
				e.reply(http.StatusNotFound, map[string]any{"message": "nothing found"})
			}
		})},
		{name: "the last day of a long window is left out", rule: "availability.window-end", hook: on(partnerapi.Availability, func(e *exchange) {
			if from, to := window(e); from != to {
				keep(e, func(date string) bool { return date < to })
			}
		})},
		{name: "a null stands among the last option's slots", rule: "availability.fields", hook: on(partnerapi.Availability, func(e *exchange) {
			if strings.Contains(string(e.body), lastOption) {
				e.slots(func(slots []any) []any { return append(slots, nil) })
			}
		})},
		{name: "slots lie under slots", rule: "availability.shape", hook: on(partnerapi.Availability, func(e *exchange) { e.answer = []byte(`{"slots":` + string(e.answer) + `}`) })},
		{name: "the last option's slots are cut short", rule: "availability.json", hook: on(partnerapi.Availability, func(e *exchange) {
			if strings.Contains(string(e.body), lastOption) {
				e.answer = e.answer[:len(e.answer)/2]
			}
		})},
		{name: "the last option's slots are a 500", rule: "availability.status", hook: on(partnerapi.Availability, func(e *exchange) {
			if strings.Contains(string(e.body), lastOption) {
				e.reply(http.StatusInternalServerError, nil)
			}
		})},
	}
}
