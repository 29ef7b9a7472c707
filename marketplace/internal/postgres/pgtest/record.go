package pgtest

import (
	"context"
	"regexp"
	"sync"

	"github.com/jackc/pgx/v5"
)

// Trip is a round trip to the database: a statement, or a batch of them.
type Trip []Statement

// Statement is one with its arguments.
type Statement struct {
	SQL  string
	Args []any
}

// Recorder records a store's round trips, once it is switched on. Preparing
// a statement, once for a connection, does not count.
type Recorder struct {
	mu        sync.Mutex
	listening bool
	trips     []Trip
}

// Trips returns the round trips that f makes. The store must not be used by others meanwhile.
func (r *Recorder) Trips(f func()) []Trip {
	r.listen(true)
	f()
	return r.listen(false)
}

func (r *Recorder) listen(on bool) (before []Trip) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, r.trips, r.listening = r.trips, nil, on
	return before
}

func (r *Recorder) record(t Trip) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.listening {
		r.trips = append(r.trips, t)
	}
}

// statement is a statement as sent, without names for its arguments.
func statement(ctx context.Context, sql string, args []any) Statement {
	if len(args) > 0 {
		if _, is := args[0].(pgx.QueryExecMode); is {
			args = args[1:]
		}
	}
	if len(args) == 1 {
		if named, is := args[0].(pgx.QueryRewriter); is {
			if plain, values, err := named.RewriteQuery(ctx, nil, sql, nil); err == nil { // else pgx fails with it
				return Statement{plain, values}
			}
		}
	}
	return Statement{sql, args}
}

// TraceQueryStart is pgx's.
func (r *Recorder) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	r.record(Trip{statement(ctx, q.SQL, q.Args)})
	return ctx
}

// TraceQueryEnd is pgx's.
func (r *Recorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart is pgx's.
func (r *Recorder) TraceBatchStart(ctx context.Context, _ *pgx.Conn, b pgx.TraceBatchStartData) context.Context {
	var t Trip
	for _, q := range b.Batch.QueuedQueries {
		t = append(t, statement(ctx, q.SQL, q.Arguments))
	}
	r.record(t)
	return ctx
}

// TraceBatchQuery is pgx's.
func (r *Recorder) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd is pgx's.
func (r *Recorder) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

var writing = regexp.MustCompile(`\b(INSERT|UPDATE|DELETE)\b`)

// Transactions is how many transactions of theirs write. A statement, or a batch,
// outside of one is one of its own.
func Transactions(trips []Trip) (n int) {
	inside, counted := false, false
	for _, t := range trips {
		switch t[0].SQL {
		case "begin":
			inside, counted = true, false
			continue
		case "commit", "rollback":
			inside = false
			continue
		}
		writes := false
		for _, s := range t {
			writes = writes || writing.MatchString(s.SQL)
		}
		if writes && !(inside && counted) {
			n++
			counted = true
		}
	}
	return n
}
