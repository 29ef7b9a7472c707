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

// Journal is what a sandbox and its callers have said, and what that says of the
// callers.
type Journal struct{ sandbox *sandbox }

// Filter says which exchanges are wanted; zero values do not choose.
type Filter = journal.Filter

// Testimony is what only a test can know of the callers.
type Testimony = journal.Testimony

// query are the filter's parameters, without its Limit, which a count and a wait do not
// have, and others.
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
	return encoded(parameters)
}

func limit(f Filter) map[string]any { return map[string]any{"limit": f.Limit} }

// Exchanges returns the exchanges that the filter keeps, in the order of
// arrival; without a Limit the newest thousand.
func (j Journal) Exchanges(ctx context.Context, f Filter) ([]journal.Exchange, error) {
	return field[[]journal.Exchange](ctx, j.sandbox, http.MethodGet, "/journal?"+query(f, limit(f)), "exchanges", nil)
}

// Count counts the exchanges that the filter keeps.
func (j Journal) Count(ctx context.Context, f Filter) (int, error) {
	return field[int](ctx, j.sandbox, http.MethodGet, "/journal/count?"+query(f, nil), "count", nil)
}

// Clear empties the journal, with what was testified.
func (j Journal) Clear(ctx context.Context) error {
	return do(ctx, j.sandbox, http.MethodDelete, "/journal", nil)
}

// Wait waits until the journal has seen n complete exchanges that the filter
// keeps, and reports whether it has. It waits for at most a minute.
func (j Journal) Wait(ctx context.Context, f Filter, n int, timeout time.Duration) (met bool, err error) {
	return field[bool](ctx, j.sandbox, http.MethodGet, "/journal/wait?"+query(f, wait(n, timeout)), "met", nil)
}

// WriteHAR writes the exchanges that the filter keeps as an HTTP archive.
func (j Journal) WriteHAR(ctx context.Context, w io.Writer, f Filter) error {
	response, err := j.sandbox.send(ctx, http.MethodGet, "/journal/har?"+query(f, limit(f)), nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(w, response.Body)
	return err
}

// Verdict tells whether the sandbox's callers kept their side of the contract.
// Its String tells it to people.
func (j Journal) Verdict(ctx context.Context) (judge.Verdict, error) {
	return call[judge.Verdict](ctx, j.sandbox, http.MethodGet, "/verdict", nil)
}

// Testify tells the judge of the callers what the mock cannot see, and returns the
// testimony with the times that it left out.
func (j Journal) Testify(ctx context.Context, t Testimony) (Testimony, error) {
	return call[Testimony](ctx, j.sandbox, http.MethodPost, "/testimony", t)
}
