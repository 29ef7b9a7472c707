package postgres_test

import (
	"testing"
	"time"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestANightCountsItsPartnersAndPredictsItsEnd(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{})
	due := time.Date(2026, 7, 2, 2, 30, 0, 0, time.UTC)
	exec := func(statement string, args ...any) {
		t.Helper()
		_, err := s.store.Pool().Exec(t.Context(), statement, args...)
		check(t, err)
	}
	exec(`UPDATE integrations SET deleted_at = '2026-06-01' WHERE name NOT IN ('Walks 0', 'Walks 1', 'Walks 2', 'Walks 3')`)
	exec(`UPDATE slot_rounds SET pulled_at = '2026-07-01T02:40:00Z', serves = '2026-07-01T02:40:00Z'`)
	for name, took := range map[string]string{"Walks 0": "10 minutes", "Walks 1": "20 minutes", "Walks 2": "2 hours"} {
		exec(`UPDATE slot_rounds SET took = $2::text::interval WHERE integration_id = (SELECT id FROM integrations WHERE name = $1)`, name, took)
	}
	requireNight := func(at time.Time, want client.Night, last string) {
		t.Helper()
		got, err := s.store.Catalog.Night(t.Context(), at)
		check(t, err)
		if got == nil {
			t.Fatal("Expected a night, received none")
		}
		if got.Last == nil != (last == "") || last != "" && (got.Last.Name != last || !got.Last.At.Equal(want.Last.At)) {
			t.Errorf("Expected %q to end last, %+v, received %+v", last, want.Last, got.Last)
		}
		if !got.BeganAt.Equal(due) || !got.EndedAt.Equal(want.EndedAt) || got.Partners != want.Partners || got.Done != want.Done || got.Failed != want.Failed {
			t.Errorf("Expected %+v, received %+v", want, *got)
		}
	}
	requireOpen := func(at time.Time) {
		t.Helper()
		if ended, err := s.store.Catalog.EndNight(t.Context(), at); err != nil || ended != nil {
			t.Errorf("Expected the night to go on, received %+v and %v", ended, err)
		}
	}
	ends := func(at time.Time) *client.DatedIntegration { return &client.DatedIntegration{At: at} }
	stops := func(name string) {
		exec(`DELETE FROM river_job WHERE args ->> 'integration_id' = (SELECT id::text FROM integrations WHERE name = $1)`, name)
		exec(`DELETE FROM sync_wishes WHERE integration_id = (SELECT id FROM integrations WHERE name = $1)`, name)
	}

	if none, err := s.store.Catalog.Night(t.Context(), due); err != nil || none != nil {
		t.Fatalf("Expected no night, received %+v and %v", none, err)
	}
	requests := make([]catalog.SyncRequest, 4)
	for i, name := range []string{"integration0", "integration1", "integration2", "integration3"} {
		requests[i] = catalog.SyncRequest{Integration: pgtest.ID(name), Mode: catalog.Full, Cause: catalog.BySchedule, At: due.Add(time.Duration(i) * time.Minute)}
	}
	check(t, s.store.Catalog.BeginNight(t.Context(), due, requests...))
	check(t, s.store.Catalog.BeginNight(t.Context(), due, requests...)) // the job runs again
	requireNight(due, client.Night{Partners: 4, Last: ends(due.Add(2*time.Minute + 2*time.Hour))}, "Walks 2")
	requireOpen(due.Add(time.Minute))

	// Its slots have all been pulled since: the next one is last.
	stops("Walks 2")
	exec(`UPDATE slot_rounds SET pulled_at = '2026-07-02T02:35:00Z' WHERE integration_id = (SELECT id FROM integrations WHERE name = 'Walks 2')`)
	requireNight(due.Add(5*time.Minute), client.Night{Partners: 4, Done: 1, Last: ends(due.Add(21 * time.Minute))}, "Walks 1")
	// It takes longer than last time.
	requireNight(due.Add(time.Hour), client.Night{Partners: 4, Done: 1, Last: ends(due.Add(time.Hour))}, "Walks 1")
	// Its catalog was synced, and its slots are pulled.
	exec(`DELETE FROM sync_wishes WHERE integration_id = (SELECT id FROM integrations WHERE name = 'Walks 1')`)
	exec(`UPDATE slot_rounds SET serves = '2026-07-02T02:45:00Z' WHERE integration_id = (SELECT id FROM integrations WHERE name = 'Walks 1')`)
	requireNight(due.Add(16*time.Minute), client.Night{Partners: 4, Done: 1, Last: ends(due.Add(35 * time.Minute))}, "Walks 1")

	// No job tries again.
	stops("Walks 1")
	requireNight(due.Add(time.Hour), client.Night{Partners: 4, Done: 1, Failed: 1, Last: ends(due.Add(time.Hour))}, "Walks 0")
	for _, name := range []string{"Walks 0", "Walks 3"} {
		stops(name)
		exec(`UPDATE slot_rounds SET pulled_at = '2026-07-02T03:30:00Z' WHERE integration_id = (SELECT id FROM integrations WHERE name = $1)`, name)
	}
	end := due.Add(70 * time.Minute)
	if ended, err := s.store.Catalog.EndNight(t.Context(), end); err != nil || ended == nil || ended.Partners != 4 || ended.Failed != 1 || !ended.EndedAt.Equal(end) {
		t.Errorf("Expected the night to end, with one partner that failed, received %+v and %v", ended, err)
	}
	requireOpen(end.Add(time.Minute)) // it has ended already
	exec(`UPDATE slot_rounds SET pulled_at = '2026-07-02T09:00:00Z'`)
	requireNight(end.Add(time.Hour), client.Night{Partners: 4, Done: 3, Failed: 1, EndedAt: end}, "")
}

func TestThePullsOfASlowPartnerAreQueuedBehindOthers(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{})
	pgtest.Exec(t, s.store, `UPDATE slot_rounds SET asked_at = '2026-06-01', slow = integration_id = (SELECT id FROM integrations WHERE name = 'Walks 3')`)
	for _, name := range []string{"integration2", "integration3"} {
		check(t, s.store.Catalog.AskForSlots(t.Context(), pgtest.ID(name), noon, true))
	}
	var first, second string
	check(t, s.store.Pool().QueryRow(t.Context(), `SELECT min(args ->> 'integration_id') FILTER (WHERE priority = 1), min(args ->> 'integration_id') FILTER (WHERE priority = 2) FROM river_job`).Scan(&first, &second))
	if first != pgtest.ID("integration2").String() || second != pgtest.ID("integration3").String() {
		t.Errorf("Expected the slow partner's job behind the other's, received %q before %q", first, second)
	}
}
