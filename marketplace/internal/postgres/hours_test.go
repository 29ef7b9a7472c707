package postgres_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestCallsAreCountedByHourAndKeptForEightDays(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{})
	walks, other := pgtest.ID("integration1"), pgtest.ID("integration2")
	hour := time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	for _, counts := range [][]partner.HourCount{
		{{Integration: walks, Hour: hour, OK: 5, Refused: 1}, {Integration: other, Hour: hour, OK: 7}, {Integration: uuid.New(), Hour: hour, OK: 1}},
		{{Integration: walks, Hour: hour, OK: 1, Failed: 2}, {Integration: walks, Hour: hour.Add(-2 * time.Hour), Failed: 4}},
	} {
		check(t, s.store.Partners.AddCounts(t.Context(), counts))
	}
	read := func(since time.Time) []partner.HourCount {
		found, err := s.store.Partners.HourCounts(t.Context(), []uuid.UUID{walks, pgtest.ID("integration3")}, since)
		check(t, err)
		if of := found[pgtest.ID("integration3")]; of == nil || len(of) > 0 {
			t.Errorf("Expected an empty list without calls, received %v", of)
		}
		return found[walks]
	}
	got := read(hour.Add(-23*time.Hour + 59*time.Minute))
	if len(got) != 2 || got[0] != (partner.HourCount{Integration: walks, Hour: hour.Add(-2 * time.Hour), Failed: 4}) ||
		got[1] != (partner.HourCount{Integration: walks, Hour: hour, OK: 6, Refused: 1, Failed: 2}) {
		t.Errorf("Expected two hours with their sums, received %+v", got)
	}
	if got := read(hour.Add(30 * time.Minute)); len(got) != 1 {
		t.Errorf("Expected the hour that includes the time, received %+v", got)
	}
	check(t, s.store.Partners.AddCounts(t.Context(), []partner.HourCount{{Integration: walks, Hour: hour.AddDate(0, 0, 9), OK: 1}}))
	if got := read(hour.AddDate(0, -1, 0)); len(got) != 1 {
		t.Errorf("Expected hours of more than eight days ago deleted, received %+v", got)
	}
}
