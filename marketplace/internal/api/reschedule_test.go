package api_test

import (
	"fmt"
	"strings"
	"testing"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
)

// rescheduler is a shop with a confirmed booking and two other slots of its variation, all at one price.
type rescheduler struct {
	*shop
	old   client.Booking
	path  string // of the request
	slots []string
}

func openRescheduler(t *testing.T) *rescheduler {
	t.Helper()
	r := &rescheduler{shop: openShop(t)}
	_, err := r.control.Faults.Arm(t.Context(), `{match: {endpoint: availability}, answered: 200, jq: 'map(.unitPricing |= map(.original = 14500) | .status = "AVAILABLE")'}`)
	must(t, err)
	held := r.book(t)
	r.do(t, "POST", "/api/v1/resellers/bookings/"+held.ID+"/payment", `{"outcome":"succeeded","reference":"p-1"}`, r.reseller).data(t, &r.old)
	r.path = "/api/v1/resellers/bookings/" + r.old.ID + "/reschedule"
	slots, err := r.partner.Default().Slots("tokyo-market", "breakfast", r.now().AddDate(0, 0, 9), 20)
	must(t, err)
	for _, slot := range slots {
		if slot.AvailabilityID != r.old.AvailabilityID && slot.Vacancies > 3 {
			r.slots = append(r.slots, slot.AvailabilityID)
			_, err := r.store.Pool().Exec(t.Context(), `
				INSERT INTO slots (variation_id, availability_id, local_date, starts_at, ends_at, status, news_at)
				SELECT variation_id, $1, ($2::timestamptz AT TIME ZONE 'Asia/Tokyo')::date, $2, $3, 'AVAILABLE', now() FROM slots WHERE availability_id = $4 ON CONFLICT DO NOTHING`,
				slot.AvailabilityID, slot.Start, slot.End, r.old.AvailabilityID)
			must(t, err)
		}
	}
	return r
}

func (r *rescheduler) to(slot string) string { return fmt.Sprintf(`{"availability_id":%q}`, slot) }

func TestAResellerReschedules(t *testing.T) {
	t.Parallel()
	r := openRescheduler(t)
	var made, again, old client.Booking
	key := header{"Idempotency-Key", "move-1"}
	a := r.do(t, "POST", r.path, r.to(r.slots[0]), r.reseller, key)
	if a.data(t, &made); a.StatusCode != 200 || made.Status != client.Confirmed || made.RescheduledFrom != r.old.ID || made.AvailabilityID != r.slots[0] || made.RefundDue != "" ||
		len(made.Units) != 1 || made.Units[0].Quantity != 2 || made.Contact != r.old.Contact || len(made.History) == 0 {
		t.Errorf("want the same guests in the new slot, got %s", a.body)
	}
	if b := r.do(t, "POST", r.path, r.to(r.slots[0]), r.reseller, key); string(b.body) != string(a.body) {
		t.Errorf("want the same answer to the same key, got %s", b.body)
	}
	wantProblem(t, r.do(t, "POST", r.path, r.to(r.slots[1]), r.reseller, key), 422, "another body")
	wantProblem(t, r.do(t, "POST", "/api/v1/resellers/bookings/"+made.ID+"/reschedule", r.to(r.slots[0]), r.reseller, key), 422, "another body")
	r.do(t, "GET", "/api/v1/resellers/bookings/"+r.old.ID, "", r.reseller).data(t, &old)
	if old.Status != client.Cancelled || old.RescheduledTo != made.ID || len(old.Tickets) != 0 {
		t.Errorf("want the old booking replaced, got %+v", old)
	}
	wantProblem(t, r.do(t, "POST", r.path, r.to(r.slots[1]), r.reseller), 409, "rescheduled to "+made.ID)
	wantProblem(t, r.do(t, "POST", "/api/v1/resellers/bookings/"+r.old.ID+"/cancel", "", r.reseller), 409, "rescheduled to "+made.ID)
	r.do(t, "POST", "/api/v1/resellers/bookings/"+made.ID+"/reschedule", r.to(r.slots[1]), r.reseller).data(t, &again)
	if again.Status != client.Confirmed || again.RescheduledFrom != made.ID {
		t.Errorf("want it rescheduled again, got %+v", again)
	}
	var commissions []struct{ Status string }
	r.do(t, "GET", "/api/v1/affiliates/commissions", "", r.signIn(t, domain.Affiliate)).data(t, &commissions)
	if len(commissions) != 3 || commissions[0].Status != "accrued" || commissions[1].Status != "reversed" || commissions[2].Status != "reversed" {
		t.Errorf("want the affiliate's commission for the last booking alone, got %+v", commissions)
	}
	r.do(t, "POST", "/api/v1/resellers/bookings/"+again.ID+"/cancel", "", r.reseller).data(t, &again)
	text := "\n" + r.metrics(t)
	for _, want := range []string{
		`marketplace_bookings_total{mode="live",status="confirmed"} 1`, `marketplace_bookings_total{mode="live",status="cancelled"} 1`, // one sale, and its cancellation
		`marketplace_reschedules_total{mode="live",status="confirmed"} 2`, `marketplace_reschedules_total{mode="live",status="cancelled"} 0`,
	} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("want %s in the metrics", want)
		}
	}
	r.requireCallerKept(t)
}

func TestARescheduleIsRefusedWithAReasonForPrograms(t *testing.T) {
	t.Parallel()
	r := openRescheduler(t)
	for name, c := range map[string]struct {
		path, body string
		as         []header
		status     int
		reason     domain.Reason
	}{
		"without a slot":                 {r.path, `{}`, []header{r.reseller}, 400, domain.InvalidRequest},
		"with a reference of two lines":  {r.path, `{"availability_id":"a","reference":"a\nb"}`, []header{r.reseller}, 400, domain.InvalidRequest},
		"to the slot that it has":        {r.path, r.to(r.old.AvailabilityID), []header{r.reseller}, 409, domain.SameSlot},
		"to a slot of another option":    {r.path, r.to("none"), []header{r.reseller}, 404, domain.Unknown},
		"of an unknown booking":          {"/api/v1/resellers/bookings/0197c6f2-8d5e-7b3a-9c41-52e0f6a1d7b8/reschedule", r.to(r.slots[0]), []header{r.reseller}, 404, domain.Unknown},
		"of a live booking in test mode": {r.path, r.to(r.slots[0]), []header{r.reseller, {"X-Mode", "test"}}, 404, domain.Unknown},
		"by another reseller":            {r.path, r.to(r.slots[0]), []header{r.anotherAccount(t, domain.Reseller)}, 404, domain.Unknown},
		"by an affiliate":                {r.path, r.to(r.slots[0]), []header{r.signIn(t, domain.Affiliate)}, 403, domain.WrongRole},
	} {
		t.Run(name, func(t *testing.T) {
			a := r.do(t, "POST", c.path, c.body, c.as...)
			if a.StatusCode != c.status || !strings.Contains(string(a.body), fmt.Sprintf(`"error_code":%q`, c.reason)) {
				t.Errorf("want %d %s, got %s", c.status, c.reason, a.body)
			}
		})
	}
}
