package postgres

import (
	"sync"

	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/domain"
)

// list is a list that is read page by page. It is ordered by a time and an id. Each filter that may
// select many rows has an index in that order.
type list[T any] struct {
	columns string // SELECT ... FROM ..., to which a condition is added
	rows    string // the table of the filters, such as bookings b
	at, id  string // the columns of the order
	newest  bool   // newest first
	scan    pgx.RowToFunc[T]
	cursor  func(T) domain.Cursor
}

// filters contains only filters that are set. A condition for an optional filter, such as ($1 = ”
// OR status = $1), uses no index in a generic plan.
type filters struct {
	conditions []string
	args       pgx.NamedArgs
	// scattered means that the selected rows may be anywhere in the list's order. While they are
	// few, they are found first and sorted afterwards.
	scattered bool
	along     string // the column whose index finds them; "": the planner chooses
	words     string // that bookings have to contain; "": any
}

func newFilters() *filters { return &filters{args: pgx.NamedArgs{}} }

// clone returns filters that can be added to.
func (f *filters) clone() *filters {
	c := *f
	c.conditions, c.args = slices.Clone(f.conditions), maps.Clone(f.args)
	return &c
}

// add adds a condition with its named argument.
func (f *filters) add(condition, name string, argument any) {
	f.conditions = append(f.conditions, condition)
	f.args[name] = argument
}

