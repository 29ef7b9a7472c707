package postgres_test

import (
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// The tests of this file are not parallel: other tests would take the databases that they give back.

// lend gives a test within t a database, and returns its address.
func lend(t *testing.T, use func(*testing.T, *postgres.Store)) (address string) {
	t.Helper()
	t.Run("", func(t *testing.T) {
		address = pgtest.URL(t)
		use(t, pgtest.OpenAt(t, address))
	})
	return address
}

func TestADatabaseThatIsUsedAgainIsAsNew(t *testing.T) {
	if os.Getenv("POOLED") != "" {
		t.Skip("a pooler's databases are not used again")
	}
	var first, again string
	address := lend(t, func(t *testing.T, store *postgres.Store) {
		first = contents(t, store)
		for _, statement := range []string{
			`SET work_mem = '1MB'`, `LISTEN news`, `SELECT pg_advisory_lock(1)`,
			`UPDATE pricing_terms SET service_fee = 7`, `DELETE FROM readiness`, `INSERT INTO exchange_rates VALUES ('USD', 1)`,
			`SELECT nextval(seqrelid::regclass) FROM pg_sequence`,
		} {
			pgtest.Exec(t, store, statement)
		}
		if contents(t, store) == first {
			t.Error("want the changes seen")
		}
	})
	if next := lend(t, func(t *testing.T, store *postgres.Store) { again = contents(t, store) }); next != address {
		t.Error("want the same database")
	}
	if again != first {
		t.Errorf("want it as new: %s\ngot %s", first, again)
	}
}

// contents returns all rows of a database, where its sequences stand, and what a session may change.
func contents(t *testing.T, store *postgres.Store) (text string) {
	t.Helper()
	check(t, store.Pool().QueryRow(t.Context(), `SELECT concat_ws(E'\n',
		(SELECT string_agg(query_to_xml(format('SELECT * FROM %s', oid::regclass), true, false, relname)::text, '') FROM (
			SELECT oid, relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname) tables),
		(SELECT string_agg(concat_ws(' ', sequencename, last_value), E'\n' ORDER BY sequencename) FROM pg_sequences),
		(SELECT string_agg(concat_ws(' ', name, setting), E'\n' ORDER BY name) FROM pg_settings),
		(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())),
		(SELECT count(*) FROM pg_listening_channels()))`).Scan(&text))
	return text
}

func TestADatabaseIsNotUsedAgainWhereThatIsNotSure(t *testing.T) {
	for name, use := range map[string]func(outer, inner *testing.T, store *postgres.Store){
		"a table more":       executing(`CREATE TABLE more ()`),
		"a column more":      executing(`ALTER TABLE bookings ADD more int`),
		"a column less":      executing(`ALTER TABLE accounts DROP name`),
		"a disabled trigger": executing(`ALTER TABLE bookings DISABLE TRIGGER ALL`),
		"another function":   executing(`CREATE FUNCTION more() RETURNS int LANGUAGE sql AS 'SELECT 1'`),
		"a setting":          executing(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET work_mem = ''1MB''', current_database()); END $$`),
		"a right":            executing(`REVOKE ALL ON SCHEMA public FROM PUBLIC`),
		"a view":             executing(`CREATE VIEW more AS SELECT 1`),
		"a limit":            executing(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT 70', current_database()); END $$`),
		"many rows":          executing(`INSERT INTO api_tokens SELECT gen_random_uuid(), gen_random_uuid(), 'x', sha256(n::text::bytea), now() FROM generate_series(1, 50000) n`),
		"a store that is still open": func(outer, _ *testing.T, store *postgres.Store) {
			pgtest.OpenAt(outer, store.Pool().Config().ConnString())
		},
		"a connection of another process": func(outer, _ *testing.T, store *postgres.Store) {
			conn, err := pgx.Connect(outer.Context(), store.Pool().Config().ConnString())
			check(outer, err)
			outer.Cleanup(func() { _ = conn.Close(outer.Context()) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			used := lend(t, func(inner *testing.T, store *postgres.Store) { use(t, inner, store) })
			if next := lend(t, func(*testing.T, *postgres.Store) {}); next == used {
				t.Error("want another database")
			}
		})
	}
}

func executing(statement string) func(_, _ *testing.T, _ *postgres.Store) {
	return func(_, t *testing.T, store *postgres.Store) {
		pgtest.Exec(t, store, `SET session_replication_role = replica`)
		pgtest.Exec(t, store, statement)
	}
}
