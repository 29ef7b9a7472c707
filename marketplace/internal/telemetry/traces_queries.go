package telemetry

import (
	"context"
	"errors"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Queries traces the SQL of traced requests and jobs, without parameters.
func (t *Traces) Queries() []pgx.QueryTracer {
	if t == nil {
		return nil
	}
	return []pgx.QueryTracer{&tracedQueries{otelpgx.NewTracer(otelpgx.WithTracerProvider(t.provider), otelpgx.WithDisableConnectionDetailsInAttributes())}}
}

// tracedQueries removes PostgreSQL's messages, which may contain values, from the spans of failed
// queries.
type tracedQueries struct{ *otelpgx.Tracer }

// TraceQueryEnd implements pgx.QueryTracer.
func (q *tracedQueries) TraceQueryEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryEndData) {
	data.Err = withoutValues(data.Err)
	q.Tracer.TraceQueryEnd(ctx, conn, data)
}

// TraceBatchQuery implements pgx.BatchTracer.
func (q *tracedQueries) TraceBatchQuery(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchQueryData) {
	data.Args, data.Err = nil, withoutValues(data.Err)
	q.Tracer.TraceBatchQuery(ctx, conn, data)
}

// TraceBatchEnd implements pgx.BatchTracer.
func (q *tracedQueries) TraceBatchEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchEndData) {
	data.Err = withoutValues(data.Err)
	q.Tracer.TraceBatchEnd(ctx, conn, data)
}

// TraceCopyFromEnd implements pgx.CopyFromTracer.
func (q *tracedQueries) TraceCopyFromEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceCopyFromEndData) {
	data.Err = withoutValues(data.Err)
	q.Tracer.TraceCopyFromEnd(ctx, conn, data)
}

// TraceConnectEnd implements pgx.ConnectTracer.
func (q *tracedQueries) TraceConnectEnd(ctx context.Context, data pgx.TraceConnectEndData) {
	data.Err = withoutValues(data.Err)
	q.Tracer.TraceConnectEnd(ctx, data)
}

// TracePrepareEnd implements pgx.PrepareTracer.
func (q *tracedQueries) TracePrepareEnd(ctx context.Context, conn *pgx.Conn, data pgx.TracePrepareEndData) {
	data.Err = withoutValues(data.Err)
	q.Tracer.TracePrepareEnd(ctx, conn, data)
}

// TraceAcquireEnd implements pgxpool.AcquireTracer.
func (q *tracedQueries) TraceAcquireEnd(ctx context.Context, pool *pgxpool.Pool, data pgxpool.TraceAcquireEndData) {
	data.Err = withoutValues(data.Err)
	q.Tracer.TraceAcquireEnd(ctx, pool, data)
}

var errQuery = errors.New("the query failed")

// withoutValues reduces an error to parts without data: PostgreSQL's code, and whether a deadline
// was exceeded.
func withoutValues(err error) error {
	var refused *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return &pgconn.PgError{Severity: refused.Severity, Code: refused.Code, Message: errQuery.Error()}
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return context.DeadlineExceeded
	case errors.Is(err, pgx.ErrNoRows):
		return pgx.ErrNoRows
	default:
		return errQuery
	}
}
