package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock is the advisory lock of the replica that migrates, while others wait.
const migrationLock = 0x6d61726b // "mark"

// Migrate updates the tables of the database at that address, and the job queue's tables. Only one
// process migrates at a time. It returns the number of migrations that it ran. A database that a
// newer service has migrated is an error.
func Migrate(ctx context.Context, address string) (ran int, err error) {
	config, err := configOf(address)
	if err != nil {
		return 0, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return 0, &unreachable{err}
	}
	defer pool.Close()
	// A session's lock belongs to its connection, which is kept while the migrations use others.
	held, err := pool.Acquire(ctx)
	if err != nil {
		return 0, &unreachable{err}
	}
	defer held.Release()
	if err := lockMigrations(ctx, held); err != nil {
		return 0, fmt.Errorf("wait for another migration: %w", err)
	}
	defer func() {
		_, unlocked := held.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", migrationLock)
		err = errors.Join(err, unlocked)
	}()
	ours, err := migrateTables(ctx, pool)
	if err != nil {
		return ours, err
	}
	queue, err := migrateQueue(ctx, pool)
	return ours + queue, err
}

// lockPause is the pause between tries for the migrations' lock.
const lockPause = 200 * time.Millisecond

// lockMigrations tries until it has the lock. A statement that waited for the lock would block an
// index that is built concurrently.
func lockMigrations(ctx context.Context, held *pgxpool.Conn) error {
	for {
		var locked bool
		if err := held.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", migrationLock).Scan(&locked); err != nil || locked {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

func migrateTables(ctx context.Context, pool *pgxpool.Pool) (ran int, err error) {
	db := stdlib.OpenDBFromPool(pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return 0, err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files)
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	current, newest, err := provider.GetVersions(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the database's version: %w", err)
	}
	if current > newest {
		return 0, fmt.Errorf("the database is at version %d, and this service supports at most %d: run the newer service", current, newest)
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return len(results), fmt.Errorf("migrate the database: %w", err)
	}
	return len(results), nil
}

// migrateQueue creates the tables of the job queue. Its migrations cannot run in one transaction,
// because one adds a value to an enum that the next one uses.
func migrateQueue(ctx context.Context, pool *pgxpool.Pool) (int, error) {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return 0, fmt.Errorf("read the job queue's migrations: %w", err)
	}
	done, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	if err != nil {
		return 0, fmt.Errorf("migrate the job queue: %w", err)
	}
	found, err := migrator.Validate(ctx, nil)
	if err != nil {
		return len(done.Versions), fmt.Errorf("check the job queue's tables: %w", err)
	}
	if !found.OK {
		return len(done.Versions), fmt.Errorf("the job queue's tables are invalid: %s", strings.Join(found.Messages, "; "))
	}
	return len(done.Versions), nil
}

// connectTime limits opening a connection, unless the address contains connect_timeout. A silent
// server must not block the start.
const connectTime = 15 * time.Second

// configOf parses a database's address.
func configOf(address string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("read the database's address: %w", hideAddress(err))
	}
	if err := checkOptions(config); err != nil {
		return nil, err
	}
	config.ConnConfig.RuntimeParams["client_encoding"] = "UTF8"
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTime
	}
	config.AfterConnect = prepare
	return config, nil
}

// checkOptions refuses options of an address with which the service would wait forever, or fail later.
func checkOptions(config *pgxpool.Config) error {
	switch mode := config.ConnConfig.DefaultQueryExecMode; {
	case config.MaxConns < 2:
		return fmt.Errorf("pool_max_conns: expected 2 or more, received %d; a migration uses two connections", config.MaxConns)
	case config.HealthCheckPeriod <= 0:
		return fmt.Errorf("pool_health_check_period: expected a time above 0, received %s", config.HealthCheckPeriod)
	case mode != pgx.QueryExecModeCacheStatement && mode != sharedMode:
		return fmt.Errorf("default_query_exec_mode: expected cache_statement, the default, or cache_describe, received %s; the service needs the types of parameters", mode)
	case config.ConnConfig.StatementCacheCapacity < 1:
		return fmt.Errorf("statement_cache_capacity: expected 1 or more, received %d; the service needs prepared statements", config.ConnConfig.StatementCacheCapacity)
	case config.ConnConfig.DescriptionCacheCapacity < 1:
		return fmt.Errorf("description_cache_capacity: expected 1 or more, received %d; the service needs the types of parameters", config.ConnConfig.DescriptionCacheCapacity)
	}
	return nil
}

// CheckAddress returns an error for an invalid database address, without quoting the address.
func CheckAddress(address string) error {
	_, err := configOf(address)
	return err
}

