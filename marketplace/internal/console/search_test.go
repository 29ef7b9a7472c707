package console_test

import (
	"net/http"
	"strings"
	"testing"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestABookingIsFoundByActivityPartnerAndDate(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	id := s.bookUnconfirmed(s.order(made))
	booking := call[client.Booking](s, domain.Operator, "GET", "/operator/bookings/"+id, "")
	activity := call[client.OperatorActivity](s, domain.Operator, "GET", "/operator/activities/"+booking.ActivityID, "")
	v := s.operator()
	day, next := booking.Start.UTC().Format("2006-01-02"), booking.Start.UTC().AddDate(0, 0, 1).Format("2006-01-02")
	for _, query := range []string{
		"activity=" + booking.ActivityID, "activity=" + strings.ReplaceAll(activity.Title, " ", "+"), "partner=" + made.ID, "partner=town+w", "partner=OLD+TOWN+WALKS",
		"start_from=" + day + "&start_to=" + day, "created_from=2026-07-01&created_to=2026-07-01", "q=sousa&partner=old+town&status=PAID",
	} {
		v.shows(v.get("/console/bookings?"+query), 200, "/console/bookings/"+id)
	}
	for _, query := range []string{"start_from=" + next, "created_to=2026-06-30", "activity=00000000-0000-4000-8000-000000000000"} {
		v.shows(v.get("/console/bookings?"+query), 200, "No booking matches")
	}
	v.shows(v.get("/console/bookings?partner=unknown&activity=unknown"), 422, "No integration matches", "No activity matches", `value="unknown"`, `<details class="more" open>`)
	call[any](s, domain.Operator, "POST", "/partner-integrations", `{"name":"New Town Walks","base_url":"https://new.example","auth_type":"bearer","auth_key":"partner-key"}`)
	v.shows(v.get("/console/bookings?partner=town"), 422, "Several match: New Town Walks, Old Town Walks.")
	v.shows(v.get("/console/bookings?start_from=someday"), 422, `value="someday"`)

	p := v.get("/console/integrations?q=new+town")
	if v.shows(p, 200, "New Town Walks"); strings.Contains(p.text, "Old Town Walks") {
		t.Error("want one of two integrations")
	}
	v.shows(v.get("/console/integrations?q=unknown"), 200, "No integration matches")
}

func TestABookingsPageHasItsTicketsItsZoneAndMoneyAsItsReaderWritesIt(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	id := s.bookUnconfirmed(s.order(made))
	v := s.operator()
	at := "/console/bookings/" + id
	booking := call[client.Booking](s, domain.Operator, "GET", "/operator/bookings/"+id, "")
	v.shows(v.get(at), 200, booking.TimeZone, booking.Start.Format("Mon 2 Jan 2006, 15:04"), "They arrive when the partner confirms")

	// The partner refuses again: what the page says is not that all is well.
	s.arm(`{match: {endpoint: confirm}, times: 1, status: 409, body: '{"message":"Still sold out"}'}`)
	p := v.post(at + "/confirm")
	if v.shows(p, 200, `class="note open"`, "still needs attention: paid, but the partner did not confirm", "Still sold out"); strings.Contains(p.text, "The booking is now") {
		t.Error("want no word of success")
	}
	pgtest.Exec(t, s.store, `UPDATE bookings SET status = 'CONFIRMED', external_booking_id = 'B-1', total = 1234.5, currency = 'EUR', tickets = '[{"redemptionMethod":"DIGITAL","deliveryOptions":[
		{"deliveryFormat":"QRCODE","deliveryMethod":"TICKET","deliveryValue":"QR-77"},{"deliveryFormat":"PDF_URL","deliveryMethod":"VOUCHER","deliveryValue":"https://tickets.example/77.pdf"},
		{"deliveryFormat":"PDF_URL","deliveryMethod":"VOUCHER","deliveryValue":"javascript:alert(1)"}]}]'`)
	request, err := http.NewRequestWithContext(t.Context(), "GET", s.address+at, nil)
	errtest.Check(s.t, err)
	request.Header.Set("Accept-Language", "de-DE")
	p = v.send(request)
	v.shows(p, 200, "1.234,50 EUR", "QR-77", "DIGITAL", `href="https://tickets.example/77.pdf"`, "<code>javascript:alert(1)</code>")
	v.shows(v.get(at), 200, "1,234.50 EUR")
}

func TestAPageThatIsMissingHasTheNavigation(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := s.operator()
	for _, path := range []string{"/console/nothing", "/console/bookings/00000000-0000-4000-8000-000000000000", "/console/integrations/nothing/at/all"} {
		v.shows(v.get(path), 404, `aria-label="Sections"`, "was deleted", `class="step" href="/console/bookings"`)
	}
	if p := s.visitor().get("/console/nothing"); p.status != 404 || strings.Contains(p.text, `aria-label="Sections"`) {
		t.Errorf("want no navigation for strangers, got %d", p.status)
	}
}

func TestTheOverviewShowsTheQueueTheAgeOfDataAndWhatHappened(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := s.operator()
	v.shows(v.get("/console/"), 200, "Nothing has happened yet", "none yet")
	made := s.registerStocked()
	s.bookUnconfirmed(s.order(made))
	s.arm(`{match: {endpoint: products}, times: 1, status: 503}`)
	v.sync("/console/integrations/"+made.ID, "full")
	s.ahead.Add(int64(3 * 3600e9))
	v.shows(v.get("/console/"), 200, "Why bookings need attention", "/console/bookings?attention=true&amp;mode=live&amp;partner="+made.ID, "3 h ago",
		"sync failed", "with 503", "needs attention", "Paid, but the partner did not confirm", "Oldest sync")
	v.shows(v.get("/console/integrations"), 200, "Failed calls, 24 h", `class="spark"`, "failed")
	v.shows(v.get("/console/integrations/"+made.ID), 200, "refused as the contract allows", "All answers but 2xx", "with 503")
}
