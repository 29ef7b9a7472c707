package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

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

// planned has a query planned for its own arguments, each time: a plan that is kept was
// made for none in particular.
const planned = pgx.QueryExecModeCacheDescribe

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
		if p.Total, err = one(ctx, d.pool, "count", pgx.RowTo[int], "SELECT count(*) FROM ("+found+") counted", planned, by.args); err != nil {
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
