// Package invalid describes a problem of a scenario, and its location.
package invalid

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// Error is a problem at a path such as match.method.
type Error struct {
	Path, Message string
	Kind          error // the error that it wraps, or nil
}

func (e *Error) Error() string { return e.Path + ": " + e.Message }

func (e *Error) Unwrap() error { return e.Kind }

// ErrorAt returns an error at a path.
func ErrorAt(path, format string, args ...any) error {
	return &Error{Path: path, Message: fmt.Sprintf(format, args...)}
}

// Item returns the error of the i-th item of the list with that name, which may be empty.
func Item(name string, i int, err error) error {
	return AddPrefix(fmt.Sprintf("%s[%d].", name, i), err)
}

// AddPrefix returns the error with a prefix added to its path.
func AddPrefix(prefix string, err error) error {
	if placed := (*Error)(nil); errors.As(err, &placed) {
		return &Error{Path: prefix + placed.Path, Message: placed.Message, Kind: placed.Kind}
	}
	return err
}

// First returns the first non-nil error.
func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// OneOf requires a word to be empty or in the list.
func OneOf[W ~string](path string, word W, words []W) error {
	if word == "" || slices.Contains(words, word) {
		return nil
	}
	return ErrorAt(path, "expected one of %v, received %q", words, word)
}

var name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Name requires an empty name or a valid name of a fault or quirk.
func Name(given string) error {
	if given == "" || name.MatchString(given) {
		return nil
	}
	return ErrorAt("name", "expected up to 100 letters, digits, dots, dashes and underscores, beginning with a letter or digit, received %q", given)
}

// RequireRange requires a number between two others, inclusive.
func RequireRange(path string, n, low, high int) error {
	if n < low || n > high {
		return ErrorAt(path, "expected a number from %d to %d, received %d", low, high, n)
	}
	return nil
}
