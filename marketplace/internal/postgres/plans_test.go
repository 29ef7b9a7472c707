package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/registry"
)

// otherLists lists the growing lists other than bookings and commissions.
func (s sold) otherLists() map[string]listed {
	accounts := func(index string, role domain.Role, words string) listed {
		return listed{index, func(ctx context.Context, asked domain.PageRequest) (int, *domain.Cursor, error) {
			p, err := s.store.Accounts.List(ctx, role, words, asked)
			return len(p.Entries), p.Next, err
		}}
	}
	activities := func(index string, by domain.ActivityFilter) listed {
		return listed{index, func(ctx context.Context, asked domain.PageRequest) (int, *domain.Cursor, error) {
			p, err := s.store.Catalog.Activities(ctx, by, asked)
			return len(p.Entries), p.Next, err
		}}
	}
	integrations := func(index string, account uuid.UUID) listed {
		return listed{index, func(ctx context.Context, asked domain.PageRequest) (int, *domain.Cursor, error) {
			p, err := s.store.Partners.ListIntegrations(ctx, domain.Scope{Account: account}, "", asked)
			return len(p.Entries), p.Next, err
		}}
	}
	return map[string]listed{
		"accounts":                       accounts("accounts_order", "", ""),
		"accounts of a role":             accounts("accounts_(role|order)", domain.Affiliate, ""),
		"accounts by a word":             accounts("accounts_words", "", "agency 1234"),
		"accounts by an address":         accounts("accounts_words", "", "agent-17@example.com"),
		"accounts by an unknown text":    accounts("accounts_words", domain.Reseller, "unknown"),
		"activities":                     activities("activities_order", domain.ActivityFilter{}),
		"activities of an integration":   activities("activities_(of|order)", domain.ActivityFilter{Integration: s.integration}),
		"activities that are listed":     activities("activities_order", domain.ActivityFilter{Listed: new(true)}),
		"activities that are not listed": activities("activities_unlisted", domain.ActivityFilter{Listed: new(false)}),
		"activities by a word":           activities("activities_words", domain.ActivityFilter{Words: "walk 1234"}),
		"activities by the product's id": activities("activities_product", domain.ActivityFilter{Words: "p-1234"}),
		"activities by what none has":    activities("activities_words", domain.ActivityFilter{Words: "nothing", Listed: new(true)}),
		"integrations":                   integrations("integrations_order", uuid.Nil),
		"integrations of an account":     integrations("integrations_(order|live_base_url)", pgtest.ID("partner")),
		"every sync of an integration": {"syncs_of", func(ctx context.Context, asked domain.PageRequest) (int, *domain.Cursor, error) {
			p, err := s.store.Catalog.EverySync(ctx, s.integration, asked)
			return len(p.Entries), p.Next, err
		}},
		"syncs of an integration": {"syncs_of", func(ctx context.Context, asked domain.PageRequest) (int, *domain.Cursor, error) {
			p, err := s.store.Catalog.Syncs(ctx, s.integration, asked)
			return len(p.Entries), p.Next, err
		}},
	}
}

// pages lists the parts of pages that are not lists.
func (s sold) pages() map[string]func(context.Context) error {
	one := []uuid.UUID{s.integration}
	return map[string]func(context.Context) error{
		"what needs an operator": func(ctx context.Context) error {
			_, err := s.store.Overview(ctx, time.Now())
			return err
		},
		"an account's tokens": func(ctx context.Context) error {
			_, err := s.store.Accounts.APITokens(ctx, pgtest.ID("reseller1"))
			return err
		},
		"an integration's health": func(ctx context.Context) error {
			_, err := s.store.Partners.Fares(ctx, one)
			return err
		},
		"an integration's breaches": func(ctx context.Context) error {
			_, err := s.store.Partners.Breaches(ctx, one, true)
			return err
		},
		"where an integration's catalog stands": func(ctx context.Context) error {
			_, err := s.store.Catalog.Standings(ctx, one)
			return err
		},
		"an integration's options to pull": func(ctx context.Context) error {
			_, err := s.store.Catalog.OptionsToPull(ctx, s.integration, time.Now(), uuid.Nil, 100)
			return err
		},
		"that no option of an integration must be pulled": func(ctx context.Context) error {
			_, err := s.store.Catalog.OptionsToPull(ctx, s.integration, noon, uuid.Nil, 1)
			return err
		},
		"a booking": func(ctx context.Context) error {
			_, err := s.store.Bookings.Booking(ctx, pgtest.ID("booking3"))
			return err
		},
		"what happened to a booking": func(ctx context.Context) error {
			_, err := s.store.Bookings.Histories(ctx, []uuid.UUID{pgtest.ID("booking3")})
			return err
		},
		"an activity": func(ctx context.Context) error {
			_, err := s.store.Catalog.Activity(ctx, s.activity)
			return err
		},
		"the slots of a month": func(ctx context.Context) error {
			_, err := s.store.Storefront.Slots(ctx, []uuid.UUID{s.activity}, noon, noon.AddDate(0, 1, 0))
			return err
		},
	}
}

