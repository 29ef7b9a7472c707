package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/replica"
	"partnerkit.dev/mockpartner"
	control "partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas/partnerapi"
)

// shop is a service with a partner whose catalog it has pulled, and a slot to book.
type shop struct {
	*bench
	partner  *mockpartner.Mock
	control  *control.Client
	reseller header
	order    string // the body of a checkout

	partnerURL string
}

func openShop(t testing.TB, change ...func(*replica.Config)) *shop {
	t.Helper()
	s := &shop{bench: setup(t, change...)}
	mock := mocktest.Start(t, mockpartner.Options{AuthKey: "partner-key", Now: s.now(), Frozen: true, Seed: 1})
	s.partner, s.partnerURL, s.control = mock.Mock, mock.URL, mock.Control
	made := s.register(t, s.signIn(t, domain.Partner), mock.URL)
	if a := s.trigger(t, made); a.StatusCode != 200 {
		t.Fatalf("want a catalog, got %s", a.body)
	}
	s.reseller = s.signIn(t, domain.Reseller)
	s.order = asJSON(t, s.notifySlot(t, s.partner, made, 2))
	return s
}

// notifySlot stores a slot of the mock partner by its webhook, and returns the body of a checkout for
// that number of adults.
func (b *bench) notifySlot(t testing.TB, mock *mockpartner.Mock, made registered, adults int) map[string]any {
	t.Helper()
	const product, option = "tokyo-market", "breakfast"
	slots, err := mock.Default().Slots(product, option, b.now().AddDate(0, 0, 9), 20)
	must(t, err)
	for len(slots) > 0 && slots[0].Status != partnerapi.StatusAvailable {
		slots = slots[1:]
	}
	if len(slots) == 0 {
		t.Fatal("no slot can be booked")
	}
	slot := slots[0]
	a := b.do(t, "POST", "/api/v1/partner-integrations/"+made.ID+"/availability/notify", fmt.Sprintf(
		`{"productId":%q,"optionId":%q,"availabilityId":%q,"localDateTimeStart":%q,"localDateTimeEnd":%q,"status":"AVAILABLE","vacancies":6}`,
		product, option, slot.AvailabilityID, partnerapi.FormatDateTime(slot.Start), partnerapi.FormatDateTime(slot.End)), header{"x-webhook-secret", made.Secret})
	if a.StatusCode != 200 {
		t.Fatalf("want the slot stored, got %s", a.body)
	}
	var activity, variation uuid.UUID
	must(t, b.store.Pool().QueryRow(t.Context(), `
		SELECT v.activity_id, v.id FROM slots s JOIN variations v ON v.id = s.variation_id JOIN activities a ON a.id = v.activity_id WHERE a.integration_id = $1`, made.ID).Scan(&activity, &variation))
	return map[string]any{
		"activity_id": activity, "variation_id": variation, "availability_id": slot.AvailabilityID, "units": []any{map[string]any{"type": "ADULT", "quantity": adults}},
		"contact": map[string]any{"fullName": "Ana Sousa", "emailAddress": "ana@example.com"}, "affiliate_code": b.accounts[domain.Affiliate].ID,
	}
}

func (s *shop) book(t testing.TB, headers ...header) client.Booking {
	t.Helper()
	var b client.Booking
	a := s.do(t, "POST", "/api/v1/resellers/bookings", s.order, append(headers, s.reseller)...)
	if a.data(t, &b); a.StatusCode != 201 || b.Status != "HELD" {
		t.Fatalf("want it held, got %s", a.body)
	}
	return b
}

func (s *shop) requireCallerKept(t testing.TB) {
	t.Helper()
	mocktest.AssertCallerKept(t, s.partner.Default())
}

func TestAResellerBooksPaysAndCancels(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	held := s.book(t)
	path := "/api/v1/resellers/bookings/" + held.ID
	var b client.Booking
	s.do(t, "POST", path+"/payment", `{"outcome":"succeeded","reference":"p-1"}`, s.reseller).data(t, &b)
	if b.Status != "CONFIRMED" || b.ExternalBookingID == "" || b.Attention != nil {
		t.Errorf("want it confirmed, got %+v", b)
	}
	wantProblem(t, s.do(t, "DELETE", path, "", s.reseller), 409, "the booking is CONFIRMED")
	s.do(t, "POST", path+"/cancel", `{"reason":"ill"}`, s.reseller).data(t, &b)
	if b.Status != "CANCELLED" {
		t.Errorf("want it cancelled, got %+v", b)
	}
	var list []client.Booking
	s.do(t, "GET", "/api/v1/resellers/bookings?status=CANCELLED", "", s.reseller).data(t, &list)
	if len(list) != 1 || list[0].ID != held.ID {
		t.Errorf("want it listed, got %+v", list)
	}
	var commissions []struct{ Status string }
	s.do(t, "GET", "/api/v1/affiliates/commissions", "", s.signIn(t, domain.Affiliate)).data(t, &commissions)
	if len(commissions) != 1 || commissions[0].Status != "reversed" {
		t.Errorf("want a commission that was reversed, got %+v", commissions)
	}
	s.requireCallerKept(t)
}

