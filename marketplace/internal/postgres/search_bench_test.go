package postgres_test

import (
	"slices"
	"testing"
	"time"

	"partnerkit.dev/internal/benchsize"
	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// BenchmarkBookingSearch searches 1,000,000 bookings for words that all, many, few and one of them have,
// and compares each search with the first page of all bookings.
//
//	go test -run '^$' -bench BookingSearch -benchtime 1x ./internal/postgres
func BenchmarkBookingSearch(b *testing.B) {
	s := sell(b, pgtest.Stock{Bookings: benchsize.Choose(1_000_000, 1_000)})
	pgtest.Exec(b, s.store, `VACUUM ANALYZE`)
	s.search(b)
}

// search measures the searches.
func (s sold) search(b *testing.B) {
	soon := booking.Period{From: noon.AddDate(0, 0, -100), To: noon.AddDate(0, 0, -99)}
	for _, c := range []struct {
		name string
		by   booking.Filter
	}{
		{"all-by-a-prefix", booking.Filter{Query: "gues"}},
		{"22%", booking.Filter{Query: "sousa1"}},
		{"2%", booking.Filter{Query: "sousa17"}},
		{"0.2%", booking.Filter{Query: "sousa177"}},
		{"200", booking.Filter{Query: "sousa1777"}},
		{"one", booking.Filter{Query: "guest999999"}},
		{"none", booking.Filter{Query: "wolfeschlegel"}},
		{"two-broad-words", booking.Filter{Query: "gues sous"}},
		{"a-broad-and-a-narrow-word", booking.Filter{Query: "gues sousa4999"}},
		{"two-words-of-some", booking.Filter{Query: "sousa17 guest17"}},
		{"the-end-of-a-reference", booking.Filter{Query: "99017"}},
		{"a-reference", booking.Filter{Query: "R-999017"}},
		{"a-broad-word-of-a-reseller", booking.Filter{Query: "gues", Scope: domain.Scope{Account: s.reseller}}},
		{"a-narrow-word-of-a-reseller", booking.Filter{Query: "sousa1003", Scope: domain.Scope{Account: s.reseller}}},
		{"a-word-that-a-reseller-lacks", booking.Filter{Query: "sousa1", Status: domain.Lost}},
		{"a-broad-word-of-a-day", booking.Filter{Query: "gues", Start: soon}},
		{"a-narrow-word-of-a-day", booking.Filter{Query: "sousa17", Start: soon}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.by.Checkouts = true
			for b.Loop() {
				all, found := s.median(b, booking.Filter{Checkouts: true}), s.median(b, c.by)
				b.ReportMetric(found, "ms")
				b.ReportMetric(found/all, "x-of-list")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

// median returns the median duration of reading the first page of a list, in milliseconds.
func (s sold) median(b *testing.B, by booking.Filter) float64 {
	var took []float64
	for range benchsize.Choose(21, 1) {
		began := time.Now()
		_, err := s.store.Bookings.List(b.Context(), by, domain.PageRequest{Size: 20})
		check(b, err)
		took = append(took, float64(time.Since(began).Microseconds())/1000)
	}
	slices.Sort(took)
	return took[len(took)/2]
}
