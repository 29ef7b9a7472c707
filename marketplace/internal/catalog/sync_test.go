package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/partner/partnertest"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/schemas/partnerapi"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bench has a syncer with one integration, whose partner answers with body.
type bench struct {
	*catalog.Syncer
	store  *postgres.Store
	client *partner.Client
	target partner.Target
	body   atomic.Value // string
	pulls  atomic.Int64
	during func() // called during a pull
	ahead  atomic.Int64
}

func (b *bench) now() time.Time {
	return time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(b.ahead.Add(int64(time.Second))))
}

func setup(t *testing.T) *bench {
	t.Helper()
	b := &bench{store: pgtest.Open(t), during: func() {}}
	b.body.Store("[]")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.pulls.Add(1)
		body := b.body.Load()
		b.during()
		_, _ = fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	check(t, err)
	b.target = b.register(t, base)
	b.client, err = partner.NewClient(partner.Config{Guard: partner.NewGuard(true), Scale: partnertest.Unhurried, AtOnce: 8, Observe: func(uuid.UUID, partner.Observation) {}, Now: b.now})
	check(t, err)
	t.Cleanup(b.client.Close)
	b.Syncer = catalog.NewSyncer(b.store.Catalog, b.client, b.now)
	return b
}

// registerIn stores an integration of a partner.
func registerIn(t fataler, store *postgres.Store, target partner.Target, now time.Time) {
	account := domain.Account{ID: uuid.New(), Email: target.ID.String() + "@example.com", Role: domain.Partner, PasswordHash: "x", CreatedAt: now}
	check(t, store.Accounts.CreateAccount(context.Background(), account))
	check(t, store.Partners.CreateIntegration(context.Background(), domain.Integration{
		Mode: domain.Live,
		ID:   target.ID, AccountID: account.ID, Name: "Old Town Walks", BaseURL: target.BaseURL, AuthType: partnerapi.Bearer,
		AuthKey: []byte("sealed"), WebhookSecretHash: auth.HashToken("x"), CreatedAt: now,
	}, 0))
}

func (b *bench) sync(t *testing.T, mode catalog.Mode, products ...string) catalog.Sync {
	t.Helper()
	b.body.Store("[" + strings.Join(products, ",") + "]")
	made, err := b.Sync(t.Context(), catalog.Order{Target: b.target, Mode: mode, Cause: catalog.ByPartner})
	check(t, err)
	return made
}

// product returns a product with that id, whose name and option can be changed.
func product(id string, change ...string) string {
	text := fmt.Sprintf(`{"id":%q,"internalName":"Walk","locale":"en","timeZone":"Europe/Lisbon","instantConfirmation":true,"options":[
		{"id":"morning","internalName":"Morning","availabilityType":"START_TIME","units":[
			{"id":"unit-adult","internalName":"Adult","type":"ADULT","pricingFrom":[{"original":2250,"currency":"EUR"}]},
			{"id":"unit-child","internalName":"Child","type":"CHILD","pricingFrom":[{"original":1100,"currency":"EUR"}]}]}]}`, id)
	return strings.NewReplacer(change...).Replace(text)
}

// activities lists the stored activities in a fixed order: "id title active [option …]".
func (b *bench) activities(t *testing.T) string {
	t.Helper()
	var list string
	check(t, b.store.Pool().QueryRow(t.Context(), `
		SELECT coalesce(string_agg(format('%s %s %s [%s]', external_product_id, title, partner_active::text, options), ', ' ORDER BY external_product_id), '')
		FROM (SELECT a.*, (SELECT string_agg(format('%s %s', external_option_id, v.partner_active::text), ' ' ORDER BY sort) FROM variations v WHERE v.activity_id = a.id) AS options FROM activities a) AS all_of_them`).Scan(&list))
	return list
}

// written returns how many rows of a table were ever inserted, updated or deleted.
func (b *bench) versions(t *testing.T) string {
	t.Helper()
	var list string
	check(t, b.store.Pool().QueryRow(t.Context(), `
		SELECT coalesce((SELECT string_agg(format('%s:%s', external_product_id, xmin), ' ' ORDER BY id) FROM activities), '') || ' ' ||
			coalesce((SELECT string_agg(xmin::text, ' ' ORDER BY id) FROM variations), '') || ' ' ||
			(SELECT string_agg(xmin::text, ' ') FROM integrations) || ' ' || (SELECT count(*) FROM syncs)`).Scan(&list))
	return list
}

func (b *bench) want(t *testing.T, want string) {
	t.Helper()
	if got := b.activities(t); got != want {
		t.Errorf("want %s\ngot  %s", want, got)
	}
}

func TestTheSameBodyIsSkippedAndNotOneRowIsWritten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sync(t, catalog.Full, product("a"), product("b"), `{"id":"c"}`)
	before := b.versions(t)
	made := b.sync(t, catalog.Full, product("a"), product("b"), `{"id":"c"}`)
	if !made.Skipped || made.Synced != 2 {
		t.Errorf("want it skipped, as the sync of 2, got %+v", made)
	}
	if after := b.versions(t); after != before {
		t.Errorf("want no row written\nbefore %s\nafter  %s", before, after)
	}
}

func TestAnotherOrderChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sync(t, catalog.Full, product("a"), product("b"))
	before := strings.Fields(b.versions(t))
	made := b.sync(t, catalog.Full, product("b"), product("a", `"unit-adult"`, `"unit-child"`, `"unit-child"`, `"unit-adult"`, "ADULT", "CHILD", "CHILD", "ADULT",
		`"Adult"`, `"Child"`, `"Child"`, `"Adult"`, "2250", "1100", "1100", "2250"))
	if made.Updated != 0 || made.Skipped {
		t.Errorf("want it read, and nothing updated, got %+v", made)
	}
	after := strings.Fields(b.versions(t))
	for i := range 4 {
		if before[i] != after[i] {
			t.Errorf("want row %d left alone, got %s and %s", i, before[i], after[i])
		}
	}
}

func TestABadProductIsSetAsideAndTheOthersAreStored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sync(t, catalog.Full, product("a"), product("b"))
	made := b.sync(t, catalog.Full, product("a", "2250", "22.5"), product("b"), product("b"), `{"id":17}`, product("c", `"unit-child"`, `"unit-adult"`, "CHILD", "ADULT"))
	if made.Synced != 1 || len(made.SetAside) != 4 || made.Deactivated != 0 {
		t.Fatalf("want one stored, four set aside and none deactivated, got %+v", made)
	}
	for i, want := range []struct{ id, pointer string }{
		{"a", "/0/options/0/units/0/pricingFrom/0/original"}, {"b", "/2/id"}, {"", "/3/id"}, {"c", "/4/options/0/units/1/id"},
	} {
		got := made.SetAside[i]
		found := false
		for _, problem := range got.Problems {
			found = found || problem.Pointer == want.pointer && problem.Message != ""
		}
		if got.ProductID != want.id || !found {
			t.Errorf("want %s set aside for %s, got %+v", want.id, want.pointer, got)
		}
	}
	b.want(t, "a Walk true [morning true], b Walk true [morning true]")
}

func TestABodyThatIsNoCatalogWritesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sync(t, catalog.Full, product("a"))
	before := b.versions(t)
	for _, body := range []string{"", "null", "17", `"products"`, "{}", `{"Products":[]}`, `{"products":{}}`, `{"products":null}`, `[{"id":`, "[] []"} {
		b.body.Store(body)
		_, err := b.Sync(t.Context(), catalog.Order{Target: b.target, Mode: catalog.Full})
		if err == nil || domain.CodeOf(err) != domain.PartnerFailed {
			t.Errorf("%s: want it refused, got %v", body, err)
		}
	}
	if after := b.versions(t); after != before {
		t.Errorf("want no row written\nbefore %s\nafter  %s", before, after)
	}
}

func TestASyncOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.body.Store("[" + product("a") + "]")
	arrived, release := make(chan struct{}), make(chan struct{})
	b.during = sync.OnceFunc(func() { close(arrived); <-release })
	asking, giveUp := context.WithCancel(t.Context())
	order := catalog.Order{Target: b.target, Mode: catalog.Full}
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := b.Sync(asking, order); !errors.Is(err, context.Canceled) {
			t.Errorf("want our own end, got %v", err)
		}
	})
	<-arrived
	giveUp()
	all.Wait()
	close(release)
	made, err := b.Sync(t.Context(), order)
	if err != nil || !made.Skipped || made.Synced != 1 {
		t.Errorf("want the catalog stored by then, got %+v and %v", made, err)
	}
}

// A change at the partner during a pull is not missed: the trigger that announces it causes
// another pull.
func TestRequestsDuringASyncShareTheOneThatFollows(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.body.Store("[" + product("a") + "]")
	arrived, release := make(chan struct{}), make(chan struct{})
	b.during = sync.OnceFunc(func() { close(arrived); <-release })
	order := catalog.Order{Target: b.target, Mode: catalog.Full}
	var all sync.WaitGroup
	all.Go(func() { _, _ = b.Sync(t.Context(), order) })
	<-arrived
	var waiting atomic.Int64
	for range 5 {
		all.Go(func() {
			waiting.Add(1)
			if made, err := b.Sync(t.Context(), order); err != nil || made.Synced != 2 {
				t.Errorf("want what the partner says now, got %+v and %v", made, err)
			}
		})
	}
	for waiting.Load() < 5 {
		runtime.Gosched()
	}
	pulled := b.pulls.Load()
	b.body.Store("[" + product("a") + "," + product("b") + "]")
	close(release)
	all.Wait()
	if more := b.pulls.Load() - pulled; more < 1 || more > 4 { // one, unless some were late
		t.Errorf("want one pull for all five, got %d", more)
	}
}

// puller is a partner without a network.
type puller func() string

func (p puller) Products(ctx context.Context, _ partner.Target, _ time.Time, read func(context.Context, []byte) error) error {
	return read(ctx, []byte(p()))
}

// check ends a test that cannot continue.
func check(t fataler, err error) {
	t.Helper()
	errtest.Check(t, err)
}

// fataler is a test, or one check of rapid.
type fataler interface {
	Helper()
	Fatal(...any)
}
