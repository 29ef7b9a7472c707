package postgres

import (
	"context"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
)

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
