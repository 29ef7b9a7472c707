// Package store keeps what OCTO does not: which codes the bridge has issued, what each has become, and
// what was answered. It is a SQLite file of one bridge, or a PostgreSQL database of any number of them.
//
// It has no data of guests except their tickets.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	_ "modernc.org/sqlite"             // the driver sqlite
)

// State is the state of a booking, from its reservation on.
type State string

// The states. A call to the supplier begins with a state ending in "ing": if the bridge dies in
// between, it finds the booking in it, and asks the supplier.
const (
	Reserving  State = "reserving"
	Held       State = "held"
	Confirming State = "confirming"
	Confirmed  State = "confirmed"
	Releasing  State = "releasing"
	Released   State = "released" // or expired, or unknown to the supplier
	Cancelling State = "cancelling"
	Cancelled  State = "cancelled"
)

// Booking is one reservation and what it becomes.
type Booking struct {
	Code           string // the reservation code, which is also the uuid that was sent to the supplier
	UUID           string // the supplier's uuid: Code, unless it chose another
	State          State
	Immediate      bool // the supplier confirmed it when it was reserved
	ProductID      string
	OptionID       string
	AvailabilityID string
	ExpiresAt      time.Time // of the hold; while it is reserved, when its outcome is certain
	BookingID      string    // the external booking id; empty before it is confirmed
	Answer         []byte    // to confirm, as JSON; nil before it is confirmed
}

// Store is a database of bookings. It is safe for concurrent use.
type Store struct {
	db    *sql.DB
	alone bool
	now   func() time.Time
}

// A store returns these errors.
var (
	ErrChanged = errors.New("another bridge has changed the booking meanwhile")
	ErrTaken   = errors.New("another booking has this id")
	ErrInUse   = errors.New("another bridge uses the file: give each a file of its own, or all of them one PostgreSQL database")
)

const tables = `
CREATE TABLE IF NOT EXISTS octobridge_bookings (
	code            TEXT PRIMARY KEY,
	uuid            TEXT NOT NULL,
	state           TEXT NOT NULL,
	immediate       BOOLEAN NOT NULL,
	product_id      TEXT NOT NULL,
	option_id       TEXT NOT NULL,
	availability_id TEXT NOT NULL,
	expires_at      BIGINT NOT NULL,
	booking_id      TEXT UNIQUE,
	answer          TEXT,
	updated_at      BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS octobridge_bookings_open ON octobridge_bookings (updated_at)
	WHERE state IN ('reserving', 'confirming', 'releasing', 'cancelling');
CREATE INDEX IF NOT EXISTS octobridge_bookings_immediate ON octobridge_bookings (expires_at) WHERE state = 'held' AND immediate;
`

// oneByOne lets bridges that start together create the table one after another: the statements that
// follow it run in the same transaction. The number is any that nothing else locks.
const oneByOne = "SELECT pg_advisory_xact_lock(8503621945); "

// isOpen is the condition of the index above.
const isOpen = `state IN ('reserving', 'confirming', 'releasing', 'cancelling')`

// Open opens the database at an address: postgres://…, or the path of a file, which is created if it
// does not exist. Its error may be ErrInUse.
func Open(ctx context.Context, address string, now func() time.Time) (*Store, error) {
	s := &Store{alone: !IsPostgres(address), now: now}
	var err error
	if s.alone {
		s.db, err = openFile(address)
	} else {
		s.db, err = sql.Open("pgx", address)
	}
	if err != nil {
		return nil, err
	}
	create := tables
	if !s.alone {
		create = oneByOne + tables
	}
	if _, err := s.db.ExecContext(ctx, create); err != nil {
		s.db.Close()
		if strings.Contains(err.Error(), "database is locked") {
			return nil, ErrInUse
		}
		return nil, fmt.Errorf("create its table: %w", err)
	}
	return s, nil
}

// IsPostgres reports whether the address is that of a PostgreSQL database.
func IsPostgres(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// maxBusy is how long a bridge waits for one that it replaces.
const maxBusy = 2 * time.Second

// openFile opens a SQLite file for this process alone. Every commit is on disk before it returns.
func openFile(path string) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	pragmas := url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", maxBusy.Milliseconds()), "locking_mode(EXCLUSIVE)", "journal_mode(WAL)", "synchronous(FULL)",
	}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: pragmas.Encode()}).String())
	if err == nil {
		db.SetMaxOpenConns(1) // the lock belongs to the connection
	}
	return db, err
}

// IsAlone reports whether no other bridge uses the database.
func (s *Store) IsAlone() bool { return s.alone }

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// Ping checks that the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.PingContext(ctx) }