// where returns the conditions in SQL.
func (f *filters) where() string {
	if len(f.conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(f.conditions, " AND ")
}

// and returns one more condition in SQL, to follow where.
func (f *filters) and(condition string) string {
	if len(f.conditions) == 0 {
		return " WHERE " + condition
	}
	return " AND " + condition
}

// addScope restricts rows to a scope, by the columns account_id and mode of a table.
func (f *filters) addScope(s domain.Scope, table string) {
	if s.Account != uuid.Nil {
		f.add(table+"account_id = @account_id", "account_id", s.Account)
	}
	if s.Mode != "" { // as a literal: test rows have their own index
		f.conditions = append(f.conditions, table+"mode = '"+strings.ReplaceAll(string(s.Mode), "'", "''")+"'")
	}
}

// search requires the words in a text whose parts are indexed, or an alternative condition. The
// parts of the words are as long as those in the index.
func (f *filters) search(text, or, words string) {
	f.args["part"] = min(3, len([]rune(words)))
	// Two conditions: only the first uses the index, and it does not compute the parts again.
	f.add("(text_parts("+text+", 1) @> text_parts(lower(@words), @part)"+or+")", "words", words)
	f.add("(position(lower(@words) IN "+text+") > 0"+or+")", "words", words)
	f.scattered, f.along = true, ""
}

// planned makes PostgreSQL plan a query for its arguments each time, because a generic plan may be
// slow.
const planned = pgx.QueryExecModeCacheDescribe

// count returns the number of rows that a query finds, in the order of the list or by another index.
func (f *filters) count(ctx context.Context, from connections, query string, byIndex bool) (total int, err error) {
	query = "SELECT count(*) FROM (" + query + ") counted"
	if !byIndex {
		return one(ctx, from, "count", pgx.RowTo[int], query, planned, f.args)
	}
	tx, err := from.Begin(ctx)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback(ctx) // the settings end, also if from is a transaction
	// The planner overestimates the cost of the index if most rows match, and would compute the
	// parts of each row's text instead.
	if _, err := tx.Exec(ctx, `SELECT set_config('enable_seqscan', 'off', true), set_config('max_parallel_workers_per_gather', '0', true)`); err != nil {
		return 0, err
	}
	return one(ctx, tx, "count", pgx.RowTo[int], query, planned, f.args)
}

// page reads a page of the list.
func (l list[T]) page(ctx context.Context, d database, by *filters, asked domain.PageRequest) (domain.Page[T], error) {
	return readStale(ctx, d, func(from connections) (domain.Page[T], error) { return l.pageFrom(ctx, from, by.clone(), asked) })
}

// pageFrom reads a page of the list, and adds to the filters. Sizes are literals, because they show
// the planner that few of many rows are needed.
func (l list[T]) pageFrom(ctx context.Context, from connections, by *filters, asked domain.PageRequest) (p domain.Page[T], err error) {
	comes, direction := ">", ""
	if l.newest {
		comes, direction = "<", " DESC"
	}
	if asked.After != nil {
		by.args["after_id"] = asked.After.ID
		by.add(fmt.Sprintf("(%s, %s) %s (@after_at, @after_id)", l.at, l.id, comes), "after_at", asked.After.At)
	}
	columns := fmt.Sprintf("SELECT %s AS at, %s AS id FROM %s", l.at, l.id, l.rows)
	ordered := " ORDER BY at" + direction + ", id" + direction
	q := rowQueries{columns + by.where(), columns + by.where(), ordered, by.scattered, domain.MostCounted}
	if by.scattered {
		q.along = by.along
	}
	if by.words != "" {
		if q, err = by.searchBookings(ctx, from, columns, q.along); err != nil {
			return p, err
		}
	}
	if asked.After == nil || q.scattered {
		found := fmt.Sprintf("SELECT * FROM (%s%s LIMIT %d) found", q.count, q.along, q.most+1)
		if p.Total, err = by.count(ctx, from, found, q.along != ordered); err != nil {
			return p, err
		}
		if q.scattered && p.Total <= q.most {
			q.page = found
		}
		p.Capped = p.Total > q.most
		p.Total = min(p.Total, q.most)
	}
	p.Entries, err = queryAll(ctx, from, l.scan, fmt.Sprintf("%s WHERE %s = ANY(ARRAY(SELECT id FROM (%s%s OFFSET %d LIMIT %d) page)) ORDER BY %s%s, %s%s",
		l.columns, l.id, q.page, ordered, asked.Skip, asked.Size+1, l.at, direction, l.id, direction), planned, by.args)
	if len(p.Entries) > asked.Size {
		p.Entries = slices.Delete(p.Entries, asked.Size, len(p.Entries))
		last := l.cursor(p.Entries[asked.Size-1])
		p.Next = &last
	}
	return p, err
}

// named contains the values of a statement's @names. Unlike pgx.NamedArgs, it parses each statement
// only once: a booking sends about 30 statements, and parsing them each time was a tenth of the
// service's work. It also refuses a name without a value, which pgx would send as NULL.
type named map[string]any

// positional is a statement with $1 in place of its first name, and so on.
type positional struct {
	statement string
	names     []string
}

// rewritten caches statements by their text with names. The texts come from the program, so there
// are few.
var rewritten sync.Map

func (n named) RewriteQuery(ctx context.Context, conn *pgx.Conn, statement string, _ []any) (string, []any, error) {
	known, found := rewritten.Load(statement)
	if !found {
		p, err := n.toPositional(ctx, conn, statement)
		if err != nil {
			return "", nil, err
		}
		known, _ = rewritten.LoadOrStore(statement, p)
	}
	p := known.(positional)
	values := make([]any, len(p.names))
	for i, name := range p.names {
		if values[i], found = n[name]; !found {
			return "", nil, fmt.Errorf("no value is given for @%s", name)
		}
	}
	return p.statement, values, nil
}

func (n named) toPositional(ctx context.Context, conn *pgx.Conn, statement string) (positional, error) {
	self := pgx.NamedArgs{}
	for name := range n {
		self[name] = name
	}
	statement, values, err := self.RewriteQuery(ctx, conn, statement, nil)
	if err != nil {
		return positional{}, err
	}
	p := positional{statement, make([]string, len(values))}
	for i, name := range values {
		var given bool
		if p.names[i], given = name.(string); !given {
			return positional{}, fmt.Errorf("no value is given for $%d of %s", i+1, statement)
		}
	}
	return p, nil
}
