package postgres_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// sold is a marketplace with bookings of many days, resellers and activities.
type sold struct {
	store                           *postgres.Store
	queries                         *pgtest.Recorder
	reseller, activity, integration uuid.UUID
}

// sell stores so many bookings, one a minute back from noon, made by 20 resellers of 50
// activities: the statuses take turns, and one in 4,000 needs attention.
func sell(t testing.TB, bookings int) sold {
	t.Helper()
	s := sold{queries: &pgtest.Recorder{}}
	s.store = pgtest.OpenRecorded(t, pgtest.URL(t), s.queries)
	integrationOf(t, s.store)
	conn, err := s.store.Pool().Acquire(t.Context())
	check(t, err)
	defer conn.Release()
	for _, statement := range []string{
		`SET session_replication_role = replica`, // nothing is looked up a million times
		`INSERT INTO accounts SELECT md5('reseller' || n)::uuid, 'shop-' || n || '@example.com', 'Shop', 'reseller', 'x', '2026-01-01' FROM generate_series(0, 19) n`,
		`INSERT INTO activities SELECT md5('activity' || n)::uuid, i.id, 'p-' || n, '2026-01-01', 'Walk ' || n, '{}', sha256('x'), true, true, '{}'
			FROM generate_series(0, 49) n, integrations i`,
		`INSERT INTO integrations (id, account_id, name, base_url, auth_type, auth_key, webhook_secret_hash, handles_ticket_delivery, created_at)
			SELECT md5('integration' || n)::uuid, account_id, name, base_url || n, auth_type, auth_key, webhook_secret_hash, false, created_at FROM integrations, generate_series(0, 19) n`,
		`INSERT INTO integration_health SELECT id, 'HEALTHY', 0, 0, 0 FROM integrations WHERE id NOT IN (SELECT integration_id FROM integration_health)`,
		`INSERT INTO variations SELECT a.id, a.id, 'o', 1, 'Walk', '{}', sha256('x'), true, '{}' FROM activities a`,
		fmt.Sprintf(`INSERT INTO bookings (id, version, account_id, integration_id, activity_id, variation_id, product_id, option_id, availability_id, zone, starts_at, ends_at, status, guests,
				currency, total, contact, reseller_reference, code, external_booking_id, payment_reference, confirm_tries, release_tries, cancel_tries, cancel_reason, created_at, expires_at, release, reason, needs_attention)
			SELECT md5('booking' || n)::uuid, 1, md5('reseller' || n %% 20)::uuid, md5('integration' || n / 7 %% 20)::uuid, md5('activity' || n %% 50)::uuid, md5('activity' || n %% 50)::uuid, 'p', 'o', 's', 'Europe/Lisbon',
				made + interval '20 days', made + interval '20 days 2 hours', status, '[]', 'EUR', 45,
				jsonb_build_object('fullName', 'Guest' || n || ' Sousa' || n %% 5000, 'emailAddress', 'guest' || n || '@example.com', 'phoneNumber', '+351 ' || 900000000 + n), 'R-' || n, 'H-' || n, 'B-' || n,
				CASE WHEN status IN ('PAID', 'CONFIRMED', 'CANCELLED') THEN 'p' END, 0, 0, 0, '', made, made, CASE status WHEN 'RELEASED' THEN 'done' END, CASE status WHEN 'RELEASED' THEN 'expired' END, n %% 4000 = 0
			FROM generate_series(1, %d) n,
				LATERAL (SELECT '2026-07-01T12:00:00Z'::timestamptz - n * interval '1 minute' AS made, (ARRAY['CONFIRMED', 'CONFIRMED', 'CONFIRMED', 'CANCELLED', 'RELEASED'])[1 + n %% 5] AS status) m`, bookings),
		`INSERT INTO booking_attention SELECT id, 'confirm_refused', created_at, 'no' FROM bookings WHERE needs_attention`,
		`INSERT INTO affiliate_commissions SELECT id, account_id, 'EUR', 1, created_at FROM bookings`,
		`ANALYZE`, `SET session_replication_role = origin`,
	} {
		_, err := conn.Exec(t.Context(), statement)
		check(t, err)
	}
	check(t, conn.QueryRow(t.Context(), `SELECT md5('reseller3')::uuid, md5('activity3')::uuid, md5('integration3')::uuid`).Scan(&s.reseller, &s.activity, &s.integration))
	return s
}