func TestAResellerReadsThePartnersTicketsUnchanged(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	const tickets = `[{"redemptionMethod":"DIGITAL","deliveryOptions":[{"deliveryFormat":"QRCODE","deliveryMethod":"TICKET","deliveryValue":" T-1/é "},` +
		`{"deliveryFormat":"PDF_URL","deliveryMethod":"VOUCHER","deliveryValue":"https://tickets.example/T-1.pdf"}]},` +
		`{"redemptionMethod":"PRINT","deliveryOptions":[{"deliveryFormat":"EAN13","deliveryMethod":"TICKET","deliveryValue":"0012345678905"}]}]`
	_, err := s.control.Faults.Arm(t.Context(), `{match: {endpoint: confirm}, times: 1, jq: '.tickets = `+tickets+`'}`)
	must(t, err)
	path := "/api/v1/resellers/bookings/" + s.book(t).ID
	for _, a := range []answer{s.do(t, "POST", path+"/payment", `{"outcome":"succeeded","reference":"p-1"}`, s.reseller), s.do(t, "GET", path, "", s.reseller)} {
		if !strings.Contains(string(a.body), `"tickets":`+tickets) {
			t.Errorf("want the tickets %s, got %s", tickets, a.body)
		}
	}
	s.requireCallerKept(t)
}

// cycle books, pays and confirms.
func (s *shop) cycle(t testing.TB, reference string, headers ...header) {
	t.Helper()
	var b client.Booking
	s.do(t, "POST", "/api/v1/resellers/bookings/"+s.book(t, headers...).ID+"/payment", fmt.Sprintf(`{"outcome":"succeeded","reference":%q}`, reference), s.reseller).data(t, &b)
	if b.Status != "CONFIRMED" {
		t.Errorf("want it confirmed, got %+v", b)
	}
}

// keyed has the headers of a cycle without a key and of one with a key.
var keyed = map[string][]header{"without-key": nil, "with-key": {{"Idempotency-Key", "order-1"}}}

func TestABookingTakesFewRoundTripsToTheDatabase(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.cycle(t, "p-1") // from here on the partner's health is stored
	const mostTrips, mostTransactions = 12, 5
	for name, headers := range keyed {
		trips := s.queries.Trips(func() { s.cycle(t, name, headers...) })
		if writes := pgtest.Transactions(trips); len(trips) > mostTrips || writes > mostTransactions || writes == 0 {
			t.Errorf("%s: want at most %d round trips and %d transactions that write, got %d and %d:", name, mostTrips, mostTransactions, len(trips), writes)
			for _, trip := range trips {
				t.Errorf("%d statements, the first %.100s", len(trip), strings.TrimSpace(trip[0].SQL))
			}
		}
	}
	s.requireCallerKept(t)
}

func TestARequestWithAKeyIsDoneOnce(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	key := header{"Idempotency-Key", "order-1"}
	first := s.do(t, "POST", "/api/v1/resellers/bookings", s.order, key, s.reseller)
	again := s.do(t, "POST", "/api/v1/resellers/bookings", s.order, key, s.reseller)
	if again.StatusCode != 201 || string(again.body) != string(first.body) {
		t.Errorf("want the same answer, got %d %s\nand %s", again.StatusCode, again.body, first.body)
	}
	wantProblem(t, s.do(t, "POST", "/api/v1/resellers/bookings", strings.Replace(s.order, `"quantity":2`, `"quantity":1`, 1), key, s.reseller), 422, "another body")
	var made client.Booking
	first.data(t, &made)
	if read := s.do(t, "GET", "/api/v1/resellers/bookings/"+made.ID, "", s.reseller); string(read.body) != string(first.body) {
		t.Errorf("want what is read to be what was answered, got %s\nand %s", read.body, first.body)
	}
	if holds := s.partner.Default().Holds(); len(holds) != 1 {
		t.Errorf("want one hold, got %d", len(holds))
	}
	wantProblem(t, s.do(t, "POST", "/api/v1/resellers/bookings", s.order, header{"Idempotency-Key", strings.Repeat("x", 201)}, s.reseller), 400, "Idempotency-Key")
	s.ahead.Add(int64(25 * time.Hour)) // the partner's clock stands still, so its slot is days ahead
	if later := s.do(t, "POST", "/api/v1/resellers/bookings", s.order, key, s.signIn(t, domain.Reseller)); later.StatusCode != 201 || string(later.body) == string(first.body) {
		t.Errorf("want the key forgotten, got %d %s", later.StatusCode, later.body)
	}
}

