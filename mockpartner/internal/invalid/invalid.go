// Package invalid says what is wrong with a scenario, and where in it.
package invalid

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// Error is what is wrong at a path such as match.method.
type Error struct {
	Path, Message string
	Kind          error // what it wraps; nil: nothing
}

func (e *Error) Error() string { return e.Path + ": " + e.Message }

func (e *Error) Unwrap() error { return e.Kind }

// At returns the error of a path.
func At(path, format string, args ...any) error {
	return &Error{Path: path, Message: fmt.Sprintf(format, args...)}
}

// Item returns the error of the i-th thing of the list of that name, which may be
// empty.
func Item(name string, i int, err error) error {
	return In(fmt.Sprintf("%s[%d].", name, i), err)
}

// In returns the error with a prefix to its path.
func In(prefix string, err error) error {
	if placed := (*Error)(nil); errors.As(err, &placed) {
		return &Error{Path: prefix + placed.Path, Message: placed.Message, Kind: placed.Kind}
	}
	return err
}

// First returns the first of the errors that is one: one message, one place.
func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// OneOf wants a word of a list, or none.
func OneOf[W ~string](path string, word W, words []W) error {
	if word == "" || slices.Contains(words, word) {
		return nil
	}
	return At(path, "expected one of %v, received %q", words, word)
}

var name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Name wants the name of a fault or a quirk, or none.
func Name(given string) error {
	if given == "" || name.MatchString(given) {
		return nil
	}
	return At("name", "expected up to 100 letters, digits, dots, dashes and underscores, beginning with a letter or digit, received %q", given)
}

// Within wants a number between two.
func Within(path string, n, low, high int) error {
	if n < low || n > high {
		return At(path, "expected a number from %d to %d, received %d", low, high, n)
	}
	return nil
}
