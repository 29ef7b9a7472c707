package mockpartner_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
)

// octoSchemas are the shapes of OCTO's answers, written from its specification and used by nothing
// that is tested here.
var octoSchemas = sync.OnceValue(func() *jsonschema.Compiler {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat = true
	for _, name := range []string{"common", "product", "booking", "answers"} {
		file, err := os.Open("testdata/octo/" + name + ".json")
		if err == nil {
			err = compiler.AddResource("octo:"+name, file)
		}
		if err != nil {
			panic(err)
		}
	}
	return compiler
})

var compiling sync.Mutex

// isOCTO expects a status, and a body that has the shape of that answer.
func (a answer) isOCTO(status int, shape string) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: want %d, got %d: %s", a.what, status, a.status, a.body)
	}
	compiling.Lock()
	schema, err := octoSchemas().Compile("octo:answers#/$defs/" + shape)
	compiling.Unlock()
	check(a.t, err)
	var value any
	check(a.t, json.Unmarshal([]byte(a.body), &value))
	if err := schema.Validate(value); err != nil {
		a.t.Fatalf("%s: %#v", a.what, err)
	}
	return a
}

func (a answer) isRefused(status int, code octo.ErrorCode) {
	a.t.Helper()
	if got := read[octo.Error](a.isOCTO(status, "error")).Code; got != code {
		a.t.Fatalf("%s: want %s, got %s", a.what, code, a.body)
	}
}

// startSupplier serves a mock as a supplier of OCTO.
func startSupplier(t *testing.T, change ...func(*mockpartner.Options)) caller {
	t.Helper()
	c := start(t, change...)
	server := httptest.NewServer(c.mock.OCTO())
	t.Cleanup(server.Close)
	return newCaller(t, c.mock, server.URL)
}

func (c caller) octo(method, path, body string) answer {
	c.t.Helper()
	return c.send(method, path, body, map[string][]string{octo.CapabilitiesHeader: {octo.Pricing}})
}

const aUUID = "559aed3d-6d5b-4fe0-bfca-99f5e7218a56"

func octoWindow(product, option, from, to string) string {
	return fmt.Sprintf(`{"productId":%q,"optionId":%q,"localDateStart":%q,"localDateEnd":%q,"units":[{"id":"adult","quantity":1}]}`, product, option, from, to)
}

func octoReserve(uuid, slot string, adults int) string {
	items := strings.TrimSuffix(strings.Repeat(`{"unitId":"adult"},`, adults), ",")
	return fmt.Sprintf(`{"uuid":%q,"productId":%q,"optionId":%q,"availabilityId":%q,"expirationMinutes":10,"unitItems":[%s]}`, uuid, product, option, slot, items)
}

func (c caller) octoSlot() octo.Availability {
	c.t.Helper()
	slots := read[[]octo.Availability](c.octo("POST", "/availability", octoWindow(product, option, day, day)).isOCTO(200, "availability"))
	return slots[0]
}

func (c caller) requireOCTOVacancies(want int) {
	c.t.Helper()
	if got := *c.octoSlot().Vacancies; got != want {
		c.t.Fatalf("want %d vacancies, got %d", want, got)
	}
}

// open empties the day's first slot of its bookings, and gives it so many seats.
func (c caller) open(seats int) string {
	c.t.Helper()
	id := c.octoSlot().ID
	check(c.t, c.mock.Default().SetSlot(product, option, id, client.SlotChange{Capacity: new(seats), Vacancies: new(seats)}))
	return id
}

func TestOCTO_ShowsTheCatalogInItsOwnWords(t *testing.T) {
	t.Parallel()
	c := startSupplier(t)
	products := read[[]octo.Product](c.octo("GET", "/products", "").isOCTO(200, "products"))
	if len(products) != 8 || products[1].AvailabilityType != "OPENING_HOURS" || products[2].Options[0].Units[0].ID != "adult" {
		t.Fatalf("got %+v", products)
	}
	if price := products[2].Options[0].Units[0].PricingFrom[0]; price.Original != "14500" || *price.CurrencyPrecision != 0 {
		t.Errorf("got the price %+v", price)
	}
	c.octo("GET", "/products/tokyo-market", "").isOCTO(200, "product")
	c.octo("GET", "/products/nowhere", "").isRefused(400, octo.InvalidProductID)
	c.octo("GET", "/supplier", "").isOCTO(200, "supplier")
	for _, product := range read[[]octo.Product](c.call("GET", "/products", "").isOCTO(200, "products")) {
		if product.PricingPer != "" || product.Options[0].Units[0].PricingFrom != nil {
			t.Errorf("%s has prices that the reseller did not ask for", product.ID)
		}
	}
}

