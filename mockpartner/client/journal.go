package client

import (
	"context"
	"io"
	"maps"
	"net/http"
	"time"
)

// Journal gives access to a sandbox's requests and answers, and to the verdict on its callers.
type Journal struct{ sandbox *sandbox }

// query returns the filter's parameters and others. Limit is not among them, because the count and
// wait requests have no such parameter.
func query(f Filter, others map[string]any) string {
	parameters := map[string]any{
		"endpoint": f.Endpoint, "method": f.Method, "contains": f.Contains, "body": f.Body, "hold": f.Hold, "slot": f.Slot,
		"booking": f.Booking, "fault": f.Fault, "status": f.Status, "text": f.Text, "after": f.After, "done": f.Done,
	}
	if f.Class != "" {
		parameters["status"] = f.Class
	}
	if f.NoProbes {
		parameters["probes"] = "false"
	}
	maps.Copy(parameters, others)
	return encodeQuery(parameters)
}

func limit(f Filter) map[string]any { return map[string]any{"limit": f.Limit} }

// Exchanges returns the matching exchanges, in the order of arrival. Without a Limit it returns the
// newest thousand.
func (j Journal) Exchanges(ctx context.Context, f Filter) ([]Exchange, error) {
	return field[[]Exchange](ctx, j.sandbox, http.MethodGet, "/journal?"+query(f, limit(f)), "exchanges", nil)
}

// Count counts the matching exchanges.
func (j Journal) Count(ctx context.Context, f Filter) (int, error) {
	return field[int](ctx, j.sandbox, http.MethodGet, "/journal/count?"+query(f, nil), "count", nil)
}

// Clear empties the journal, including the testimony.
func (j Journal) Clear(ctx context.Context) error {
	return do(ctx, j.sandbox, http.MethodDelete, "/journal", nil)
}

// Wait waits until the journal has n complete exchanges that match, and reports whether it has. It
// waits for at most a minute.
func (j Journal) Wait(ctx context.Context, f Filter, n int, timeout time.Duration) (met bool, err error) {
	return field[bool](ctx, j.sandbox, http.MethodGet, "/journal/wait?"+query(f, wait(n, timeout)), "met", nil)
}

// WriteHAR writes the matching exchanges as an HTTP archive.
func (j Journal) WriteHAR(ctx context.Context, w io.Writer, f Filter) error {
	response, err := j.sandbox.send(ctx, http.MethodGet, "/journal/har?"+query(f, limit(f)), nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(w, response.Body)
	return err
}

// Verdict reports whether the sandbox's callers followed the contract. Its String method renders it
// as text.
func (j Journal) Verdict(ctx context.Context) (Verdict, error) {
	return call[Verdict](ctx, j.sandbox, http.MethodGet, "/verdict", nil)
}

// Testify gives the judge of the callers what the mock cannot see. It returns the testimony with
// the omitted times filled in.
func (j Journal) Testify(ctx context.Context, t Testimony) (Testimony, error) {
	return call[Testimony](ctx, j.sandbox, http.MethodPost, "/testimony", t)
}