// With more rows in its tables, a list reads only the rows that it counts and a page. The other
// parts of a page read fewer.
const (
	rowsOfEach   = domain.MostCounted * 11 / 10
	readForList  = domain.MostCounted + 500
	readForOther = 1500
	// A list of integrations counts the options of each.
	listedAtOnce = 20
	readForEach  = 150
)

func TestNoPageReadsAllRowsOfATable(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{Bookings: 4 * domain.MostCounted, Rows: rowsOfEach})
	for middle, lists := range map[time.Time]map[string]listed{
		noon.AddDate(0, 0, -1):                                 s.bookingLists(),
		time.Date(2026, 1, 1, 0, 0, rowsOfEach/2, 0, time.UTC): s.otherLists(),
	} {
		for name, l := range lists {
			for _, asked := range []domain.PageRequest{{Size: 20}, {Size: 100, After: &domain.Cursor{At: middle, ID: uuid.New()}}} {
				s.wantFewRead(t, name, readForList, func() error {
					_, _, err := l.read(t.Context(), asked)
					return err
				}, l.index)
			}
		}
	}
	for name, read := range s.pages() {
		s.wantFewRead(t, name, readForOther, func() error { return read(t.Context()) })
	}
	var listed []uuid.UUID
	for n := range listedAtOnce {
		listed = append(listed, pgtest.ID(fmt.Sprintf("integration%d", n)))
	}
	s.wantFewRead(t, "where integrations' catalogs stand", listedAtOnce*readForEach, func() error {
		_, err := s.store.Catalog.Standings(t.Context(), listed)
		return err
	}, "slot_pulls_set_aside")
	for _, statement := range []string{ // as many of every kind of event
		`UPDATE syncs SET guard = '{"would_deactivate":5,"of":8}'`,
		`INSERT INTO booking_attention SELECT id, 'partner_lost_it', created_at, 'no', created_at FROM bookings`,
		`INSERT INTO conformance_runs (id, integration_id, scope, state, created_at, finished_at, verdict)
			SELECT gen_random_uuid(), integration_id, 'full', 'finished', started_at, started_at, 'conformant' FROM syncs`,
		`UPDATE integrations SET in_registry = mode = 'live'`,
		`INSERT INTO conformance_certificates (integration_id, run_id, base_url, auth_type, handles_ticket_delivery, jws, issued_at, valid_until)
			SELECT id, gen_random_uuid(), base_url, auth_type, handles_ticket_delivery, '.' || encode(convert_to(jsonb_build_object('name', name)::text, 'UTF8'), 'base64'), now(), now() + interval '1 hour' FROM integrations`,
		`INSERT INTO integration_hours SELECT i.id, '2026-06-30T09:00:00Z'::timestamptz - h * interval '1 hour', 1000, 10, 1 FROM integrations i, generate_series(0, 167) h`,
		`ANALYZE`,
	} {
		pgtest.Exec(t, s.store, statement)
	}
	s.wantFewRead(t, "the overview", readForOther, func() error {
		_, err := s.store.Overview(t.Context(), time.Now())
		return err
	}, "booking_attention_open", "integration_health_changes_newest", "sync_attempts_failed", "syncs_held", "booking_attention_newest", "booking_attention_settled", "conformance_runs_ended")
	for _, q := range []registry.Query{{Size: 100}, {Size: 20, After: pgtest.ID("integration17")}, {Size: 20, Name: "Partner 17"}} {
		s.wantFewRead(t, fmt.Sprintf("the registry, %+v", q), readForOther, func() error {
			_, _, err := s.store.Runs.RegistryPage(t.Context(), q)
			return err
		}, "conformance_certificates_name")
	}
	s.wantFewRead(t, "an entry of the registry", readForEach, func() error {
		_, err := s.store.Runs.RegistryEntry(t.Context(), pgtest.ID("integration17"))
		return err
	})
	page, err := s.store.Partners.ListIntegrations(t.Context(), domain.Scope{}, "", domain.PageRequest{Size: 50})
	check(t, err)
	var ids []uuid.UUID
	for _, i := range page.Entries {
		ids = append(ids, i.ID)
	}
	s.wantFewRead(t, "the sparklines of a page of integrations", readForOther, func() error {
		found, err := s.store.Partners.HourCounts(t.Context(), ids, time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC).Add(-23*time.Hour))
		if len(found) != len(ids) || len(found[ids[0]]) != 24 {
			t.Errorf("Expected 24 hours of %d integrations, received %d of %d", len(ids), len(found[ids[0]]), len(found))
		}
		return err
	}, "integration_hours_pkey")
}

