package storefront_test

import (
	"slices"
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/marketplace/internal/waittest"
)

func TestAFilterTakesWhatItNamesInAnyCapitals(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.add(t, s.register(t, "Old Town Walks"), "Évora by night", "100% Fado", "Sintra")
	for title, details := range map[string]string{
		"Évora by night": `{"categories": ["Walking tours", "Night"], "location": {"city": "Évora", "country": {"id": "PT", "name": "Portugal"}}, "tags": ["wine"], "short_description": "Stars and chapels.", "description": "We meet at the aqueduct.", "address": "Rua do Cano", "translation": {"de": {"description": "Am Aquädukt", "mood": "ruhig"}}}`,
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
		{storefront.Filter{Query: "aqueduct cano"}, []string{"Évora by night"}},
		{storefront.Filter{Query: "aquädukt"}, []string{"Évora by night"}},
		{storefront.Filter{Query: "ruhig"}, nil},
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

// A missing rate affects only the price that needs it.
func TestAnActivityWithAPriceThatHasNoRateStaysListed(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.add(t, s.register(t, "Old Town Walks"), "Walk", "Priceless")
	s.do(t, `UPDATE variations SET option = jsonb_set(option, '{units,0,pricingFrom,0,currency}', '"CHF"') WHERE activity_id = (SELECT id FROM activities WHERE title = 'Priceless')`)
	s.caughtUp(t)
	if got := list(t, s.Front, storefront.Query{Page: 1, Limit: 10, Currency: "USD"}).titles(); len(got) != 2 {
		t.Errorf("want both, got %q", got)
	}
	if got := list(t, s.Front, storefront.Query{}).titles(); len(got) != 2 {
		t.Errorf("want both in their own currency, got %q", got)
	}
	if _, err := s.List(t.Context(), storefront.Query{Page: 1, Limit: 10, Currency: "CHF"}); domain.CodeOf(err) != domain.Invalid {
		t.Errorf("want a currency without a rate refused, got %v", err)
	}
}

func TestNothingIsListedInACurrencyAfterItsRateIsTooOld(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.add(t, s.register(t, "Old Town Walks"), "Walk")
	s.do(t, `UPDATE exchange_rates SET as_of = CASE currency WHEN 'JPY' THEN $1::date - 6 ELSE $1::date END`, opening)
	s.do(t, `UPDATE pricing_terms SET rates_as_of = $1`, opening)
	s.caughtUp(t)
	yens := storefront.Query{Page: 1, Limit: 10, Currency: "JPY"}
	list(t, s.Front, yens)
	s.ahead.Add(int64(15 * time.Hour)) // midnight, a week after the yen's date
	list(t, s.Front, yens)
	s.ahead.Add(int64(time.Second))
	waittest.Until(t, "nothing is sold in yen", func() bool {
		_, err := s.List(t.Context(), yens)
		return domain.ReasonOf(err) == domain.NoExchangeRate
	})
	list(t, s.Front, storefront.Query{Page: 1, Limit: 10, Currency: "USD"})
}

func TestTheLeastRecentlyUsedPagesAreEvicted(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.add(t, s.register(t, "Old Town Walks"), make([]string, 40)...)
	const most = 64 << 10
	f := open(t, s.store.Storefront, most)
	for page := range 40 {
		list(t, f, storefront.Query{Page: page + 1, Limit: 1})
	}
	if _, _, bytes := f.PageCache(); bytes > most || bytes < most/2 {
		t.Errorf("want about %d bytes of pages, got %d", most, bytes)
	}
	found, made := countPages(f, func() {
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
	found, made := countPages(s.Front, func() {
		list(t, s.Front, storefront.Query{Page: 1, Limit: 2})
		list(t, s.Front, second)
	})
	if found != 1 || made != 1 {
		t.Errorf("want one found and the other made again, got %d found and %d made", found, made)
	}
}

// countPages returns the numbers of cached and new pages.
func countPages(f *storefront.Front, reads func()) (found, made uint64) {
	foundBefore, madeBefore, _ := f.PageCache()
	reads()
	found, made, _ = f.PageCache()
	return found - foundBefore, made - madeBefore
}
