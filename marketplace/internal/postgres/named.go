package postgres

import (
	"context"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
)

// named holds the values of a statement's @names. It does what pgx.NamedArgs does, but
// looks for the names in each statement once only: a booking sends some thirty statements,
// and reading them each time was a tenth of the service's work. It refuses a name without
// a value, which pgx would send as NULL.
type named map[string]any

// positional is a statement with $1 in place of its first name, and so on.
type positional struct {
	statement string
	names     []string
}

// rewritten is every statement that was sent, by its text with names. Texts are made of
// the program's own words, so there are few of them.
var rewritten sync.Map

func (n named) RewriteQuery(ctx context.Context, conn *pgx.Conn, statement string, _ []any) (string, []any, error) {
	known, found := rewritten.Load(statement)
	if !found {
		p, err := n.positional(ctx, conn, statement)
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

func (n named) positional(ctx context.Context, conn *pgx.Conn, statement string) (positional, error) {
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
