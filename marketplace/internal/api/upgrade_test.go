package api_test

import (
	"testing"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// The first replica of a release updates the tables while replicas of the previous release
// run on, with the statements that each connection has prepared.
func TestAReplicaGoesOnWhileANewerOneAddsToItsTables(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	operator := s.signIn(t, domain.Operator)
	day := func(payment string) {
		t.Helper()
		s.cycle(t, payment)
		held := s.book(t)
		var b client.Booking
		if s.do(t, "DELETE", "/api/v1/resellers/bookings/"+held.ID, "", s.reseller).data(t, &b); b.Status != "RELEASED" {
			t.Errorf("want it released, got %+v", b)
		}
		for path, caller := range map[string]header{
			"/api/v1/resellers/activities": s.reseller,
			"/api/v1/resellers/bookings":   s.reseller,
			"/api/v1/operator/bookings":    operator,
			"/api/v1/partner-integrations": operator,
			"/api/v1/operator/accounts":    operator,
			"/api/v1/operator/activities":  operator,
			"/api/v1/operator/pricing":     operator,
			"/api/v1/operator/rates":       operator,
		} {
			if a := s.do(t, "GET", path, "", caller); a.StatusCode != 200 {
				t.Errorf("%s: want 200, got %s", path, a.body)
			}
		}
	}
	day("p-1")
	// Every table gets a column, each in its own transaction: one that locks them all could only deadlock
	// with the replicas.
	pgtest.Exec(t, s.store, `
		DO $$
		DECLARE name text;
		BEGIN
			FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '^(goose|river)_' LOOP
				EXECUTE format('ALTER TABLE %I ADD COLUMN of_the_next_release integer NOT NULL DEFAULT 0', name);
				COMMIT;
			END LOOP;
			INSERT INTO goose_db_version (version_id, is_applied) SELECT max(version_id) + 1, true FROM goose_db_version;
		END $$`)
	day("p-2")
	s.requireCallerKept(t)
}
