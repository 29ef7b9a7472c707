package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock is the advisory lock under which one replica migrates while the
// others wait.
const migrationLock = 0x6d61726b // "mark"

// Migrate brings the tables of the database at that address up to date, the job
// queue's too, one process at a time, and returns how many migrations it ran. A
// database that a newer service has migrated is an error.
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
	// A session's lock is its connection's: it is kept while the migrations take others.
	held, err := pool.Acquire(ctx)
	if err != nil {
		return 0, &unreachable{err}
	}
	defer held.Release()
	if _, err := held.Exec(ctx, "SELECT pg_advisory_lock($1)", migrationLock); err != nil {
		return 0, fmt.Errorf("wait for whoever else migrates: %w", err)
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
		return 0, fmt.Errorf("the database is at version %d, and this service knows %d at the most: run the newer service", current, newest)
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return len(results), fmt.Errorf("migrate the database: %w", err)
	}
	return len(results), nil
}

// migrateQueue makes the tables of the job queue. Its migrations cannot run in one
// transaction: a value that one adds to an enum is used by the next.
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
		return len(done.Versions), fmt.Errorf("look at the job queue's tables: %w", err)
	}
	if !found.OK {
		return len(done.Versions), fmt.Errorf("the job queue's tables are not as they should be: %s", strings.Join(found.Messages, "; "))
	}
	return len(done.Versions), nil
}
