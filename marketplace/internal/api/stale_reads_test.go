package api_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/replica"
	"partnerkit.dev/marketplace/internal/waittest"
)

// setupStandby returns a replica whose standby is the database itself, which is never behind, and
// what is recorded of the standby.
func setupStandby(t *testing.T) (*bench, *pgtest.Recorder) {
	t.Helper()
	database, standby := pgtest.URL(t), &pgtest.Recorder{}
	opened, err := postgres.OpenStandby(database, database, 4, []pgx.QueryTracer{standby}, slog.New(slog.NewTextHandler(t.Output(), nil)))
	must(t, err)
	t.Cleanup(opened.Close)
	store, err := postgres.OpenWith(t.Context(), database, postgres.Options{Connections: 8, Standby: opened})
	must(t, err)
	t.Cleanup(store.Close)
	b := serveBench(t, &bench{queries: &pgtest.Recorder{}, store: store}, database, func(c *replica.Config) { c.Standby, c.Storefront = opened, store.Storefront })
	operator := b.signIn(t, domain.Operator)
	waittest.Until(t, "a read of the standby", func() bool {
		b.do(t, "GET", "/api/v1/operator/bookings", "", operator)
		standby, _, _ := opened.Reads()
		return standby > 0
	})
	return b, standby
}

// ofReads returns the statements of trips other than the standby's own look at its marks.
func ofReads(trips []pgtest.Trip) (list []string) {
	for _, trip := range trips {
		for _, s := range trip {
			if !slices.Contains([]string{"begin read only", "commit", "rollback"}, s.SQL) && !strings.Contains(s.SQL, "FROM standby_marks") {
				list = append(list, s.SQL)
			}
		}
	}
	return list
}

func TestOnlyListsAndCalendarsAreReadFromAStandby(t *testing.T) {
	t.Parallel()
	b, standby := setupStandby(t)
	var operator, reseller, affiliate header
	if trips := ofReads(standby.Trips(func() {
		operator, reseller, affiliate = b.signIn(t, domain.Operator), b.signIn(t, domain.Reseller), b.signIn(t, domain.Affiliate)
	})); len(trips) > 0 {
		t.Errorf("Expected sign-ins at the primary, received %q", trips)
	}
	const id = "8f3d2c1e-1111-4222-8333-444455556666"
	for _, c := range []struct {
		method, path, body string
		who                header
		stale              bool
	}{
		{"GET", "/api/v1/resellers/bookings", "", reseller, true},
		{"GET", "/api/v1/operator/bookings", "", operator, true},
		{"GET", "/api/v1/operator/overview", "", operator, true},
		{"GET", "/api/v1/affiliates/commissions", "", affiliate, true},
		{"GET", "/api/v1/resellers/activities/" + id, "", reseller, true},
		{"GET", "/api/v1/resellers/bookings/" + id, "", reseller, false},
		{"GET", "/api/v1/operator/bookings/" + id, "", operator, false},
		{"GET", "/api/v1/operator/accounts", "", operator, false},
		{"GET", "/api/v1/operator/rates", "", operator, false},
		{"POST", "/api/v1/resellers/bookings/" + id + "/payment", `{"outcome":"succeeded","reference":"p"}`, reseller, false},
		{"DELETE", "/api/v1/resellers/bookings/" + id, "", reseller, false},
	} {
		var trips []string
		read := func() bool {
			trips = ofReads(standby.Trips(func() { b.do(t, c.method, c.path, c.body, c.who) }))
			return len(trips) > 0
		}
		if !read() && c.stale { // on a slow machine, the last mark may be too old
			waittest.Until(t, "a read of the standby", read)
		}
		if len(trips) > 0 != c.stale {
			t.Errorf("%s %s: expected a read of the standby: %t, received %q", c.method, c.path, c.stale, trips)
		}
		for _, statement := range trips {
			if strings.Contains(statement, "accounts") || strings.Contains(statement, "api_tokens") || strings.Contains(statement, "idempotency_keys") {
				t.Errorf("%s %s: expected no read of credentials and keys, received %q", c.method, c.path, statement)
			}
		}
	}
}
