package postgres_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestAGuestIsErasedFromEveryTable(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{Bookings: 5}) // the fourth is cancelled
	const guest = "Guest4"
	pgtest.Exec(t, s.store, `
		WITH b AS (SELECT * FROM bookings WHERE code = 'H-4'),
			h AS (INSERT INTO booking_history (booking_id, at, kind, call_id, endpoint, error) SELECT id, now(), 'call', id, 'confirm', 'Guest4 is not welcome' FROM b),
			m AS (INSERT INTO booking_history (booking_id, at, kind, why) SELECT id, now(), 'move', 'cancelled: Guest4 is ill' FROM b),
			a AS (INSERT INTO booking_attention SELECT id, 'confirm_refused', now(), 'Guest4 is not welcome' FROM b),
			i AS (INSERT INTO integration_breaches (integration_id, booking_id, at, endpoint, message) SELECT integration_id, id, now(), 'confirm', 'Guest4?' FROM b),
			c AS (UPDATE bookings SET cancel_reason = 'Guest4 is ill' WHERE code = 'H-4')
		INSERT INTO idempotency_keys SELECT account_id, 'k', sha256('x'), id, now(), 201, convert_to('{"success":1,"data":{"contact":{"fullName":"Guest4"}}}', 'UTF8'), true FROM b`)
	var id uuid.UUID
	check(t, s.store.Pool().QueryRow(t.Context(), `SELECT id FROM bookings WHERE code = 'H-4'`).Scan(&id))
	if len(tablesWith(t, s, guest)) != 5 {
		t.Fatalf("want the guest in five tables, got %v", tablesWith(t, s, guest))
	}
	for range 2 {
		if erased, err := s.store.Bookings.EraseGuest(t.Context(), id); err != nil || !erased {
			t.Fatalf("want the guest erased, got %t and %v", erased, err)
		}
	}
	if left := tablesWith(t, s, guest); len(left) > 0 {
		t.Errorf("want no trace of the guest, found one in %v", left)
	}
}

// tablesWith returns the tables that contain the word in any row.
func tablesWith(t *testing.T, s sold, word string) (list []string) {
	t.Helper()
	for _, table := range tables(t, s) {
		var found bool
		check(t, s.store.Pool().QueryRow(t.Context(), fmt.Sprintf(`SELECT EXISTS (SELECT FROM %q t WHERE row_to_json(t)::text ~ $1 OR row_to_json(t)::text ~ encode(convert_to($1, 'UTF8'), 'hex'))`, table), word).Scan(&found))
		if found {
			list = append(list, table)
		}
	}
	return list
}

func tables(t *testing.T, s sold) []string {
	t.Helper()
	rows, err := s.store.Pool().Query(t.Context(), `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`)
	check(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check(t, err)
	return list
}

func TestGuestsAreErasedInBatchesExceptThoseThatThePartnerMayStillNeed(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{Bookings: 10})
	pgtest.Exec(t, s.store, `UPDATE bookings SET status = 'HELD', release = NULL, reason = NULL, payment_reference = NULL WHERE code IN ('H-1', 'H-2')`)
	pgtest.Exec(t, s.store, `UPDATE bookings SET ends_at = ends_at + interval '1 year', starts_at = starts_at + interval '1 year' WHERE code = 'H-3'`)
	later := time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)
	for _, want := range []int64{4, 3, 0} {
		if got, err := s.store.Bookings.EraseGuests(t.Context(), later, 4); err != nil || got != want {
			t.Errorf("want %d erased, got %d and %v", want, got, err)
		}
	}
	var held uuid.UUID
	check(t, s.store.Pool().QueryRow(t.Context(), `SELECT id FROM bookings WHERE code = 'H-1'`).Scan(&held))
	if erased, err := s.store.Bookings.EraseGuest(t.Context(), held); err != nil || erased {
		t.Errorf("want a held booking left unchanged, got %t and %v", erased, err)
	}
}

// operations is the manual, which states how long each table is kept.
const operations = "docs/operations.md"

func TestTheManualSaysHowLongEachTableIsKept(t *testing.T) {
	t.Parallel()
	text := sourcetest.Read(t, operations)
	for _, table := range tables(t, sell(t, pgtest.Stock{Bookings: 0})) {
		if !regexp.MustCompile("(?m)^\\|[^|]*`" + table + "`").MatchString(text) {
			t.Errorf("%s: want a line for the table %s in the list of what is kept for how long", operations, table)
		}
	}
}

// lastBeforeTheRule is the last migration that is older than the rule for large tables in use.
const lastBeforeTheRule = "00013"

