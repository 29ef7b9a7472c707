package postgres_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestReplicasThatStartTogetherMigrateOnce(t *testing.T) {
	t.Parallel()
	address := pgtest.EmptyURL(t)
	var all sync.WaitGroup
	ran := make([]int, 4)
	for i := range ran {
		all.Go(func() {
			var err error
			if ran[i], err = postgres.Migrate(t.Context(), address); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	working := 0
	for _, n := range ran {
		if n > 0 {
			working++
		}
	}
	if working != 1 {
		t.Errorf("want one replica to migrate, got %v", ran)
	}
}

func TestADatabaseOfANewerServiceIsRefused(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	conn, err := pgx.Connect(t.Context(), address)
	check(t, err)
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Migrate(t.Context(), address); err == nil || !strings.Contains(err.Error(), "at version 99999") {
		t.Errorf("want it refused, got %v", err)
	}
}

func TestAnAddressThatCannotBeReadKeepsItsPassword(t *testing.T) {
	t.Parallel()
	_, err := postgres.Migrate(t.Context(), "postgres://me:secret@host:port/database")
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("want an error without the password, got %v", err)
	}
}
