// Package replicatest starts replicas of the service in tests.
package replicatest

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner/partnertest"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/replica"
	"partnerkit.dev/marketplace/internal/telemetry"
)

// Password is the password of all Accounts.
const Password = "correct horse battery"

// Config returns the configuration of a replica whose stores and clock are these. A test changes what
// it is about.
func Config(t testing.TB, requests, work *postgres.Store, now func() time.Time) replica.Config {
	t.Helper()
	requests.Bookings.Clock, work.Bookings.Clock = now, now
	return replica.Config{
		Requests: requests, Work: work, Secret: Secret(t), Clock: postgres.NewClock(now), Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Metrics: telemetry.NewMetrics("test"), Ready: func(context.Context) error { return nil }, AllowPrivatePartners: true, Scale: partnertest.Unhurried, ObserveTime: 5 * time.Minute,
		Conformance: "conformance", Certification: conformance.Rules{Default: conformance.Advise}, AffiliatesShare: decimal.NewFromInt(10),
		AffiliateURL: "https://shop.example/{activity}?by={affiliate}", PageCache: 1 << 20, LoginLimit: 10, RateLimit: 600,
		Scrapers: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Stream: time.Millisecond,
	}
}

// Secret returns the secret of all replicas.
func Secret(t testing.TB) *auth.Secret {
	t.Helper()
	secret, err := auth.NewSecret([]byte(strings.Repeat("s", auth.ShortestSecret)))
	errtest.Check(t, err)
	return secret
}

// Serve serves a replica until the test ends, and returns its address.
func Serve(t testing.TB, c replica.Config) (r *replica.Replica, address string) {
	t.Helper()
	r, err := replica.New(t.Context(), c)
	errtest.Check(t, err)
	server := httptest.NewServer(r.Handler)
	t.Cleanup(func() {
		server.Close()
		_ = r.Worker.Stop(context.Background()) // it was not started
		r.Close()
	})
	return r, server.URL
}

// Accounts stores an account of each role. The role is its name, and the first part of its email.
func Accounts(t testing.TB, store *postgres.Store, now time.Time) map[domain.Role]domain.Account {
	t.Helper()
	// A hash that is cheap to check: the race detector makes every check expensive.
	hash, err := argon2id.CreateHash(Password, &argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	errtest.Check(t, err)
	accounts := map[domain.Role]domain.Account{}
	for _, role := range []domain.Role{domain.Reseller, domain.Affiliate, domain.Partner, domain.Operator} {
		a := domain.Account{ID: uuid.New(), Email: string(role) + "@example.com", Name: "The " + string(role), Role: role, PasswordHash: hash, CreatedAt: now}
		errtest.Check(t, store.Accounts.CreateAccount(t.Context(), a))
		accounts[role] = a
	}
	return accounts
}
