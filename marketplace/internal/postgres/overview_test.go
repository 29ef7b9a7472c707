package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestTheOverviewNamesIntegrationsWhoseSlotsAreLate(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{})
	now := time.Now()
	late := func() (names []string) {
		o, err := s.store.Overview(t.Context(), now)
		check(t, err)
		for _, due := range o.NeedAttention {
			if due.SlotsLate {
				names = append(names, due.Name)
			}
		}
		return names
	}
	pgtest.Exec(t, s.store, `UPDATE slot_pulls SET sent_at = now() - interval '27 hours' WHERE variation_id = $1`, s.activity)
	for _, c := range []struct {
		round string // when every option of the integration was pulled
		want  int
	}{
		{`now() - interval '1 hour'`, 0}, // since then all options have been pulled
		{`now() - interval '27 hours'`, 1},
		{`NULL`, 1},
	} {
		pgtest.Exec(t, s.store, `UPDATE slot_rounds SET pulled_at = `+c.round)
		if got := late(); len(got) != c.want || c.want == 1 && got[0] != "Walks 3" {
			t.Errorf("pulled at %s: want %d late, got %v", c.round, c.want, got)
		}
	}
}

func TestTheOverviewNamesIntegrationsWithProductsThatCannotBeSold(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{})
	pgtest.Exec(t, s.store, `UPDATE slot_rounds SET pulled_at = now()`)
	due := func() map[string]client.IntegrationDue {
		o, err := s.store.Overview(t.Context(), time.Now())
		check(t, err)
		found := map[string]client.IntegrationDue{}
		for _, one := range o.NeedAttention {
			if one.SetAside > 0 || one.NothingToSell {
				found[one.Name] = one
			}
		}
		return found
	}
	if got := due(); len(got) > 0 {
		t.Fatalf("Expected none, received %v", got)
	}
	record := func(name, mode, aside string, synced, minutes int) {
		pgtest.Exec(t, s.store, `
			INSERT INTO syncs (id, integration_id, mode, cause, started_at, finished_at, synced, created, updated, deactivated, set_aside)
			SELECT gen_random_uuid(), id, $2, 'operator', now() + $5 * interval '1 minute', now() + $5 * interval '1 minute', $4, 0, 0, 0, $3::jsonb FROM integrations WHERE name = $1`, name, mode, aside, synced, minutes)
	}
	record("Walks 3", "full", `[{"product_id": "p-1", "problems": []}, {"product_id": "p-2", "problems": []}]`, 5, 1)
	record("Walks 3", "incremental", `[]`, 0, 2) // the full one still says it
	record("Walks 2", "full", `[]`, 0, 1)
	if got := due(); len(got) != 2 || got["Walks 3"].SetAside != 2 || got["Walks 3"].NothingToSell || !got["Walks 2"].NothingToSell {
		t.Errorf("Expected two set aside and a partner with nothing to sell, received %v", got)
	}
	record("Walks 3", "full", `[]`, 7, 3)
	if got := due(); len(got) != 1 {
		t.Errorf("Expected the products to be repaired, received %v", got)
	}
}

func TestTheOverviewNamesIntegrationsWhoseCertificateHasEndedOrSoonEnds(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{})
	now := time.Now()
	pgtest.Exec(t, s.store, `UPDATE slot_rounds SET pulled_at = now()`)
	pgtest.Exec(t, s.store, `
		INSERT INTO conformance_certificates (integration_id, run_id, base_url, auth_type, handles_ticket_delivery, jws, issued_at, valid_until)
		SELECT id, gen_random_uuid(), base_url, auth_type, handles_ticket_delivery, 'x', now(), now() + interval '90 days' FROM integrations WHERE name = 'Walks 3'`)
	named := func(policy conformance.Policy) (listed bool, ended string) {
		check(t, s.store.Runs.Govern(t.Context(), conformance.Rules{Default: policy}))
		o, err := s.store.Overview(t.Context(), now)
		check(t, err)
		for _, due := range o.NeedAttention {
			if !due.CertificateUntil.IsZero() {
				return true, due.CertificateEnded
			}
		}
		return false, ""
	}
	for _, c := range []struct {
		name, change string
		listed       bool
		ended        string
	}{
		{"it is valid", `UPDATE conformance_certificates SET valid_until = now() + interval '8 days'`, false, ""},
		{"it ends within a week", `UPDATE conformance_certificates SET valid_until = now() + interval '6 days'`, true, ""},
		{"its time is over", `UPDATE conformance_certificates SET valid_until = now() - interval '1 minute'`, true, "expired"},
		{"a run found a breach", `UPDATE conformance_certificates SET valid_until = now() + interval '90 days', ended_at = now(), ended_by = gen_random_uuid()`, true, "breach"},
		{"it is for another address", `UPDATE conformance_certificates SET ended_at = NULL, ended_by = NULL, base_url = 'https://other.example'`, true, "settings_changed"},
	} {
		pgtest.Exec(t, s.store, c.change)
		if listed, ended := named(conformance.Advise); listed != c.listed || ended != c.ended {
			t.Errorf("%s: Expected listed %t and ended %q, received %t and %q", c.name, c.listed, c.ended, listed, ended)
		}
	}
	if listed, _ := named(conformance.Off); listed {
		t.Error("Expected no certificate named where they are not shown")
	}
}

