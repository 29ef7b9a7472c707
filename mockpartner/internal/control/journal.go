package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/schemas/partnerapi"
)

func filterOf(q *query) client.Filter {
	status, class := statusOrClass(q)
	return client.Filter{
		Endpoint: partnerapi.Endpoint(q.text("endpoint")),
		Method:   q.text("method"),
		Contains: q.text("contains"),
		Body:     q.text("body"),
		Hold:     q.text("hold"),
		Slot:     q.text("slot"),
		Booking:  q.text("booking"),
		Fault:    q.text("fault"),
		Status:   status,
		Class:    class,
		Text:     q.text("text"),
		NoProbes: word(q, "probes", "true or false", []string{"true", "false"}) == "false",
		After:    q.number("after", 0),
		Done:     q.yes("done"),
	}
}

// statusOrClass reads one parameter, which is a status or a class of statuses.
func statusOrClass(q *query) (status int, class string) {
	given := parameter(q, "status", "0", "a status such as 404, a class such as 5xx, or none", func(text string) (string, bool) {
		_, err := strconv.ParseUint(text, 10, 31)
		return text, err == nil || slices.Contains(journal.Classes(), text)
	})
	status, err := strconv.Atoi(given)
	if err != nil {
		return 0, given
	}
	return status, ""
}

// matchingExchanges returns the exchanges that match the query.
func (c *call) matchingExchanges() ([]client.Exchange, error) {
	query := c.query()
	filter := filterOf(query)
	filter.Limit = int(query.number("limit", defaultLimit))
	if err := query.check(); err != nil {
		return nil, err
	}
	return c.box.Journal().Exchanges(filter), nil
}

func showJournal(c *call) (any, error) {
	count := c.box.Journal().Count()
	exchanges, err := c.matchingExchanges()
	if err != nil {
		return nil, err
	}
	c.w.Header().Set("Content-Type", "application/json")
	// Written piece by piece: together, the bodies may be larger than memory. A failed write means
	// that the caller has disconnected.
	fmt.Fprintf(c.w, `{"arrived":%d,"kept":%d,"bytes":%d,"exchanges":[`, count.Arrived, count.Kept, count.Bytes)
	if journal.WriteJSON(c.w, exchanges) == nil {
		fmt.Fprintln(c.w, "]}")
	}
	return nil, nil
}

func clearJournal(c *call) (any, error) {
	kept := c.box.Journal()
	kept.Clear()
	return kept.Count(), nil
}

func countJournal(c *call) (any, error) {
	query := c.query()
	return keys{"count": c.box.Journal().CountMatching(filterOf(query))}, query.check()
}

func exportJournal(c *call) (any, error) {
	exchanges, err := c.matchingExchanges()
	if err != nil {
		return nil, err
	}
	header := c.w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.har"`, c.box.Name()))
	// A failed write means that the caller has disconnected.
	_ = journal.WriteHAR(c.w, sandbox.BaseURL(c.r, c.box.Name()), exchanges)
	return nil, nil
}

const (
	// defaultWait is the default timeout of a wait.
	defaultWait = 10 * time.Second
	// maxWait is the maximum timeout of a wait.
	maxWait = time.Minute
	// writeGrace is how long a caller may take to read one write.
	writeGrace = 10 * time.Second
)

type waitAnswer struct {
	Met   bool `json:"met"`   // the requested number was reached
	Count int  `json:"count"` // the current number
}

// waitFor reads the requested number and the timeout, and waits.
func (c *call) waitFor(query *query, wait func(ctx context.Context, count int) (waitAnswer, error)) (any, error) {
	count := query.number("count", 1)
	timeout := query.duration("timeout", defaultWait, maxWait)
	if err := query.check(); err != nil {
		return nil, err
	}
	// Not every server supports this; then its own deadline applies.
	_ = http.NewResponseController(c.w).SetWriteDeadline(time.Now().Add(timeout + writeGrace))
	ctx, cancel := context.WithTimeout(c.r.Context(), timeout)
	defer cancel()
	return wait(ctx, int(count))
}

func waitForJournal(c *call) (any, error) {
	query := c.query()
	filter := filterOf(query)
	filter.Done = true
	return c.waitFor(query, func(ctx context.Context, count int) (waitAnswer, error) {
		kept := c.box.Journal()
		err := kept.Wait(ctx, filter, count)
		met := err == nil
		if errors.Is(err, context.DeadlineExceeded) {
			err = nil
		}
		return waitAnswer{Met: met, Count: kept.CountMatching(filter)}, err
	})
}

// keepAlive is the interval of the messages on an idle stream.
const keepAlive = 15 * time.Second

func streamJournal(c *call) (any, error) {
	query := c.query()
	filter := filterOf(query)
	if err := query.check(); err != nil {
		return nil, err
	}
	subscription, err := c.box.Journal().Subscribe(filter)
	if err != nil {
		return nil, err
	}
	defer subscription.Close()
	header := c.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache")
	out := stream{c.w, http.NewResponseController(c.w)}
	for err = out.write(": connected\n\n"); err == nil; {
		err = out.sendNext(c.r.Context(), subscription)
	}
	return nil, nil
}

type stream struct {
	http.ResponseWriter
	controller *http.ResponseController
}

// sendNext sends the next event, or a keep-alive message after a while. Its error ends the stream.
func (s stream) sendNext(ctx context.Context, subscription *journal.Subscription) error {
	soon, cancel := context.WithTimeout(ctx, keepAlive)
	defer cancel()
	event, err := subscription.Next(soon)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return s.write(": still here\n\n")
	case err != nil:
		_ = s.write("event: dropped\ndata: {\"message\":%q}\n\n", err.Error()) // the stream ends anyway
		return err
	}
	data, err := json.Marshal(event.Exchange)
	if err != nil {
		return fmt.Errorf("exchange %d: %w", event.Exchange.Number, err)
	}
	return s.write("event: %s\nid: %d\ndata: %s\n\n", event.Kind, event.Exchange.Number, data)
}

// write sends immediately. A client that does not read for long is disconnected.
func (s stream) write(format string, args ...any) error {
	// Not every server supports this; then its own deadline applies.
	_ = s.controller.SetWriteDeadline(time.Now().Add(writeGrace))
	if _, err := fmt.Fprintf(s, format, args...); err != nil {
		return err
	}
	return s.controller.Flush()
}

func showTestimony(c *call) (any, error) { return keys{"testimony": c.box.Journal().Testimony()}, nil }

func testify(c *call) (any, error) {
	testimony, err := read[client.Testimony](c)
	if err != nil {
		return nil, err
	}
	testimony, err = c.box.Journal().Testify(testimony)
	if errors.Is(err, journal.ErrTooMuch) {
		err = fmt.Errorf("%w: DELETE %s/journal empties it", err, Path)
	}
	return answer{http.StatusCreated, testimony}, err
}

func verdict(c *call) (any, error) {
	query := c.query()
	format := word(query, "format", "json or text", []string{"json", "text"})
	if err := query.check(); err != nil {
		return nil, err
	}
	judged := c.box.Verdict()
	if format != "text" {
		return judged, nil
	}
	c.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	c.w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = io.WriteString(c.w, judged.String()) // the caller may have disconnected
	return nil, nil
}
