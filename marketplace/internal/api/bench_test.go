package api_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/certification"
	"partnerkit.dev/marketplace/internal/event"
	"partnerkit.dev/marketplace/internal/judging"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/marketplace/internal/telemetry"
	"partnerkit.dev/schemas"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const password = "correct horse battery"

// bench is a service for one test, with an account of each role.
type bench struct {
	store    *postgres.Store
	queries  *pgtest.Recorder
	handler  http.Handler
	address  string
	accounts map[marketplace.Role]marketplace.Account
	bookings *booking.Service
	partner  *partner.Client
	ahead    atomic.Int64
	disk     postgres.Disk
}

func (b *bench) now() time.Time {
	return time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(b.ahead.Load()))
}

// roles lists all roles.
var roles = []marketplace.Role{marketplace.Reseller, marketplace.Affiliate, marketplace.Partner, marketplace.Operator}

func setup(t testing.TB, change ...func(*api.Config)) *bench {
	t.Helper()
	b := &bench{queries: &pgtest.Recorder{}, accounts: map[marketplace.Role]marketplace.Account{}}
	database := pgtest.URL(t)
	b.store = pgtest.OpenRecorded(t, database, b.queries)
	b.store.Bookings.Clock = b.now
	key, err := auth.NewSecret([]byte(strings.Repeat("s", auth.ShortestSecret)))
	must(t, err)
	// A hash that is cheap to check: the race detector makes every check expensive.
	hash, err := argon2id.CreateHash(password, &argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	must(t, err)
	for _, role := range roles {
		a := marketplace.Account{ID: uuid.New(), Email: string(role) + "@example.com", Role: role, PasswordHash: hash, CreatedAt: b.now()}
		must(t, b.store.Accounts.CreateAccount(t.Context(), a))
		b.accounts[role] = a
	}
	guard := partner.NewGuard(true)
	measured := telemetry.NewMetrics("test")
	measured.Judge(func() judging.Counts {
		return judging.Counts{Dropped: map[judging.Dropped]int64{judging.DroppedBehind: 0}}
	})
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	apart := pgtest.OpenAt(t, database) // background writers have their own store, so that b.queries contains the requests' queries only
	calls, webhooks := partner.NewCallJournal(apart.Partners, log), partner.NewJournal(apart.Partners.AddWebhooks, log)
	t.Cleanup(func() { calls.Close(); webhooks.Close() })
	client := partner.NewClient(partner.Config{
		Guard: guard, AtOnce: 8, Now: b.now, Observe: func(id uuid.UUID, call partner.Observation) {
			calls.Add(id, call)
			measured.Called(id, call)
			if _, err := b.store.Partners.Observe(t.Context(), id, call); err != nil {
				t.Error(err)
			}
		},
	})
	b.partner = client
	t.Cleanup(func() { client.Close(); b.bookings.Wait() })
	front, err := storefront.Open(t.Context(), storefront.Config{
		Store: apart.Storefront, PageCache: 1 << 20, AffiliateURL: "https://shop.example/{activity}?by={affiliate}", Now: b.now, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	must(t, err)
	t.Cleanup(front.Close)
	syncer := catalog.NewSyncer(b.store.Catalog, client, b.now)
	syncer.OnSync(measured.Synced)
	measured.PageCache(front.PageCache)
	ready := b.readiness(t, database)
	measured.Ready(ready)
	measured.Database(b.store.MetricsState, b.now, map[string]*pgxpool.Pool{"requests": b.store.Pool()})
	integrations := partner.NewRegistry(b.store.Partners, guard, key, b.now)
	b.bookings = booking.NewService(booking.Config{
		Store: b.store.Bookings, Keys: b.store.Bookings, Partner: client, Target: integrations.Target, AffiliatesShare: decimal.NewFromInt(10), Now: b.now, Log: slog.New(slog.DiscardHandler), OnTransition: measured.Moved,
	})
	signer, err := certification.NewSigner(key)
	must(t, err)
	must(t, b.store.Runs.Govern(t.Context(), certification.Rules{Default: certification.Advise}))
	config := api.Config{
		Events: event.NewService(b.store.Events, guard, key),
		Store:  api.Store{Database: b.store, Accounts: b.store.Accounts, Partners: b.store.Partners, Catalog: b.store.Catalog, Storefront: b.store.Storefront, Bookings: b.store.Bookings}, SignIn: auth.NewService(b.store.Accounts, key, 10, b.now), Integrations: integrations, Bookings: b.bookings,
		Syncer: syncer, Trials: client, Journals: api.Journals{Calls: calls, Webhooks: webhooks},
		Runs: api.Runs{Store: b.store.Runs, Service: certification.NewService(b.store.Runs, true), Links: certification.NewLinks(key, b.now), Keys: signer.Keys(), Stream: time.Millisecond}, Notifier: catalog.NewNotifier(b.store.Catalog), Front: front, RateLimit: 600,
		Ready: ready, Metrics: measured, Scrapers: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Now: b.now, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	config.SignIn.OnFailedSignIn(measured.SignInFailed)
	for _, c := range change {
		c(&config)
	}
	b.handler = api.New(config)
	server := httptest.NewServer(b.handler)
	t.Cleanup(server.Close)
	b.address = server.URL
	return b
}

// readiness is the database check of /readyz.
func (b *bench) readiness(t testing.TB, database string) func(context.Context) error {
	ready, err := postgres.NewReadiness(database, &b.disk)
	must(t, err)
	t.Cleanup(ready.Close)
	return ready.Check
}

// answer is the response to a request.
type answer struct {
	*http.Response
	body []byte
}

func (a answer) data(t testing.TB, into any) {
	t.Helper()
	frame := struct {
		Success int             `json:"success"`
		Data    json.RawMessage `json:"data"`
	}{}
	if err := json.Unmarshal(a.body, &frame); err != nil || frame.Success != 1 {
		t.Fatalf("want a good answer, got %d %s", a.StatusCode, a.body)
	}
	if err := json.Unmarshal(frame.Data, into); err != nil {
		t.Fatalf("%v: %s", err, frame.Data)
	}
}

// header sets a header of a request.
type header struct{ name, value string }

func (b *bench) do(t testing.TB, method, path, body string, headers ...header) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, b.address+path, strings.NewReader(body))
	must(t, err)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		request.Header.Set(h.name, h.value)
	}
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	got := answer{response, text}
	judge(t, request, body, got)
	return got
}

func (b *bench) signIn(t testing.TB, role marketplace.Role) header {
	t.Helper()
	return b.signInAs(t, string(role)+"@example.com")
}

func (b *bench) signInAs(t testing.TB, email string) header {
	t.Helper()
	var tokens auth.Tokens
	b.do(t, http.MethodPost, "/api/v1/auth/login", `{"email":"`+email+`","password":"`+password+`"}`).data(t, &tokens)
	return header{"Authorization", "Bearer " + tokens.AccessToken}
}

// wantProblem fails unless the answer is an error with that status, in the contract's
// format, and contains these words.
func wantProblem(t testing.TB, a answer, status int, words ...string) {
	t.Helper()
	if a.StatusCode != status || a.Header.Get("Content-Type") != "application/json" {
		t.Errorf("want %d as JSON, got %d as %q: %s", status, a.StatusCode, a.Header.Get("Content-Type"), a.body)
	}
	for _, problem := range schemas.Validate(schemas.ResellerError, a.body) {
		t.Errorf("want the contract's error, got %s: %s", problem, a.body)
	}
	for _, word := range words {
		if !strings.Contains(string(a.body), word) {
			t.Errorf("want %q in %s", word, a.body)
		}
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