func TestNoMigrationHoldsUpALargeTable(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("migrations/*.sql")
	check(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(t, err)
		if number := filepath.Base(file)[:5]; number <= lastBeforeTheRule {
			continue
		}
		for _, wrong := range locks(string(text)) {
			t.Errorf("%s: %s", file, wrong)
		}
	}
	for bad, want := range map[string]string{
		"CREATE INDEX x ON bookings (id);":                                                    "CONCURRENTLY",
		"CREATE UNIQUE INDEX CONCURRENTLY x ON bookings (id);":                                "NO TRANSACTION",
		"ALTER TABLE bookings ADD COLUMN x int;":                                              "lock_timeout",
		"SET lock_timeout = '5s'; ALTER TABLE bookings ADD CONSTRAINT x CHECK (id > 1);":      "NOT VALID",
		"SET lock_timeout = '5s'; ALTER TABLE bookings ALTER x SET NOT NULL;":                 "SET NOT NULL",
		"SET lock_timeout = '5s'; ALTER TABLE bookings ALTER x TYPE bigint;":                  "TYPE",
		"SET lock_timeout = '5s'; ALTER TABLE bookings ADD x uuid DEFAULT gen_random_uuid();": "gen_random_uuid",
	} {
		if got := strings.Join(locks("-- +goose Up\n"+bad), " "); !strings.Contains(got, want) {
			t.Errorf("%s: want a word about %s, got %q", bad, want, got)
		}
	}
	if got := locks("-- +goose Up\nCREATE TABLE x (id int);\nCREATE INDEX y ON x (id);\nALTER TABLE x ADD CONSTRAINT z CHECK (id > 1);"); len(got) > 0 {
		t.Errorf("want a new table left alone, got %v", got)
	}
}

// These statements of a migration read, write or lock a whole table that is in use.
var (
	comment  = regexp.MustCompile(`--[^+\n][^\n]*`)
	newTable = regexp.MustCompile(`(?i)CREATE TABLE (?:IF NOT EXISTS )?(\w+)`)
	onTable  = regexp.MustCompile(`(?i)\b(?:ON|TABLE(?: IF EXISTS)?) (\w+)`)
	costly   = []struct{ what, unless, says string }{
		{`CREATE (UNIQUE )?INDEX`, `CONCURRENTLY`, "build an index CONCURRENTLY: else the table cannot be written meanwhile"},
		{`DROP INDEX`, `CONCURRENTLY`, "drop an index CONCURRENTLY"},
		{`ADD CONSTRAINT|ADD (PRIMARY|FOREIGN|CHECK|UNIQUE)`, `NOT VALID|USING INDEX`, "add a constraint NOT VALID, and VALIDATE it by a statement of its own"},
		{`SET NOT NULL`, `^$`, "instead of SET NOT NULL add a CHECK that is NOT VALID, and VALIDATE it"},
		{`ALTER (COLUMN )?\w+ (SET DATA )?TYPE`, `^$`, "a new TYPE rewrites the table: add a column instead"},
		{`gen_random_uuid|random\(|clock_timestamp|GENERATED ALWAYS AS \(`, `^$`, "a value of its own for each row, as of gen_random_uuid, rewrites the table"},
	}
)

// locks returns the statements of a migration that block users of its tables.
func locks(text string) (wrong []string) {
	up, _, _ := strings.Cut(text, "-- +goose Down")
	up = comment.ReplaceAllString(up, "")
	fresh := map[string]bool{}
	for _, made := range newTable.FindAllStringSubmatch(up, -1) {
		fresh[strings.ToLower(made[1])] = true
	}
	timed := false
	for statement := range strings.SplitSeq(up, ";") {
		timed = timed || strings.Contains(statement, "lock_timeout")
		if table := onTable.FindStringSubmatch(statement); table != nil && fresh[strings.ToLower(table[1])] {
			continue
		}
		if regexp.MustCompile(`(?i)ALTER TABLE|CREATE TRIGGER|DROP (TABLE|TRIGGER)|TRUNCATE`).MatchString(statement) && !timed {
			wrong = append(wrong, "SET lock_timeout first: who waits for a table's lock holds up all who come after")
		}
		if strings.Contains(statement, "CONCURRENTLY") && !strings.Contains(up, "+goose NO TRANSACTION") && !strings.Contains(text, "+goose NO TRANSACTION") {
			wrong = append(wrong, "CONCURRENTLY takes a migration that is NO TRANSACTION")
		}
		for _, c := range costly {
			if regexp.MustCompile(`(?i)`+c.what).MatchString(statement) && !regexp.MustCompile(`(?i)`+c.unless).MatchString(statement) {
				wrong = append(wrong, c.says)
			}
		}
	}
	return wrong
}

func TestAnIntegrationsHistoryIsTrimmedSomeAtATime(t *testing.T) {
	t.Parallel()
	s := sell(t, pgtest.Stock{Rows: 200}) // 10 of each for 20 integrations
	pgtest.Exec(t, s.store, `UPDATE syncs SET mode = 'incremental' WHERE started_at > (SELECT min(started_at) FROM syncs) + interval '1 minute'`)
	for table, drop := range map[string]func(ctx context.Context, keep, most int) (int64, error){
		"syncs":                      s.store.Catalog.DropOldSyncs,
		"integration_health_changes": s.store.Partners.DropOldHealthChanges,
		"integration_breaches":       s.store.Partners.DropOldBreaches,
	} {
		want := []int64{100, 60, 0}
		if table == "syncs" { // the last full one of each integration is kept
			want = []int64{100, 40, 0}
		}
		for _, want := range want {
			if got, err := drop(t.Context(), 2, 100); err != nil || got != want {
				t.Errorf("%s: want %d deleted, got %d and %v", table, want, got, err)
			}
		}
	}
}
