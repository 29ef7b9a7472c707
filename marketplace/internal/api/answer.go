package api

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"partnerkit.dev/internal/webui"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/storefront"
)

// handler answers a request or returns an error.
type handler func(http.ResponseWriter, *http.Request) error

// read returns the data of an answer, or an error. A *storefront.Answer and a listPage are complete
// answers.
type read func(*http.Request) (any, error)

// respondOK answers with 200 and the result of f.
func respondOK(f read) handler { return respondWith(http.StatusOK, f) }

// respondCreated answers with 201 and the result of f.
func respondCreated(f read) handler { return respondWith(http.StatusCreated, f) }

// respondAccepted answers with 202 and the result of f.
func respondAccepted(f read) handler { return respondWith(http.StatusAccepted, f) }

func respondWith(status int, f read) handler {
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

// byID passes the id in the path to f.
func byID(name string, f func(*http.Request, uuid.UUID) (any, error)) read {
	return func(r *http.Request) (any, error) {
		id, err := pathID(r, name)
		if err != nil {
			return nil, err
		}
		return f(r, id)
	}
}

// withBody passes the body to f.
func withBody[T any](f func(*http.Request, T) (any, error)) read {
	return func(r *http.Request) (any, error) {
		var body T
		if err := readBody(r, &body); err != nil {
			return nil, err
		}
		return f(r, body)
	}
}

// byIDWithOptionalBody is byIDWithBody with an optional body.
func byIDWithOptionalBody[T any](name string, f func(*http.Request, uuid.UUID, T) (any, error)) read {
	return byID(name, func(r *http.Request, id uuid.UUID) (any, error) {
		var body T
		if err := readOptionalBody(r, &body); err != nil {
			return nil, err
		}
		return f(r, id, body)
	})
}

// byIDWithBody passes the id in the path and the body to f.
func byIDWithBody[T any](name string, f func(*http.Request, uuid.UUID, T) (any, error)) read {
	return byID(name, func(r *http.Request, id uuid.UUID) (any, error) {
		return withBody(func(r *http.Request, body T) (any, error) { return f(r, id, body) })(r)
	})
}

func writeJSON(w http.ResponseWriter, status int, body any) error {
	text, err := marshal(body)
	if err != nil {
		return err
	}
	writeRaw(w, status, text)
	return nil
}

// writeRaw writes JSON. The answer may contain guests' data or a token, so no cache may keep it.
func writeRaw(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text) // an error means that the caller has gone
}

// idOf returns an id as text, or "" for the zero id.
func idOf(id uuid.UUID) string {
	if id == uuid.Nil {
		return ""
	}
	return id.String()
}

// decimalOf returns an amount for an answer, or "" for nil.
func decimalOf(n *domain.Number) client.Decimal {
	if n == nil {
		return ""
	}
	return client.Decimal(n.String())
}

// valueOf returns what a pointer points to, or the zero value.
func valueOf[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// leastGzip is the smallest body that is compressed, in bytes.
const leastGzip = 1 << 10

// writeCached writes a cached answer: only headers if the caller has it already, otherwise
// compressed if the caller accepts that.
func writeCached(w http.ResponseWriter, r *http.Request, answer *storefront.Answer) {
	x := exchangeOf(r.Context())
	x.set("Etag", answer.ETag)
	x.set("Cache-Control", "private, no-cache") // the caller may cache it, and must revalidate it
	x.set("Vary", "Accept-Encoding")
	if names(r.Header.Values("If-None-Match"), answer.ETag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := answer.Body
	if len(body) >= leastGzip && webui.AcceptsGzip(r.Header) {
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

// names reports whether an If-None-Match field contains the tag, by weak comparison (RFC 9110,
// 13.1.2).
func names(fields []string, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	for _, field := range fields {
		for rest := field; rest != ""; {
			// A tag may contain a comma, so it is read from quote to quote.
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