func TestOCTO_ADayWithOpeningHoursIsAllDay(t *testing.T) {
	t.Parallel()
	c := startSupplier(t)
	slots := read[[]octo.Availability](c.octo("POST", "/availability", octoWindow("new-york-pass", "night-pass", "2026-07-09", "2026-07-11")).isOCTO(200, "availability"))
	if len(slots) != 3 || !slots[0].AllDay || slots[0].LocalDateTimeStart != "2026-07-09T00:00:00-04:00" || slots[0].LocalDateTimeEnd != "2026-07-10T00:00:00-04:00" ||
		slots[0].OpeningHours[0] != (octo.Hours{From: "20:00", To: "02:00"}) || slots[0].UTCCutoffAt != "2026-07-10T05:00:00Z" {
		t.Errorf("got %+v", slots)
	}
	c.octo("POST", "/availability/calendar", octoWindow("lisbon-walk", "small-group", "2026-07-09", "2026-07-19")).isOCTO(200, "calendar")
}

func TestOCTO_ABookingGoesFromHoldToCancellation(t *testing.T) {
	t.Parallel()
	c := startSupplier(t)
	slot := c.open(5)
	held := read[octo.Booking](c.octo("POST", "/bookings", octoReserve(aUUID, slot, 2)).isOCTO(200, "booking"))
	if held.UUID != aUUID || held.Status != octo.OnHold || *held.UTCExpiresAt != "2026-07-01T12:10:00Z" || len(held.UnitItems) != 2 {
		t.Fatalf("got %+v", held)
	}
	c.requireOCTOVacancies(3)
	c.octo("POST", "/bookings", octoReserve(aUUID, slot, 2)).isOCTO(200, "booking") // the uuid makes it idempotent
	c.octo("POST", "/bookings", octoReserve(aUUID, slot, 1)).isRefused(400, octo.InvalidBookingUUID)
	c.requireOCTOVacancies(3)
	extended := read[octo.Booking](c.octo("PATCH", "/bookings/"+aUUID+"/extend", `{"expirationMinutes":15}`).isOCTO(200, "booking"))
	if *extended.UTCExpiresAt != "2026-07-01T12:15:00Z" {
		t.Errorf("got %s", *extended.UTCExpiresAt)
	}
	confirmed := read[octo.Booking](c.octo("POST", "/bookings/"+aUUID+"/confirm", `{"resellerReference":"b-1","contact":{"fullName":"Ana Sousa"}}`).isOCTO(200, "booking"))
	if confirmed.Status != octo.Confirmed || confirmed.SupplierReference == nil || confirmed.Voucher == nil || confirmed.UnitItems[0].Ticket == nil || *confirmed.Contact.FullName != "Ana Sousa" {
		t.Fatalf("got %+v", confirmed)
	}
	if again := c.octo("POST", "/bookings/"+aUUID+"/confirm", `{}`).isOCTO(200, "booking"); *read[octo.Booking](again).SupplierReference != *confirmed.SupplierReference {
		t.Errorf("a second confirm made another booking: %s", again.body)
	}
	if found := read[[]octo.Booking](c.octo("GET", "/bookings?supplierReference="+*confirmed.SupplierReference, "").isOCTO(200, "bookings")); len(found) != 1 {
		t.Errorf("got %d bookings", len(found))
	}
	c.requireOCTOVacancies(3)
	for range 2 {
		if cancelled := read[octo.Booking](c.octo("DELETE", "/bookings/"+aUUID+"/cancel", `{"reason":"rain"}`).isOCTO(200, "booking")); cancelled.Status != octo.Cancelled {
			t.Errorf("got %s", cancelled.Status)
		}
		c.requireOCTOVacancies(5)
	}
	if broken := c.mock.Default().Invariants(); broken != nil {
		t.Errorf("%+v", broken)
	}
}

func TestOCTO_AHoldThatExpiresOrIsCancelledCannotBeConfirmed(t *testing.T) {
	t.Parallel()
	c := startSupplier(t)
	slot := c.open(5)
	c.octo("POST", "/bookings", octoReserve(aUUID, slot, 2)).isOCTO(200, "booking")
	c.clock.Advance(10 * time.Minute)
	if expired := read[octo.Booking](c.octo("GET", "/bookings/"+aUUID, "").isOCTO(200, "booking")); expired.Status != octo.Expired {
		t.Errorf("got %s", expired.Status)
	}
	c.octo("POST", "/bookings/"+aUUID+"/confirm", `{}`).isRefused(400, octo.InvalidBookingUUID)
	held := read[octo.Booking](c.octo("POST", "/bookings", octoReserve("", slot, 1)).isOCTO(200, "booking"))
	c.octo("POST", "/bookings/"+held.UUID+"/cancel", "").isOCTO(200, "booking")
	c.octo("POST", "/bookings/"+held.UUID+"/confirm", "").isRefused(400, octo.InvalidBookingUUID)
	c.requireOCTOVacancies(5)
}

