package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// list is one that is read page by page. Its order, a time and an id, has an index of its
// own for each filter that may choose many rows.
type list[T any] struct {
	columns string // SELECT ... FROM ..., with a condition to come
	rows    string // what the filters choose among, such as bookings b
	at, id  string // the columns of the order
	newest  bool   // the newest first
	scan    pgx.RowToFunc[T]
	cursor  func(T) marketplace.Cursor
}

// filters are those that are set, and no others: a condition that allows for one that is
// not set, such as ($1 = ” OR status = $1), uses no index in a plan that PostgreSQL keeps.
type filters struct {
	conditions []string
	args       pgx.NamedArgs
	// scattered says that a filter chooses rows that may lie anywhere in the list's order.
	// As long as they are few they are found first, and put in order then.
	scattered bool
	along     string // a column whose index finds them; "": the planner knows best
}

func newFilters() *filters { return &filters{args: pgx.NamedArgs{}} }

// add adds a condition, which names the argument.
func (f *filters) add(condition, name string, argument any) {
	f.conditions = append(f.conditions, condition)
	f.args[name] = argument
}

// of adds that rows are within a scope, by the columns account_id and mode of a table.
func (f *filters) of(s marketplace.Scope, table string) {
	if s.Account != uuid.Nil {
		f.add(table+"account_id = @account_id", "account_id", s.Account)
	}
	if s.Mode != "" { // in the statement: test rows have an index of their own
		f.conditions = append(f.conditions, table+"mode = '"+strings.ReplaceAll(string(s.Mode), "'", "''")+"'")
	}
}

// search adds that a text, of which an index has all parts, has the words in it, or what
// else may hold. The words' own parts are as long as the index has them.
func (f *filters) search(text, or, words string) {
	f.args["part"] = min(3, len([]rune(words)))
	// Two conditions: the first is the index's alone, which does not make the parts again.
	f.add("(text_parts("+text+", 1) @> text_parts(lower(@words), @part)"+or+")", "words", words)
	f.add("(position(lower(@words) IN "+text+") > 0"+or+")", "words", words)
	f.scattered, f.along = true, ""
}

// planned has a query planned for its own arguments, each time: a plan that is kept was
// made for none in particular.
const planned = pgx.QueryExecModeCacheDescribe

// count counts the rows that a query finds.
func (f *filters) count(ctx context.Context, d database, query string) (total int, err error) {
	query = "SELECT count(*) FROM (" + query + ") counted"
	if !f.scattered {
		return one(ctx, d.pool, "count", pgx.RowTo[int], query, planned, f.args)
	}
	// The planner takes the index to be dearer than it is where most rows are found, and
	// would make the parts of each row's text instead.
	err = d.transaction(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT set_config('enable_seqscan', 'off', true), set_config('max_parallel_workers_per_gather', '0', true)`); err != nil {
			return err
		}
		total, err = one(ctx, tx, "count", pgx.RowTo[int], query, planned, f.args)
		return err
	})
	return total, err
}

// page reads a part of the list. Sizes are in the statements themselves: they tell the
// planner that few rows of many are wanted.
func (l list[T]) page(ctx context.Context, d database, by *filters, asked marketplace.PageRequest) (p marketplace.Page[T], err error) {
	comes, direction := ">", ""
	if l.newest {
		comes, direction = "<", " DESC"
	}
	if asked.After != nil {
		by.args["after_id"] = asked.After.ID
		by.add(fmt.Sprintf("(%s, %s) %s (@after_at, @after_id)", l.at, l.id, comes), "after_at", asked.After.At)
	}
	rows := fmt.Sprintf("SELECT %s AS at, %s AS id FROM %s", l.at, l.id, l.rows)
	if len(by.conditions) > 0 {
		rows += " WHERE " + strings.Join(by.conditions, " AND ")
	}
	ordered := " ORDER BY at" + direction + ", id" + direction
	if asked.After == nil || by.scattered {
		found := rows + ordered
		if by.scattered {
			found = rows + by.along
		}
		found = fmt.Sprintf("SELECT * FROM (%s LIMIT %d) found", found, marketplace.MostCounted+1)
		if p.Total, err = by.count(ctx, d, found); err != nil {
			return p, err
		}
		if by.scattered && p.Total <= marketplace.MostCounted {
			rows = found
		}
		p.Capped = p.Total > marketplace.MostCounted
		p.Total = min(p.Total, marketplace.MostCounted)
	}
	p.Entries, err = all(ctx, d.pool, l.scan, fmt.Sprintf("%s WHERE %s = ANY(ARRAY(SELECT id FROM (%s%s OFFSET %d LIMIT %d) page)) ORDER BY %s%s, %s%s",
		l.columns, l.id, rows, ordered, asked.Skip, asked.Size+1, l.at, direction, l.id, direction), planned, by.args)
	if len(p.Entries) > asked.Size {
		p.Entries = slices.Delete(p.Entries, asked.Size, len(p.Entries))
		last := l.cursor(p.Entries[asked.Size-1])
		p.Next = &last
	}
	return p, err
}