// Insert adds a booking.
func (s *Store) Insert(ctx context.Context, b Booking) error {
	_, err := s.db.ExecContext(ctx, `INSERT INTO octobridge_bookings (code, uuid, state, immediate, product_id, option_id, availability_id, expires_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		b.Code, b.UUID, string(b.State), b.Immediate, b.ProductID, b.OptionID, b.AvailabilityID, b.ExpiresAt.UnixMilli(), s.now().UnixMilli())
	return wrap("store the booking", err)
}

// Update stores a booking that was in the given state. Its error may be ErrChanged or ErrTaken.
func (s *Store) Update(ctx context.Context, b Booking, from State) error {
	result, err := s.db.ExecContext(ctx, `UPDATE octobridge_bookings
		SET uuid = $3, state = $4, immediate = $5, expires_at = $6, booking_id = $7, answer = $8, updated_at = $9 WHERE code = $1 AND state = $2`,
		b.Code, string(from), b.UUID, string(b.State), b.Immediate, b.ExpiresAt.UnixMilli(), nullable(b.BookingID), nullable(string(b.Answer)), s.now().UnixMilli())
	if err != nil {
		if text := err.Error(); strings.Contains(text, "UNIQUE constraint") || strings.Contains(text, "SQLSTATE 23505") {
			return ErrTaken
		}
		return wrap("store the booking", err)
	}
	if changed, err := result.RowsAffected(); err != nil || changed == 0 {
		return ErrChanged
	}
	return nil
}

// Delete removes a booking.
func (s *Store) Delete(ctx context.Context, code string) error {
	_, err := s.db.ExecContext(ctx, `DELETE FROM octobridge_bookings WHERE code = $1`, code)
	return wrap("delete the booking", err)
}

const selected = `SELECT code, uuid, state, immediate, product_id, option_id, availability_id, expires_at, COALESCE(booking_id, ''), COALESCE(answer, '') FROM octobridge_bookings `

// Find returns the booking with that code, and reports whether there is one.
func (s *Store) Find(ctx context.Context, code string) (Booking, bool, error) {
	return s.first(ctx, selected+`WHERE code = $1`, code)
}

// FindBooking returns the booking with that external id, and reports whether there is one.
func (s *Store) FindBooking(ctx context.Context, id string) (Booking, bool, error) {
	return s.first(ctx, selected+`WHERE booking_id = $1`, id)
}

func (s *Store) first(ctx context.Context, query, key string) (Booking, bool, error) {
	if strings.ContainsRune(key, 0) || strings.ToValidUTF8(key, "") != key {
		return Booking{}, false, nil // PostgreSQL has no such text
	}
	found, err := s.list(ctx, query, key)
	if err != nil || len(found) == 0 {
		return Booking{}, false, err
	}
	return found[0], true, nil
}

// InProgress returns bookings in the middle of a call that began before that time. The oldest come first.
func (s *Store) InProgress(ctx context.Context, began time.Time, most int) ([]Booking, error) {
	return s.list(ctx, selected+`WHERE `+isOpen+` AND updated_at < $1 ORDER BY updated_at LIMIT $2`, began.UnixMilli(), most)
}

// Abandoned returns immediate bookings that expired before that time, and were not confirmed.
func (s *Store) Abandoned(ctx context.Context, expired time.Time, most int) ([]Booking, error) {
	return s.list(ctx, selected+`WHERE state = 'held' AND immediate AND expires_at < $1 ORDER BY expires_at LIMIT $2`, expired.UnixMilli(), most)
}

// CountOpen returns how many bookings are in the middle of a call.
func (s *Store) CountOpen(ctx context.Context) (n int, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM octobridge_bookings WHERE `+isOpen).Scan(&n)
	return n, wrap("count the bookings", err)
}

// Touch moves an open booking behind the others.
func (s *Store) Touch(ctx context.Context, code string) error {
	_, err := s.db.ExecContext(ctx, `UPDATE octobridge_bookings SET updated_at = $2 WHERE code = $1`, code, s.now().UnixMilli())
	return wrap("store the booking", err)
}

// Prune deletes holds that ended before the first time, and bookings that were last changed before the
// second.
func (s *Store) Prune(ctx context.Context, holds, bookings time.Time) error {
	_, err := s.db.ExecContext(ctx, `DELETE FROM octobridge_bookings
		WHERE state = 'released' AND updated_at < $1 OR state = 'held' AND NOT immediate AND expires_at < $1
		OR state IN ('reserving', 'confirming', 'releasing') AND expires_at < $1
		OR state IN ('confirmed', 'cancelled') AND updated_at < $2`, holds.UnixMilli(), bookings.UnixMilli())
	return wrap("delete old bookings", err)
}

func (s *Store) list(ctx context.Context, query string, args ...any) (found []Booking, err error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, wrap("read the bookings", err)
	}
	defer rows.Close()
	for rows.Next() {
		var b Booking
		var answer string
		var expires int64
		if err := rows.Scan(&b.Code, &b.UUID, &b.State, &b.Immediate, &b.ProductID, &b.OptionID, &b.AvailabilityID, &expires, &b.BookingID, &answer); err != nil {
			return nil, wrap("read the bookings", err)
		}
		if answer != "" {
			b.Answer = []byte(answer)
		}
		b.ExpiresAt = time.UnixMilli(expires)
		found = append(found, b)
	}
	return found, wrap("read the bookings", rows.Err())
}

func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
