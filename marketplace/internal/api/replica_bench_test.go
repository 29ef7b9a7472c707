package api_test

import (
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/event"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/marketplace/internal/telemetry"
)

// seed stores activities with three variations each, as syncs and operators would.
func seed(tb testing.TB, store *postgres.Store, activities int) {
	tb.Helper()
	owner, integration := uuid.New(), uuid.New()
	pgtest.Exec(tb, store, `INSERT INTO accounts VALUES ($1, 'partner@example.com', 'Partner', 'partner', 'none', now())`, owner)
	pgtest.Exec(tb, store, `INSERT INTO integrations (id, account_id, name, base_url, auth_type, auth_key, webhook_secret_hash, handles_ticket_delivery, created_at)
		VALUES ($1, $2, 'Old Town Walks', 'https://partner.example', 'bearer', '', sha256('x'), false, now())`, integration, owner)
	pgtest.Exec(tb, store, `INSERT INTO activities (id, integration_id, external_product_id, created_at, title, product, product_hash, partner_active, operator_active, details)
		SELECT gen_random_uuid(), $1, 'p' || n, now(), 'Walk number ' || n,
			jsonb_build_object('id', 'p' || n, 'timeZone', 'Europe/Lisbon', 'instantConfirmation', true), sha256('x'), true, true,
			jsonb_build_object('description', repeat('A walk through the old town. ', 12), 'categories', jsonb_build_array('Walks', 'Category ' || n % 50),
				'location', jsonb_build_object('city', 'City ' || n % 200, 'country', jsonb_build_object('id', 'PT', 'name', 'Portugal')))
		FROM generate_series(1, $2::int) AS n`, integration, activities)
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

// replica is a service on a database that others may share, configured as in production: with
// a rate limit, and its log in a file.
type replica struct {
	address            string
	reseller, operator string // access tokens
}

// usualPages is the default size of the page cache.
const usualPages = 256 << 20

func aReplica(tb testing.TB, store *postgres.Store, pageCache int64, change ...func(*api.Config)) *replica {
	tb.Helper()
	file, err := os.Create(filepath.Join(tb.TempDir(), "requests.log"))
	must(tb, err)
	tb.Cleanup(func() { file.Close() })
	lines := telemetry.NewLogBuffer(file)
	log := slog.New(lines.Handler(slog.NewJSONHandler(lines, nil)))
	front, err := storefront.Open(tb.Context(), storefront.Config{Store: store.Storefront, PageCache: pageCache, AffiliateURL: "/{activity}/{affiliate}", Now: time.Now, Log: log})
	must(tb, err)
	tb.Cleanup(front.Close)
	key, err := auth.NewSecret([]byte(strings.Repeat("s", auth.ShortestSecret)))
	must(tb, err)
	guard := partner.NewGuard(true)
	measured := telemetry.NewMetrics("bench")
	client := partner.NewClient(partner.Config{Guard: guard, AtOnce: 8, Now: time.Now, Observe: measured.Called})
	tb.Cleanup(client.Close)
	signIn := auth.NewService(store.Accounts, key, 10, time.Now)
	config := api.Config{
		Events: event.NewService(store.Events, guard, key),
		Store:  api.Store{Database: store, Accounts: store.Accounts, Partners: store.Partners, Catalog: store.Catalog, Storefront: store.Storefront, Bookings: store.Bookings}, SignIn: signIn, Integrations: partner.NewRegistry(store.Partners, guard, key, time.Now), Syncer: catalog.NewSyncer(store.Catalog, client, time.Now),
		Notifier: catalog.NewNotifier(store.Catalog), Front: front, RateLimit: 1 << 30, Metrics: measured, Now: time.Now, Log: log,
	}
	for _, c := range change {
		c(&config)
	}
	server := httptest.NewServer(api.New(config))
	tb.Cleanup(server.Close)
	token := func(role marketplace.Role) string {
		email := uuid.NewString() + "@example.com"
		made, err := auth.NewAccount(marketplace.NewAccount{Email: email, Password: password, Role: role}, time.Now())
		must(tb, err)
		must(tb, store.Accounts.CreateAccount(tb.Context(), made))
		tokens, err := signIn.SignIn(tb.Context(), email, password, "")
		must(tb, err)
		return tokens.AccessToken
	}
	return &replica{strings.TrimPrefix(server.URL, "http://"), token(marketplace.Reseller), token(marketplace.Operator)}
}

// request is a request's bytes.
func (r *replica) request(path string, headers ...string) []byte {
	lines := append([]string{"GET " + path + " HTTP/1.1", "Host: marketplace.example", "Authorization: Bearer " + r.reseller}, headers...)
	return []byte(strings.Join(lines, "\r\n") + "\r\n\r\n")
}
