package storefront_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/language"
	"pgregory.net/rapid"

	"partnerkit.dev/marketplace"
	"partnerkit.dev/marketplace/listing"
	"partnerkit.dev/marketplace/postgres"
	"partnerkit.dev/marketplace/postgres/pgtest"
	"partnerkit.dev/marketplace/pricing"
	"partnerkit.dev/marketplace/storefront"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// shop is a catalog in a database, and the front that shows it.
type shop struct {
	*storefront.Front
	store *postgres.Store
	owner uuid.UUID
}

func open(t *testing.T, store storefront.Store, pageCache int64) *storefront.Front {
	t.Helper()
	f, err := storefront.Open(t.Context(), storefront.Config{
		Store: store, PageCache: pageCache, AffiliateURL: "https://shop.example/{activity}/{affiliate}", Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func setup(t *testing.T) *shop {
	t.Helper()
	store := pgtest.Open(t)
	s := &shop{store: store, owner: uuid.New()}
	s.do(t, `INSERT INTO accounts VALUES ($1, 'partner@example.com', 'Partner', 'partner', 'none', now())`, s.owner)
	s.do(t, `INSERT INTO exchange_rates VALUES ('USD', 1.25), ('JPY', 160)`)
	s.Front = open(t, store, 1<<20)
	return s
}

// do changes the database as any process may.
func (s *shop) do(t failer, statement string, args ...any) {
	t.Helper()
	if _, err := s.store.Pool().Exec(context.Background(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// failer is a test, or a try of rapid's.
type failer interface {
	Helper()
	Errorf(string, ...any)
	Fatalf(string, ...any)
}

func (s *shop) caughtUp(t failer) {
	t.Helper()
	if err := s.CatchUp(context.Background()); err != nil {
		t.Fatalf("catch up: %v", err)
	}
}

// register makes an integration.
func (s *shop) register(t failer, name string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	s.do(t, `INSERT INTO integrations (id, account_id, name, base_url, auth_type, auth_key, webhook_secret_hash, handles_ticket_delivery, created_at)
		VALUES ($1, $2, $3, 'https://partner.example/' || $1::uuid, 'bearer', '', sha256('x'), false, now())`, id, s.owner, name)
	return id
}

// add puts activities of one variation into the catalog, all in one statement.
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

// read is a page as a reader has it.
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
	answer, err := f.List(context.Background(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	if err := json.Unmarshal(answer.Body, &page); err != nil {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	return page
}

func TestAFilterTakesWhatItNamesInAnyCapitals(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.add(t, s.register(t, "Old Town Walks"), "Évora by night", "100% Fado", "Sintra")
	for title, details := range map[string]string{
		"Évora by night": `{"categories": ["Walking tours", "Night"], "location": {"city": "Évora", "country": {"id": "PT", "name": "Portugal"}}, "tags": ["wine"], "short_description": "Stars and chapels."}`,
		"Sintra":         `{"categories": ["Walking"], "location": {"city": "Sintra", "country": {"id": "PT", "name": "Portugal"}}, "translation": {"ja": {"activity_title": "シントラ宮殿", "description": 17}, "de": {"activity_title": 4}}}`,
	} {
		s.do(t, `UPDATE activities SET details = $2::text::jsonb WHERE title = $1`, title, details)
	}
	s.caughtUp(t)
	for _, c := range []struct {
		filter storefront.Filter
		want   []string
	}{
		{storefront.Filter{Query: "évora"}, []string{"Évora by night"}},
		{storefront.Filter{Query: " NIGHT  évo "}, []string{"Évora by night"}},
		{storefront.Filter{Query: "chapel wine"}, []string{"Évora by night"}},
		{storefront.Filter{Query: "portugal"}, []string{"Évora by night", "Sintra"}},
		{storefront.Filter{Query: "宮殿"}, []string{"Sintra"}},
		{storefront.Filter{Query: "%"}, []string{"100% Fado"}},
		{storefront.Filter{Query: "_"}, nil},
		{storefront.Filter{Query: "night sintra"}, nil},
		{storefront.Filter{Category: "walking TOURS"}, []string{"Évora by night"}},
		{storefront.Filter{Category: "Walking"}, []string{"Sintra"}},
		{storefront.Filter{Country: "pt"}, []string{"Évora by night", "Sintra"}},
		{storefront.Filter{Country: "PORTUGAL", City: "sintra"}, []string{"Sintra"}},
		{storefront.Filter{City: "sint"}, nil},
		{storefront.Filter{City: "portugal"}, nil},
	} {
		page := list(t, s.Front, storefront.Query{Filter: c.filter})
		got := page.titles()
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) || page.Pagination.TotalCount != len(c.want) {
			t.Errorf("%+v: want %q, got %q of %d", c.filter, c.want, got, page.Pagination.TotalCount)
		}
	}
}

// What a partner breaks harms nobody else's prices.
func TestAnActivityThatCannotBePricedIsLeftOut(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.add(t, s.register(t, "Old Town Walks"), "Walk", "Priceless")
	s.do(t, `UPDATE variations SET option = jsonb_set(option, '{units,0,pricingFrom,0,currency}', '"CHF"') WHERE activity_id = (SELECT id FROM activities WHERE title = 'Priceless')`)
	s.caughtUp(t)
	if got := list(t, s.Front, storefront.Query{Page: 1, Limit: 10, Currency: "USD"}).titles(); !slices.Equal(got, []string{"Walk"}) {
		t.Errorf("want the other, got %q", got)
	}
	if got := list(t, s.Front, storefront.Query{}).titles(); len(got) != 2 {
		t.Errorf("want both in their own currency, got %q", got)
	}
	if _, err := s.List(t.Context(), storefront.Query{Page: 1, Limit: 10, Currency: "CHF"}); marketplace.CodeOf(err) != marketplace.Invalid {
		t.Errorf("want a currency without a rate refused, got %v", err)
	}
}

// change is one that some process makes of the catalog.
type change struct {
	name string
	make func(*rapid.T, *shop)
}

// anID draws one of the rows; the zero id where there is none.
func (s *shop) anID(t *rapid.T, table string) (id uuid.UUID) {
	rows, _ := s.store.Pool().Query(context.Background(), `SELECT id FROM `+table+` ORDER BY id`)
	var ids []uuid.UUID
	for rows.Next() {
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return uuid.Nil
	}
	return ids[rapid.IntRange(0, len(ids)-1).Draw(t, table)]
}

func changes() []change {
	one := func(name, table, statement string) change {
		return change{name, func(t *rapid.T, s *shop) { s.do(t, statement, s.anID(t, table)) }}
	}
	return []change{
		{"a sync brings activities", func(t *rapid.T, s *shop) {
			var titles []string
			for n := range rapid.IntRange(1, 5).Draw(t, "new") {
				titles = append(titles, fmt.Sprintf("Walk %d", n))
			}
			s.add(t, s.anID(t, "integrations"), titles...)
		}},
		{"many activities are brought", func(t *rapid.T, s *shop) { s.add(t, s.anID(t, "integrations"), make([]string, 230)...) }},
		{"a partner registers", func(t *rapid.T, s *shop) { s.register(t, "Boats") }},
		{"rates change", func(t *rapid.T, s *shop) {
			s.do(t, `UPDATE exchange_rates SET rate = $1::int WHERE currency = 'USD'`, rapid.IntRange(1, 9).Draw(t, "rate"))
		}},
		{"the fee changes", func(t *rapid.T, s *shop) {
			s.do(t, `UPDATE pricing_terms SET service_fee = $1::int`, rapid.IntRange(0, 9).Draw(t, "fee"))
		}},
		{"an integration is registered again", func(t *rapid.T, s *shop) {
			s.do(t, `UPDATE activities SET integration_id = $1 WHERE integration_id = $2`, s.anID(t, "integrations"), s.anID(t, "integrations"))
		}},
		one("an operator edits", "activities", `UPDATE activities SET title = title || '!', details = '{"categories": ["Night"]}' WHERE id = $1`),
		one("an operator hides or shows", "activities", `UPDATE activities SET operator_active = NOT operator_active WHERE id = $1`),
		one("a product comes or goes", "activities", `UPDATE activities SET partner_active = NOT partner_active WHERE id = $1`),
		one("an activity is deleted", "activities", `DELETE FROM activities WHERE id = $1`),
		one("a price changes", "variations", `UPDATE variations SET option = jsonb_set(option, '{units,0,pricingFrom,0,original}', to_jsonb((option#>>'{units,0,pricingFrom,0,original}')::int + 100)) WHERE id = $1`),
		one("an option comes or goes", "variations", `UPDATE variations SET partner_active = NOT partner_active WHERE id = $1`),
		one("a slot pull finds more seats", "variations", `UPDATE variations SET capacity = capacity + 1 WHERE id = $1`),
		one("an option is deleted", "variations", `DELETE FROM variations WHERE id = $1`),
		one("an integration is renamed", "integrations", `UPDATE integrations SET name = name || '!' WHERE id = $1`),
		one("an integration is deleted or lives again", "integrations", `UPDATE integrations SET deleted_at = CASE WHEN deleted_at IS NULL THEN now() END WHERE id = $1`),
	}
}

// fromScratch is a page as a plain reading of the tables has it.
func (s *shop) fromScratch(t failer, q storefront.Query) string {
	t.Helper()
	ctx := context.Background()
	const where = ` FROM activities a JOIN integrations i ON i.id = a.integration_id
		WHERE a.partner_active AND a.operator_active AND i.deleted_at IS NULL AND strpos(lower(a.title), lower($1)) > 0`
	var total int
	if err := s.store.Pool().QueryRow(ctx, `SELECT count(*)`+where, q.Filter.Query).Scan(&total); err != nil {
		t.Fatalf("count: %v", err)
	}
	rows, err := s.store.Pool().Query(ctx, `SELECT a.id`+where+` ORDER BY a.created_at, a.id LIMIT $2 OFFSET $3`, q.Filter.Query, q.Limit, (q.Page-1)*q.Limit)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	var ids []uuid.UUID
	for rows.Next() {
		var id uuid.UUID
		if err := rows.Scan(&id); err != nil {
			t.Fatalf("read: %v", err)
		}
		ids = append(ids, id)
	}
	activities, err := s.store.ListedActivities(ctx, ids)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	terms, err := s.store.Terms(ctx)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	data := make([]listing.Activity, len(ids))
	for _, a := range activities {
		shown, err := listing.Show(a, listing.Terms{Commission: terms.Commission, Fee: pricing.Fee{Amount: terms.Fee, Currency: terms.FeeIn}, Rates: terms.Rates}, q.Currency, language.Make(q.Language))
		if err != nil {
			t.Fatalf("show: %v", err)
		}
		data[slices.Index(ids, a.ID)] = shown
	}
	text, err := json.Marshal(map[string]any{"success": 1, "data": data, "pagination": map[string]int{"pageSize": q.Limit, "page": q.Page, "totalCount": total}})
	if err != nil {
		t.Fatalf("write: %v", err)
	}
	return inOneOrder(t, text)
}

func inOneOrder(t failer, text []byte) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	ordered, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return string(ordered)
}

func (s *shop) answers(t failer, f *storefront.Front, q storefront.Query) string {
	t.Helper()
	answer, err := f.List(context.Background(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return inOneOrder(t, answer.Body)
}

func TestEveryPageIsWhatOneMadeFromScratchIs(t *testing.T) {
	t.Parallel()
	s := setup(t)
	other := open(t, s.store, 1<<20)
	s.add(t, s.register(t, "Old Town Walks"), "Walk 0", "Walk 1", "Walk 2", "Boat")
	all := changes()
	queries := []storefront.Query{
		{Page: 1, Limit: 20}, {Page: 1, Limit: 3, Currency: "USD"}, {Page: 2, Limit: 3, Language: "pt"}, {Page: 1, Limit: 2, Filter: storefront.Filter{Query: "walk"}}, {Page: 9, Limit: 7},
	}
	rapid.Check(t, func(rt *rapid.T) {
		s.do(rt, `DELETE FROM activities WHERE id IN (SELECT id FROM activities ORDER BY created_at, id OFFSET 30)`)
		made := []string{}
		for range rapid.IntRange(1, 4).Draw(rt, "changes") {
			c := rapid.SampledFrom(all).Draw(rt, "change")
			c.make(rt, s)
			made = append(made, c.name)
		}
		s.caughtUp(rt)
		for range 2 {
			q := rapid.SampledFrom(queries).Draw(rt, "query")
			if want, got := s.fromScratch(rt, q), s.answers(rt, s.Front, q); got != want {
				rt.Fatalf("after %q the page %+v is\n%s\nwant\n%s", made, q, got, want)
			}
		}
		q := rapid.SampledFrom(queries).Draw(rt, "at the other replica")
		eventually(rt, "the other replica shows it", func() bool { return s.answers(rt, other, q) == s.fromScratch(rt, q) })
	})
}

// eventually polls until it is so; how soon is a benchmark's to tell.
func eventually(t failer, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("want that %s", what)
		}
	}
}

func TestReadersSeeEveryChangeThatWasAnsweredBeforeTheyAsked(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.add(t, s.register(t, "Old Town Walks"), "0")
	s.caughtUp(t)
	var answered atomic.Int64
	var over atomic.Bool
	var all sync.WaitGroup
	for reader := range 4 {
		all.Go(func() {
			q := storefront.Query{Page: 1, Limit: 10, Currency: []marketplace.Currency{"EUR", "USD"}[reader%2]}
			for !over.Load() {
				before := answered.Load()
				titles := list(t, s.Front, q).titles()
				if len(titles) != 1 {
					t.Errorf("want one activity, got %q", titles)
					return
				}
				var shown int64
				if _, err := fmt.Sscan(titles[0], &shown); err != nil || shown < before {
					t.Errorf("want %d or what came after it, got %q", before, titles)
					return
				}
			}
		})
	}
	for n := range int64(20) {
		s.do(t, `UPDATE activities SET title = $1`, fmt.Sprint(n+1))
		s.caughtUp(t)
		answered.Store(n + 1)
	}
	over.Store(true)
	all.Wait()
}

// deafened is a store whose feeds can be made to tell nothing, as a connection does that
// is half dead.
type deafened struct {
	*postgres.Store
	deaf    atomic.Bool
	listens atomic.Int64
}

type deafFeed struct {
	storefront.Feed
	store *deafened
}

func (d *deafened) Listen(ctx context.Context) (storefront.Feed, error) {
	d.listens.Add(1)
	feed, err := d.Store.Listen(ctx)
	return deafFeed{feed, d}, err
}

func (f deafFeed) Next(ctx context.Context) (storefront.News, error) {
	told, err := f.Feed.Next(ctx)
	if err == nil && f.store.deaf.Load() {
		return f.Next(ctx)
	}
	return told, err
}

func TestAFeedThatTellsNothingAnyMoreIsReplaced(t *testing.T) {
	t.Parallel()
	s := setup(t)
	store := &deafened{Store: s.store}
	f := open(t, store, 1<<20)
	store.deaf.Store(true)
	s.add(t, s.register(t, "Old Town Walks"), "Walk")
	eventually(t, "it is shown all the same", func() bool { return len(list(t, f, storefront.Query{}).Data) == 1 })
	store.deaf.Store(false)
	if err := f.CatchUp(t.Context()); err != nil || store.listens.Load() < 2 {
		t.Errorf("want it to listen again, got %d feeds and %v", store.listens.Load(), err)
	}
}

func TestAConnectionThatBreaksIsReplaced(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for n := range 3 {
		s.do(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query ~ '^LISTEN'`)
		s.add(t, s.register(t, "Old Town Walks"), fmt.Sprint(n))
		s.caughtUp(t)
		if got := list(t, s.Front, storefront.Query{}).titles(); len(got) != n+1 {
			t.Errorf("want %d, got %q", n+1, got)
		}
	}
}

func TestPagesThatNobodyAskedForTheLongestTimeMakeRoom(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.add(t, s.register(t, "Old Town Walks"), make([]string, 40)...)
	const most = 64 << 10
	f := open(t, s.store, most)
	for page := range 40 {
		list(t, f, storefront.Query{Page: page + 1, Limit: 1})
	}
	if _, _, bytes := f.PageCache(); bytes > most || bytes < most/2 {
		t.Errorf("want about %d bytes of pages, got %d", most, bytes)
	}
	found, made := counted(f, func() {
		list(t, f, storefront.Query{Page: 40, Limit: 1})
		list(t, f, storefront.Query{Page: 1, Limit: 1})
	})
	if found != 1 || made != 1 {
		t.Errorf("want the last one found and the first one made again, got %d found and %d made", found, made)
	}
}

func TestAChangeUnmakesThePagesThatShowItAndNoOther(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.add(t, s.register(t, "Old Town Walks"), "a", "b", "c", "d")
	s.caughtUp(t)
	second := storefront.Query{Page: 2, Limit: 2}
	moved := list(t, s.Front, second).titles()
	list(t, s.Front, storefront.Query{Page: 1, Limit: 2})
	s.do(t, `UPDATE activities SET title = title || '!' WHERE title = ANY($1)`, moved)
	s.caughtUp(t)
	found, made := counted(s.Front, func() {
		list(t, s.Front, storefront.Query{Page: 1, Limit: 2})
		list(t, s.Front, second)
	})
	if found != 1 || made != 1 {
		t.Errorf("want one found and the other made again, got %d found and %d made", found, made)
	}
}

// counted returns how many pages were found, and how many made.
func counted(f *storefront.Front, reads func()) (found, made uint64) {
	foundBefore, madeBefore, _ := f.PageCache()
	reads()
	found, made, _ = f.PageCache()
	return found - foundBefore, made - madeBefore
}
