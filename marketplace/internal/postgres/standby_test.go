package postgres_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/waittest"
)

// openStandby returns a store of a database whose reads may be answered at another address.
func openStandby(t *testing.T, database, read string) (*postgres.Store, *postgres.Standby) {
	t.Helper()
	standby, err := postgres.OpenStandby(database, read, 2, nil, slog.New(slog.DiscardHandler))
	errtest.Check(t, err)
	t.Cleanup(standby.Close)
	store, err := postgres.OpenWith(t.Context(), database, postgres.Options{Connections: 2, Standby: standby})
	errtest.Check(t, err)
	t.Cleanup(store.Close)
	return store, standby
}

func TestAStandbyMayBeBehindAPooler(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	store, standby := openStandby(t, database, pgtest.Pooled(t, database))
	waittest.Until(t, "a read of the standby", func() bool {
		_, err := store.Overview(domain.AllowStale(t.Context(), time.Time{}), time.Now())
		errtest.Check(t, err)
		answered, _, _ := standby.Reads()
		return answered > 0
	})
}

// Another server may have marks of other replicas, and newer ones.
func TestADatabaseThatDoesNotFollowThePrimaryIsNotRead(t *testing.T) {
	t.Parallel()
	database, other := pgtest.URL(t), pgtest.URL(t)
	openStandby(t, other, other)
	elsewhere := pgtest.OpenAt(t, other)
	pgtest.Sell(t, elsewhere, pgtest.Stock{})
	waittest.Until(t, "a mark of another replica", func() bool {
		var marks int
		errtest.Check(t, elsewhere.Pool().QueryRow(t.Context(), `SELECT count(*) FROM standby_marks`).Scan(&marks))
		return marks > 0
	})
	store, standby := openStandby(t, database, other)
	waittest.Until(t, "a mark", func() bool {
		slots, err := store.Storefront.Slots(domain.AllowStale(t.Context(), time.Time{}), []uuid.UUID{pgtest.ID("activity1")}, time.Time{}, time.Now().AddDate(100, 0, 0))
		errtest.Check(t, err)
		if len(slots) > 0 {
			t.Fatalf("Expected no slot of the other database, received %+v", slots)
		}
		var marks int
		errtest.Check(t, store.Pool().QueryRow(t.Context(), `SELECT coalesce(max(mark), 0) FROM standby_marks`).Scan(&marks))
		return marks > 1
	})
	if answered, _, _ := standby.Reads(); answered > 0 {
		t.Errorf("Expected no read of the other database, received %d", answered)
	}
}

func TestMarksOfReplicasThatHaveEndedAreDeletedAfterADay(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	store := pgtest.OpenAt(t, database)
	pgtest.Exec(t, store, `INSERT INTO standby_marks SELECT gen_random_uuid(), 7, now() - age FROM unnest(ARRAY[interval '23 hours', '25 hours']) age`)
	openStandby(t, database, database)
	waittest.Until(t, "the old mark deleted", func() bool {
		var replicas int
		errtest.Check(t, store.Pool().QueryRow(t.Context(), `SELECT count(*) FROM standby_marks`).Scan(&replicas))
		return replicas == 2 // that of 23 hours ago, and its own
	})
}