func TestOCTO_RefusesWithItsErrorCodes(t *testing.T) {
	t.Parallel()
	c := startSupplier(t)
	slot := c.open(2)
	c.octo("POST", "/availability", octoWindow("nowhere", option, day, day)).isRefused(400, octo.InvalidProductID)
	c.octo("POST", "/availability", octoWindow(product, "nothing", day, day)).isRefused(400, octo.InvalidOptionID)
	c.octo("POST", "/availability", octoWindow(product, option, day, "2026-07-09")).isRefused(400, octo.BadRequest)
	c.octo("POST", "/bookings", octoReserve(aUUID, "no-slot", 1)).isRefused(400, octo.InvalidAvailabilityID)
	c.octo("POST", "/bookings", strings.Replace(octoReserve(aUUID, slot, 1), "adult", "family", 1)).isRefused(400, octo.InvalidUnitID)
	c.octo("POST", "/bookings", octoReserve(aUUID, slot, 3)).isRefused(400, octo.UnprocessableEntity)
	c.octo("POST", "/bookings", octoReserve(aUUID, slot, 0)).isRefused(400, octo.UnprocessableEntity)
	c.octo("POST", "/bookings", octoReserve("mine", slot, 1)).isRefused(400, octo.InvalidBookingUUID)
	c.octo("POST", "/bookings", "{").isRefused(400, octo.BadRequest)
	c.octo("POST", "/bookings/"+aUUID+"/confirm", "").isRefused(400, octo.InvalidBookingUUID)
	c.octo("POST", "/bookings/"+aUUID+"/cancel", "").isRefused(400, octo.InvalidBookingUUID)
	c.octo("GET", "/bookings/"+aUUID, "").isRefused(400, octo.InvalidBookingUUID)
	c.octo("GET", "/bookings", "").isRefused(400, octo.BadRequest)
	c.key = "Bearer another"
	c.octo("GET", "/products", "").isRefused(403, octo.Forbidden)
	c.key = ""
	c.octo("POST", "/bookings", octoReserve(aUUID, slot, 1)).isRefused(401, octo.Unauthorized)
	c.key = "Bearer " + key
	c.requireOCTOVacancies(2)
}

func TestOCTO_DefectsAndFaultsActOnIt(t *testing.T) {
	t.Parallel()
	scenario, err := mockpartner.ParseScenario("scenario.yaml", []byte(`
faults:
  - {match: {endpoint: reserve}, key: slot, times: 1, status: 503}
  - {match: {endpoint: cancel}, status: 418}
  - {match: {endpoint: release, state: {hold: held}}, times: 1, set_status: 202}
`))
	check(t, err)
	c := startSupplier(t, func(o *mockpartner.Options) {
		o.Defects, o.Scenario = []string{"release-gives-one-seat-back"}, scenario
	})
	slot := c.open(5)
	if first := c.octo("POST", "/bookings", octoReserve(aUUID, slot, 3)); first.status != 503 {
		t.Fatalf("want the fault, got %d", first.status)
	}
	c.octo("POST", "/bookings", octoReserve(aUUID, slot, 3)).isOCTO(200, "booking")
	c.octo("POST", "/bookings/"+aUUID+"/cancel", "").isOCTO(202, "booking")
	c.requireOCTOVacancies(3)
	booked := read[octo.Booking](c.octo("POST", "/bookings", octoReserve("", slot, 1)))
	c.octo("POST", "/bookings/"+booked.UUID+"/confirm", "").isOCTO(200, "booking")
	if a := c.octo("POST", "/bookings/"+booked.UUID+"/cancel", ""); a.status != 418 {
		t.Errorf("want the fault, got %d", a.status)
	}
}

func TestOCTO_CallsAreInTheJournalAndNotInTheVerdict(t *testing.T) {
	t.Parallel()
	c := startSupplier(t)
	c.octo("POST", "/bookings", octoReserve(aUUID, c.open(5), 3)).isOCTO(200, "booking")
	found := c.mock.Default().Exchanges(client.Filter{Endpoint: "reserve"})
	if len(found) != 1 || found[0].Protocol != client.OCTO || found[0].After.Hold.Code != aUUID || !found[0].Authorized {
		t.Errorf("got %+v", found)
	}
	if verdict := c.mock.Default().Verdict(); verdict.Verdict == client.Broken {
		t.Errorf("calls of OCTO are judged by the contract: %s", verdict)
	}
}
