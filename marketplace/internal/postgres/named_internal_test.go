package postgres

import (
	"slices"
	"testing"
)

func TestNamesBecomePositionsInTheOrderOfTheStatement(t *testing.T) {
	t.Parallel()
	const statement = `SELECT @b, @a, @b, '@c' -- @d`
	for _, n := range []named{{"a": 1, "b": 2, "unused": 3}, {"a": 4, "b": 5}} { // the second reuses the cached names
		got, values, err := n.RewriteQuery(t.Context(), nil, statement, nil)
		if err != nil || got != `SELECT $1, $2, $1, '@c' -- @d` {
			t.Errorf("Expected positions, received %q, %v", got, err)
		}
		if expected := []any{n["b"], n["a"]}; !slices.Equal(expected, values) {
			t.Errorf("Expected the values %v, received %v", expected, values)
		}
	}
}

func TestANameWithoutAValueIsRefused(t *testing.T) {
	t.Parallel()
	for _, statement := range []string{`SELECT @never_named`, `SELECT @once, @b`} {
		_, _, _ = named{"once": 1, "b": 2}.RewriteQuery(t.Context(), nil, statement, nil)
		if _, _, err := (named{"b": 2}).RewriteQuery(t.Context(), nil, statement, nil); err == nil {
			t.Errorf("Expected an error for %s, received none", statement)
		}
	}
}
