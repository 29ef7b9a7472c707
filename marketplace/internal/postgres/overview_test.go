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
		o, err := s.store.Overview(t.Context(), now, false)
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

func TestTheOverviewNamesIntegrationsWhoseCertificateHasEndedOrSoonEnds(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{})
	now := time.Now()
	pgtest.Exec(t, s.store, `UPDATE slot_rounds SET pulled_at = now()`)
	pgtest.Exec(t, s.store, `
		INSERT INTO conformance_certificates (integration_id, run_id, base_url, jws, issued_at, valid_until)
		SELECT id, gen_random_uuid(), base_url, 'x', now(), now() + interval '90 days' FROM integrations WHERE name = 'Walks 3'`)
	named := func(certificates bool) (listed, ended bool) {
		o, err := s.store.Overview(t.Context(), now, certificates)
		check(t, err)
		for _, due := range o.IntegrationsDue {
			if due.CertificateUntil != nil {
				return true, due.CertificateEnded
			}
		}
		return false, false
	}
	for _, c := range []struct {
		name, change  string
		listed, ended bool
	}{
		{"it is valid", `UPDATE conformance_certificates SET valid_until = now() + interval '8 days'`, false, false},
		{"it ends within a week", `UPDATE conformance_certificates SET valid_until = now() + interval '6 days'`, true, false},
		{"its time is over", `UPDATE conformance_certificates SET valid_until = now() - interval '1 minute'`, true, true},
		{"a run found a breach", `UPDATE conformance_certificates SET valid_until = now() + interval '90 days', ended_at = now(), ended_by = gen_random_uuid()`, true, true},
		{"it is for another address", `UPDATE conformance_certificates SET ended_at = NULL, ended_by = NULL, base_url = 'https://other.example'`, true, true},
	} {
		pgtest.Exec(t, s.store, c.change)
		if listed, ended := named(true); listed != c.listed || ended != c.ended {
			t.Errorf("%s: Expected listed %t and ended %t, received %t and %t", c.name, c.listed, c.ended, listed, ended)
		}
	}
	if listed, _ := named(false); listed {
		t.Error("Expected no certificate named where they are not asked for")
	}
}