func TestTheOverviewCountsTheBookingsOfTheLastDays(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{Bookings: 3000}) // one a minute, until noon
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	pgtest.Exec(t, s.store, `
		INSERT INTO booking_history (booking_id, at, kind, call_id, endpoint, status, duration_ms, error)
		SELECT b.id, b.created_at, 'call', gen_random_uuid(), 'confirm', c.status, c.duration_ms, c.error
		FROM bookings b, (VALUES (200, 100, NULL), (200, 300, NULL), (200, 900, NULL), (409, 50, 'sold out'), (500, 10, 'broken'), (NULL, NULL, 'cut')) AS c (status, duration_ms, error)
		WHERE b.code = 'H-10'`)
	check(t, s.store.CountSales(t.Context(), noon, domain.SalesDays))
	o, err := s.store.Overview(t.Context(), noon)
	check(t, err)
	if len(o.Days) != domain.SalesDays || len(o.Partners) != 20 {
		t.Fatalf("Expected %d days and 20 partners, received %d and %d", domain.SalesDays, len(o.Days), len(o.Partners))
	}
	for _, c := range []struct {
		at                             int
		day                            string
		bookings, confirmed, cancelled int
	}{{0, "2026-06-18", 0, 0, 0}, {11, "2026-06-29", 840, 504, 168}, {12, "2026-06-30", 1440, 864, 288}, {13, "2026-07-01", 720, 432, 144}} {
		got := o.Days[c.at]
		if got.Day != c.day || got.Bookings != c.bookings || got.Confirmed != c.confirmed || got.Cancelled != c.cancelled {
			t.Errorf("Expected %+v, received %+v", c, got)
		}
		if want := fmt.Sprint(45 * c.confirmed); c.confirmed > 0 && string(got.Revenue["EUR"]) != want {
			t.Errorf("%s: Expected a revenue of %s, received %s", c.day, want, got.Revenue["EUR"])
		}
	}
	for _, p := range o.Partners {
		if p.IntegrationID != pgtest.ID("integration1").String() {
			continue
		}
		if p.Answered != 3 || p.Refused != 1 || p.Failed != 2 || p.MedianMS == nil || *p.MedianMS != 300 {
			t.Errorf("Expected the confirm calls counted, received %+v", p)
		}
	}

	// A state that changes later is counted again, and days in the past are dropped.
	pgtest.Exec(t, s.store, `UPDATE bookings SET status = 'CANCELLED' WHERE status = 'CONFIRMED' AND created_at < '2026-06-30'`)
	check(t, s.store.CountSales(t.Context(), noon, 2))
	check(t, s.store.CountSales(t.Context(), noon.AddDate(0, 0, 2), domain.SalesDays))
	o, err = s.store.Overview(t.Context(), noon.AddDate(0, 0, 2))
	check(t, err)
	if first := o.Days[9]; first.Bookings != 840 || first.Confirmed != 0 || first.Cancelled != 672 || len(first.Revenue) != 0 {
		t.Errorf("Expected the states of now, received %+v", first)
	}
	check(t, s.store.CountSales(t.Context(), noon.AddDate(0, 1, 0), 2))
	var kept int
	check(t, s.store.Pool().QueryRow(t.Context(), `SELECT (SELECT count(*) FROM booking_days) + (SELECT count(*) FROM confirm_days)`).Scan(&kept))
	if kept != 0 {
		t.Errorf("Expected the counts of days that are over deleted, received %d", kept)
	}
}

