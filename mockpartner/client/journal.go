package client

import (
	"context"
	"io"
	"maps"
	"net/http"
	"time"

	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/judge"
)

// Journal gives access to a sandbox's requests and answers, and to the verdict on its callers.
type Journal struct{ sandbox *sandbox }

// Filter selects exchanges; zero values match everything.
type Filter = journal.Filter

// Testimony is what only the test knows about the callers.
type Testimony = journal.Testimony

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
func (j Journal) Exchanges(ctx context.Context, f Filter) ([]journal.Exchange, error) {
	return field[[]journal.Exchange](ctx, j.sandbox, http.MethodGet, "/journal?"+query(f, limit(f)), "exchanges", nil)
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
func (j Journal) Verdict(ctx context.Context) (judge.Verdict, error) {
	return call[judge.Verdict](ctx, j.sandbox, http.MethodGet, "/verdict", nil)
}

// Testify gives the judge of the callers what the mock cannot see. It returns the testimony with
// the omitted times filled in.
func (j Journal) Testify(ctx context.Context, t Testimony) (Testimony, error) {
	return call[Testimony](ctx, j.sandbox, http.MethodPost, "/testimony", t)
}
