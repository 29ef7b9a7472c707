package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

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

// hidden keeps the address, and the password in it, out of an error.
func hidden(err error) error {
	if parse := (*pgconn.ParseConfigError)(nil); !errors.As(err, &parse) {
		return err
	}
	wanted := "want a PostgreSQL address such as postgres://user@host/database"
	var address *url.Error
	var number *strconv.NumError
	if cause := errors.Unwrap(err); cause != nil && !errors.As(cause, &address) && !errors.As(cause, &number) {
		return fmt.Errorf("%s: %w", wanted, cause) // how TLS is asked for: no part of the address
	}
	return errors.New(wanted)
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