func TestTheOverviewListsWaitingBookingsAndRecentEvents(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{Bookings: 8000}) // two of them need attention
	pgtest.Exec(t, s.store, `UPDATE integrations SET last_sync_at = '2026-07-01T10:00:00Z' WHERE name <> 'Walks 4'`)
	pgtest.Exec(t, s.store, `UPDATE integrations SET last_sync_at = '2026-06-01' WHERE name = 'Walks 4'`)
	pgtest.Exec(t, s.store, `UPDATE slot_rounds SET pulled_at = '2026-05-01' WHERE integration_id = (SELECT id FROM integrations WHERE name = 'Walks 6')`)
	pgtest.Exec(t, s.store, `UPDATE booking_attention SET settled_at = '2026-07-02T09:00:00Z' WHERE since = (SELECT max(since) FROM booking_attention)`)
	pgtest.Exec(t, s.store, `INSERT INTO integration_health_changes (integration_id, at, state, reason) SELECT id, '2026-07-02T08:00:00Z', 'DEGRADED', 'a timeout' FROM integrations WHERE name = 'Walks 5'`)
	pgtest.Exec(t, s.store, `INSERT INTO sync_attempts SELECT gen_random_uuid(), id, 'full', 'schedule', '2026-07-02T07:00:00Z', '2026-07-02T07:00:00Z', 0, true, 'it answered with 503' FROM integrations WHERE name = 'Walks 5'`)
	pgtest.Exec(t, s.store, `INSERT INTO sync_attempts SELECT gen_random_uuid(), id, 'full', 'schedule', '2026-07-02T07:30:00Z', '2026-07-02T07:00:00Z', 0, false, 'unchanged' FROM integrations WHERE name = 'Walks 5'`)
	pgtest.Exec(t, s.store, `INSERT INTO syncs SELECT gen_random_uuid(), id, 'full', 'schedule', '2026-07-02T06:00:00Z', '2026-07-02T06:00:00Z', 1, 0, 0, 0, '[]', '{"would_deactivate":5,"of":8}' FROM integrations WHERE name = 'Walks 5'`)
	pgtest.Exec(t, s.store, `INSERT INTO conformance_runs (id, integration_id, scope, state, created_at, finished_at, verdict) SELECT gen_random_uuid(), id, 'full', 'finished', now(), '2026-07-02T05:00:00Z', 'conformant' FROM integrations WHERE name = 'Walks 5'`)
	o, err := s.store.Overview(t.Context(), time.Now())
	check(t, err)
	if len(o.Causes) != 1 || o.Causes[0].Reason != client.ConfirmRefused || o.Causes[0].Bookings != 1 || o.Causes[0].IntegrationName == "" {
		t.Errorf("Expected the cause of the one booking that waits, received %+v", o.Causes)
	}
	if o.OldestSync == nil || o.OldestSync.Name != "Walks 4" || o.OldestSlots == nil || o.OldestSlots.Name != "Walks 6" {
		t.Errorf("Expected the oldest sync and slots, received %+v and %+v", o.OldestSync, o.OldestSlots)
	}
	want := []struct {
		kind client.RecentKind
		says string
	}{
		{client.AttentionResolved, "confirm_refused"}, {client.HealthChanged, "DEGRADED: a timeout"}, {client.SyncFailed, "it answered with 503"},
		{client.SyncHeld, "5 of 8 activities"}, {client.RunEnded, "conformant"}, {client.AttentionNeeded, "confirm_refused"},
	}
	for i, w := range want {
		if len(o.Recent) <= i || o.Recent[i].Kind != w.kind || o.Recent[i].Says != w.says {
			t.Fatalf("Expected event %d to be %+v, received %+v", i, w, o.Recent)
		}
	}
	if last := len(o.Recent) - 1; o.Recent[0].BookingID == "" || o.Recent[4].RunID == "" || o.Recent[last].At.After(o.Recent[0].At) {
		t.Errorf("Expected links to a booking and a run, newest first, received %+v", o.Recent)
	}

	// A skipped sync is a sync. Events of test mode are left out.
	pgtest.Exec(t, s.store, `INSERT INTO skipped_syncs SELECT id, 'schedule', now(), now() FROM integrations WHERE name = 'Walks 4'`)
	pgtest.Exec(t, s.store, `UPDATE integrations SET mode = 'test' WHERE name = 'Walks 5'`)
	o, err = s.store.Overview(t.Context(), time.Now())
	check(t, err)
	if o.OldestSync.Name == "Walks 4" {
		t.Error("Expected a skipped sync to count")
	}
	for _, e := range o.Recent {
		if e.IntegrationName == "Walks 5" {
			t.Errorf("Expected no event of test mode, received %+v", e)
		}
	}
}
