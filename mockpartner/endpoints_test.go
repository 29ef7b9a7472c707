package mockpartner_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func TestProductsAnswersTheCatalog(t *testing.T) {
	t.Parallel()
	c := start(t)
	all := read[[]partnerapi.Product](c.call("GET", "/products", "").is(200, schemas.ProductsAnswer))
	if len(all) != 8 {
		t.Fatalf("want 8 products, got %d", len(all))
	}
	probe := read[[]partnerapi.Product](c.call("GET", "/products?limit=1", "").is(200, schemas.ProductsAnswer))
	if len(probe) != 1 || probe[0].ID != all[0].ID {
		t.Fatalf("want the first product alone, got %+v", probe)
	}
	since := read[[]partnerapi.Product](c.call("GET", "/products?updated_since=2026-06-30T23:59:59%2B00:00&unknown=1", "").is(200, schemas.ProductsAnswer))
	if len(since) != 1 || since[0].ID != "st-johns-whales" {
		t.Fatalf("want what was modified since, got %+v", since)
	}
	for query, words := range map[string]string{
		"limit=0":                    "limit: expected",
		"limit=-1":                   "limit: expected",
		"limit=one":                  "limit: expected",
		"limit=":                     "limit: expected",
		"limit=99999999999999999999": "limit: expected",
		"updated_since=yesterday":    "updated_since: ",
		"updated_since=2026-01-01":   "updated_since: ",
		"updated_since=2026-01-01T00:00:00+02:00": "escape a + as %2B",
		"limit=%zz": "invalid escapes",
	} {
		c.call("GET", "/products?"+query, "").requireRefusal(400, words)
	}
}

func TestHeadAnswersAsGetWithoutABody(t *testing.T) {
	t.Parallel()
	c := start(t)
	get, head := c.call("GET", "/products", ""), c.call("HEAD", "/products", "")
	if head.status != 200 || head.body != "" || head.header.Get("Content-Length") != get.header.Get("Content-Length") {
		t.Fatalf("want 200 and the length alone, got %d, %s, %q", head.status, head.header.Get("Content-Length"), head.body)
	}
}

func TestAvailabilityAnswersSlots(t *testing.T) {
	t.Parallel()
	c := start(t)
	slots := read[[]partnerapi.Slot](c.call("POST", "/availability", window("2026-07-01", "2026-08-30")).is(200, schemas.AvailabilityAnswer))
	if len(slots) < 100 {
		t.Fatalf("want slots for 61 days, got %d", len(slots))
	}
	// 5 July is a Sunday, on which this option is closed.
	if a := c.call("POST", "/availability", window("2026-07-05", "2026-07-05")).is(200, schemas.AvailabilityAnswer); a.body != "[]\n" {
		t.Fatalf("want no slots on a closed day, got %s", a.body)
	}
}

func TestAvailabilityShowsWhatHappenedSinceItWasLastAsked(t *testing.T) {
	t.Parallel()
	c := start(t)
	slot := c.slot(5)
	for range 3 {
		c.requireVacancies(5)
	}
	hold := c.reserve(slot.ID, 2)
	c.requireVacancies(3)
	c.requireVacancies(3)
	c.clock.Advance(20 * time.Minute)
	c.requireVacancies(5)
	c.release(hold.ReservationConfirmationCode)
	c.requireVacancies(5)
}

func TestReserveHoldsSeats(t *testing.T) {
	t.Parallel()
	c := start(t)
	hold := c.reserve(c.slot(5).ID, 3)
	if hold.ExpiresAt != "2026-07-01T21:20:00+09:00" {
		t.Fatalf("want an expiry 20 minutes ahead in the product's zone, got %s", hold.ExpiresAt)
	}
	c.requireVacancies(2)
	c.call("POST", "/bookings/reserve", reserveBody(c.slots()[0].ID, 3)).requireRefusal(400, "This time has only 2 of the 3 places")
	c.requireVacancies(2)
	c.reserve(c.slots()[0].ID, 2)
	c.call("POST", "/bookings/reserve", reserveBody(c.slots()[0].ID, 1)).requireRefusal(400, "sold out")
	c.requireVacancies(0)
	c.requireBalanced()
}

