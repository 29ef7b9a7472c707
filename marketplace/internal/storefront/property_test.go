package storefront_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"
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

// fromScratch returns a page as computed directly from the tables.
func (s *shop) fromScratch(t failer, q storefront.Query) string {
	t.Helper()
	ctx := context.Background()
	const where = ` FROM activities a JOIN integrations i ON i.id = a.integration_id
		WHERE a.partner_active AND a.operator_active AND i.deleted_at IS NULL AND strpos(lower(a.title), lower($1)) > 0`
	var total int
	must(t, s.store.Pool().QueryRow(ctx, `SELECT count(*)`+where, q.Filter.Query).Scan(&total))
	rows, err := s.store.Pool().Query(ctx, `SELECT a.id`+where+` ORDER BY a.created_at, a.id LIMIT $2 OFFSET $3`, q.Filter.Query, q.Limit, (q.Page-1)*q.Limit)
	must(t, err)
	var ids []uuid.UUID
	for rows.Next() {
		var id uuid.UUID
		must(t, rows.Scan(&id))
		ids = append(ids, id)
	}
	activities, err := s.store.Storefront.ListedActivities(ctx, domain.Live, ids)
	must(t, err)
	terms, err := s.store.Storefront.Terms(ctx)
	must(t, err)
	data := make([]any, len(ids))
	pagination := map[string]any{"pageSize": q.Limit, "page": q.Page, "totalCount": total, "next_cursor": nil}
	for _, a := range activities {
		if a.ID == ids[len(ids)-1] && q.Page*q.Limit < total {
			pagination["next_cursor"] = domain.Cursor{At: a.CreatedAt, ID: a.ID}.Text(storefront.ListName)
		}
		shown := storefront.Show(a, terms, q.Currency, q.Language)
		data[slices.Index(ids, a.ID)] = shown
	}
	text, err := json.Marshal(map[string]any{"success": 1, "data": data, "pagination": pagination})
	must(t, err)
	return inOneOrder(t, text)
}

func inOneOrder(t failer, text []byte) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
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
	other := open(t, s.store.Storefront, 1<<20)
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
		waittest.Until(rt, "the other replica shows it", func() bool { return s.answers(rt, other, q) == s.fromScratch(rt, q) })
	})
}
