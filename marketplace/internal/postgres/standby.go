package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"partnerkit.dev/marketplace/internal/domain"
)

const (
	// markEvery is how often a mark is written to the primary. A standby without any delay looks that old.
	markEvery = 500 * time.Millisecond
	// marksKept is how many marks are remembered, to measure how old a standby is that lags: those of
	// ten minutes.
	marksKept = 1200
	// standbyPatience limits waiting for a connection to a standby, and for each statement. The
	// primary answers afterwards, within the request's own limit.
	standbyPatience = time.Second
	// logEvery is the shortest time between two messages about the same standby, which may lag now and then.
	logEvery = 10 * time.Second
)

// Standby answers reads that may be stale, if it is known to have everything that was committed up to
// domain.MaxStaleness ago. It is safe for concurrent use.
//
// Marks in the database show how old a read is, by this process's clock: if a transaction sees a mark,
// its next statements see everything that was committed before the mark was written. So neither
// the servers' clocks nor an idle primary matter. The address may lead to several standbys, also through
// a pooler, to a server that has stopped following the primary, or to another database.
type Standby struct {
	primary, standby *pgxpool.Pool
	log              *slog.Logger
	replica          uuid.UUID // whose marks they are: those of another process say nothing about this one's primary
	stop             context.CancelFunc
	ended            chan struct{}

	mu              sync.Mutex
	first           int64       // the number of the first mark that is remembered
	marks           []time.Time // when writing each one began, in order
	seen            time.Time   // at the last check, a read contained everything up to this time
	used            bool        // whether reads try it
	standbys, reads uint64      // the reads that it answered, of all reads that may be stale
}

