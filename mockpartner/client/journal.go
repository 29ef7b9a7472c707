package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/internal/journal"
)

// Filter says which exchanges are wanted; zero values do not choose.
type Filter = journal.Filter

// query writes the filter as the control API reads it.
func query(f Filter) url.Values {
	values := url.Values{}
	for name, value := range map[string]string{
		"endpoint": string(f.Endpoint), "method": f.Method, "contains": f.Contains, "body": f.Body,
		"hold": f.Hold, "slot": f.Slot, "booking": f.Booking, "fault": f.Fault,
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if f.Status != 0 {
		values.Set("status", strconv.Itoa(f.Status))
	}
	if f.After != 0 {
		values.Set("after", strconv.FormatUint(f.After, 10))
	}
	if f.Done {
		values.Set("done", "true")
	}
	return values
}

// limited is query with the filter's Limit, which a count, a wait and a stream
// do not have.
func limited(f Filter) string {
	values := query(f)
	if f.Limit != 0 {
		values.Set("limit", strconv.Itoa(f.Limit))
	}
	return values.Encode()
}

// Exchanges returns the exchanges that the filter keeps, in the order of
// arrival; without a Limit the newest thousand.
func (c *Client) Exchanges(ctx context.Context, f Filter) ([]journal.Exchange, error) {
	answer, err := call[struct{ Exchanges []journal.Exchange }](ctx, c, http.MethodGet, "/journal?"+limited(f), nil)
	return answer.Exchanges, err
}

// Count counts the exchanges that the filter keeps.
func (c *Client) Count(ctx context.Context, f Filter) (int, error) {
	answer, err := call[struct{ Count int }](ctx, c, http.MethodGet, "/journal/count?"+query(f).Encode(), nil)
	return answer.Count, err
}

// ClearJournal empties the journal.
func (c *Client) ClearJournal(ctx context.Context) error {
	return do(ctx, c, http.MethodDelete, "/journal", nil)
}

// Wait waits until the journal has seen n complete exchanges that the filter
// keeps, and reports whether it has. It waits for at most a minute.
func (c *Client) Wait(ctx context.Context, f Filter, n int, timeout time.Duration) (met bool, err error) {
	values := query(f)
	values.Set("count", strconv.Itoa(n))
	values.Set("timeout", timeout.String())
	answer, err := call[struct{ Met bool }](ctx, c, http.MethodGet, "/journal/wait?"+values.Encode(), nil)
	return answer.Met, err
}

// WriteHAR writes the exchanges that the filter keeps as an HTTP archive.
func (c *Client) WriteHAR(ctx context.Context, w io.Writer, f Filter) error {
	response, err := c.send(ctx, http.MethodGet, "/journal/har?"+limited(f), nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(w, response.Body)
	return err
}

// Events is a stream of what happens in a journal. It is for one reader.
type Events struct {
	body  io.ReadCloser
	lines *bufio.Reader
}

// ErrDropped is wrapped by the error of a stream that the mock has ended.
var ErrDropped = errors.New("the mock has ended the stream")

// Watch begins a stream of what happens from now on to exchanges that the filter
// keeps. Close it, or end the context. An HTTP client with a timeout ends it too.
func (c *Client) Watch(ctx context.Context, f Filter) (*Events, error) {
	response, err := c.send(ctx, http.MethodGet, "/journal/events?"+query(f).Encode(), nil)
	if err != nil {
		return nil, err
	}
	return &Events{body: response.Body, lines: bufio.NewReader(response.Body)}, nil
}

// Next returns the next event. Its error wraps ErrDropped, or is the stream's.
func (e *Events) Next() (event journal.Event, err error) {
	for {
		line, err := e.lines.ReadString('\n')
		if err != nil {
			return event, err
		}
		line = strings.TrimSuffix(line, "\n")
		if kind, ok := strings.CutPrefix(line, "event: "); ok {
			event.Kind = journal.EventKind(kind)
		}
		data, ok := strings.CutPrefix(line, "data: ")
		switch {
		case !ok:
			continue
		case event.Kind == "dropped":
			return event, fmt.Errorf("%w: %s", ErrDropped, data)
		}
		if err := json.Unmarshal([]byte(data), &event.Exchange); err != nil {
			return event, fmt.Errorf("event %s: %w", event.Kind, err)
		}
		return event, nil
	}
}

// Close ends the stream.
func (e *Events) Close() error { return e.body.Close() }
