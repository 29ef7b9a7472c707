package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/pgembed"
	"partnerkit.dev/marketplace/internal/postgres"
)

type database struct {
	address string
	listen  string          // the address of sessions; "": the same
	private *pgembed.Keeper // nil: an external database
}

// openDatabase starts a private PostgreSQL if no address was given, and migrates.
func openDatabase(ctx context.Context, s storage, log *slog.Logger) (*database, error) {
	db := &database{address: s.databaseURL, listen: s.listenURL}
	if db.address == "" {
		if err := s.makeDataDir(); err != nil {
			return nil, err
		}
		config := pgembed.Config{Dir: s.privateDatabase(), Registry: s.npmRegistry, Progress: os.Stderr}
		private, err := pgembed.Start(ctx, config)
		if err != nil {
			if errors.Is(err, fs.ErrPermission) {
				err = inDataDir(s.privateDatabase(), err)
			}
			return nil, err
		}
		db.address, db.private = private.URL("postgres"), pgembed.Keep(private, config, log)
	}
	if _, err := postgres.Migrate(ctx, cmp.Or(db.listen, db.address)); err != nil {
		if errors.Is(err, postgres.ErrUnreachable) && db.private == nil {
			err = aboutFlag(db.sessionsFlag(), err)
		}
		return nil, errors.Join(err, db.close(context.WithoutCancel(ctx)))
	}
	return db, nil
}

// sessionsFlag returns the flag with the address of sessions.
func (db *database) sessionsFlag() string {
	if db.listen != "" {
		return "--database-listen-url"
	}
	return "--database-url"
}

// makeDataDir creates the data folder if it does not exist.
func (s *storage) makeDataDir() error {
	if err := os.MkdirAll(s.dataDir, 0o711); err != nil {
		return inDataDir(s.dataDir, err)
	}
	return nil
}

// inDataDir says what blocks a path in the data folder.
func inDataDir(path string, err error) error {
	var inside *fs.PathError
	if errors.As(err, &inside) {
		path, err = inside.Path, inside.Err
	}
	return fmt.Errorf("--data-dir: %s: %w; name a folder that this user may write to", path, err)
}

// joinDatabase is openDatabase for commands that may run while the service runs. It uses the
// service's private PostgreSQL if there is one.
func joinDatabase(ctx context.Context, s storage) (*database, error) {
	db, err := openDatabase(ctx, s, slog.New(slog.DiscardHandler))
	if !errors.Is(err, pgembed.ErrInUse) {
		return db, err
	}
	address, err := pgembed.URLOf(s.privateDatabase(), "postgres")
	if err != nil {
		return nil, err
	}
	return &database{address: address}, nil
}

// withStore runs f with the service's database, whether or not the service runs.
func withStore(ctx context.Context, s storage, f func(*postgres.Store) error) (err error) {
	db, err := joinDatabase(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close(context.WithoutCancel(ctx))) }()
	store, err := postgres.Open(ctx, db.address, 1)
	if err != nil {
		return err
	}
	defer store.Close()
	return f(store)
}

// readinessCheck returns a check that the database accepts writes. A private PostgreSQL does not while it is
// restarted.
func (db *database) readinessCheck(check func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if db.private != nil && !db.private.IsRunning() {
			return errRestarting
		}
		return check(ctx)
	}
}

var errRestarting = &domain.Error{Code: domain.Unavailable, Message: "the private PostgreSQL is restarting"}

func (db *database) close(ctx context.Context) error {
	if db.private == nil {
		return nil
	}
	return db.private.Stop(ctx)
}

// loadSecret returns the given secret, otherwise the one in the data folder, which is created if it
// does not exist. origin says which, for the log.
func loadSecret(s settings) (_ *auth.Secret, origin string, err error) {
	if s.secretKey != "" {
		key, err := auth.NewSecret([]byte(s.secretKey))
		return key, "given", err
	}
	if err := s.makeDataDir(); err != nil {
		return nil, "", err
	}
	path := filepath.Join(s.dataDir, "secret-key")
	text, err := os.ReadFile(path)
	if err == nil {
		if err := ownerOnly(path); err != nil {
			return nil, "", err
		}
		key, err := auth.NewSecret(text)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w: the service did not write this file", path, err)
		}
		return key, path, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return nil, "", inDataDir(path, err)
	}
	made := auth.NewToken()
	// O_EXCL: if two services start together, one creates it.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, "", inDataDir(path, err)
	}
	_, wrote := file.WriteString(made)
	if err := errors.Join(wrote, file.Sync(), file.Close()); err != nil {
		return nil, "", fmt.Errorf("store the service's secret: %w", err)
	}
	key, err := auth.NewSecret([]byte(made))
	return key, path + ", made now", err
}

// ownerOnly refuses a file that others than its owner may read or change.
func ownerOnly(path string) error {
	found, err := os.Stat(path)
	if err != nil {
		return inDataDir(path, err)
	}
	if mode := found.Mode().Perm(); runtime.GOOS != "windows" && mode&^0o600 != 0 {
		return fmt.Errorf("%s: the service's secret has mode %04o, so other users can access it; run chmod 600 %s", path, mode, path)
	}
	return nil
}

// warnOfDatabaseLog warns if an external database may log customers' data.
func warnOfDatabaseLog(ctx context.Context, store *postgres.Store, log *slog.Logger) error {
	mayContainRows, err := store.LogMayContainRows(ctx)
	if mayContainRows {
		log.Warn("the database may log rows with customers' data: have a superuser run ALTER ROLE ... SET log_error_verbosity = 'terse' for the service's user")
	}
	return err
}
