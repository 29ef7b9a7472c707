package api_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/storefront"
)

// surfaces returns where resellers and affiliates find an activity of a side.
func (w *bothModes) surfaces(t *testing.T, s *side, at *storefront.Front) map[string]bool {
	t.Helper()
	must(t, at.CatchUp(t.Context()))
	w.do(t, "PUT", "/api/v1/operator/pricing", `{"commission_percentage":0}`, w.signIn(t, domain.Operator)) // waits until this replica shows the changes
	asks := s.callers[0].headers
	variation := fmt.Sprintf("/api/v1/resellers/activities/%s/variations/%s", s.order["activity_id"], s.order["variation_id"])
	found := map[string]bool{}
	for name, path := range map[string]string{
		"the list": "/api/v1/resellers/activities?limit=1", "the search": "/api/v1/resellers/activities?q=dawn", "the affiliates' list": "/api/v1/affiliates/activities",
	} {
		headers := asks
		if name == "the affiliates' list" {
			headers = s.callers[len(s.callers)-1].headers
		}
		var page struct{ Data []any }
		a := w.do(t, "GET", path, "", headers...)
		must(t, json.Unmarshal(a.body, &page))
		found[name] = len(page.Data) > 0
	}
	for name, path := range map[string]string{
		"the activity": fmt.Sprintf("/api/v1/resellers/activities/%s", s.order["activity_id"]),
		"the calendar": variation + "/calendar?from=2026-01-01&to=2026-01-31", "the slots of a day": variation + "/availability?date=2026-01-01",
	} {
		found[name] = w.do(t, "GET", path, "", asks...).StatusCode == http.StatusOK
	}
	body, err := json.Marshal(s.order)
	must(t, err)
	found["the checkout"] = w.do(t, "POST", "/api/v1/resellers/bookings", string(body), asks...).StatusCode != http.StatusNotFound // its seats may be sold
	listed, err := at.List(t.Context(), storefront.Query{Page: 1, Limit: 1, Filter: storefront.Filter{Mode: s.mode}})
	must(t, err)
	var page struct{ Data []any }
	must(t, json.Unmarshal(listed.Body, &page))
	found["another replica's list"] = len(page.Data) > 0
	return found
}

