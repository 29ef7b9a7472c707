package postgres_test

import (
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestTheOverviewNamesIntegrationsWhoseSlotsAreLate(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{})
	now := time.Now()
	late := func() (names []string) {
		o, err := s.store.Overview(t.Context(), now)
		check(t, err)
		for _, due := range o.IntegrationsDue {
			if due.SlotsLate {
				names = append(names, due.Name)
			}
		}
		return names
	}
	pgtest.Exec(t, s.store, `UPDATE slot_pulls SET sent_at = now() - interval '27 hours' WHERE variation_id = $1`, s.activity)
	for _, c := range []struct {
		round string // when every option of the integration was pulled
		want  int
	}{
		{`now() - interval '1 hour'`, 0}, // since when all options have been pulled
		{`now() - interval '27 hours'`, 1},
		{`NULL`, 1},
	} {
		pgtest.Exec(t, s.store, `UPDATE slot_rounds SET pulled_at = `+c.round)
		if got := late(); len(got) != c.want || c.want == 1 && got[0] != "Walks 3" {
			t.Errorf("pulled at %s: want %d late, got %v", c.round, c.want, got)
		}
	}
}