// listQueries are the lists that have no end, each with an index that it is read by.
func (s sold) lists() map[string]listed {
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	bookings := func(index string, by booking.Filter) listed {
		return listed{index, func(ctx context.Context, asked marketplace.PageRequest) (int, *marketplace.Cursor, error) {
			p, err := s.store.Bookings.List(ctx, by, asked)
			return len(p.Entries), p.Next, err
		}}
	}
	soon := booking.Period{From: noon.AddDate(0, 0, 19), To: noon.AddDate(0, 0, 19).Add(time.Hour)}
	return map[string]listed{
		"a reseller's":                  bookings("bookings_made_of", booking.Filter{Account: s.reseller}),
		"a reseller's by status":        bookings("bookings_of_status", booking.Filter{Account: s.reseller, Status: marketplace.Released}),
		"a reseller's by activity":      bookings("bookings_of_activity", booking.Filter{Account: s.reseller, Activity: s.activity}),
		"a reseller's by reference":     bookings("bookings_referred", booking.Filter{Account: s.reseller, Reference: "R-3"}),
		"a reseller's by guest":         bookings("bookings_guest", booking.Filter{Account: s.reseller, Query: "guest3 sousa3"}),
		"a reseller's by start":         bookings("bookings_start", booking.Filter{Account: s.reseller, Start: soon}),
		"a reseller's by date":          bookings("bookings_made_of", booking.Filter{Account: s.reseller, Created: booking.Period{From: noon.AddDate(0, 0, -2), To: noon.AddDate(0, 0, -1)}}),
		"all of a reseller":             bookings("bookings_of", booking.Filter{Checkouts: true, Account: s.reseller}),
		"all":                           bookings("bookings_order", booking.Filter{Checkouts: true}),
		"all by date":                   bookings("bookings_order", booking.Filter{Checkouts: true, Created: booking.Period{To: noon.AddDate(0, 0, -1)}}),
		"all by status":                 bookings("bookings_(status|order)", booking.Filter{Checkouts: true, Status: marketplace.Cancelled}),
		"all of a status that none has": bookings("bookings_status", booking.Filter{Checkouts: true, Status: marketplace.Lost}),
		"all by activity":               bookings("bookings_activity", booking.Filter{Checkouts: true, Activity: s.activity}),
		"all by integration":            bookings("bookings_integration", booking.Filter{Checkouts: true, Integration: s.integration}),
		"all by reference":              bookings("bookings_referred", booking.Filter{Checkouts: true, Reference: "R-3"}),
		"all by guest":                  bookings("bookings_guest", booking.Filter{Checkouts: true, Query: "guest3@example.com"}),
		"all by an id":                  bookings("bookings_pkey", booking.Filter{Checkouts: true, Query: uuid.NewString()}),
		"all by the partner's id":       bookings("bookings_external", booking.Filter{Checkouts: true, Query: "B-3"}),
		"all by start":                  bookings("bookings_start", booking.Filter{Checkouts: true, Start: soon}),
		"all that need attention":       bookings("bookings_attention", booking.Filter{Checkouts: true, Attention: true}),
		"an affiliate's commissions": {"affiliate_commissions_list", func(ctx context.Context, asked marketplace.PageRequest) (int, *marketplace.Cursor, error) {
			p, err := s.store.Bookings.Commissions(ctx, s.reseller, asked)
			return len(p.Entries), p.Next, err
		}},
	}
}

// listed is a list with the index that it is read by.
type listed struct {
	index string
	read  func(context.Context, marketplace.PageRequest) (int, *marketplace.Cursor, error)
}

// scanned is a table without end that is read from one end to the other.
var scanned = regexp.MustCompile(`Seq Scan on (bookings|affiliate_commissions)\b`)

func TestNoListReadsAllBookings(t *testing.T) {
	t.Parallel()
	s := sell(t, 20_000)
	for name, l := range s.lists() {
		middle := &marketplace.Cursor{At: time.Date(2026, 6, 30, 0, 0, 0, 0, time.UTC), ID: uuid.New()}
		for _, asked := range []marketplace.PageRequest{{Size: 20}, {Size: 100, After: middle}} {
			var err error
			trips := s.queries.Trips(func() { _, _, err = l.read(t.Context(), asked) })
			check(t, err)
			for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
				used := false
				for _, trip := range trips {
					plan := explain(t, s.store, mode, trip[0])
					if found := scanned.FindString(plan); found != "" {
						t.Errorf("%s, %s: want no %s\n%s\n%s", name, mode, found, trip[0].SQL, plan)
					}
					used = used || regexp.MustCompile(`\b`+l.index+`\b`).MatchString(plan)
				}
				if !used {
					t.Errorf("%s, %s: want it read by the index %s\n%s\n%s", name, mode, l.index, trips[0][0].SQL, explain(t, s.store, mode, trips[len(trips)-1][0]))
				}
			}
		}
	}
}

