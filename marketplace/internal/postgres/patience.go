package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// patience bounds how long a store waits for the database: for a connection, and for each
// statement or batch. A server that accepts connections and says nothing would keep
// requests waiting for ever; its own statement_timeout does not end that. It is a tracer
// because pgx runs what it traces with the context that the tracer returns.
type patience time.Duration

type (
	endKey       struct{}
	unhurriedKey struct{}
)

// unhurriedTime bounds a statement that may lawfully take long.
const unhurriedTime = 30 * time.Second

// unhurried is for what may lawfully take long, such as storing a large catalog.
func unhurried(ctx context.Context) context.Context {
	return context.WithValue(ctx, unhurriedKey{}, true)
}

func (p patience) begin(ctx context.Context) context.Context {
	limit := time.Duration(p)
	if ctx.Value(unhurriedKey{}) != nil {
		limit = unhurriedTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	return context.WithValue(ctx, endKey{}, cancel)
}

func (p patience) end(ctx context.Context) {
	if cancel, begun := ctx.Value(endKey{}).(context.CancelFunc); begun {
		cancel()
	}
}

// TraceQueryStart is pgx's.
func (p patience) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return p.begin(ctx)
}

// TraceQueryEnd is pgx's.
func (p patience) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	p.end(ctx)
}

// TraceBatchStart is pgx's.
func (p patience) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return p.begin(ctx)
}

// TraceBatchQuery is pgx's.
func (p patience) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd is pgx's.
func (p patience) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchEndData) {
	p.end(ctx)
}

// TraceAcquireStart is pgxpool's.
func (p patience) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	return p.begin(ctx)
}

// TraceAcquireEnd is pgxpool's.
func (p patience) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireEndData) {
	p.end(ctx)
}
