package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"partnerkit.dev/marketplace/internal/domain"
)

const (
	// readyFor is how long a result is cached. The database sees at most one small write a second.
	readyFor = time.Second
	// proveTime limits the check.
	proveTime = 2 * time.Second
)

// Readiness checks that the database accepts writes. It has its own connection, so that a replica
// whose connections are busy does not look like one without a database. It is safe for concurrent
// use.
type Readiness struct {
	pool *pgxpool.Pool
	disk *Disk

	mu    sync.Mutex
	asked time.Time
	found error
}

// NewReadiness returns a check of the migrated database at that address, which need not answer now.
// disk is that of the stores.
func NewReadiness(address string, disk *Disk) (*Readiness, error) {
	config, err := configOf(address)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 1
	config.ConnConfig.DefaultQueryExecMode = sharedMode // there may be a pooler
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	return &Readiness{pool: pool, disk: disk}, err
}

// Close closes the connection.
func (r *Readiness) Close() { r.pool.Close() }

// Check returns nil if the database accepts writes, otherwise an Unavailable error. It takes at
// most 2 s. The result may be a second old.
func (r *Readiness) Check(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.asked.IsZero() && time.Since(r.asked) < readyFor {
		return r.found
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), proveTime) // other callers use the result
	defer cancel()
	r.found = r.prove(ctx)
	r.asked = time.Now()
	return r.found
}

func (r *Readiness) prove(ctx context.Context) error {
	err := r.write(ctx)
	if known := UnavailableError(err); known != nil {
		return known
	}
	if err == nil || domain.CodeOf(err) == domain.Unavailable {
		return err
	}
	return &domain.Error{Code: domain.Unavailable, Message: "the database refuses writes", Cause: err}
}

var (
	errFull     = &domain.Error{Code: domain.Unavailable, Message: full}
	errOutdated = &domain.Error{Code: domain.Unavailable, Message: outdated}
)

func (r *Readiness) write(ctx context.Context) error {
	written, err := r.pool.Exec(ctx, `UPDATE readiness SET checked_at = now()`)
	if err != nil {
		return err
	}
	if written.RowsAffected() == 0 {
		return errOutdated
	}
	wasFull, lookAgain := r.disk.state()
	switch {
	case !wasFull:
		return nil
	case !lookAgain:
		return errFull
	}
	// The small write above needs no disk space. This transaction takes some space and rolls back.
	err = pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `CREATE TABLE room_on_the_disk AS SELECT repeat('x', 1000) FROM generate_series(1, 1000)`)
		return errors.Join(err, errRoom)
	})
	if r.disk.learn(err); trouble(err) != "" {
		return err
	}
	r.disk.full.Store(0)
	return nil
}

// errRoom rolls back the test of disk space.
var errRoom = errors.New("there is room on the disk")