func TestASecondConfirmIsAnsweredLikeTheFirst(t *testing.T) {
	t.Parallel()
	c := start(t)
	code := c.reserve(c.slot(5).ID, 2).ReservationConfirmationCode
	first := c.confirm(code).is(200, schemas.ConfirmAnswerWithTickets)
	c.clock.Advance(time.Hour)
	if second := c.confirm(code).is(200, schemas.ConfirmAnswerWithTickets); second.body != first.body {
		t.Fatalf("want the same answer byte for byte\n%s\ngot\n%s", first.body, second.body)
	}
	booking := read[partnerapi.ConfirmAnswer](first)
	if booking.Status != partnerapi.StatusConfirmed || booking.Contact == nil || booking.Contact.FullName != "Ana Sousa" || booking.OptionID != option {
		t.Fatalf("want the hold's booking, got %+v", booking)
	}
	c.requireVacancies(3)
	c.requireBalanced()
}

func TestReleaseAndCancelTakeABodyOrNone(t *testing.T) {
	t.Parallel()
	c := start(t)
	code := c.reserve(c.slot(5).ID, 2).ReservationConfirmationCode
	path := partnerapi.ReleasePath(code)
	c.call("DELETE", path, `{"reservationConfirmationCode":"another"}`).requireRefusal(400, `the body names "another"`)
	c.call("DELETE", path, `{"reservationConfirmationCode":7}`).requireRefusal(400, "reservationConfirmationCode: expected")
	c.requireVacancies(3)
	c.succeeds(c.call("DELETE", path, confirmBody(code)), schemas.ReleaseAnswer)
	c.succeeds(c.send("DELETE", path, "", http.Header{"Content-Type": {"application/json"}}), schemas.ReleaseAnswer)
	c.requireVacancies(5)
	c.call("POST", partnerapi.CancelPath("any"), `{"reason":7}`).requireRefusal(400, "reason: expected")
	c.succeeds(c.call("POST", partnerapi.CancelPath("any"), `{"reason":"rain"}`), schemas.CancelAnswer)
}

func TestAwkwardCodesReachTheirEndpoints(t *testing.T) {
	t.Parallel()
	c := start(t, withPolicy(catalog.Policy{Codes: catalog.AwkwardCodes}))
	slot := c.slot(50).ID
	var codes, ids []string
	for i := range 12 {
		code := c.reserve(slot, 1).ReservationConfirmationCode
		codes = append(codes, code)
		if i%2 == 0 {
			ids = append(ids, read[partnerapi.ConfirmAnswer](c.confirm(code).is(200, schemas.ConfirmAnswer)).ExternalBookingID)
		}
	}
	if !slices.Contains(append(codes, ids...), "..") {
		t.Fatalf("want one that is .., got %q and %q", codes, ids)
	}
	c.requireVacancies(38)
	for _, id := range ids {
		c.cancel(id)
	}
	c.requireVacancies(44)
	for _, code := range codes {
		c.release(code)
	}
	c.requireVacancies(50)
	c.requireBalanced()
}

func TestCodesStayOneSegmentBelowASandboxToo(t *testing.T) {
	t.Parallel()
	c := start(t)
	if _, err := c.mock.Create("mine"); err != nil {
		t.Fatal(err)
	}
	c.base += "/s/mine"
	for _, code := range []string{"a/b", "..", "%2F", "a+b c", "ü?#"} {
		c.release(code)
		c.cancel(code)
	}
}

func TestAPartnerMayLackHoldsCancelAndTickets(t *testing.T) {
	t.Parallel()
	c := start(t, withPolicy(catalog.Policy{NoHolds: true, NoCancel: true, NoTickets: true}))
	hold := c.reserve(c.slot(5).ID, 2)
	if hold.ExpiresAt != "2026-07-02T21:00:00+09:00" {
		t.Fatalf("want an expiry 24 hours ahead, got %s", hold.ExpiresAt)
	}
	c.requireVacancies(5)
	booking := c.confirm(hold.ReservationConfirmationCode).is(200, schemas.ConfirmAnswer)
	c.requireVacancies(3)
	if strings.Contains(booking.body, "tickets") {
		t.Fatalf("want no tickets, got %s", booking.body)
	}
	id := read[partnerapi.ConfirmAnswer](booking).ExternalBookingID
	c.call("POST", partnerapi.CancelPath(id), "").requireRefusal(404, "does not support cancellations")
	c.requireVacancies(3)
	c.requireBalanced()
}

func TestHoldForSaysHowLongAHoldLives(t *testing.T) {
	t.Parallel()
	c := start(t, func(o *mockpartner.Options) { o.HoldFor = 3 * time.Hour })
	hold := c.reserve(c.slot(5).ID, 2)
	if hold.ExpiresAt != "2026-07-02T00:00:00+09:00" {
		t.Fatalf("want an expiry 3 hours ahead, got %s", hold.ExpiresAt)
	}
	c.requireVacancies(3)
}