func TestActivitiesWithoutARequiredCertificateAreOnNoSurface(t *testing.T) {
	t.Parallel()
	w := openBothModes(t)
	replica, err := storefront.Open(t.Context(), storefront.Config{
		Store: w.store.Storefront, PageCache: 1 << 20, AffiliateURL: "https://shop.example/{activity}?by={affiliate}", Now: w.now, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	must(t, err)
	t.Cleanup(replica.Close)
	wanted := func(when string, live bool) {
		t.Helper()
		for side, listed := range map[*side]bool{w.live: live, w.test: true} { // partners prepare in test mode
			for surface, found := range w.surfaces(t, side, replica) {
				if found != listed {
					t.Errorf("%s: expected %s activities in %s: %t, received %t", when, side.mode, surface, listed, found)
				}
			}
		}
	}
	exec := func(query string) { pgtest.Exec(t, w.store, fmt.Sprintf(query, w.live.partner.ID)) }
	booked := w.book(t, w.live)
	wanted("without a policy", true)

	must(t, w.store.Runs.Govern(t.Context(), conformance.Rules{Default: conformance.Require}))
	wanted("before a certificate", false)
	if a := w.do(t, "POST", "/api/v1/resellers/bookings/"+booked+"/payment", `{"outcome":"succeeded","reference":"p-1"}`, w.live.callers[0].headers...); a.StatusCode != http.StatusOK {
		t.Errorf("Expected a booking from before paid, received %s", a.body)
	}
	if a := w.do(t, "POST", "/api/v1/resellers/bookings/"+booked+"/cancel", `{}`, w.live.callers[0].headers...); a.StatusCode != http.StatusOK {
		t.Errorf("Expected a booking from before cancelled, received %s", a.body)
	}
	certify := func() {
		exec(`INSERT INTO conformance_certificates (integration_id, run_id, base_url, auth_type, handles_ticket_delivery, jws, issued_at, valid_until)
			SELECT id, gen_random_uuid(), base_url, auth_type, handles_ticket_delivery, 'x', now(), now() + interval '90 days' FROM integrations WHERE id = '%s'
			ON CONFLICT (integration_id) DO UPDATE SET run_id = EXCLUDED.run_id, base_url = EXCLUDED.base_url, auth_type = EXCLUDED.auth_type,
				handles_ticket_delivery = EXCLUDED.handles_ticket_delivery, valid_until = EXCLUDED.valid_until, ended_at = NULL, ended_by = NULL`)
	}
	certify()
	wanted("with a certificate", true)
	exec(`UPDATE conformance_certificates SET ended_at = now(), ended_by = run_id WHERE integration_id = '%s'`)
	wanted("after a breach", false)
	certify()
	exec(`UPDATE integrations SET base_url = base_url || '/v2' WHERE id = '%s'`)
	wanted("at another address", false)
	exec(`UPDATE integrations SET base_url = left(base_url, -3) WHERE id = '%s'`)
	wanted("at the address that was tested, without a new run", false)
	certify()
	exec(`UPDATE conformance_certificates SET valid_until = now() + interval '1 millisecond' WHERE integration_id = '%s'`)
	pgtest.Exec(t, w.store, `SELECT pg_sleep(0.01)`)
	for _, wanted := range []int{1, 0} { // the change is reported once
		changed, err := w.store.Runs.Withhold(t.Context())
		must(t, err)
		if len(changed) != wanted || wanted == 1 && !changed[0].Withheld {
			t.Errorf("Expected %d integrations to be withheld, received %+v", wanted, changed)
		}
	}
	wanted("after the certificate's time", false)

	must(t, w.store.Runs.Govern(t.Context(), conformance.Rules{Default: conformance.Off}))
	wanted("without the policy again", true)
}

// TestACertificateListsActivitiesOnOtherReplicas waits for the database's notification, as replicas
// do. It reports how long that took.
func TestACertificateListsActivitiesOnOtherReplicas(t *testing.T) {
	t.Parallel()
	w := openBothModes(t)
	var replicas []*storefront.Front
	for range 2 {
		one, err := storefront.Open(t.Context(), storefront.Config{
			Store: w.store.Storefront, PageCache: 1 << 20, AffiliateURL: "https://shop.example/{activity}?by={affiliate}", Now: w.now, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		})
		must(t, err)
		t.Cleanup(one.Close)
		replicas = append(replicas, one)
	}
	await := func(what string, listed bool) {
		t.Helper()
		began, deadline := time.Now(), time.After(patience)
		for _, one := range replicas {
			for {
				answer, err := one.List(t.Context(), storefront.Query{Page: 1, Limit: 1, Filter: storefront.Filter{Mode: domain.Live}})
				must(t, err)
				var page struct{ Data []any }
				must(t, json.Unmarshal(answer.Body, &page))
				if len(page.Data) > 0 == listed {
					break
				}
				select {
				case <-deadline:
					t.Fatalf("%s: Expected listed: %t", what, listed)
				case <-time.After(10 * time.Millisecond):
				}
			}
		}
		t.Logf("%s: after %s on both replicas", what, time.Since(began).Round(time.Millisecond))
	}
	await("before the policy", true)
	must(t, w.store.Runs.Govern(t.Context(), conformance.Rules{Default: conformance.Require}))
	await("without a certificate", false)
	w.certify(t, w.live.partner.ID)
	await("with a certificate", true)
	pgtest.Exec(t, w.store, `UPDATE conformance_certificates SET ended_at = now(), ended_by = run_id`)
	await("after a breach", false)
}

func TestResellersReceiveEventsWhenActivitiesAreWithheldAndListedAgain(t *testing.T) {
	t.Parallel()
	w := openBothModes(t)
	pgtest.Exec(t, w.store, `UPDATE event_subscriptions SET events = events || '{activity.removed}'`)
	count := func(query string) (n int) {
		must(t, w.store.Pool().QueryRow(t.Context(), query).Scan(&n))
		return n
	}
	listed := count(`SELECT count(*) FROM activities a JOIN integrations i ON i.id = a.integration_id WHERE i.mode = 'live' AND a.partner_active AND a.operator_active`)
	for _, one := range []struct {
		policy   conformance.Policy
		reported string
	}{{conformance.Require, "activity.removed"}, {conformance.Off, "activity.changed"}} {
		pgtest.Exec(t, w.store, `DELETE FROM event_outbox`)
		must(t, w.store.Runs.Govern(t.Context(), conformance.Rules{Default: one.policy}))
		if reported := count(`SELECT count(*) FROM event_outbox WHERE type = '` + one.reported + `' AND mode = 'live'`); reported != listed {
			t.Errorf("Expected %s of %d activities, received %d", one.reported, listed, reported)
		}
		if others := count(`SELECT count(*) FROM event_outbox WHERE type <> '` + one.reported + `' OR mode <> 'live'`); others != 0 {
			t.Errorf("Expected no other event, received %d", others)
		}
	}
}