func TestARepeatedRequestGetsTheSameRefusal(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	if _, err := s.control.Faults.Arm(t.Context(), `{match: {endpoint: reserve}, times: 1, status: 400, body: '{"message":"Only for <b>members</b>."}'}`); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		a := s.do(t, "POST", "/api/v1/resellers/bookings", s.order, header{"Idempotency-Key", "order-1"}, s.reseller)
		wantProblem(t, a, 409, `Only for \u003cb\u003emembers`)
	}
	s.requireCallerKept(t)
}

func TestAnOperatorFindsRetriesAndSettlesAPaidBooking(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	held := s.book(t)
	if _, err := s.control.Faults.Arm(t.Context(), `{match: {endpoint: confirm}, times: 1, status: 503}`); err != nil {
		t.Fatal(err)
	}
	var b client.Booking
	s.do(t, "POST", "/api/v1/resellers/bookings/"+held.ID+"/payment", `{"outcome":"succeeded","reference":"p-1"}`, s.reseller).data(t, &b)
	if b.Status != "PAID" || b.Attention == nil || b.Attention.Reason != "confirm_refused" {
		t.Errorf("Expected PAID, and an operator to be notified, received %+v", b)
	}
	operator := s.signIn(t, domain.Operator)
	var list []client.Booking
	s.do(t, "GET", "/api/v1/operator/bookings?attention=true", "", operator).data(t, &list)
	if len(list) != 1 || list[0].ID != held.ID || !slices.Equal(list[0].Attention.Actions, []client.Action{client.MayConfirm, client.MayCancel}) {
		t.Errorf("want it listed with what can be done, got %+v", list)
	}
	code := s.partner.Default().Holds()[0].Code
	if _, err := s.control.Journal.Testify(t.Context(), control.Testimony{ByHand: code}); err != nil {
		t.Fatal(err)
	}
	alarm := `marketplace_bookings_attention{mode="live",reason="confirm_refused"} `
	if a := s.do(t, "GET", "/metrics", ""); !strings.Contains(string(a.body), alarm+"1\n") {
		t.Errorf("want an alarm, got %s", a.body)
	}
	s.do(t, "POST", "/api/v1/operator/bookings/"+held.ID+"/confirm", "", operator).data(t, &b)
	if b.Status != "CONFIRMED" || b.Attention != nil {
		t.Errorf("want it confirmed, got %+v", b)
	}
	s.do(t, "GET", "/api/v1/operator/bookings?attention=true", "", operator).data(t, &list)
	if len(list) != 0 {
		t.Errorf("want nothing left, got %+v", list)
	}
	if a := s.do(t, "GET", "/metrics", ""); !strings.Contains(string(a.body), alarm+"0\n") {
		t.Errorf("want it over, got %s", a.body)
	}
	s.do(t, "POST", "/api/v1/operator/bookings/"+held.ID+"/cancel", "", operator).data(t, &b)
	if b.Status != "CANCELLED" {
		t.Errorf("want it cancelled, got %+v", b)
	}
	for _, action := range []string{"confirm", "deliver"} {
		wantProblem(t, s.do(t, "POST", "/api/v1/operator/bookings/"+held.ID+"/"+action, "", operator), 409, "the booking is CANCELLED")
	}
	s.do(t, "POST", "/api/v1/operator/bookings/"+held.ID+"/resolve", "", operator).data(t, &b)
	s.requireCallerKept(t)
}

func TestAGuestIsErasedOnDemandOnceThePartnerNoLongerNeedsTheContact(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	held, operator := s.book(t), s.signIn(t, domain.Operator)
	erase := func() answer {
		return s.do(t, "POST", "/api/v1/operator/bookings/"+held.ID+"/erase-guest", "", operator)
	}
	wantProblem(t, erase(), 409, "the booking is HELD: the partner may still need the guest's data")
	if held.Contact.FullName == "" {
		t.Error("Expected a guest with a name, received none")
	}
	s.do(t, "DELETE", "/api/v1/resellers/bookings/"+held.ID, "", s.reseller)
	var b client.Booking
	for range 2 { // the second time there is nothing left to erase
		erase().data(t, &b)
		if b.Contact != (client.Contact{}) {
			t.Errorf("Expected no contact, received %+v", b.Contact)
		}
	}
	wantProblem(t, s.do(t, "POST", "/api/v1/operator/bookings/"+uuid.NewString()+"/erase-guest", "", operator), 404, "booking not found")
	s.requireCallerKept(t)
}

