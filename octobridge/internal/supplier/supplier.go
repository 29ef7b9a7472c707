// Package supplier calls an OCTO supplier. Each error names the call behind it: a *Refusal is an
// answer that refuses, a *Failure is the lack of a readable answer.
package supplier

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"partnerkit.dev/internal/bounded"
	"partnerkit.dev/internal/connection"
	"partnerkit.dev/internal/octo"
	"partnerkit.dev/internal/redact"
	"partnerkit.dev/internal/safetext"
	"partnerkit.dev/schemas/partnerapi"
)

// Config configures a Client.
type Config struct {
	URL       *url.URL // the supplier's endpoint; the paths are below it
	Key       string
	UserAgent string
	// Observe receives every call: its template, such as POST /bookings/{uuid}/confirm, its status (0
	// without an answer) and how long it took. It may be nil.
	Observe func(call string, status int, took time.Duration)
}

// Client calls one supplier. It is safe for concurrent use.
type Client struct {
	Config
	http   *http.Client
	secret *redact.Redactor
}

// These bound what is read of an answer, in bytes.
const (
	maxCatalog = 64 << 20
	maxSlots   = 32 << 20
	maxBooking = 4 << 20
	maxShown   = 500 // of a supplier's message, in characters
)

// maxConnections is the number of idle connections that are kept.
const maxConnections = 64

// New returns a client. It follows no redirects, because those would carry the key elsewhere.
func New(c Config) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost, transport.MaxIdleConns = maxConnections, maxConnections
	if c.Observe == nil {
		c.Observe = func(string, int, time.Duration) {}
	}
	return &Client{
		Config: c,
		http: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		secret: redact.New(c.Key),
	}
}

// Refusal is an answer that is not 2xx.
type Refusal struct {
	Call       string // such as POST /bookings
	Status     int
	Code       octo.ErrorCode // empty if the answer has none
	Message    string         // the supplier's; may be empty
	RetryAfter string
}

func (r *Refusal) Error() string {
	text := fmt.Sprintf("%s: %d", r.Call, r.Status)
	if r.Code != "" {
		text += " " + string(r.Code)
	}
	if r.Message != "" {
		text += ": " + r.Message
	}
	return text
}

// IsFinal reports whether the supplier has decided about the request itself: neither the key, nor its
// rate limit, nor a fault of its own is the reason.
func (r *Refusal) IsFinal() bool {
	return r.Status >= 400 && r.Status < 500 && !r.isTurnedAway() && r.Status != http.StatusRequestTimeout
}

// IsWithoutEffect reports whether the request surely changed nothing.
func (r *Refusal) IsWithoutEffect() bool { return r.IsFinal() || r.isTurnedAway() }

func (r *Refusal) isTurnedAway() bool {
	return r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden || r.Status == http.StatusTooManyRequests
}

// Failure is the lack of a readable answer. The call may have had its effect.
type Failure struct {
	Call    string
	Timeout bool
	Err     error
}

func (f *Failure) Error() string { return f.Call + ": " + f.Err.Error() }

func (f *Failure) Unwrap() error { return f.Err }

// Products returns the supplier's products, each by itself, because one of them may be unreadable.
func (c *Client) Products(ctx context.Context) (products []json.RawMessage, err error) {
	err = c.call(ctx, http.MethodGet, "/products", "", nil, maxCatalog, &products)
	return products, err
}

// Availability returns the slots of an option, each by itself like products.
func (c *Client) Availability(ctx context.Context, r octo.AvailabilityRequest) (slots []json.RawMessage, err error) {
	err = c.call(ctx, http.MethodPost, "/availability", "", r, maxSlots, &slots)
	return slots, err
}

// Reserve puts a booking on hold. A repeat with the same uuid makes no second one.
func (c *Client) Reserve(ctx context.Context, r octo.ReservationRequest) (octo.Booking, error) {
	return c.booking(ctx, http.MethodPost, "/bookings", "", r)
}

