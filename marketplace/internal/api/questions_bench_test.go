package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/internal/benchsize"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// stock gives each activity its own price, and slots on the next days in as many of its variations as
// asked. Every tenth slot is sold out.
func stock(tb testing.TB, store *postgres.Store, variations, days int) {
	tb.Helper()
	pgtest.Exec(tb, store, `UPDATE variations SET option = jsonb_set(option, '{units,0,pricingFrom,0,original}', to_jsonb(1000 + abs(hashtext(activity_id::text)) % 9000))`)
	pgtest.Exec(tb, store, `
		INSERT INTO slots (variation_id, availability_id, local_date, starts_at, ends_at, status, vacancies, capacity, news_at)
		SELECT v.id, 's' || d, start::date, start, start + interval '2 h', CASE WHEN abs(hashtext(v.id::text || d)) % 10 = 0 THEN 'SOLD_OUT' ELSE 'AVAILABLE' END, 9, 9, now()
		FROM variations v, generate_series(1, $2::int) d, LATERAL (SELECT (current_date + d)::timestamptz + interval '9 h' AS start) s WHERE v.sort <= $1`, variations, days)
	pgtest.Exec(tb, store, `ANALYZE slots`)
}

// questionsOf are pages of what is on one day up to some price, the cheapest first.
func questionsOf(pages int) (paths []string) {
	for page := range pages {
		for _, highest := range []int{40, 60, 90} {
			for day := range 10 {
				date := time.Now().UTC().AddDate(0, 0, day+2).Format(time.DateOnly)
				for _, currency := range listCurrencies {
					scale := 1
					if currency == "JPY" {
						scale = 170
					}
					paths = append(paths, fmt.Sprintf("%s?limit=20&page=%d&currency=%s&date_from=%s&date_to=%s&min_price=%d&max_price=%d&sort=price", resellersList, page+1, currency, date, date, 20*scale, highest*scale))
				}
			}
		}
	}
	return paths
}

// sell sells one slot out, and another one again, every 100 ms until it is stopped.
func sell(b *testing.B, store *postgres.Store) (stop func()) {
	ctx, cancel := context.WithCancel(b.Context())
	var all sync.WaitGroup
	all.Go(func() {
		for ctx.Err() == nil {
			pgtest.Exec(b, store, `UPDATE slots SET status = CASE status WHEN 'SOLD_OUT' THEN 'LIMITED' ELSE 'SOLD_OUT' END
				WHERE (variation_id, availability_id) IN (SELECT id, 's' || 2 + floor(random() * 10)::int FROM (SELECT id FROM variations WHERE id > gen_random_uuid() ORDER BY id LIMIT 1) v)`)
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
	return func() { cancel(); all.Wait() }
}

// BenchmarkQuestions reads pages of 120 questions about 10,000 activities by date, price and order, and
// compares that with pages of the plain list. Meanwhile an operator changes an activity every second, and
// slots sell out. All pages fit into the cache.
func BenchmarkQuestions(b *testing.B) {
	store := pgtest.Open(b)
	activities := benchsize.Choose(10_000, 100)
	seed(b, store, activities)
	stock(b, store, 3, 14)
	first, second := aReplica(b, store, usualPages), aReplica(b, store, usualPages)
	asked := map[string][][]byte{}
	var plain []string
	for page := range activities / 20 {
		for _, currency := range listCurrencies {
			plain = append(plain, fmt.Sprintf("%s?limit=20&page=%d&currency=%s", resellersList, page+1, currency))
		}
	}
	for name, paths := range map[string][]string{"plain": plain, "questions": questionsOf(benchsize.Choose(4, 1))} {
		for _, path := range paths {
			get(b, first.address, first.request(path))
			asked[name] = append(asked[name], first.request(path))
		}
	}
	var share, rate, late []float64
	for b.Loop() {
		for range rounds() {
			taken := map[string]run{}
			for name, requests := range asked {
				stop, stopSales := edit(b, first, second), sell(b, store)
				taken[name] = load(b, first.address, requests, http.StatusOK, loadTime())
				stopSales()
				stop()
			}
			share, rate = append(share, taken["questions"].perSecond/taken["plain"].perSecond), append(rate, taken["questions"].perSecond)
			late = append(late, float64(taken["questions"].p99)/float64(taken["plain"].p99))
		}
	}
	b.ReportMetric(median(share), "of-plain")
	b.ReportMetric(median(late), "p99-of-plain")
	b.ReportMetric(median(rate), "requests/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkQuestionGrowth asks one question about ever more activities: for the same page, for pages that
// are not cached, and with a price that was never asked for, so that it looks at every activity.
func BenchmarkQuestionGrowth(b *testing.B) {
	sizes := []int{1_000, benchsize.Choose(100_000, 1_000)}
	kinds := map[string]struct {
		times int
		path  func(n int) string
	}{
		"found": {benchsize.Choose(1000, 5), func(int) string { return "&max_price=60" }},
		"made":  {benchsize.Choose(50, 5), func(n int) string { return fmt.Sprintf("&max_price=60&language=x-%d", n) }},
		"new":   {benchsize.Choose(20, 5), func(n int) string { return fmt.Sprintf("&max_price=60.%04d", n) }},
	}
	date := time.Now().UTC().AddDate(0, 0, 3).Format(time.DateOnly)
	askers := map[string][]*asker{}
	for _, size := range sizes {
		store := pgtest.Open(b)
		seed(b, store, size)
		stock(b, store, 1, 10)
		before := heap()
		r := aReplica(b, store, usualPages)
		if size == sizes[len(sizes)-1] {
			defer b.ReportMetric(float64(heap()-before)/float64(size), "index-B/activity")
		}
		for name, kind := range kinds {
			question := strings.Join([]string{resellersList, "?limit=20&currency=USD&sort=price&date_from=", date, "&date_to=", date}, "")
			askers[name] = append(askers[name], ask(b, r, func(n int) []byte { return r.request(question + kind.path(n)) }))
		}
	}
	taken := map[*asker][]float64{}
	for b.Loop() {
		for range rounds() {
			for name, kind := range kinds {
				for _, a := range askers[name] {
					taken[a] = append(taken[a], a.secondsEach(b, kind.times))
				}
			}
		}
	}
	for name := range kinds {
		of := func(i int) float64 { return median(taken[askers[name][i]]) }
		b.ReportMetric(of(1)*1e6, name+"-µs")
		b.ReportMetric(of(1)/of(0), name+"-100k-of-1k")
	}
	b.ReportMetric(0, "ns/op")
}
