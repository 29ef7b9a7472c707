package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Reasons why a database cannot serve, in words for the operator of the service.
const (
	away     = "the database cannot be reached"
	silent   = "the database does not answer"
	readOnly = "the database is read-only"
	full     = "the database's disk is full"
	busy     = "the database is overloaded"
	outdated = "the database's tables are not up to date: restart the service, or run marketplace migrate"
)

// troubles are what a SQLSTATE, or the class that it begins with, says about the whole
// database, not about one statement. The first that fits counts.
var troubles = []struct{ state, words string }{
	{"25006", readOnly}, // read_only_sql_transaction
	{"53100", full},     // disk_full
	{"58030", full},     // io_error: as PostgreSQL says of a quota
	{"53300", busy},     // too_many_connections
	{"53", busy},        // insufficient resources
	{"57014", busy},     // query_canceled, by a statement_timeout of the server's
	{"55P03", busy},     // lock_not_available
	{"40", busy},        // a serialization failure or a deadlock
	{"57P", away},       // shutting down, or starting
	{"08", away},        // connection exceptions
	{"42P01", outdated}, // undefined_table
	{"42703", outdated}, // undefined_column
}

// trouble says what keeps the database from serving; "" is that the error tells of
// nothing such.
func trouble(err error) string {
	var said *pgconn.PgError
	var connecting *pgconn.ConnectError
	var network net.Error
	if err == nil {
		return ""
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return silent
	case errors.As(err, &connecting):
		if errors.As(err, &network) && network.Timeout() {
			return silent
		}
		return away
	case errors.As(err, &said):
		for _, t := range troubles {
			if strings.HasPrefix(said.Code, t.state) {
				return t.words
			}
		}
		return ""
	case errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, puddle.ErrClosedPool), errors.Is(err, pgconn.ErrConnClosed):
		return away
	}
	return ""
}

// Unavailable returns the domain's error for a store's error that says that the database
// cannot serve now; nil for any other. Whether what was asked for is stored may be unknown.
func Unavailable(err error) *marketplace.Error {
	words := trouble(err)
	if words == "" {
		return nil
	}
	return &marketplace.Error{Code: marketplace.Unavailable, Message: words, Cause: err}
}

// Disk remembers that a write has failed because the disk was full, for the stores that
// share it.
type Disk struct{ full atomic.Int64 } // when, as nanoseconds of the Unix time; 0: it is not known to be

// fullFor is how long a disk is taken to be full after a write has failed.
const fullFor = 10 * time.Second

func (d *Disk) learn(err error) {
	if err != nil && trouble(err) == full {
		d.full.Store(time.Now().UnixNano())
	}
}

// state tells whether a write has failed, and whether that is long enough ago to look
// whether there is room again.
func (d *Disk) state() (wasFull, lookAgain bool) {
	at := d.full.Load()
	return at != 0, time.Since(time.Unix(0, at)) >= fullFor
}

// TraceQueryStart is pgx's.
func (d *Disk) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd is pgx's.
func (d *Disk) TraceQueryEnd(_ context.Context, _ *pgx.Conn, q pgx.TraceQueryEndData) { d.learn(q.Err) }

// TraceBatchStart is pgx's.
func (d *Disk) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

// TraceBatchQuery is pgx's.
func (d *Disk) TraceBatchQuery(_ context.Context, _ *pgx.Conn, q pgx.TraceBatchQueryData) {
	d.learn(q.Err)
}

// TraceBatchEnd is pgx's.
func (d *Disk) TraceBatchEnd(_ context.Context, _ *pgx.Conn, q pgx.TraceBatchEndData) { d.learn(q.Err) }

// TraceCopyFromStart is pgx's.
func (d *Disk) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceCopyFromStartData) context.Context {
	return ctx
}

// TraceCopyFromEnd is pgx's.
func (d *Disk) TraceCopyFromEnd(_ context.Context, _ *pgx.Conn, q pgx.TraceCopyFromEndData) {
	d.learn(q.Err)
}
