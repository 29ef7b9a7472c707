package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/schemas/partnerapi"
)

var filterNames = []string{"endpoint", "method", "contains", "body", "hold", "slot", "booking", "fault", "status", "after", "done"}

func filterOf(q *query) journal.Filter {
	return journal.Filter{
		Endpoint: partnerapi.Endpoint(q.values.Get("endpoint")),
		Method:   q.values.Get("method"),
		Contains: q.values.Get("contains"),
		Body:     q.values.Get("body"),
		Hold:     q.values.Get("hold"),
		Slot:     q.values.Get("slot"),
		Booking:  q.values.Get("booking"),
		Fault:    q.values.Get("fault"),
		Status:   int(q.number("status", 0)),
		After:    q.number("after", 0),
		Done:     q.yes("done"),
	}
}

func chosen(w http.ResponseWriter, r *http.Request) (journal.Filter, bool) {
	query := query{values: r.URL.Query()}
	filter := filterOf(&query)
	filter.Limit = int(query.number("limit", defaultLimit))
	return filter, !query.refused(w, append(slices.Clone(filterNames), "limit")...)
}

func showJournal(w http.ResponseWriter, r *http.Request) {
	filter, ok := chosen(w, r)
	if !ok {
		return
	}
	kept := sandboxOf(r).Journal()
	count, exchanges := kept.Count(), kept.Exchanges(filter)
	w.Header().Set("Content-Type", "application/json")
	// Written piece by piece: together, the bodies may be larger than memory. A
	// caller that has gone away is nobody to tell of a failed write.
	fmt.Fprintf(w, `{"arrived":%d,"kept":%d,"bytes":%d,"exchanges":[`, count.Arrived, count.Kept, count.Bytes)
	if journal.WriteJSON(w, exchanges) == nil {
		fmt.Fprintln(w, "]}")
	}
}

func clearJournal(w http.ResponseWriter, r *http.Request) {
	kept := sandboxOf(r).Journal()
	kept.Clear()
	reply.JSON(w, http.StatusOK, kept.Count())
}

func countJournal(w http.ResponseWriter, r *http.Request) {
	query := query{values: r.URL.Query()}
	filter := filterOf(&query)
	if query.refused(w, filterNames...) {
		return
	}
	reply.JSON(w, http.StatusOK, map[string]int{"count": sandboxOf(r).Journal().Matching(filter)})
}

func exportJournal(w http.ResponseWriter, r *http.Request) {
	filter, ok := chosen(w, r)
	if !ok {
		return
	}
	box := sandboxOf(r)
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.har"`, box.Name()))
	// A caller that has gone away is nobody to tell of a failed write.
	_ = journal.WriteHAR(w, baseURL(r, box.Name()), box.Journal().Exchanges(filter))
}

const (
	// defaultWait is how long a wait lasts unless it says otherwise.
	defaultWait = 10 * time.Second
	// maxWait is how long a wait lasts at most.
	maxWait = time.Minute
	// writeGrace is how long a caller may take to read one thing.
	writeGrace = 10 * time.Second
)

type waitAnswer struct {
	Met   bool `json:"met"`   // as many were seen as were wanted
	Count int  `json:"count"` // how many the journal holds now
}

func waitForJournal(w http.ResponseWriter, r *http.Request) {
	query := query{values: r.URL.Query()}
	filter := filterOf(&query)
	filter.Done = true
	count := query.number("count", 1)
	timeout := query.duration("timeout", defaultWait, maxWait)
	if query.refused(w, append(slices.Clone(filterNames), "count", "timeout")...) {
		return
	}
	// Not every server can; then its own deadline holds.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(timeout + writeGrace))
	waiting, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	kept := sandboxOf(r).Journal()
	err := kept.Wait(waiting, filter, int(count))
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		unavailable(w, err)
		return
	}
	reply.JSON(w, http.StatusOK, waitAnswer{Met: err == nil, Count: kept.Matching(filter)})
}

func unavailable(w http.ResponseWriter, err error) {
	w.Header().Set("Retry-After", "1")
	reply.Message(w, http.StatusServiceUnavailable, "%v", err)
}

// keepAlive is how often a stream without events says that it is still there.
const keepAlive = 15 * time.Second

func streamJournal(w http.ResponseWriter, r *http.Request) {
	query := query{values: r.URL.Query()}
	filter := filterOf(&query)
	if query.refused(w, filterNames...) {
		return
	}
	subscription, err := sandboxOf(r).Journal().Subscribe(filter)
	if err != nil {
		unavailable(w, err)
		return
	}
	defer subscription.Close()
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache")
	out := stream{w, http.NewResponseController(w)}
	if out.write(": connected\n\n") != nil {
		return
	}
	for out.next(r.Context(), subscription) == nil {
	}
}

type stream struct {
	http.ResponseWriter
	controller *http.ResponseController
}

// next sends the next event, or after a while a sign of life. Its error ends the
// stream.
func (s stream) next(ctx context.Context, subscription *journal.Subscription) error {
	soon, cancel := context.WithTimeout(ctx, keepAlive)
	defer cancel()
	event, err := subscription.Next(soon)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return s.write(": still here\n\n")
	case err != nil:
		_ = s.write("event: dropped\ndata: {\"message\":%q}\n\n", err.Error()) // the stream ends anyhow
		return err
	}
	data, err := json.Marshal(event.Exchange)
	if err != nil {
		return fmt.Errorf("exchange %d: %w", event.Exchange.Number, err)
	}
	return s.write("event: %s\nid: %d\ndata: %s\n\n", event.Kind, event.Exchange.Number, data)
}

// write sends at once. Who does not read for long is given up.
func (s stream) write(format string, args ...any) error {
	// Not every server can; then its own deadline holds.
	_ = s.controller.SetWriteDeadline(time.Now().Add(writeGrace))
	if _, err := fmt.Fprintf(s, format, args...); err != nil {
		return err
	}
	return s.controller.Flush()
}

func showTestimony(w http.ResponseWriter, r *http.Request) {
	reply.JSON(w, http.StatusOK, map[string]any{"testimony": sandboxOf(r).Journal().Testimony()})
}

func testify(w http.ResponseWriter, r *http.Request) {
	var told journal.Testimony
	if !read(w, r, &told) {
		return
	}
	told, err := sandboxOf(r).Journal().Testify(told)
	switch {
	case errors.Is(err, journal.ErrTooMuch):
		reply.Message(w, http.StatusConflict, "%v: DELETE %s/journal empties it", err, Path)
	case err != nil:
		reply.Message(w, http.StatusBadRequest, "%v", err)
	default:
		reply.JSON(w, http.StatusCreated, told)
	}
}

func verdict(w http.ResponseWriter, r *http.Request) {
	query := query{values: r.URL.Query()}
	if query.refused(w) {
		return
	}
	reply.JSON(w, http.StatusOK, sandboxOf(r).Verdict())
}
