package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Store is the service's database. It is safe for concurrent use.
type Store struct {
	pool  *pgxpool.Pool
	queue *river.Client[pgx.Tx] // inserts jobs, and works none
}

// Open returns a store of at most so many connections to the migrated database at
// that address. Requests and background work have a store each, so that neither
// waits for the other's connections.
func Open(ctx context.Context, address string, connections int32) (*Store, error) {
	return OpenTraced(ctx, address, connections, nil)
}

// OpenTraced is Open where a tracer, unless it is nil, is told of every query.
func OpenTraced(ctx context.Context, address string, connections int32, tracer pgx.QueryTracer) (*Store, error) {
	config, err := configOf(address)
	if err != nil {
		return nil, err
	}
	config.MaxConns = connections
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	config.ConnConfig.Tracer = tracer
	config.AfterConnect = inUTC
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, &unreachable{err}
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, &unreachable{err}
	}
	queue, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("make the job queue: %w", err)
	}
	return &Store{pool: pool, queue: queue}, nil
}

// connectTime is how long a connection may take to be made, unless the address says
// otherwise with connect_timeout: a server that is silent must not keep a start waiting.
const connectTime = 15 * time.Second

// configOf reads a database's address.
func configOf(address string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("read the database's address: %w", hidden(err))
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTime
	}
	return config, nil
}

// CheckAddress says what is wrong with a database's address, without anything that it
// may hold.
func CheckAddress(address string) error {
	_, err := configOf(address)
	return err
}

// ErrUnreachable is wrapped by the error of a database that cannot be reached, or does
// not let the service in.
var ErrUnreachable = errors.New("the database cannot be reached")

// unreachable says in one line why the database cannot be reached: pgx has a line for
// every address and every way that it has tried.
type unreachable struct{ cause error }

func (u *unreachable) Error() string {
	lines := strings.Split(strings.TrimSpace(u.cause.Error()), "\n")
	return "reach the database: " + strings.TrimSpace(lines[len(lines)-1])
}

func (u *unreachable) Unwrap() []error { return []error{ErrUnreachable, u.cause} }

// inUTC has times come in UTC, whatever the machine's zone is.
func inUTC(_ context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	return nil
}

// Close waits for the connections that are in use, and closes all.
func (s *Store) Close() { s.pool.Close() }

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.pool.Ping(ctx) }

// Pool is for what brings SQL of its own, such as the job queue, and for metrics.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

// transaction runs f in one, which is rolled back where f returns an error.
func (s *Store) transaction(ctx context.Context, f func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.pool, f)
}

// uniqueViolation is PostgreSQL's code for a row that is there already.
const uniqueViolation = "23505"

// violates reports whether the error is that of a row that the constraint forbids.
func violates(err error, constraint string) bool {
	var failed *pgconn.PgError
	return errors.As(err, &failed) && failed.Code == uniqueViolation && failed.ConstraintName == constraint
}

// notFound turns the absence of a row into the domain's error.
func notFound(err error, what string) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return &marketplace.Error{Code: marketplace.NotFound, Message: what + " not found"}
	}
	return err
}
