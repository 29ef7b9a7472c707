package postgres_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// Through a pooler in transaction mode each statement may reach another connection of the server,
// which has prepared nothing.
func TestAStoreWorksThroughAPoolerInTransactionMode(t *testing.T) {
	t.Parallel()
	direct := pgtest.URL(t)
	store, err := postgres.OpenWith(t.Context(), pgtest.Pooled(t, direct), postgres.Options{Connections: 20, Listen: direct})
	errtest.Check(t, err)
	defer store.Close()
	var asking sync.WaitGroup
	failed := make(chan error, 20)
	for range cap(failed) { // more than the pooler's connections
		asking.Go(func() {
			for range 10 {
				if _, err := store.Now(t.Context()); err != nil {
					failed <- err
					return
				}
				if _, err := store.Bookings.IsAffiliate(t.Context(), uuid.New()); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	asking.Wait()
	close(failed)
	for err := range failed {
		t.Error(err)
	}
	feed, err := store.Storefront.Listen(t.Context())
	errtest.Check(t, err)
	feed.Close()
}

// A replica that hears nothing would show old lists and start its jobs late.
func TestAnAddressThatHearsNoNotificationsIsRefused(t *testing.T) {
	t.Parallel()
	direct := pgtest.URL(t)
	pooled := pgtest.Pooled(t, direct)
	for name, test := range map[string]struct {
		address, listen string
		deaf            bool
	}{
		"PostgreSQL":                         {direct, "", false},
		"a pooler":                           {pooled, "", true},
		"a pooler, and PostgreSQL to listen": {pooled, direct, false},
		"a pooler, and another database to listen":   {pooled, pgtest.URL(t), true},
		"PostgreSQL, and another database to listen": {direct, pgtest.URL(t), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := postgres.CheckListening(t.Context(), test.address, test.listen); errors.Is(err, postgres.ErrDeaf) != test.deaf || err != nil && !test.deaf {
				t.Errorf("Expected deaf %v, received %v", test.deaf, err)
			}
		})
	}
}
