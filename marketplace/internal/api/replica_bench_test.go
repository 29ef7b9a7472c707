package api_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/replica"
	"partnerkit.dev/marketplace/internal/replica/replicatest"
	"partnerkit.dev/marketplace/internal/telemetry"
)

// seed stores activities with three variations each, as syncs and operators would.
func seed(tb testing.TB, store *postgres.Store, activities int) {
	tb.Helper()
	owner := uuid.New()
	pgtest.Exec(tb, store, `INSERT INTO accounts VALUES ($1, 'owner@example.com', 'Partner', 'partner', 'none', now())`, owner)
	registry := partner.NewRegistry(store.Partners, partner.NewGuard(true), replicatest.Secret(tb), time.Now)
	integration, _, err := registry.Register(tb.Context(), owner, partner.Registration{Name: "Old Town Walks", BaseURL: "https://partner.example", AuthKey: "partner-key"})
	must(tb, err)
	pgtest.Exec(tb, store, `INSERT INTO activities (id, integration_id, external_product_id, created_at, title, product, product_hash, partner_active, operator_active, details)
		SELECT gen_random_uuid(), $1, 'p' || n, now(), 'Walk number ' || n,
			jsonb_build_object('id', 'p' || n, 'timeZone', 'Europe/Lisbon', 'instantConfirmation', true), sha256('x'), true, true,
			jsonb_build_object('description', repeat('A walk through the old town. ', 12), 'categories', jsonb_build_array('Walks', 'Category ' || n % 50),
				'location', jsonb_build_object('city', 'City ' || n % 200, 'country', jsonb_build_object('id', 'PT', 'name', 'Portugal')))
		FROM generate_series(1, $2::int) AS n`, integration.ID, activities)
	pgtest.Exec(tb, store, `INSERT INTO variations (id, activity_id, external_option_id, sort, title, option, option_hash, partner_active, details)
		SELECT gen_random_uuid(), a.id, 'o' || n, n, 'Way ' || n, jsonb_build_object('id', 'o' || n, 'availabilityType', 'START_TIME', 'units', jsonb_build_array(
			jsonb_build_object('id', 'unit-adult', 'internalName', 'Adult', 'type', 'ADULT', 'pricingFrom', jsonb_build_array(jsonb_build_object('original', 2000 + n, 'currency', 'EUR'))),
			jsonb_build_object('id', 'unit-child', 'internalName', 'Child', 'type', 'CHILD', 'pricingFrom', jsonb_build_array(jsonb_build_object('original', 1000 + n, 'currency', 'EUR'))))),
			sha256('x'), true, '{}'
		FROM activities a, generate_series(1, 3) AS n`)
	pgtest.Exec(tb, store, `INSERT INTO exchange_rates VALUES ('USD', 1.0855), ('JPY', 171.94), ('GBP', 0.8463)`)
	pgtest.Exec(tb, store, `UPDATE pricing_terms SET service_fee = 1.5, commission_percentage = 12.5`)
	pgtest.Exec(tb, store, `ANALYZE`)
}

// server is a replica on a database that others may share, configured as in production: with
// a rate limit, and its log in a file.
type server struct {
	address            string
	reseller, operator string // access tokens
}

// usualPages is the default size of the page cache.
const usualPages = 256 << 20

func aReplica(tb testing.TB, store *postgres.Store, pageCache int64, change ...func(*replica.Config)) *server {
	tb.Helper()
	file, err := os.Create(filepath.Join(tb.TempDir(), "requests.log"))
	must(tb, err)
	tb.Cleanup(func() { file.Close() })
	lines := telemetry.NewLogBuffer(file)
	config := replicatest.Config(tb, store, store, time.Now)
	config.Log = slog.New(lines.Handler(slog.NewJSONHandler(lines, nil)))
	config.AffiliateURL, config.PageCache, config.RateLimit = "/{activity}/{affiliate}", pageCache, 1<<30
	for _, c := range change {
		c(&config)
	}
	made, address := replicatest.Serve(tb, config)
	token := func(role domain.Role) string {
		email := uuid.NewString() + "@example.com"
		account, err := auth.NewAccount(domain.NewAccount{Email: email, Password: password, Role: role}, time.Now())
		must(tb, err)
		must(tb, store.Accounts.CreateAccount(tb.Context(), account))
		tokens, err := made.SignIn.SignIn(tb.Context(), email, password, "")
		must(tb, err)
		return tokens.AccessToken
	}
	return &server{strings.TrimPrefix(address, "http://"), token(domain.Reseller), token(domain.Operator)}
}

// request is a request's bytes.
func (s *server) request(path string, headers ...string) []byte {
	lines := append([]string{"GET " + path + " HTTP/1.1", "Host: marketplace.example", "Authorization: Bearer " + s.reseller}, headers...)
	return []byte(strings.Join(lines, "\r\n") + "\r\n\r\n")
}