func TestHowAPartnersAnswersBreakTheContractIsShownToIt(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	held := s.book(t)
	if _, err := s.control.Faults.Arm(t.Context(), `{match: {endpoint: confirm}, times: 1, status: 200, body: '{"externalBookingId":"B-1","status":"PENDING"}'}`); err != nil {
		t.Fatal(err)
	}
	var b client.Booking
	s.do(t, "POST", "/api/v1/resellers/bookings/"+held.ID+"/payment", `{"outcome":"succeeded","reference":"p-1"}`, s.reseller).data(t, &b)
	if b.Status != "CONFIRMED" {
		t.Errorf("want it still confirmed, got %+v", b)
	}
	var views []client.Integration
	s.do(t, "GET", "/api/v1/partner-integrations", "", s.signIn(t, domain.Partner)).data(t, &views)
	if len(views) != 1 || len(views[0].Breaches) == 0 {
		t.Fatalf("want what was broken, got %+v", views)
	}
	if got := views[0].Breaches[0]; got.BookingID != held.ID || got.Endpoint != "confirm" || !strings.Contains(got.Message, "status") || !got.At.Equal(s.now()) {
		t.Errorf("want the booking, the call, what is wrong and when, got %+v", got)
	}
	s.requireCallerKept(t)
}

func TestAnIdThatAnotherBookingHasIsShownToThePartner(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	if _, err := s.control.Faults.Arm(t.Context(), `{match: {endpoint: confirm}, times: 2, answered: 200, jq: ".externalBookingId = \"B-1\""}`); err != nil {
		t.Fatal(err)
	}
	var second client.Booking
	for _, payment := range []string{"p-1", "p-2"} {
		held := s.book(t)
		s.do(t, "POST", "/api/v1/resellers/bookings/"+held.ID+"/payment", `{"outcome":"succeeded","reference":"`+payment+`"}`, s.reseller).data(t, &second)
		if second.Status != "CONFIRMED" {
			t.Errorf("want it still confirmed, got %+v", second)
		}
	}
	var views []client.Integration
	s.do(t, "GET", "/api/v1/partner-integrations", "", s.signIn(t, domain.Partner)).data(t, &views)
	if len(views) != 1 || len(views[0].Breaches) != 1 {
		t.Fatalf("want what was broken, once, got %+v", views)
	}
	if got := views[0].Breaches[0]; got.BookingID != second.ID || got.Endpoint != "confirm" || !strings.Contains(got.Message, "externalBookingId: expected an id that no other booking has") {
		t.Errorf("want the booking that has the id of another, got %+v", got)
	}
	s.requireCallerKept(t)
}

func TestAnOrderThatIsWrongNamesEachField(t *testing.T) {
	t.Parallel()
	b := shared(t)
	reseller := b.signIn(t, domain.Reseller)
	good := `{"activity_id":"` + uuid.NewString() + `","variation_id":"` + uuid.NewString() + `","availability_id":"s","units":[{"type":"ADULT","quantity":1}],"contact":{"fullName":"Ana","emailAddress":"ana@example.com"}}`
	for name, c := range map[string]struct {
		body   string
		status int
		words  []string
	}{
		"nothing":          {`{}`, 400, []string{"activity_id: is required", "availability_id: is required", "units: is required", "contact: is required"}},
		"wrong types":      {`{"units":"two"}`, 400, []string{"units: expected an array"}},
		"no guest":         {strings.Replace(good, `"quantity":1`, `"quantity":0`, 1), 400, []string{"units[0].quantity: expected 1 or more"}},
		"unknown guests":   {strings.Replace(good, "ADULT", "PIRATE", 1), 400, []string{"units[0].type: expected one of"}},
		"no address":       {strings.Replace(good, "ana@example.com", "ana", 1), 400, []string{"contact.emailAddress"}},
		"a NUL":            {strings.Replace(good, `"fullName":"Ana"`, `"fullName":"A\u0000"`, 1), 400, []string{`contact.fullName: expected a text without`}},
		"no activity":      {good, 404, []string{"activity not found"}},
		"no activity's id": {strings.Replace(good, `{"activity_id":"`, `{"activity_id":"x`, 1), 404, []string{"activity not found"}},
		"a broken payment": {"", 404, []string{"booking not found"}},
	} {
		path := "/api/v1/resellers/bookings"
		if c.body == "" {
			path, c.body = path+"/17/payment", `{"outcome":"succeeded","reference":"p"}`
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantProblem(t, b.do(t, "POST", path, c.body, reseller), c.status, c.words...)
		})
	}
}

