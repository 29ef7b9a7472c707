package pgtest

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// database is one that a test has alone. The next test gets it as if it were new, if that is cheap
// and sure: a copy of the template costs more.
type database struct {
	name     string
	sessions sessions
}

// pristine is what the template is like.
var pristine struct {
	schema string
	reset  string // the statements that give the tables with rows in the template the same again
}

// largest is up to how many bytes the tables of a database may have that is used again.
const largest = 4 << 20

// catalogs hold a schema. The others that a statement changes follow them.
var catalogs = []string{
	"pg_class WHERE oid >= 16384", "pg_attribute WHERE attrelid >= 16384", "pg_type WHERE oid >= 16384", "pg_proc WHERE oid >= 16384", // not PostgreSQL's own
	"pg_constraint", "pg_trigger", "pg_rewrite", "pg_policy", "pg_extension", "pg_event_trigger", "pg_default_acl", `pg_namespace WHERE nspname !~ '^pg_'`,
}

// schemaQuery reads what a statement could have changed, in short: a row's xmin is the transaction that wrote it.
var schemaQuery = `SELECT concat_ws(' ', (SELECT concat_ws(' ', datdba, datacl, datallowconn, datconnlimit) FROM pg_database WHERE datname = current_database()),
	(SELECT count(*) FROM pg_db_role_setting WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())),
	(SELECT max(xmin::text::bigint) || '/' || count(*) FROM ` + strings.Join(catalogs, `),
	(SELECT max(xmin::text::bigint) || '/' || count(*) FROM `) + `))`

const (
	// A statement for each sequence, which sets it to where it stands.
	sequencesQuery = `SELECT string_agg(format('SELECT setval(%1$L, %2$s, %3$L) WHERE pg_sequence_last_value(%1$L) IS DISTINCT FROM %4$L', seqrelid::regclass, coalesce(last, seqstart), last IS NOT NULL, last), ';')
		FROM pg_sequence, pg_sequence_last_value(seqrelid) last`
	tablesQuery = `SELECT oid::regclass::text, pg_relation_size(oid) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0`
	othersQuery = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND pid <> ALL ($1)`
)

// learnPristine reads what the template is like.
func learnPristine(ctx context.Context, address string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, schemaQuery).Scan(&pristine.schema); err != nil {
		return err
	}
	tables, _, err := filled(ctx, conn)
	if err != nil {
		return err
	}
	for _, table := range tables {
		var rows *string
		if err := conn.QueryRow(ctx, `SELECT quote_literal(json_agg(t)) FROM `+table+` t`).Scan(&rows); err != nil {
			return err
		}
		if rows != nil {
			pristine.reset += fmt.Sprintf("INSERT INTO %[1]s OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::%[1]s, %[2]s);\n", table, *rows)
		}
	}
	var sequences string
	err = conn.QueryRow(ctx, sequencesQuery).Scan(&sequences)
	pristine.reset += sequences
	return err
}

// filled returns the tables that have rows, or had, and their size in bytes.
func filled(ctx context.Context, conn *pgx.Conn) (tables []string, size int64, err error) {
	rows, _ := conn.Query(ctx, tablesQuery) // the error is also returned below
	var table string
	var of int64
	_, err = pgx.ForEachRow(rows, []any{&table, &of}, func() error {
		tables, size = append(tables, table), size+of
		return nil
	})
	return tables, size, err
}

// renew makes the database as new. It reports false if that is not sure, or would cost more than a
// new one: where the schema was changed, somebody still uses it, or much was written.
func (d *database) renew(ctx context.Context) (bool, error) {
	config, err := pgx.ParseConfig(server.URL(d.name))
	if err != nil {
		return false, err
	}
	config.RuntimeParams["timezone"] = "UTC" // as stores do, to get one of their sessions
	config.DialFunc = d.sessions.dial
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false, nil // its test keeps everybody out
	}
	defer conn.Close(ctx)
	var schema string
	if err := conn.QueryRow(ctx, schemaQuery).Scan(&schema); err != nil || schema != pristine.schema {
		return false, err
	}
	if alone, err := d.becomesAlone(ctx, conn); !alone || err != nil {
		return false, err
	}
	tables, size, err := filled(ctx, conn)
	if err != nil || size > largest {
		return false, err
	}
	statements := []string{"SET LOCAL session_replication_role = replica"} // no triggers
	for _, table := range tables {
		statements = append(statements, "DELETE FROM "+table)
	}
	_, err = conn.PgConn().Exec(ctx, strings.Join(append(statements, pristine.reset), ";\n")).ReadAll() // one transaction
	return err == nil, err
}

// becomesAlone reports whether the server's processes of closed connections end soon, and there are
// no others.
func (d *database) becomesAlone(ctx context.Context, conn *pgx.Conn) (bool, error) {
	for range 100 {
		var others int
		if err := conn.QueryRow(ctx, othersQuery, d.sessions.processes()).Scan(&others); err != nil || others == 0 {
			return err == nil, err
		}
		if _, err := conn.Exec(ctx, `SELECT pg_sleep(0.002)`); err != nil {
			return false, err
		}
	}
	return false, nil
}
