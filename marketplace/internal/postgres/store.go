// Package postgres contains all SQL of the service. A Store is a pool of connections. Each noun is
// a type in its own file. Every invariant of the domain is also a constraint of the tables, in
// migrations.
//
// No function acquires a second connection while it holds one, and no transaction waits for a call
// to a partner.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"partnerkit.dev/marketplace/internal/domain"
)

// Store is the service's database, by noun. It is safe for concurrent use.
type Store struct {
	database
	Accounts   *Accounts
	Partners   *Partners
	Catalog    *Catalog
	Storefront *Storefront
	Bookings   *Bookings
	Events     *Events
	Runs       *Runs
}

// database is embedded in every type of the store that reads or writes a kind of rows.
type database struct {
	pool     *pgxpool.Pool
	sessions *pgxpool.Pool         // opens connections that listen
	standby  *Standby              // nil: the primary answers all reads
	queue    *river.Client[pgx.Tx] // inserts jobs only
	dueQueue *river.Client[pgx.Tx] // makes waiting jobs due
}

// databaseClock makes the database set the times of jobs. Otherwise the queue would store the
// replica's time, and another clock would compare it.
type databaseClock struct{}

// Now implements the queue's clock.
func (databaseClock) Now() time.Time { return time.Now() }

// NowOrNil implements the queue's clock. Its statement replaces the zero time.
func (databaseClock) NowOrNil() *time.Time { return &time.Time{} }

// Open returns a store with that number of connections to the migrated database at that address.
// Requests and background work use separate stores, so that neither waits for the other's
// connections.
func Open(ctx context.Context, address string, connections int32) (*Store, error) {
	return OpenWith(ctx, address, Options{Connections: connections})
}

// Options configure how a store uses its database.
type Options struct {
	Connections int32                  // the maximum
	Listen      string                 // the address for connections that listen; "": the database's
	Standby     *Standby               // for reads that may be stale; nil: the database answers them
	Patience    time.Duration          // for a connection and for each statement; 0: only the context limits them
	Tracers     []pgx.QueryTracer      // called for every query, for example the stores' Disk
	Dial        pgconn.DialFunc        // how the database is reached; nil: as pgx does
	Jobs        []rivertype.Middleware // middleware for inserting jobs; may be nil
}

// OpenWith is Open with further options.
func OpenWith(ctx context.Context, address string, o Options) (*Store, error) {
	if o.Patience > 0 {
		o.Tracers = append(o.Tracers, patience(o.Patience))
	}
	pool, err := openPool(ctx, address, o)
	if err != nil {
		return nil, err
	}
	sessions, err := newSessions(ctx, cmp.Or(o.Listen, address), o)
	if err != nil {
		pool.Close()
		return nil, err
	}
	quiet := slog.New(slog.DiscardHandler)
	queue, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: quiet, Middleware: o.Jobs, Test: river.TestConfig{Time: databaseClock{}}})
	dueQueue, failed := river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: quiet})
	if err := errors.Join(err, failed); err != nil {
		pool.Close()
		sessions.Close()
		return nil, fmt.Errorf("create the job queue: %w", err)
	}
	d := database{pool, sessions, o.Standby, queue, dueQueue}
	return &Store{d, &Accounts{d}, &Partners{d}, &Catalog{d}, &Storefront{d}, &Bookings{database: d}, &Events{d}, &Runs{d}}, nil
}

// Close waits for connections in use and closes all.
func (s *Store) Close() {
	s.pool.Close()
	s.sessions.Close()
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.pool.Ping(ctx) }

// Now returns the database's time, which replicas share.
func (s *Store) Now(ctx context.Context) (now time.Time, err error) {
	err = s.pool.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now)
	return now, err
}

// Pool returns the pool for metrics and for tests.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

// QueueDriver returns the job queue's connections.
func (s *Store) QueueDriver() riverdriver.Driver[pgx.Tx] {
	return queueDriver{riverpgxv5.New(s.pool), riverpgxv5.New(s.sessions)}
}

// queueDriver listens with other connections than it queries with.
type queueDriver struct {
	*riverpgxv5.Driver
	listening *riverpgxv5.Driver
}

// GetListener implements the queue's driver.
func (d queueDriver) GetListener(p *riverdriver.GetListenenerParams) riverdriver.Listener {
	return d.listening.GetListener(p)
}

// transaction runs f in a transaction, which is rolled back if f returns an error.
func (d database) transaction(ctx context.Context, f func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, d.pool, f)
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
}