// Find returns the booking with the uuid.
func (c *Client) Find(ctx context.Context, uuid string) (octo.Booking, error) {
	return c.booking(ctx, http.MethodGet, "/bookings/{uuid}", uuid, nil)
}

// Confirm confirms the booking with the uuid.
func (c *Client) Confirm(ctx context.Context, uuid string, r octo.ConfirmationRequest) (octo.Booking, error) {
	return c.booking(ctx, http.MethodPost, "/bookings/{uuid}/confirm", uuid, r)
}

// Cancel cancels the booking with the uuid, on hold or confirmed. Some suppliers take the method DELETE
// only.
func (c *Client) Cancel(ctx context.Context, uuid, reason string) (octo.Booking, error) {
	body := octo.CancellationRequest{Reason: reason}
	booking, err := c.booking(ctx, http.MethodPost, "/bookings/{uuid}/cancel", uuid, body)
	if refused := (*Refusal)(nil); errors.As(err, &refused) && refused.Status == http.StatusMethodNotAllowed {
		return c.booking(ctx, http.MethodDelete, "/bookings/{uuid}/cancel", uuid, body)
	}
	return booking, err
}

func (c *Client) booking(ctx context.Context, method, path, uuid string, body any) (booking octo.Booking, err error) {
	if err := c.call(ctx, method, path, uuid, body, maxBooking, &booking); err != nil {
		return booking, err
	}
	if booking.Status == "" {
		return booking, &Failure{Call: method + " " + path, Err: errors.New("the answer is no booking: it has no status")}
	}
	return booking, nil
}

// call sends a request and decodes its answer.
func (c *Client) call(ctx context.Context, method, path, uuid string, body any, most int64, into any) error {
	call, status, began := method+" "+path, 0, time.Now()
	defer func() { c.Observe(call, status, time.Since(began)) }()
	request, err := c.request(connection.Watch(ctx), method, strings.Replace(path, "{uuid}", partnerapi.EscapeSegment(uuid), 1), body)
	if err != nil {
		return &Failure{Call: call, Err: err}
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return c.failure(request.Context(), call, err)
	}
	defer answer.Body.Close()
	text, err := bounded.ReadAll(answer.Body, most)
	if err != nil {
		return c.failure(request.Context(), call, err)
	}
	if status = answer.StatusCode; status < 200 || status > 299 {
		return c.refusal(call, answer, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return &Failure{Call: call, Err: fmt.Errorf("the answer is not as OCTO has it: %s", c.show(err.Error()))}
	}
	return nil
}

func (c *Client) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	address, err := partnerapi.URL(c.URL, path, nil)
	if err != nil {
		return nil, err
	}
	content := []byte(nil)
	if body != nil {
		if content, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, address.String(), bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	request.URL = address // as escaped above
	request.Header.Set("Authorization", "Bearer "+c.Key)
	request.Header.Set(octo.CapabilitiesHeader, octo.Pricing)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", c.UserAgent)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, nil
}

func (c *Client) failure(ctx context.Context, call string, err error) error {
	if errors.Is(err, bounded.ErrTooLarge) {
		return &Failure{Call: call, Err: errors.New("the answer is too large")}
	}
	late := errors.Is(err, context.DeadlineExceeded)
	return &Failure{Call: call, Timeout: late, Err: errors.New(c.show(connection.NewFailure(ctx, err).Error()))}
}

func (c *Client) refusal(call string, answer *http.Response, text []byte) error {
	refused := &Refusal{Call: call, Status: answer.StatusCode, RetryAfter: answer.Header.Get("Retry-After")}
	var said octo.Error
	if json.Unmarshal(text, &said) == nil {
		refused.Code, refused.Message = octo.ErrorCode(c.show(string(said.Code))), c.show(said.Message)
	}
	return refused
}

// show returns a supplier's text in a form that is safe to log and to pass on.
func (c *Client) show(text string) string {
	line := safetext.Line(c.secret.Redact(text))
	if runes := []rune(line); len(runes) > maxShown {
		line = string(runes[:maxShown]) + "…"
	}
	return line
}