func TestAnotherResellersBookingIsNotThere(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	held := s.book(t)
	other := s.anotherAccount(t, domain.Reseller)
	path := "/api/v1/resellers/bookings/" + held.ID
	for _, asked := range []struct{ method, path, body string }{
		{"GET", path, ""}, {"DELETE", path, ""}, {"POST", path + "/cancel", ""}, {"POST", path + "/payment", `{"outcome":"succeeded","reference":"p"}`},
	} {
		wantProblem(t, s.do(t, asked.method, asked.path, asked.body, other), 404, "booking not found")
	}
	var list []client.Booking
	s.do(t, "GET", "/api/v1/resellers/bookings", "", other).data(t, &list)
	if len(list) != 0 {
		t.Errorf("want none of another's, got %+v", list)
	}
	var b client.Booking
	s.do(t, "DELETE", path, "", s.reseller).data(t, &b)
	if b.Status != "RELEASED" || b.PartnerRelease == "" {
		t.Errorf("want it given back by its own, got %+v", b)
	}
	s.requireCallerKept(t)
}

func TestABookingKeepsWhatWasSold(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	operator := s.signIn(t, domain.Operator)
	held := s.book(t)
	activity := "/api/v1/operator/activities/" + held.ActivityID
	var sold client.Activity
	s.do(t, "GET", activity, "", operator).data(t, &sold)
	s.do(t, "PATCH", activity, `{"activity_title":"Another title","address":"Another place"}`, operator).data(t, &struct{}{})
	read := func() (b client.Booking) {
		s.do(t, "GET", "/api/v1/resellers/bookings/"+held.ID, "", s.reseller).data(t, &b)
		return b
	}
	b := read()
	if b.ActivityTitle != sold.Title || b.VariationTitle == "" || b.TimeZone != "Asia/Tokyo" || b.Voucher.PartnerName == "" || b.Voucher.Address != "" {
		t.Errorf("want what was sold at checkout, got %+v", b)
	}
	// Earlier releases did not store it.
	pgtest.Exec(t, s.store, `UPDATE bookings SET sold = NULL`)
	if b := read(); b.ActivityTitle != "Another title" || b.VariationTitle == "" || b.Voucher.PartnerName == "" || b.Voucher.Address != "Another place" {
		t.Errorf("want what the catalog says today, got %+v", b)
	}
	s.requireCallerKept(t)
}

func TestPaymentsToRefundAreNamedAndACancelledBookingHasNoTickets(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	path := "/api/v1/resellers/bookings/" + s.book(t).ID
	var paid client.Booking
	for _, one := range []struct {
		reference string
		refund    []string
	}{{"p-1", nil}, {"p-2", []string{"p-2"}}, {"p-1", []string{"p-2"}}, {"p-3", []string{"p-2", "p-3"}}} {
		paid = client.Booking{}
		s.do(t, "POST", path+"/payment", fmt.Sprintf(`{"outcome":"succeeded","reference":%q}`, one.reference), s.reseller).data(t, &paid)
		if paid.Attention == nil && one.refund == nil {
			continue
		}
		if paid.Attention == nil || paid.Attention.Reason != client.DuplicatePayment || !slices.Equal(paid.Attention.Refund, one.refund) || !strings.HasSuffix(paid.Attention.Message, ": refund "+strings.Join(one.refund, ", ")) {
			t.Errorf("%s: want %v to be refunded, got %+v", one.reference, one.refund, paid.Attention)
		}
	}
	if len(paid.Tickets) == 0 {
		t.Errorf("want tickets of a confirmed booking, got %+v", paid)
	}
	var cancelled, listed client.Booking
	s.do(t, "POST", path+"/cancel", `{}`, s.reseller).data(t, &cancelled)
	s.do(t, "GET", path, "", s.reseller).data(t, &listed)
	if cancelled.Status != client.Cancelled || len(cancelled.Tickets)+len(listed.Tickets) > 0 || listed.ExternalBookingID == "" {
		t.Errorf("want no tickets of a cancelled booking, got %+v", listed)
	}
	s.requireCallerKept(t)
}
