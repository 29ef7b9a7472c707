package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"partnerkit.dev/marketplace/internal/domain"
)

// largestBody limits a request's body, in bytes.
const largestBody = 1 << 20

var errNoBody = invalidBody("the body: expected an object, received nothing")

// readOptionalBody is readBody for an optional body. The struct is unchanged without one.
func readOptionalBody(r *http.Request, into any) error {
	if err := readBody(r, into); !errors.Is(err, errNoBody) {
		return err
	}
	return nil
}

// readBody reads a JSON body into a struct with `validate` tags, and validates it. Unknown fields
// are ignored. The error of a missing body is errNoBody.
func readBody(r *http.Request, into any) error {
	_, err := readBodyText(r, into)
	return err
}

// readBodyText is readBody and also returns the raw body.
func readBodyText(r *http.Request, into any) ([]byte, error) {
	body, err := bodyOf(r)
	if err != nil {
		return nil, err
	}
	if err := checkText(body); err != nil {
		return nil, err
	}
	if string(bytes.TrimSpace(body)) == "null" { // Unmarshal ignores null
		return nil, invalidBody("the body: expected an object, received null")
	}
	if len(body) == 0 { // the missing fields are a better message
		return nil, cmp.Or(domain.Check(into), errNoBody)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return nil, badJSON(err)
	}
	return body, domain.Check(into)
}

// bodyOf returns a request's body. Its content type must be JSON unless it is empty.
func bodyOf(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, largestBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, httpError(domain.BodyTooLarge, fmt.Sprintf("the body exceeds %d bytes", largestBody))
	}
	if err != nil {
		return nil, &domain.Error{Code: domain.Invalid, Message: "the body cannot be read", Cause: err}
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); len(body) > 0 && (err != nil || kind != "application/json") {
		return nil, httpError(domain.UnsupportedMediaType, "expected a body with content type application/json")
	}
	return body, nil
}

// checkText refuses bytes that are not UTF-8, which would be changed, and the character \u0000, which
// the database cannot store.
func checkText(body []byte) error {
	if !utf8.Valid(body) {
		return invalidBody("the body: expected JSON in UTF-8")
	}
	var value any
	if !bytes.Contains(body, []byte(`\u0000`)) || json.Unmarshal(body, &value) != nil {
		return nil
	}
	if inside, found := nulIn(value); found {
		return invalidBody(cmp.Or(placeOf(inside), "the body") + ": expected a text without the character \\u0000")
	}
	return nil
}

// nulIn finds the first text with NUL, by name. It returns the names and indexes that lead to it,
// innermost first. Building a text at each level would be quadratic in the body.
func nulIn(value any) (inside []string, found bool) {
	switch value := value.(type) {
	case string:
		return nil, strings.Contains(value, "\x00")
	case []any:
		for i, item := range value {
			if inside, found := nulIn(item); found {
				return append(inside, fmt.Sprintf("[%d]", i)), true
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if strings.Contains(name, "\x00") {
				return nil, true
			}
			if inside, found := nulIn(value[name]); found {
				return append(inside, "."+name), true
			}
		}
	}
	return nil, false
}

// longestPlace limits the quotation of names from the request, in bytes.
const longestPlace = 100

// longestValue limits the quotation of a number from the request, in bytes.
const longestValue = 60

// placeOf formats the result of nulIn.
func placeOf(inside []string) string {
	place := ""
	for _, step := range slices.Backward(inside) {
		if len(place)+len(step) > longestPlace {
			return strings.TrimPrefix(place+strings.ToValidUTF8(step[:longestPlace-len(place)], ""), ".") + "…"
		}
		place += step
	}
	return strings.TrimPrefix(place, ".")
}

func invalidBody(detail string) error {
	return &domain.Error{Code: domain.Invalid, Message: "invalid body", Details: []string{detail}}
}

// badJSON returns an error that says where a body is invalid.
func badJSON(err error) error {
	wrong := &domain.Error{Code: domain.Invalid, Message: "invalid body", Cause: err}
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		place := kind.Field
		if place == "" {
			place = "the body"
		}
		wrong.Details = []string{fmt.Sprintf("%s: expected %s, received %.*s", place, jsonKind(kind), longestValue, kind.Value)}
		return wrong
	}
	wrong.Details = []string{"the body is not JSON"}
	return wrong
}

// jsonKind returns the JSON name of a Go type.
func jsonKind(err *json.UnmarshalTypeError) string {
	switch kind := err.Type.Kind().String(); kind {
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "slice", "array":
		return "an array"
	case "struct", "map":
		return "an object"
	default:
		return "a number"
	}
}