// wantFewRead expects that a read finds its rows without reading a whole table, some of them
// by each of the indexes, both with plans for the arguments and with
// generic plans.
func (s sold) wantFewRead(t *testing.T, name string, most float64, read func() error, indexes ...string) {
	t.Helper()
	var err error
	trips := s.queries.Trips(func() { err = read() })
	check(t, err)
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		used := make([]bool, len(indexes))
		var plans []string
		for _, trip := range trips {
			for _, statement := range trip {
				if slices.Contains([]string{"begin", "commit", "rollback"}, statement.SQL) {
					continue
				}
				plan, text := explain(t, s.store, mode, statement)
				plans = append(plans, statement.SQL+"\n"+text)
				for _, wrong := range plan.expensiveSteps(most) {
					t.Errorf("%s, %s: %s\n%s", name, mode, wrong, plans[len(plans)-1])
				}
				for i, index := range indexes {
					used[i] = used[i] || plan.uses(index)
				}
			}
		}
		for i, index := range indexes {
			if !used[i] {
				t.Errorf("%s, %s: want it read by the index %s\n%s", name, mode, index, strings.Join(plans, "\n"))
			}
		}
	}
}

// node is a step of a plan, with what PostgreSQL measured.
type node struct {
	Type     string  `json:"Node Type"`
	Table    string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Rows     float64 `json:"Actual Rows"`
	Filtered float64 `json:"Rows Removed by Filter"`
	Checked  float64 `json:"Rows Removed by Index Recheck"`
	Loops    float64 `json:"Actual Loops"`
	Plans    []node
}

// expensiveSteps names the steps that read too many rows of a table or an index.
func (n node) expensiveSteps(most float64) (list []string) {
	read := (n.Rows + n.Filtered + n.Checked) * n.Loops
	switch at := n.Table + n.Index; {
	case at == "": // it reads the rows of its own steps
	case read > most:
		list = append(list, fmt.Sprintf("expected at most %.0f rows read of %s, received %.0f by a %s", most, at, read, n.Type))
	case n.Type == "Seq Scan" && read > most/2:
		list = append(list, fmt.Sprintf("expected no Seq Scan of %s", at))
	}
	for _, step := range n.Plans {
		list = append(list, step.expensiveSteps(most)...)
	}
	return list
}

func (n node) uses(index string) bool {
	if n.Index != "" && regexp.MustCompile("^("+index+")$").MatchString(n.Index) {
		return true
	}
	for _, step := range n.Plans {
		if step.uses(index) {
			return true
		}
	}
	return false
}

// explain runs a prepared statement as if its tables were too long for a sequential scan,
// and returns the plan.
func explain(t *testing.T, store *postgres.Store, mode string, s pgtest.Statement) (plan node, text string) {
	t.Helper()
	check(t, pgx.BeginFunc(t.Context(), store.Pool(), func(tx pgx.Tx) error {
		given := ""
		if len(s.Args) > 0 {
			given = "(" + strings.Join(literals(s.Args), ", ") + ")"
		}
		for _, statement := range []string{"SET LOCAL enable_seqscan = off", "SET LOCAL jit = off", "SET LOCAL plan_cache_mode = " + mode, "PREPARE list AS " + s.SQL} {
			if _, err := tx.Exec(t.Context(), statement, pgx.QueryExecModeSimpleProtocol); err != nil {
				return err
			}
		}
		err := tx.QueryRow(t.Context(), "EXPLAIN (ANALYZE, TIMING off, FORMAT json) EXECUTE list"+given, pgx.QueryExecModeSimpleProtocol).Scan(&text)
		if err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), "DEALLOCATE list", pgx.QueryExecModeSimpleProtocol)
		return err
	}))
	var reported []struct{ Plan node }
	check(t, json.Unmarshal([]byte(text), &reported))
	return reported[0].Plan, text
}

// literals returns arguments as literals in a statement.
func literals(args []any) (texts []string) {
	for _, arg := range args {
		text := fmt.Sprint(arg)
		switch is := arg.(type) {
		case time.Time:
			text = is.Format(time.RFC3339Nano)
		case []string:
			text = "{" + strings.Join(is, ",") + "}"
		case []uuid.UUID:
			text = "{" + strings.ReplaceAll(strings.Trim(text, "[]"), " ", ",") + "}"
		}
		texts = append(texts, "'"+strings.ReplaceAll(text, "'", "''")+"'")
	}
	return texts
}
