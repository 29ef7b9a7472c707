package telemetry

import (
	"context"
	"errors"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Queries traces the SQL of what is traced itself, without parameters.
func (t *Traces) Queries() []pgx.QueryTracer {
	if t == nil {
		return nil
	}
	return []pgx.QueryTracer{&tracedQueries{otelpgx.NewTracer(otelpgx.WithTracerProvider(t.provider), otelpgx.WithDisableConnectionDetailsInAttributes())}}
}

// tracedQueries keeps PostgreSQL's own words, which may repeat a value, out of the spans
// of queries that fail.
type tracedQueries struct{ *otelpgx.Tracer }

// TraceQueryEnd is pgx'.
func (q *tracedQueries) TraceQueryEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryEndData) {
	data.Err = withoutValues(data.Err)
	q.Tracer.TraceQueryEnd(ctx, conn, data)
}

// TraceBatchQuery is pgx'.
func (q *tracedQueries) TraceBatchQuery(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchQueryData) {
	data.Args, data.Err = nil, withoutValues(data.Err)
	q.Tracer.TraceBatchQuery(ctx, conn, data)
}

// TraceBatchEnd is pgx'.
func (q *tracedQueries) TraceBatchEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchEndData) {
	data.Err = withoutValues(data.Err)
	q.Tracer.TraceBatchEnd(ctx, conn, data)
}

// TraceCopyFromEnd is pgx'.
func (q *tracedQueries) TraceCopyFromEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceCopyFromEndData) {
	data.Err = withoutValues(data.Err)
	q.Tracer.TraceCopyFromEnd(ctx, conn, data)
}

// TraceConnectEnd is pgx'.
func (q *tracedQueries) TraceConnectEnd(ctx context.Context, data pgx.TraceConnectEndData) {
	data.Err = withoutValues(data.Err)
	q.Tracer.TraceConnectEnd(ctx, data)
}

// TracePrepareEnd is pgx'.
func (q *tracedQueries) TracePrepareEnd(ctx context.Context, conn *pgx.Conn, data pgx.TracePrepareEndData) {
	data.Err = withoutValues(data.Err)
	q.Tracer.TracePrepareEnd(ctx, conn, data)
}

// TraceAcquireEnd is pgx'.
func (q *tracedQueries) TraceAcquireEnd(ctx context.Context, pool *pgxpool.Pool, data pgxpool.TraceAcquireEndData) {
	data.Err = withoutValues(data.Err)
	q.Tracer.TraceAcquireEnd(ctx, pool, data)
}

var errQuery = errors.New("the query failed")

// withoutValues keeps of an error what says nothing of the rows: PostgreSQL's code, and
// whose patience was over.
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