// OpenStandby returns the standby at the address read of the database at that address, with up to
// that number of connections for reads. It need not answer now.
func OpenStandby(address, read string, connections int32, tracers []pgx.QueryTracer, log *slog.Logger) (*Standby, error) {
	primary, err := newStandbyPool(address, 1, nil)
	if err != nil {
		return nil, err
	}
	standby, err := newStandbyPool(read, connections+1, tracers)
	if err != nil {
		primary.Close()
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Standby{primary: primary, standby: standby, log: log, replica: uuid.New(), stop: stop, ended: make(chan struct{}), seen: time.Now(), used: true}
	go s.run(ctx)
	return s, nil
}

func newStandbyPool(address string, connections int32, tracers []pgx.QueryTracer) (*pgxpool.Pool, error) {
	config, err := newConfig(address, Options{Tracers: append(slices.Clone(tracers), patience(standbyPatience))})
	if err != nil {
		return nil, err
	}
	config.MaxConns = connections
	config.ConnConfig.DefaultQueryExecMode = sharedMode // there may be a pooler
	return pgxpool.NewWithConfig(context.Background(), config)
}

// Close waits for reads in progress and closes the connections.
func (s *Standby) Close() {
	s.stop()
	<-s.ended
	s.primary.Close()
	s.standby.Close()
}

// Pool returns the pool of the standby, for metrics.
func (s *Standby) Pool() *pgxpool.Pool { return s.standby }

// Reads returns how many reads that may be stale each server has answered, and how old a read of the
// standby is at most. Without a standby there are none.
func (s *Standby) Reads() (standby, primary uint64, age time.Duration) {
	if s == nil {
		return 0, 0, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.standbys, s.reads - s.standbys, time.Since(s.seen)
}

// run writes marks and checks the standby until ctx ends.
func (s *Standby) run(ctx context.Context) {
	defer close(s.ended)
	tick := time.NewTicker(markEvery)
	defer tick.Stop()
	logged, loggedAt := true, time.Time{} // what the log says: that the standby is used
	for ctx.Err() == nil {
		err := s.mark(ctx)
		if err == nil {
			err = s.check(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		s.use(err == nil)
		if logged != (err == nil) && time.Since(loggedAt) >= logEvery {
			logged, loggedAt = err == nil, time.Now()
			s.report(err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

func (s *Standby) report(err error) {
	if err != nil {
		s.log.Warn("the standby of --database-read-url is not used; the primary answers its reads", slog.Any("error", err))
	} else {
		s.log.Info("the standby of --database-read-url is used again")
	}
}

func (s *Standby) use(used bool) {
	s.mu.Lock()
	s.used = used
	s.mu.Unlock()
}

// mark writes a mark. It does not wait for synchronous standbys. Marks of replicas that have ended are deleted
// after a day.
func (s *Standby) mark(ctx context.Context) error {
	_, err := s.primary.Exec(ctx, `
		WITH ended AS (DELETE FROM standby_marks WHERE written_at < now() - interval '1 day' AND replica <> $1)
		INSERT INTO standby_marks SELECT $1, $2, now() FROM set_config('synchronous_commit', 'local', true)
		ON CONFLICT (replica) DO UPDATE SET mark = excluded.mark, written_at = excluded.written_at`, s.replica, s.nextMark())
	if err != nil {
		return fmt.Errorf("write a mark: %w", err)
	}
	return nil
}

// nextMark returns the number of a new mark. Each attempt has its own, because one that failed may have
// been written.
func (s *Standby) nextMark() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.marks) == marksKept {
		s.marks = slices.Delete(s.marks, 0, marksKept/2)
		s.first += marksKept / 2
	}
	s.marks = append(s.marks, time.Now())
	return s.first + int64(len(s.marks)) - 1
}

// check measures how old a read is.
func (s *Standby) check(ctx context.Context) error {
	tx, seen, err := s.begin(ctx)
	if err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	if !seen.IsZero() {
		s.seen = seen
	}
	s.mu.Unlock()
	if !isFresh(seen, time.Time{}) {
		return errBehind
	}
	return nil
}

var errBehind = fmt.Errorf("it is more than %s behind", domain.MaxStaleness)

// isFresh reports whether a read that contains everything up to a time is not too old, and contains a
// change.
func isFresh(seen, change time.Time) bool {
	return time.Since(seen) <= domain.MaxStaleness && !seen.Before(change)
}

// begin begins a transaction, and returns the time up to which its reads contain everything: when
// writing the mark that it sees was begun. The time is zero if that is unknown. A transaction stays on one server,
// whatever is between.
func (s *Standby) begin(ctx context.Context) (pgx.Tx, time.Time, error) {
	var seen time.Time
	tx, err := s.standby.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, seen, err
	}
	var mark int64
	err = tx.QueryRow(ctx, `SELECT mark FROM standby_marks WHERE replica = $1`, s.replica).Scan(&mark)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		_ = tx.Rollback(ctx) // the first error counts
		return nil, seen, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := mark - s.first; err == nil && at >= 0 && at < int64(len(s.marks)) {
		seen = s.marks[at]
	}
	return tx, seen, nil
}

// beginFresh begins a transaction whose reads are recent enough and contain a change, or returns nil.
func (s *Standby) beginFresh(ctx context.Context, change time.Time) (pgx.Tx, error) {
	s.mu.Lock()
	s.reads++
	used := s.used
	s.mu.Unlock()
	if !used {
		return nil, nil
	}
	tx, seen, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	if !isFresh(seen, change) {
		return nil, tx.Rollback(ctx)
	}
	return tx, nil
}

// answered counts a read of the standby.
func (s *Standby) answered() {
	s.mu.Lock()
	s.standbys++
	s.mu.Unlock()
}

// connections are a pool, or a transaction of a standby.
type connections interface {
	querier
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
	Begin(ctx context.Context) (pgx.Tx, error)
}

// readStale reads from the standby if ctx allows that, and if there is one that is not too old. Otherwise,
// and after any error, it reads from the primary.
func readStale[T any](ctx context.Context, d database, read func(connections) (T, error)) (T, error) {
	change, allowed := domain.AllowsStale(ctx)
	if d.standby == nil || !allowed {
		return read(d.pool)
	}
	tx, err := d.standby.beginFresh(ctx, change)
	if tx != nil {
		var found T
		found, err = read(tx)
		if err = errors.Join(err, tx.Commit(ctx)); err == nil {
			d.standby.answered()
			return found, nil
		}
	}
	if trouble(err) != "" && !errors.Is(ctx.Err(), context.Canceled) {
		d.standby.use(false) // until the next check
	}
	return read(d.pool)
}
