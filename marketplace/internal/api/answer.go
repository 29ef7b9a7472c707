package api

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/storefront"
)

// handler answers a request, or returns why it cannot.
type handler func(http.ResponseWriter, *http.Request) error

// read returns the data of an answer, or the error. A *storefront.Answer and a
// listPage are answers of their own.
type read func(*http.Request) (any, error)

// ok answers with 200 and what is read.
func ok(f read) handler { return answered(http.StatusOK, f) }

// created answers with 201 and what was made.
func created(f read) handler { return answered(http.StatusCreated, f) }

// accepted answers with 202 and what names the work that was begun.
func accepted(f read) handler { return answered(http.StatusAccepted, f) }

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

// byIDWithOptionalBody is byIDWithBody where the body may be missing.
func byIDWithOptionalBody[T any](name string, f func(*http.Request, uuid.UUID, T) (any, error)) read {
	return byID(name, func(r *http.Request, id uuid.UUID) (any, error) {
		var body T
		if err := readOptionalBody(r, &body); err != nil {
			return nil, err
		}
		return f(r, id, body)
	})
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
	_, _ = w.Write(text) // an error means that the caller has gone
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

// leastGzip is from how many bytes on a body is worth to be compressed.
const leastGzip = 1 << 10

// writeCached writes an answer that is kept ready: nothing but its headers where the caller
// has it already, else compressed where that is taken.
func writeCached(w http.ResponseWriter, r *http.Request, answer *storefront.Answer) {
	x := exchangeOf(r.Context())
	x.set("Etag", answer.ETag)
	x.set("Cache-Control", "private, no-cache") // kept by the caller, and asked about each time
	x.set("Vary", "Accept-Encoding")
	if names(r.Header.Values("If-None-Match"), answer.ETag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := answer.Body
	if len(body) >= leastGzip && takesGzip(r.Header.Values("Accept-Encoding")) {
		if smaller := answer.Gzip(); smaller != nil {
			x.set("Content-Encoding", "gzip")
			body = smaller
		}
	}
	x.set("Content-Type", "application/json")
	x.set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // the client has gone
}

// names reports whether an If-None-Match names the tag. Whether a tag is weak does not
// matter (RFC 9110, 13.1.2).
func names(fields []string, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	for _, field := range fields {
		for rest := field; rest != ""; {
			// A tag may hold a comma: from quote to quote.
			rest = strings.TrimLeft(rest, ", \t")
			if strings.HasPrefix(rest, "*") {
				return true
			}
			rest = strings.TrimPrefix(rest, "W/")
			end := strings.IndexByte(strings.TrimPrefix(rest, `"`), '"')
			if !strings.HasPrefix(rest, `"`) || end < 0 {
				break
			}
			if rest[:end+2] == tag {
				return true
			}
			rest = rest[end+2:]
		}
	}
	return false
}

// takesGzip reports whether an Accept-Encoding takes gzip: by its name, else by *, with
// a q above 0 (RFC 9110, 12.5.3).
func takesGzip(fields []string) bool {
	any := false
	for _, field := range fields {
		for coding := range strings.SplitSeq(field, ",") {
			name, parameter, _ := strings.Cut(coding, ";")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "gzip", "x-gzip":
				return wanted(parameter)
			case "*":
				any = wanted(parameter)
			}
		}
	}
	return any
}

// wanted reports whether a coding's parameter, such as q=0.5, leaves it wanted.
func wanted(parameter string) bool {
	name, weight, given := strings.Cut(parameter, "=")
	if !given || !strings.EqualFold(strings.TrimSpace(name), "q") {
		return true
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
	return err == nil && q > 0
}