// hideAddress removes the address, which may contain a password, from an error.
func hideAddress(err error) error {
	if parse := (*pgconn.ParseConfigError)(nil); !errors.As(err, &parse) {
		return err
	}
	wanted := "expected a PostgreSQL address such as postgres://user@host/database"
	var address *url.Error
	var number *strconv.NumError
	if cause := errors.Unwrap(err); cause != nil && !errors.As(cause, &address) && !errors.As(cause, &number) {
		return fmt.Errorf("%s: %w", wanted, cause) // it describes how TLS is configured and contains no part of the address
	}
	return errors.New(wanted)
}

// ErrUnreachable is wrapped by the error for a database that cannot be reached or that refuses the
// service.
var ErrUnreachable = errors.New("the database cannot be reached")

// unreachable says in one line why the database cannot be reached. pgx has a line for every address
// and every way that it tried.
type unreachable struct{ cause error }

func (u *unreachable) Error() string {
	lines := strings.Split(strings.TrimSpace(u.cause.Error()), "\n")
	return "reach the database: " + strings.TrimSpace(lines[len(lines)-1])
}

func (u *unreachable) Unwrap() []error { return []error{ErrUnreachable, u.cause} }

// readUTC makes a new connection return times in UTC, whatever the machine's zone.
func readUTC(_ context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	return nil
}

// prepare configures a new connection: times are in UTC, no query is compiled, because that takes longer
// than any of ours runs, and the server's log contains no customers' data, as far as the user's rights
// allow.
func prepare(ctx context.Context, conn *pgx.Conn) error {
	if err := readUTC(ctx, conn); err != nil {
		return err
	}
	_, err := conn.PgConn().Exec(ctx, fmt.Sprintf(sessionSettings, conn.PgConn().PID())).ReadAll()
	return err
}

// sessionSettings turns off the compiler, and stops the server from logging rows of violated
// constraints, and parameters. Only superusers and users with the privilege may set log settings. A
// pooler's connection is left alone, because its next user is another client.
const sessionSettings = `DO $$
	DECLARE
		setting text[];
	BEGIN
		IF pg_backend_pid() <> %d THEN
			RETURN;
		END IF;
		FOREACH setting SLICE 1 IN ARRAY ARRAY[['jit', 'off'], ['log_error_verbosity', 'terse'], ['log_parameter_max_length', '0'], ['log_parameter_max_length_on_error', '0']] LOOP
			BEGIN
				PERFORM set_config(setting[1], setting[2], false);
			EXCEPTION WHEN insufficient_privilege THEN
			END;
		END LOOP;
	END
$$`

// LogMayContainRows reports whether the server's log may contain rows: the user may not change the log
// settings, and they have not been turned off.
func (s *Store) LogMayContainRows(ctx context.Context) (may bool, err error) {
	err = s.pool.QueryRow(ctx, `SELECT current_setting('log_error_verbosity') <> 'terse'`).Scan(&may)
	return may, err
}

// patience limits how long a store waits for the database: for a connection, and for each statement
// or batch. A server that accepts connections and stays silent would block requests forever,
// despite its statement_timeout. It is a tracer because pgx uses the context that a tracer returns.
type patience time.Duration

type (
	endKey       struct{}
	unhurriedKey struct{}
)

// unhurriedTime limits statements that may take long.
const unhurriedTime = 30 * time.Second

// withoutTimeout allows more time for the statements of a context, such as storing a large catalog.
func withoutTimeout(ctx context.Context) context.Context {
	return context.WithValue(ctx, unhurriedKey{}, true)
}

func (p patience) begin(ctx context.Context) context.Context {
	limit := time.Duration(p)
	if ctx.Value(unhurriedKey{}) != nil {
		limit = unhurriedTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	return context.WithValue(ctx, endKey{}, cancel)
}

func (p patience) end(ctx context.Context) {
	if cancel, begun := ctx.Value(endKey{}).(context.CancelFunc); begun {
		cancel()
	}
}

// TraceQueryStart implements pgx.QueryTracer.
func (p patience) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return p.begin(ctx)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (p patience) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	p.end(ctx)
}

// TraceBatchStart implements pgx.BatchTracer.
func (p patience) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return p.begin(ctx)
}

// TraceBatchQuery implements pgx.BatchTracer.
func (p patience) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (p patience) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchEndData) {
	p.end(ctx)
}

// TraceAcquireStart implements pgxpool.AcquireTracer.
func (p patience) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	return p.begin(ctx)
}

// TraceAcquireEnd implements pgxpool.AcquireTracer.
func (p patience) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireEndData) {
	p.end(ctx)
}
