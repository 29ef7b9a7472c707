package partner_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// callStore sums counts, and fails while broken is set.
type callStore struct {
	mu      sync.Mutex
	broken  bool
	entries int
	sums    map[time.Time]partner.HourCount
}

func (s *callStore) AddCalls(_ context.Context, entries []partner.CallEntry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries += len(entries)
	return nil
}

func (s *callStore) AddCounts(_ context.Context, counts []partner.HourCount) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return errors.New("the database is away")
	}
	for _, c := range counts {
		sum := s.sums[c.Hour]
		s.sums[c.Hour] = partner.HourCount{OK: sum.OK + c.OK, Refused: sum.Refused + c.Refused, Failed: sum.Failed + c.Failed}
	}
	return nil
}

func TestTheJournalCountsAllCallsAlsoThoseThatItDropsOrCouldNotStore(t *testing.T) {
	t.Parallel()
	store := &callStore{broken: true, sums: map[time.Time]partner.HourCount{}}
	j := partner.NewCallJournal(store, slog.New(slog.DiscardHandler))
	walks, hour := uuid.New(), time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	call := func(at time.Time, result partner.Result, lawful bool) {
		j.Add(walks, partner.Observation{Endpoint: partnerapi.Reserve, At: at, Result: result, Lawful: lawful})
	}
	for range 500 { // more than the journal holds
		call(hour.Add(59*time.Minute), partner.ResultOK, false)
	}
	call(hour, partner.ResultStatus, true)
	j.Flush(t.Context())
	store.mu.Lock()
	store.broken = false
	store.mu.Unlock()
	call(hour, partner.ResultTimeout, false)
	call(hour.Add(time.Hour), partner.ResultTimeout, false)
	j.Close()
	if store.entries >= 500 {
		t.Errorf("Expected entries dropped, received %d", store.entries)
	}
	if got, next := store.sums[hour], store.sums[hour.Add(time.Hour)]; got != (partner.HourCount{OK: 500, Refused: 1, Failed: 1}) || next.Failed != 1 {
		t.Errorf("Expected all calls counted, received %+v and %+v", got, next)
	}
}