// explain is the plan of a statement that is prepared, where bookings are too many to be
// read from one end to the other.
func explain(t *testing.T, store *postgres.Store, mode string, s pgtest.Statement) (plan string) {
	t.Helper()
	check(t, pgx.BeginFunc(t.Context(), store.Pool(), func(tx pgx.Tx) error {
		var args []string
		for _, arg := range s.Args {
			text := fmt.Sprint(arg)
			if at, is := arg.(time.Time); is {
				text = at.Format(time.RFC3339Nano)
			}
			args = append(args, "'"+strings.ReplaceAll(text, "'", "''")+"'")
		}
		given := ""
		if len(args) > 0 {
			given = "(" + strings.Join(args, ", ") + ")"
		}
		for _, statement := range []string{"SET LOCAL enable_seqscan = off", "SET LOCAL plan_cache_mode = " + mode, "PREPARE list AS " + s.SQL} {
			if _, err := tx.Exec(t.Context(), statement, pgx.QueryExecModeSimpleProtocol); err != nil {
				return err
			}
		}
		rows, err := tx.Query(t.Context(), "EXPLAIN EXECUTE list"+given, pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			return err
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		plan = strings.Join(lines, "\n")
		if _, freed := tx.Exec(t.Context(), "DEALLOCATE list", pgx.QueryExecModeSimpleProtocol); err == nil {
			err = freed
		}
		return err
	}))
	return plan
}

func TestBookingsAreFoundByEachFilter(t *testing.T) {
	t.Parallel()
	s := sell(t, 10_100)
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		by    booking.Filter
		total int
	}{
		"all, counted as far as they are":           {booking.Filter{}, 10_000},
		"a reseller's":                              {booking.Filter{Account: s.reseller}, 505},
		"by status":                                 {booking.Filter{Status: marketplace.Released}, 2020},
		"by two filters":                            {booking.Filter{Status: marketplace.Released, Account: s.reseller}, 0},
		"by activity":                               {booking.Filter{Activity: s.activity}, 202},
		"by integration":                            {booking.Filter{Integration: s.integration}, 504},
		"by reference":                              {booking.Filter{Reference: "R-17"}, 1},
		"by another's reference":                    {booking.Filter{Reference: "R-17", Account: s.reseller}, 0},
		"that need attention":                       {booking.Filter{Attention: true}, 2},
		"by a word of the guest's name":             {booking.Filter{Query: "SOUSA4999"}, 2},
		"by two words":                              {booking.Filter{Query: "sousa100 guest100"}, 1},
		"by the e-mail":                             {booking.Filter{Query: "Guest17@example.com"}, 1},
		"by what the partner calls it":              {booking.Filter{Query: "B-17"}, 1},
		"by what the reseller calls it":             {booking.Filter{Query: "R-17"}, 1},
		"by nothing that anybody has":               {booking.Filter{Query: "'):*|!"}, 0},
		"by the moment, both ends among them":       {booking.Filter{Created: booking.Period{From: noon.Add(-5 * time.Minute), To: noon.Add(-2 * time.Minute)}}, 4},
		"by the slot's start":                       {booking.Filter{Start: booking.Period{From: noon.AddDate(0, 0, 20).Add(-5 * time.Minute), To: noon.AddDate(0, 0, 20)}}, 5},
		"by a start that more have than are sorted": {booking.Filter{Start: booking.Period{From: noon.AddDate(0, 0, 1)}}, 10_000},
	} {
		c.by.Checkouts = true
		first, err := s.store.Bookings.List(t.Context(), c.by, marketplace.PageRequest{Size: 100})
		check(t, err)
		if first.Total != c.total || first.Capped != (c.total == 10_000) || len(first.Entries) != min(100, c.total) {
			t.Errorf("%s: want %d, got %d, capped %t, and %d on the page", name, c.total, first.Total, first.Capped, len(first.Entries))
		}
		if !slices.IsSortedFunc(first.Entries, func(a, b marketplace.Booking) int { return b.CreatedAt.Compare(a.CreatedAt) }) {
			t.Errorf("%s: want the newest first", name)
		}
	}
}

func TestABookingThatIsSettledLeavesTheListOfThoseThatNeedAttention(t *testing.T) {
	t.Parallel()
	s := sell(t, 3)
	need := func() int {
		p, err := s.store.Bookings.List(t.Context(), booking.Filter{Attention: true}, marketplace.PageRequest{Size: 1})
		check(t, err)
		return p.Total
	}
	for _, c := range []struct {
		change string
		want   int
	}{
		{`INSERT INTO booking_attention SELECT id, why, now(), '' FROM bookings, unnest(ARRAY['late_payment', 'release_failed']) why WHERE code = 'H-1'`, 1},
		{`UPDATE booking_attention SET settled_at = now() WHERE reason = 'late_payment'`, 1},
		{`UPDATE booking_attention SET settled_at = now()`, 0},
		{`UPDATE booking_attention SET settled_at = NULL WHERE booking_attention.reason = 'late_payment'`, 1},
	} {
		pgtest.Exec(t, s.store, c.change)
		if got := need(); got != c.want {
			t.Errorf("%s: want %d, got %d", c.change, c.want, got)
		}
	}
}
