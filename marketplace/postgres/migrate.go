package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock is the advisory lock under which one replica migrates while the
// others wait.
const migrationLock = 0x6d61726b // "mark"

// Migrate brings the tables of the database at that address up to date, one process at
// a time, and returns how many migrations it ran. A database that a newer service has
// migrated is an error.
func Migrate(ctx context.Context, address string) (ran int, err error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return 0, fmt.Errorf("read the database's address: %w", hidden(err))
	}
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	// A session's lock is its connection's: it is kept while goose takes others.
	held, err := db.Conn(ctx)
	if err != nil {
		return 0, fmt.Errorf("reach the database: %w", err)
	}
	defer func() { err = errors.Join(err, held.Close()) }() // which lets the lock go
	if _, err := held.ExecContext(ctx, "SELECT pg_advisory_lock($1)", migrationLock); err != nil {
		return 0, fmt.Errorf("wait for whoever else migrates: %w", err)
	}
	defer func() {
		_, unlocked := held.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", migrationLock)
		err = errors.Join(err, unlocked)
	}()
	return migrate(ctx, db)
}

func migrate(ctx context.Context, db *sql.DB) (int, error) {
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

// hidden keeps the address, and the password in it, out of an error.
func hidden(err error) error {
	if parse := (*pgconn.ParseConfigError)(nil); errors.As(err, &parse) {
		return errors.New("want a PostgreSQL address such as postgres://user@host/database")
	}
	return err
}
