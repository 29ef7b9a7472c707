package storefront_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"pgregory.net/rapid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/marketplace/internal/waittest"
)

// change is a change of the catalog by some process.
type change struct {
	name string
	make func(*rapid.T, *shop)
}

// anID draws the id of a row, or the zero id.
func (s *shop) anID(t *rapid.T, table string) (id uuid.UUID) {
	rows, _ := s.store.Pool().Query(context.Background(), `SELECT id FROM `+table+` ORDER BY id`)
	var ids []uuid.UUID
	for rows.Next() {
		must(t, rows.Scan(&id))
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
		{"time passes", func(t *rapid.T, s *shop) {
			s.ahead.Add(int64(rapid.SampledFrom([]time.Duration{time.Second, 10 * time.Minute, 3 * time.Hour}).Draw(t, "by")))
		}},
		{"slots are pulled", func(t *rapid.T, s *shop) {
			s.do(t, `INSERT INTO slots (variation_id, availability_id, local_date, starts_at, ends_at, status, news_at)
				SELECT id, gen_random_uuid(), (start AT TIME ZONE 'Europe/Lisbon')::date, start, start + interval '1 h', 'AVAILABLE', now()
				FROM variations, generate_series(0, $1) AS n, LATERAL (SELECT $2::timestamptz + interval '5 min' + n * interval '11 h' AS start) AS s WHERE id >= $3`,
				rapid.IntRange(0, 3).Draw(t, "days"), s.now(), s.anID(t, "variations"))
		}},
		{"a slot changes", func(t *rapid.T, s *shop) {
			s.do(t, `UPDATE slots SET status = $1 WHERE availability_id IN (SELECT availability_id FROM slots ORDER BY variation_id, availability_id LIMIT $2)`,
				rapid.SampledFrom([]string{"AVAILABLE", "LIMITED", "SOLD_OUT", "CLOSED"}).Draw(t, "status"), rapid.IntRange(1, 9).Draw(t, "slots"))
		}},
		{"a slot gets its own price", func(t *rapid.T, s *shop) {
			s.do(t, `UPDATE slots SET unit_pricing = jsonb_build_array(jsonb_build_object('unitId', 'unit-adult', 'original', $1::int, 'currency', $2::text))
				WHERE availability_id IN (SELECT availability_id FROM slots ORDER BY availability_id LIMIT $3)`, rapid.IntRange(1, 5).Draw(t, "price")*1000,
				rapid.SampledFrom([]string{"EUR", "USD", "CHF"}).Draw(t, "currency"), rapid.IntRange(1, 9).Draw(t, "slots"))
		}},
		{"an activity costs more or less", func(t *rapid.T, s *shop) {
			s.do(t, `UPDATE activities SET details = details || jsonb_build_object('admin_price_percentage', $2::int, 'admin_discount_percentage', 10) WHERE id = $1`, s.anID(t, "activities"), rapid.IntRange(0, 90).Draw(t, "percent"))
		}},
		one("a title is translated", "activities", `UPDATE activities SET title = 'Évora ' || title, details = details || '{"translation": {"pt": {"activity_title": "a pé"}, "de": {}}}' WHERE id = $1`),
		one("a group price is set", "variations", `UPDATE variations SET details = '{"group_price": {"amount": 30.5, "currency": "USD"}}' WHERE id = $1`),
		one("an operator edits", "activities", `UPDATE activities SET title = title || '!', details = details || '{"categories": ["Night"]}' WHERE id = $1`),
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

// fromScratch returns a page as computed directly from the tables, by what its readers see of each
// activity and slot.
func (s *shop) fromScratch(t failer, q storefront.Query) string {
	t.Helper()
	ctx := context.Background()
	rows, err := s.store.Pool().Query(ctx, `SELECT id FROM activities`)
	must(t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	must(t, err)
	activities, err := s.store.Storefront.ListedActivities(ctx, domain.Live, ids)
	must(t, err)
	terms, err := s.store.Storefront.Terms(ctx, time.Now())
	must(t, err)
	var all []answered
	for _, a := range activities {
		if one, taken := s.answer(t, a, terms, q); taken {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b answered) int {
		return cmp.Or(cmp.Compare(a.key, b.key), titleOrder(a.title, b.title), a.CreatedAt.Compare(b.CreatedAt), bytes.Compare(a.ID[:], b.ID[:]))
	})
	from := min((q.Page-1)*q.Limit, len(all))
	end := min(from+q.Limit, len(all))
	data := []any{}
	for _, one := range all[from:end] {
		data = append(data, storefront.Show(one.Activity, terms, q.Currency, q.Language))
	}
	text, err := json.Marshal(map[string]any{"success": 1, "data": data, "pagination": map[string]any{"pageSize": q.Limit, "page": q.Page, "totalCount": len(all), "next_cursor": end < len(all)}})
	must(t, err)
	return inOneOrder(t, text)
}

// answered is an activity in an answer, and what orders it.
type answered struct {
	domain.Activity
	key   float64
	title string
}

func titleOrder(a, b string) int { return collate.New(language.Und, collate.Loose).CompareString(a, b) }

// answer decides about one activity.
func (s *shop) answer(t failer, a domain.Activity, terms domain.Terms, q storefront.Query) (one answered, taken bool) {
	one.Activity = a
	shown := storefront.Show(a, terms, q.Currency, q.Language)
	if !strings.Contains(strings.ToLower(a.Title), q.Filter.Query) {
		return one, false
	}
	dates, unlimited := !q.Filter.DateFrom.IsZero() || !q.Filter.DateTo.IsZero(), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	from, to := q.Filter.DateFrom, q.Filter.DateTo
	if to.IsZero() {
		to = unlimited
	}
	var prices []float64
	next := unlimited
	for _, v := range a.Variations {
		if !v.Active {
			continue
		}
		at := slices.IndexFunc(shown.Variations, func(shown storefront.Variation) bool { return shown.ID == v.ID })
		if price := storefront.LeadingPrice(v, shown.Variations[at].Pricing); price != nil && !dates {
			prices = append(prices, price.InexactFloat64())
		}
		slots, err := s.store.Storefront.Slots(context.Background(), []uuid.UUID{v.ID}, from, to)
		must(t, err)
		views, err := storefront.ShowSlots(a, v, slots, terms, q.Currency, s.now())
		must(t, err)
		for _, view := range views {
			if !view.Bookable {
				continue
			}
			if date, err := time.Parse(time.DateOnly, view.Start[:len(time.DateOnly)]); err == nil && date.Before(next) {
				next = date
			}
			if price := storefront.LeadingPrice(v, view.Pricing); price != nil && dates {
				prices = append(prices, price.InexactFloat64())
			}
		}
	}
	lowest := math.Inf(1)
	if len(prices) > 0 {
		lowest = slices.Min(prices)
	}
	least, most := 0.0, math.Inf(1)
	if q.Filter.MinPrice != "" {
		least, _ = strconv.ParseFloat(q.Filter.MinPrice, 64)
	}
	if q.Filter.MaxPrice != "" {
		most, _ = strconv.ParseFloat(q.Filter.MaxPrice, 64)
	}
	if dates && next.Equal(unlimited) || (least > 0 || !math.IsInf(most, 1)) && (math.IsInf(lowest, 1) || lowest < least || lowest > most) {
		return one, false
	}
	switch q.Sort {
	case storefront.ByPrice:
		one.key = lowest
	case storefront.ByNextDate:
		one.key = float64(next.Unix())
	case storefront.ByTitle:
		one.title = shown.Title
	}
	return one, true
}

func inOneOrder(t failer, text []byte) string {
	t.Helper()
	var value map[string]any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	pagination := value["pagination"].(map[string]any)
	pagination["next_cursor"] = pagination["next_cursor"] != nil && pagination["next_cursor"] != false // another test follows cursors
	ordered, err := json.Marshal(value)
	must(t, err)
	return string(ordered)
}

func (s *shop) answers(t failer, f *storefront.Front, q storefront.Query) string {
	t.Helper()
	q.Filter.Mode = domain.Live
	answer, err := f.List(context.Background(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return inOneOrder(t, answer.Body)
}

func TestEveryPageIsWhatOneMadeFromScratchIs(t *testing.T) {
	t.Parallel()
	s := setup(t)
	other := openAt(t, s.store.Storefront, 1<<20, s.now)
	s.add(t, s.register(t, "Old Town Walks"), "Walk 0", "Walk 1", "Walk 2", "Boat")
	all := changes()
	queries := []storefront.Query{
		{Page: 1, Limit: 20}, {Page: 1, Limit: 3, Currency: "USD"}, {Page: 2, Limit: 3, Language: "pt"}, {Page: 1, Limit: 2, Filter: storefront.Filter{Query: "walk"}}, {Page: 9, Limit: 7},
	}
	saturday := storefront.Filter{DateFrom: opening.Truncate(24 * time.Hour), DateTo: opening.Truncate(24 * time.Hour)}
	weekend := storefront.Filter{DateFrom: saturday.DateFrom, DateTo: saturday.DateTo.AddDate(0, 0, 7), MinPrice: "15", MaxPrice: "28.13"}
	for _, q := range []storefront.Query{
		{Filter: saturday}, {Filter: storefront.Filter{DateTo: weekend.DateTo}}, {Filter: weekend, Currency: "USD"}, {Filter: weekend, Currency: "USD", Sort: storefront.ByPrice}, {Filter: storefront.Filter{DateFrom: saturday.DateFrom.AddDate(0, 0, 1)}, Sort: storefront.ByNextDate, Currency: "EUR"},
		{Sort: storefront.ByPrice, Currency: "EUR"}, {Sort: storefront.ByNextDate}, {Sort: storefront.ByTitle}, {Sort: storefront.ByTitle, Language: "pt-BR"}, {Filter: storefront.Filter{Query: "walk", MaxPrice: "22.5"}, Currency: "EUR", Sort: storefront.ByTitle},
	} {
		for _, page := range []int{1, 2} {
			q.Page, q.Limit = page, 7
			queries = append(queries, q)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		s.do(rt, `DELETE FROM activities WHERE id IN (SELECT id FROM activities ORDER BY created_at, id OFFSET 30)`)
		s.do(rt, `DELETE FROM slots WHERE starts_at < $1`, s.now().Add(-time.Hour)) // as a job does
		made := []string{}
		for range rapid.IntRange(1, 4).Draw(rt, "changes") {
			c := rapid.SampledFrom(all).Draw(rt, "change")
			c.make(rt, s)
			made = append(made, c.name)
		}
		s.caughtUp(rt)
		for range 4 {
			q := rapid.SampledFrom(queries).Draw(rt, "query")
			if want, got := s.fromScratch(rt, q), s.answers(rt, s.Front, q); got != want {
				rt.Fatalf("after %q the page %+v is\n%s\nwant\n%s", made, q, got, want)
			}
		}
		q := rapid.SampledFrom(queries).Draw(rt, "at the other replica")
		waittest.Until(rt, "the other replica shows it", func() bool { return s.answers(rt, other, q) == s.fromScratch(rt, q) })
	})
}
