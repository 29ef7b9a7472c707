package console_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/benchsize"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// BenchmarkPages reads each list of the API and each page of the console over HTTP, with
// 1,000,000 bookings and 100,000 rows of each other growing table.
//
//	go test -run '^$' -bench Pages -benchtime 1x ./internal/console
func BenchmarkPages(b *testing.B) {
	s := open(b)
	pgtest.Sell(b, s.store, pgtest.Stock{Bookings: benchsize.Choose(1_000_000, 1_000), Rows: benchsize.Choose(100_000, 4_000)})
	pgtest.Exec(b, s.store, `VACUUM ANALYZE`)
	// Sign in as the reseller, affiliate and partner with the most rows.
	for name, role := range map[string]domain.Role{"reseller3": domain.Reseller, "reseller4": domain.Affiliate, "partner": domain.Partner} {
		a := s.accounts[role]
		a.ID = pgtest.ID(name)
		pgtest.Exec(b, s.store, `UPDATE accounts SET email = email || '.old' WHERE email = $1`, a.Email)
		pgtest.Exec(b, s.store, `UPDATE accounts SET email = $2, role = $3, password_hash = $4 WHERE id = $1`, a.ID, a.Email, role, a.PasswordHash)
	}
	const size = "limit=20"
	integration, activity, booked := pgtest.ID("integration3").String(), pgtest.ID("activity3").String(), pgtest.ID("booking3").String()
	for role, paths := range map[domain.Role][]string{
		domain.Reseller:  {"/resellers/bookings?", "/resellers/bookings?status=CONFIRMED&", "/resellers/bookings?activity_id=" + activity + "&"},
		domain.Affiliate: {"/affiliates/commissions?"},
		domain.Partner:   {"/partner-integrations?"},
		domain.Operator: {
			"/operator/bookings?", "/operator/bookings?status=CANCELLED&", "/operator/bookings?attention=true&", "/operator/bookings?q=sousa17&", "/operator/bookings?integration_id=" + integration + "&",
			"/operator/bookings?start_from=2026-06-01&start_to=2026-06-02&", "/operator/bookings?created_to=2025-12-01&", "/operator/activities?", "/operator/activities?q=walk%20777&", "/operator/activities?q=walk&",
			"/operator/activities?status=Inactive&", "/operator/activities?integration=" + integration + "&", "/operator/accounts?", "/operator/accounts?role=affiliate&", "/operator/accounts?q=agent-777&",
			"/operator/integrations/" + integration + "/syncs?", "/partner-integrations?", "/partner-integrations?q=walks%2077&",
		},
	} {
		tokens := call[auth.Tokens](s, "", "POST", "/auth/login", `{"email":"`+s.accounts[role].Email+`","password":"`+password+`"}`)
		for _, path := range paths {
			measure(b, string(role)+" "+path, func() {
				request, err := http.NewRequestWithContext(b.Context(), "GET", s.address+"/api/v1"+path+size, nil)
				errtest.Check(s.t, err)
				request.Header.Set("Authorization", "Bearer "+tokens.AccessToken)
				if p := s.visitor().send(request); p.status != 200 {
					b.Fatalf("%s: want 200, got %d: %s", path, p.status, p.text)
				}
			})
		}
	}
	operator := s.operator()
	for _, path := range []string{
		"/", "/integrations", "/integrations?q=walks+77", "/integrations/" + integration, "/bookings", "/bookings?partner=Walks+37&start_from=2026-06-01&start_to=2026-06-02", "/bookings?activity=" + activity + "&created_to=2026-01-01", "/bookings?attention=true", "/bookings?q=sousa17", "/bookings?status=CANCELLED", "/bookings/" + booked,
		"/activities", "/activities?q=walk%20777", "/activities?status=Inactive", "/activities/" + activity, "/accounts", "/accounts?q=agent-777", "/accounts/" + pgtest.ID("reseller3").String(), "/terms",
	} {
		measure(b, "page "+path, func() {
			if p := operator.get("/console" + path); p.status != 200 {
				b.Fatalf("%s: want 200, got %d: %s", path, p.status, p.text)
			}
		})
	}
}

// measure reports the median duration of fifty calls.
func measure(b *testing.B, name string, do func()) {
	b.Run(strings.NewReplacer(" ", ":", "/", "|").Replace(name), func(b *testing.B) {
		for b.Loop() {
			var took []float64
			for range benchsize.Choose(50, 1) {
				began := time.Now()
				do()
				took = append(took, float64(time.Since(began).Microseconds())/1000)
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2], "ms")
			b.ReportMetric(0, "ns/op")
		}
	})
}
