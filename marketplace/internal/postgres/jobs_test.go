package postgres_test

import (
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/job"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// A job that is due immediately by a replica's clock is due minutes later if the database's
// clock is behind. Users of the job would wait that long.
func TestAJobIsDueByTheDatabasesClock(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	for _, statement := range []string{
		`CREATE FUNCTION tells_time() RETURNS trigger AS $$ BEGIN NEW.metadata = jsonb_build_object('now', now()); RETURN NEW; END $$ LANGUAGE plpgsql`,
		`CREATE TRIGGER tells_time BEFORE INSERT ON river_job FOR EACH ROW EXECUTE FUNCTION tells_time()`,
	} {
		if _, err := store.Pool().Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	check(t, store.InsertJobs(t.Context(), job.Release{Booking: uuid.New()}, job.Cancel{Booking: uuid.New()}))
	var due int
	check(t, store.Pool().QueryRow(t.Context(), `SELECT count(*) FROM river_job WHERE state = 'available' AND scheduled_at = (metadata->>'now')::timestamptz AND created_at = scheduled_at`).Scan(&due))
	if due != 2 {
		t.Errorf("want both jobs due since the database's own time, got %d of them", due)
	}
}