// queryAll returns every row of a query.
func queryAll[T any](ctx context.Context, in querier, scan pgx.RowToFunc[T], query string, args ...any) ([]T, error) {
	rows, err := in.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

// one returns the only row of a query. Without a row the error is NotFound and names what was not
// found.
func one[T any](ctx context.Context, in querier, what string, scan pgx.RowToFunc[T], query string, args ...any) (T, error) {
	rows, err := in.Query(ctx, query, args...)
	if err != nil {
		var none T
		return none, err
	}
	found, err := pgx.CollectExactlyOneRow(rows, scan)
	return found, notFound(err, what)
}

// collectInto collects a batched query's rows in a list.
func collectInto[T any](list *[]T, scan pgx.RowToFunc[T]) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*list, err = pgx.CollectRows(rows, scan)
		return err
	}
}

// delete runs a statement and returns the number of deleted rows.
func (d database) delete(ctx context.Context, statement string, args ...any) (int64, error) {
	deleted, err := d.pool.Exec(ctx, statement, args...)
	return deleted.RowsAffected(), err
}

// uniqueViolation is PostgreSQL's code for a row that is there already.
const uniqueViolation = "23505"

// violates reports whether the error is that of a row that the constraint forbids.
func violates(err error, constraint string) bool {
	var failed *pgconn.PgError
	return errors.As(err, &failed) && failed.Code == uniqueViolation && failed.ConstraintName == constraint
}

// notFound converts a missing row to the domain's error.
func notFound(err error, what string) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return &domain.Error{Code: domain.NotFound, Message: what + " not found"}
	}
	return err
}

// Clock returns the database's time, which replicas share, because one replica compares the times
// that another has stored. It knows the local clock's difference and reads the database only in
// Set. It is safe for concurrent use.
type Clock struct {
	local func() time.Time
	ahead atomic.Int64 // the difference of the local clock
}

// NewClock returns a clock that follows the local one until it is set.
func NewClock(local func() time.Time) *Clock { return &Clock{local: local} }

// Now returns the database's time.
func (c *Clock) Now() time.Time { return c.local().Add(time.Duration(c.ahead.Load())) }

// NowOrNil implements the queue's clock. With nil the database uses its own time in comparisons.
func (c *Clock) NowOrNil() *time.Time { return nil }

// longestReading limits the reading of the database's time. Half of it is the largest error of a
// clock. If the replica was paused during the reading, the error would be much larger.
const longestReading = time.Second

// Set measures the difference between the clocks. It assumes that the database's clock was read in
// the middle of the call. After an error the clock is unchanged.
func (c *Clock) Set(ctx context.Context, read func(context.Context) (time.Time, error)) error {
	before := c.local()
	there, err := read(ctx)
	if err != nil {
		return fmt.Errorf("read the database's clock: %w", err)
	}
	took := c.local().Sub(before)
	if took > longestReading {
		return fmt.Errorf("read the database's clock: it took %s", took)
	}
	c.ahead.Store(int64(there.Sub(before.Add(took / 2))))
	return nil
}

// newJob is a job to insert.
type newJob struct {
	args     river.JobArgs
	at       time.Time // the earliest time; zero: immediately
	makesDue bool      // an existing job that waits for a later time becomes due now
}

// InsertJobs inserts jobs. An existing unique job is left unchanged.
func (s *Store) InsertJobs(ctx context.Context, jobs ...river.JobArgs) error {
	return s.transaction(ctx, func(tx pgx.Tx) error {
		queued := make([]newJob, len(jobs))
		for i, args := range jobs {
			queued[i] = newJob{args: args}
		}
		return s.insertJobs(ctx, tx, queued...)
	})
}

// insertJobs inserts jobs in the transaction of the change that requires them.
func (d database) insertJobs(ctx context.Context, tx pgx.Tx, jobs ...newJob) error {
	if len(jobs) == 0 {
		return nil
	}
	params := make([]river.InsertManyParams, len(jobs))
	for i, job := range jobs {
		params[i] = river.InsertManyParams{Args: job.args, InsertOpts: &river.InsertOpts{ScheduledAt: job.at}}
	}
	inserted, err := d.queue.InsertManyTx(ctx, tx, params)
	if err != nil {
		return err
	}
	for i, there := range inserted {
		if !there.UniqueSkippedAsDuplicate || !jobs[i].makesDue {
			continue
		}
		if _, err := d.dueQueue.JobRetryTx(ctx, tx, there.Job.ID); err != nil {
			return err
		}
	}
	return nil
}
