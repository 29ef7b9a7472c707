package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"partnerkit.dev/marketplace"
)

// largestBody bounds what anybody may send, in bytes.
const largestBody = 1 << 20

// readBody reads a JSON body into a struct with `validate` tags, and checks it. Fields
// that it does not have are ignored. An empty body leaves the struct as it is.
func readBody(r *http.Request, into any) error {
	body, err := bodyOf(r)
	if err != nil {
		return err
	}
	if len(body) > 0 {
		if err := json.Unmarshal(body, into); err != nil {
			return badJSON(err)
		}
	}
	return marketplace.Check(into)
}

// bodyOf returns a request's body, which says that it is JSON unless it is empty.
func bodyOf(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, largestBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, &statusError{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", largestBody)}
	}
	if err != nil {
		return nil, &marketplace.Error{Code: marketplace.Invalid, Message: "the body cannot be read", Cause: err}
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); len(body) > 0 && (err != nil || kind != "application/json") {
		return nil, &statusError{http.StatusUnsupportedMediaType, "want a body of the content type application/json"}
	}
	return body, nil
}

// badJSON says where a body is not what it should be.
func badJSON(err error) error {
	wrong := &marketplace.Error{Code: marketplace.Invalid, Message: "the body is not as it should be", Cause: err}
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		place := kind.Field
		if place == "" {
			place = "the body"
		}
		wrong.Details = []string{fmt.Sprintf("%s: want %s, got %s", place, jsonKind(kind), kind.Value)}
		return wrong
	}
	wrong.Details = []string{"the body is not JSON"}
	return wrong
}

// jsonKind is the JSON word for a Go type.
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
