package storefront_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/storefront"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// shop is a catalog in a database, and its front.
type shop struct {
	*storefront.Front
	store *postgres.Store
	owner uuid.UUID
	ahead atomic.Int64 // of opening
}

// opening is a Saturday.
var opening = time.Date(2026, 7, 4, 9, 0, 0, 0, time.UTC)

func (s *shop) now() time.Time { return opening.Add(time.Duration(s.ahead.Load())) }

func open(t *testing.T, store storefront.Store, pageCache int64) *storefront.Front {
	t.Helper()
	return openAt(t, store, pageCache, func() time.Time { return opening })
}

func openAt(t *testing.T, store storefront.Store, pageCache int64, now func() time.Time) *storefront.Front {
	t.Helper()
	f, err := storefront.Open(t.Context(), storefront.Config{
		Store: store, PageCache: pageCache, AffiliateURL: "https://shop.example/{activity}/{affiliate}", Now: now, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	must(t, err)
	t.Cleanup(f.Close)
	return f
}

func setup(t *testing.T) *shop {
	t.Helper()
	store := pgtest.Open(t)
	s := &shop{store: store, owner: uuid.New()}
	s.do(t, `INSERT INTO accounts VALUES ($1, 'partner@example.com', 'Partner', 'partner', 'none', now())`, s.owner)
	s.do(t, `INSERT INTO exchange_rates VALUES ('USD', 1.25), ('JPY', 160)`)
	s.Front = openAt(t, store.Storefront, 1<<20, s.now)
	return s
}

// do changes the database, as any process may.
func (s *shop) do(t failer, statement string, args ...any) {
	t.Helper()
	if _, err := s.store.Pool().Exec(context.Background(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// failer is a test or a run of rapid.
type failer interface {
	Helper()
	Errorf(string, ...any)
	Fatal(...any)
	Fatalf(string, ...any)
}

func (s *shop) caughtUp(t failer) {
	t.Helper()
	if err := s.CatchUp(context.Background()); err != nil {
		t.Fatalf("catch up: %v", err)
	}
}

// register creates an integration.
func (s *shop) register(t failer, name string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	s.do(t, `INSERT INTO integrations (id, account_id, name, base_url, auth_type, auth_key, webhook_secret_hash, handles_ticket_delivery, created_at)
		VALUES ($1, $2, $3, 'https://partner.example/' || $1::uuid, 'bearer', '', sha256('x'), false, now())`, id, s.owner, name)
	return id
}

// add adds activities with one variation to the catalog, in one statement.
func (s *shop) add(t failer, integration uuid.UUID, titles ...string) {
	t.Helper()
	s.do(t, `WITH made AS (
			INSERT INTO activities (id, integration_id, external_product_id, created_at, title, product, product_hash, partner_active, operator_active, details)
			SELECT gen_random_uuid(), $1, gen_random_uuid()::text, now(), title, '{"timeZone": "Europe/Lisbon"}', sha256('x'), true, true, '{}' FROM unnest($2::text[]) AS title
			RETURNING id)
		INSERT INTO variations (id, activity_id, external_option_id, sort, title, option, option_hash, partner_active, details)
		SELECT gen_random_uuid(), id, 'o', 1, 'Morning', '{"id": "o", "availabilityType": "START_TIME", "units": [{"id": "unit-adult", "type": "ADULT", "internalName": "Adult",
			"pricingFrom": [{"original": 2250, "currency": "EUR"}]}]}', sha256('x'), true, '{}' FROM made`, integration, titles)
}

// read is a page as clients parse it.
type read struct {
	Data []struct {
		ID    uuid.UUID `json:"_id"`
		Title string    `json:"activity_title"`
	} `json:"data"`
	Pagination struct {
		TotalCount int `json:"totalCount"`
	} `json:"pagination"`
}

func (r read) titles() (titles []string) {
	for _, one := range r.Data {
		titles = append(titles, one.Title)
	}
	return titles
}

func list(t failer, f *storefront.Front, q storefront.Query) (page read) {
	t.Helper()
	if q.Page == 0 {
		q.Page, q.Limit = 1, 100
	}
	q.Filter.Mode = domain.Live
	answer, err := f.List(context.Background(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	if err := json.Unmarshal(answer.Body, &page); err != nil {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	return page
}

// must stops the test on an error.
func must(t failer, err error) {
	t.Helper()
	errtest.Check(t, err)
}
