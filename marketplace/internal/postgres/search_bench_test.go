package postgres_test

import (
	"testing"

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
	first := func(by booking.Filter) float64 {
		by.Checkouts = true
		return median(b, func() error {
			_, err := s.store.Bookings.List(b.Context(), by, domain.PageRequest{Size: 20})
			return err
		})
	}
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
		{"a-word-of-lost-bookings", booking.Filter{Query: "sousa1", Status: domain.Lost}},
		{"a-broad-word-of-a-day", booking.Filter{Query: "gues", Start: soon}},
		{"a-narrow-word-of-a-day", booking.Filter{Query: "sousa17", Start: soon}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				all, found := first(booking.Filter{}), first(c.by)
				b.ReportMetric(found, "ms")
				b.ReportMetric(found/all, "x-of-list")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}
