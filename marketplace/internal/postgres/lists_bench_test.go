package postgres_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/benchsize"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// BenchmarkLists reads the first page of each list of a marketplace with 1,000,000
// bookings, and a page in its middle by cursor, with plans for each query's arguments and
// with generic plans.
//
//	go test -run '^$' -bench Lists -benchtime 1x ./internal/postgres
func BenchmarkLists(b *testing.B) {
	s := sell(b, pgtest.Stock{Bookings: benchsize.Choose(1_000_000, 1_000)})
	pgtest.Exec(b, s.store, `VACUUM ANALYZE`)
	lists := s.bookingLists()
	middle := &domain.Cursor{At: time.Date(2025, 7, 20, 0, 0, 0, 0, time.UTC), ID: uuid.New()}
	for _, mode := range []string{"auto", "force_generic_plan"} {
		pgtest.Exec(b, s.store, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET plan_cache_mode = `+mode+`', current_database()); END $$`)
		s.store.Pool().Reset()
		for _, name := range slices.Sorted(maps.Keys(lists)) {
			for _, asked := range []domain.PageRequest{{Size: 20}, {Size: 20, After: middle}} {
				title := strings.ReplaceAll(name, " ", "-") + map[bool]string{true: "/after", false: "/first"}[asked.After != nil] + "/" + mode
				b.Run(title, func(b *testing.B) {
					for b.Loop() {
						b.ReportMetric(median(b, func() error { _, _, err := lists[name].read(b.Context(), asked); return err }), "ms")
						b.ReportMetric(0, "ns/op")
					}
				})
			}
		}
	}
}

// median returns the median duration of reading a page, in milliseconds.
func median(b *testing.B, read func() error) float64 {
	b.Helper()
	var took []float64
	for range benchsize.Choose(21, 1) {
		began := time.Now()
		check(b, read())
		took = append(took, float64(time.Since(began).Microseconds())/1000)
	}
	slices.Sort(took)
	return took[len(took)/2]
}
