package api

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/storefront"
)

// handler answers a request, or returns why it cannot.
type handler func(http.ResponseWriter, *http.Request) error

// read returns the data of an answer, or why there is none. A *storefront.Answer and a
// listPage are answers of their own.
type read func(*http.Request) (any, error)

// ok answers with 200 and what is read.
func ok(f read) handler { return answered(http.StatusOK, f) }

// created answers with 201 and what was made.
func created(f read) handler { return answered(http.StatusCreated, f) }

func answered(status int, f read) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		data, err := f(r)
		if err != nil {
			return err
		}
		switch data := data.(type) {
		case *storefront.Answer:
			writeCached(w, r, data)
			return nil
		case listPage:
			return writeJSON(w, status, storefront.Success{Success: 1, Data: data.entries, Pagination: &data.Pagination})
		default:
			return writeJSON(w, status, storefront.Success{Success: 1, Data: data})
		}
	}
}

// byID is a read of what an id in the path names.
func byID(name string, f func(*http.Request, uuid.UUID) (any, error)) read {
	return func(r *http.Request) (any, error) {
		id, err := pathID(r, name)
		if err != nil {
			return nil, err
		}
		return f(r, id)
	}
}

// withBody is a read of what the body asks for.
func withBody[T any](f func(*http.Request, T) (any, error)) read {
	return func(r *http.Request) (any, error) {
		var body T
		if err := readBody(r, &body); err != nil {
			return nil, err
		}
		return f(r, body)
	}
}

// byIDWithBody is a read of what the body asks for of what an id in the path names.
func byIDWithBody[T any](name string, f func(*http.Request, uuid.UUID, T) (any, error)) read {
	return byID(name, func(r *http.Request, id uuid.UUID) (any, error) {
		return withBody(func(r *http.Request, body T) (any, error) { return f(r, id, body) })(r)
	})
}

func writeJSON(w http.ResponseWriter, status int, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	writeRaw(w, status, text)
	return nil
}

// writeRaw writes an answer that is JSON already. It may be about a guest, or hold a
// token: no cache keeps it.
func writeRaw(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a caller that is gone cannot be told
}

// orNull is a value as answers show it: null where it is the zero value.
func orNull[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}
	return &value
}

// timeOrNull is orNull for times, whose zero may be in any zone.
func timeOrNull(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}
