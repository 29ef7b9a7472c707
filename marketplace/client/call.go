package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// maxAnswer limits an answer, in bytes. A page of the most detailed activities is smaller.
const maxAnswer = 64 << 20

// request is one call.
type request struct {
	method, path string // the path is escaped, below /api/v1
	query        url.Values
	body         any    // nil: no body
	key          string // the Idempotency-Key; "": no key
	open         bool   // needs no credential
	harmless     bool   // safe to repeat
}

func get(path string, query url.Values) request {
	return request{method: http.MethodGet, path: path, query: query, harmless: true}
}

func post(path string, body any) request {
	return request{method: http.MethodPost, path: path, body: body}
}

// asRepeatable marks a request as safe to repeat.
func (r request) asRepeatable() request {
	r.harmless = true
	return r
}

// path joins escaped segments. An id may contain any character.
func path(segments ...string) string {
	var joined strings.Builder
	for _, segment := range segments {
		escaped := url.PathEscape(segment)
		if segment == "." || segment == ".." {
			escaped = strings.Repeat("%2E", len(segment)) // otherwise a server could resolve it as a directory
		}
		joined.WriteString("/" + escaped)
	}
	return joined.String()
}

// answer is the envelope of a successful answer.
type answer[T any] struct {
	Data       T
	Pagination Pagination
}

// call sends a request, retries it where that is safe, and returns the answer's data.
func call[T any](ctx context.Context, c *connection, r request) (T, error) {
	a, err := callFramed[T](ctx, c, r)
	return a.Data, err
}

func callFramed[T any](ctx context.Context, c *connection, r request) (a answer[T], err error) {
	text, err := c.send(ctx, r)
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("%s %s: invalid answer: %w", r.method, r.path, err)
	}
	return a, nil
}

// do is call for answers without data.
func do(ctx context.Context, c *connection, r request) error {
	_, err := call[json.RawMessage](ctx, c, r)
	return err
}

// try sends a request once and returns the body of a successful answer. The error is an *Error if
// the marketplace answered.
func (c *connection) try(ctx context.Context, r request, made *http.Request) ([]byte, error) {
	kept, etag := c.cache.find(made)
	if etag != "" {
		made.Header.Set("If-None-Match", etag)
	}
	response, err := c.http.Do(made)
	if err != nil {
		return nil, noAnswer(ctx, r, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, noAnswer(ctx, r, err)
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("%s %s: the answer is larger than %d bytes", r.method, r.path, maxAnswer)
	case response.StatusCode == http.StatusNotModified && etag != "":
		return kept, nil
	case response.StatusCode/100 != 2:
		return nil, errorOf(r, response, text)
	}
	c.cache.keep(made, response.Header.Get("ETag"), text)
	return text, nil
}

// lost is the error of a request without an answer. The marketplace may have processed it.
type lost struct{ error }

func (l lost) Unwrap() error { return l.error }

// noAnswer returns the error of a request without an answer. If the context ended, it is the
// reason.
func noAnswer(ctx context.Context, r request, err error) error {
	if around := (*url.Error)(nil); errors.As(err, &around) {
		err = around.Err // contains the method and the address
	}
	err = fmt.Errorf("%s %s: no answer: %w", r.method, r.path, err)
	if ctx.Err() != nil {
		return err
	}
	return lost{err}
}

// compose builds the HTTP request.
func (c *connection) compose(ctx context.Context, r request) (*http.Request, error) {
	var body io.Reader
	if r.body != nil {
		text, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
		}
		body = bytes.NewReader(text)
	}
	address := c.base + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	made, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	made.Header.Set("Accept", "application/json")
	if body != nil {
		made.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		made.Header.Set("Idempotency-Key", r.key)
	}
	if r.open {
		return made, nil
	}
	return made, c.credentials.authorize(ctx, made.Header)
}

// cache keeps the most recently used answers that have ETags, up to a number of bytes. It is safe
// for concurrent use. A nil cache keeps nothing.
type cache struct {
	limit int

	mu    sync.Mutex
	size  int
	byURL *simplelru.LRU[string, kept]
}

type kept struct {
	etag string
	text []byte
}

func newCache(limit int) *cache {
	if limit <= 0 {
		return nil
	}
	c := &cache{limit: limit}
	c.byURL, _ = simplelru.NewLRU(math.MaxInt, func(_ string, k kept) { c.size -= len(k.text) }) // an error only for a size below 1
	return c
}

// find returns the cached answer to a request and its ETag, or "" if none is cached.
func (c *cache) find(r *http.Request) ([]byte, string) {
	if c == nil || r.Method != http.MethodGet {
		return nil, ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	found, _ := c.byURL.Get(r.URL.String())
	return found.text, found.etag
}

// keep keeps an answer that has an ETag.
func (c *cache) keep(r *http.Request, etag string, text []byte) {
	if c == nil || r.Method != http.MethodGet || etag == "" || len(text) > c.limit {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byURL.Remove(r.URL.String())
	c.byURL.Add(r.URL.String(), kept{etag, text})
	for c.size += len(text); c.size > c.limit; {
		c.byURL.RemoveOldest()
	}
}
