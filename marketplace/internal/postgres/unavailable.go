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

	"partnerkit.dev/marketplace/internal/domain"
)

// Reasons why a database is unavailable, for operators.
const (
	away     = "the database cannot be reached"
	silent   = "the database does not answer"
	readOnly = "the database is read-only"
	full     = "the database's disk is full"
	busy     = "the database is overloaded"
	outdated = "the database's tables are not up to date: restart the service, or run marketplace migrate"
)

// outages map a SQLSTATE, or its class, to a problem of the whole database. The first match
// counts.
var outages = []struct{ state, words string }{
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

// trouble returns why the database is unavailable, or "" if the error does not say so.
func trouble(err error) string {
	var failure *pgconn.PgError
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
	case errors.As(err, &failure):
		for _, t := range outages {
			if strings.HasPrefix(failure.Code, t.state) {
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

// UnavailableError returns the domain's error if a store's error means that the database is unavailable,
// otherwise nil. A write may or may not have been stored.
func UnavailableError(err error) *domain.Error {
	words := trouble(err)
	if words == "" {
		return nil
	}
	return &domain.Error{Code: domain.Unavailable, Message: words, Cause: err}
}

// Disk records that a write failed because of a full disk, for the stores that share it.
type Disk struct{ full atomic.Int64 } // when, as nanoseconds of the Unix time; 0: it is not known to be

// fullFor is how long a disk counts as full after a failed write.
const fullFor = 10 * time.Second

func (d *Disk) learn(err error) {
	if err != nil && trouble(err) == full {
		d.full.Store(time.Now().UnixNano())
	}
}

// state reports whether a write has failed, and whether it is time to check for free space.
func (d *Disk) state() (wasFull, lookAgain bool) {
	at := d.full.Load()
	return at != 0, time.Since(time.Unix(0, at)) >= fullFor
}

// TraceQueryStart implements pgx.QueryTracer.
func (d *Disk) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (d *Disk) TraceQueryEnd(_ context.Context, _ *pgx.Conn, q pgx.TraceQueryEndData) { d.learn(q.Err) }

// TraceBatchStart implements pgx.BatchTracer.
func (d *Disk) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

// TraceBatchQuery implements pgx.BatchTracer.
func (d *Disk) TraceBatchQuery(_ context.Context, _ *pgx.Conn, q pgx.TraceBatchQueryData) {
	d.learn(q.Err)
}

// TraceBatchEnd implements pgx.BatchTracer.
func (d *Disk) TraceBatchEnd(_ context.Context, _ *pgx.Conn, q pgx.TraceBatchEndData) { d.learn(q.Err) }

// TraceCopyFromStart implements pgx.CopyFromTracer.
func (d *Disk) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceCopyFromStartData) context.Context {
	return ctx
}

// TraceCopyFromEnd implements pgx.CopyFromTracer.
func (d *Disk) TraceCopyFromEnd(_ context.Context, _ *pgx.Conn, q pgx.TraceCopyFromEndData) {
	d.learn(q.Err)
}
