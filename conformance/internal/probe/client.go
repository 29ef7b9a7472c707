// Package probe is the recording HTTP client of the suite. It sends what the marketplace would send
// and waits slightly longer than the marketplace, so that a late answer is seen and timed. It keeps
// every exchange as evidence: redacted, bounded, and with a curl command that repeats it.
//
// It never follows redirects, never retries, uses no proxy, and reads a bounded part of a body.
package probe

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/connection"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	largestCatalog = 32 << 20 // bytes read of a catalog: about 20,000 products
	largestSlots   = 16 << 20 // bytes read of an availability answer
	largestAnswer  = 4 << 20  // bytes read of any other answer
	largestHeader  = 1 << 20  // bytes read of an answer's header
	firstPiece     = 16 << 10 // bytes read of a body that is too large
	// idleFor is shorter than any server's keep-alive, so that no request is lost on a connection
	// that the partner is closing.
	idleFor = time.Second
)

// NoType is the content type of a body that is sent without a Content-Type header.
const NoType = "none"

// Config configures a Client.
type Config struct {
	BaseURL  *url.URL
	AuthType partnerapi.AuthType
	AuthKey  string
	RootCAs  *x509.CertPool // nil: the system's certificates
	// Certificate is sent to a server that asks for a client certificate; nil: none.
	Certificate *tls.Certificate
	UserAgent   string
	MaxRPS      int // maximum number of calls per second; 0: no limit
	// PublicOnly refuses to connect to an address that is not public.
	PublicOnly bool
	// Dial connects to the partner; nil: over the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// WebhookSecret is also removed from all evidence; "": none.
	WebhookSecret string
}

// Call is a request that a Client sends.
type Call struct {
	Endpoint partnerapi.Endpoint
	Purpose  string // what the call is for, in a few words
	Method   string
	Path     string // escaped, as package partnerapi returns it
	Query    url.Values
	Body     []byte // nil: no body
	BodyType string // its content type; "": application/json
	Key      Key
	Limit    time.Duration // the contract's limit, for the curl command and the evidence; 0: none
	Deadline time.Duration // how long to wait for the answer
	BadInput bool          // the marketplace never sends such a call
}

// Answer is an exchange with the complete body of its answer.
type Answer struct {
	*report.Exchange
	Raw []byte // as received, uncompressed; nil if Failure is set
	Key Key    // that the call presented
	// Closed means that the partner closed a kept-alive connection before the first byte of an
	// answer. That is lawful, and it is unknown whether the call arrived.
	Closed bool
	// NoHTTP means that the server closed the connection without a byte, or speaks another protocol.
	NoHTTP bool
}

// IsUnsent reports whether the call did not arrive: there was no connection, or none with TLS.
func (a *Answer) IsUnsent() bool {
	return a.Failure != nil && slices.Contains([]report.FailureKind{report.Refused, report.Unresolved, report.TLS}, a.Failure.Kind)
}

// HasStatus reports whether the complete answer was read, with one of the statuses.
func (a *Answer) HasStatus(statuses ...int) bool {
	return a.Failure == nil && slices.Contains(statuses, a.Response.Status)
}

// BrokeOff reports whether an answer with one of these statuses started to arrive, but its body
// could not be read to the end. Timeouts and interrupted runs do not count.
func (a *Answer) BrokeOff(statuses ...int) bool {
	return a.Failure != nil && a.Failure.Kind != report.Timeout && a.Failure.Kind != report.Stopped &&
		a.Response != nil && slices.Contains(statuses, a.Response.Status)
}

// Words returns the outcome of the call, for messages after "received".
func (a *Answer) Words() string {
	if a.Failure != nil {
		return "no complete answer: " + a.Failure.Message
	}
	words := strings.TrimSpace(fmt.Sprintf("%d %s", a.Response.Status, http.StatusText(a.Response.Status)))
	if location := a.Response.Header.Get("Location"); location != "" {
		return fmt.Sprintf("%s to %s; redirects are not followed", words, location)
	}
	return words
}

// Client sends calls to one partner and keeps the exchanges. It is safe for concurrent use.
type Client struct {
	config  Config
	redact  *Redactor
	rate    *rate.Limiter
	http    *http.Client
	reached atomic.Bool // the partner has answered at least once
	closes  atomic.Bool // the partner has closed a kept-alive connection

	mu        sync.Mutex
	exchanges []*report.Exchange
	kept      int                          // bytes of complete bodies
	serves    map[partnerapi.Endpoint]bool // the endpoints that have answered with a 2xx
}

// NewClient returns a client that has sent nothing yet.
func NewClient(config Config) *Client {
	c := &Client{
		config: config,
		redact: NewRedactor(config.AuthKey, config.WebhookSecret),
		rate:   rate.NewLimiter(cmp.Or(rate.Limit(config.MaxRPS), rate.Inf), 1),
		serves: map[partnerapi.Endpoint]bool{},
	}
	c.http = client(c.transport())
	return c
}

// Redactor returns what removes the client's secrets from texts.
func (c *Client) Redactor() *Redactor { return c.redact }

// NearKeys returns the wrong keys that are similar to the registered one.
func (c *Client) NearKeys() []Key { return nearKeys(c.config.AuthType, c.config.AuthKey) }

// Exchanges returns all exchanges so far, in the order of sending.
func (c *Client) Exchanges() []*report.Exchange {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.exchanges)
}

// Calls returns the number of calls so far.
func (c *Client) Calls() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.exchanges)
}

// Serves reports whether an endpoint has ever answered with a 2xx.
func (c *Client) Serves(endpoint partnerapi.Endpoint) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.serves[endpoint]
}

func (c *Client) noteStatus(endpoint partnerapi.Endpoint, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serves[endpoint] = c.serves[endpoint] || status/100 == 2
}

// WasReached reports whether the partner has ever answered.
func (c *Client) WasReached() bool { return c.reached.Load() }

// SpeaksHTTP reports whether the server answers a request for the base URL itself, with whatever status. The request has
// no key, and is not a part of the evidence.
func (c *Client) SpeaksHTTP(ctx context.Context, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.config.BaseURL.String(), http.NoBody)
	if err != nil {
		return false
	}
	request.Header.Set("User-Agent", c.config.UserAgent)
	answer, err := c.http.Do(request)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return true
}

// Close closes the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Do sends call once and waits for its complete answer, until call.Deadline has passed or ctx is
// done. Every failure is part of the Answer.
//
// After the partner has closed a kept-alive connection, calls that must not be sent twice get a new
// connection each.
func (c *Client) Do(ctx context.Context, call Call) *Answer {
	c.await(ctx)
	if c.closes.Load() && !IsRepeatable(call.Endpoint) {
		fresh := c.newConnectedClient(nil)
		defer fresh.CloseIdleConnections()
		return c.send(ctx, call, fresh)
	}
	return c.send(ctx, call, c.http)
}

// IsRepeatable reports whether a call whose answer was lost can be sent again as if the first call
// had never been sent.
func IsRepeatable(endpoint partnerapi.Endpoint) bool {
	return endpoint != partnerapi.Reserve && endpoint != partnerapi.Confirm
}

func (c *Client) send(ctx context.Context, call Call, with *http.Client) *Answer {
	exchange := c.begin(call)
	within, cancel := context.WithTimeout(connection.Watch(ctx), call.Deadline)
	defer cancel()

	request, err := c.request(within, call)
	if err != nil {
		exchange.Failure = &report.Failure{Kind: report.Protocol, Message: c.redact.shorten(err.Error(), longestMessage)}
		return &Answer{Exchange: exchange, Key: call.Key}
	}
	redact := c.redact.withNearKey(call.Key.nearKey(c.config.AuthKey))
	exchange.Request = report.Request{
		Method: call.Method,
		URL:    redact.shorten(request.URL.String(), longestText),
		Header: redact.header(request.Header, c.config.AuthType),
		Body:   redact.body(call.Body),
	}
	exchange.Curl = curl(call, exchange.Request.URL, request.Header, c.config.AuthType, redact.Redact)

	way, reached := new(requestProgress), c.reached.Load()
	raw, err := c.exchange(with, exchange, request.WithContext(way.trace(within)), sizeCap(call.Endpoint), redact)
	exchange.Duration = time.Since(exchange.StartedAt)
	if err != nil {
		tried := attempt{
			err: err, deadline: call.Deadline, largest: sizeCap(call.Endpoint),
			way: way, reached: reached, began: exchange.Response != nil,
		}
		exchange.Failure = tried.failure(ctx, within)
		exchange.Failure.Message = redact.shorten(exchange.Failure.Message, longestMessage)
		answer := &Answer{Exchange: exchange, Key: call.Key, Closed: way.wasClosed(exchange.Failure.Kind)}
		answer.NoHTTP = exchange.Failure.Kind == report.Reset && !way.answered.Load() || tried.isNoHTTP()
		if answer.Closed {
			c.closes.Store(true)
			c.http.CloseIdleConnections() // the other connections are as old
		}
		return answer
	}
	return &Answer{Exchange: exchange, Raw: raw, Key: call.Key}
}

// await waits until a call may be sent. It returns early if ctx is done; then the call itself
// fails. The call's time starts afterwards.
func (c *Client) await(ctx context.Context) {
	turn := time.NewTimer(c.rate.Reserve().Delay())
	defer turn.Stop()
	select {
	case <-turn.C:
	case <-ctx.Done():
	}
}

func (c *Client) begin(call Call) *report.Exchange {
	c.mu.Lock()
	defer c.mu.Unlock()
	exchange := &report.Exchange{
		Number: len(c.exchanges) + 1, Endpoint: call.Endpoint, Purpose: call.Purpose, StartedAt: time.Now(), Limit: call.Limit, BadInput: call.BadInput,
	}
	c.exchanges = append(c.exchanges, exchange)
	return exchange
}

func (c *Client) request(ctx context.Context, call Call) (*http.Request, error) {
	address, err := partnerapi.URL(c.config.BaseURL, call.Path, call.Query)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, call.Method, address.String(), bytes.NewReader(call.Body))
	if err != nil {
		return nil, err
	}
	// Parsing the text again would lose the escaping of an opaque code.
	request.URL = address
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", c.config.UserAgent)
	if call.Body != nil && call.BodyType != NoType {
		request.Header.Set("Content-Type", cmp.Or(call.BodyType, "application/json"))
	}
	call.Key.present(request.Header, c.config.AuthType, c.config.AuthKey)
	return request, nil
}

// exchange sends request, reads its answer into exchange, and returns the complete body. The part
// that was read of an incomplete body is also evidence.
func (c *Client) exchange(with *http.Client, exchange *report.Exchange, request *http.Request, largest int64, redact *Redactor) ([]byte, error) {
	answer, err := with.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	c.reached.Store(true)
	c.noteStatus(exchange.Endpoint, answer.StatusCode)
	if answer.ContentLength > largest {
		largest = firstPiece // enough to show; the rest is not worth the wait
	}
	raw, err := readBody(answer, largest)
	if err == nil && int64(len(raw)) > largest {
		err = errTooLarge
	}
	exchange.Response = &report.Response{
		Status: answer.StatusCode, Proto: answer.Proto, Header: redact.header(answer.Header, c.config.AuthType), Body: redact.body(raw),
	}
	if err != nil {
		exchange.Response.Body.Cut = true
		return nil, err
	}
	if exchange.Response.Body.Cut && c.keeps(len(raw)) {
		exchange.Response.Body.Whole = strings.ToValidUTF8(redact.Redact(string(raw)), "\uFFFD")
	}
	return raw, nil
}

const (
	longestWhole = 1 << 20  // maximum bytes of a body that is kept complete
	mostWhole    = 64 << 20 // maximum bytes of all of them
)

// keeps reports whether there is room for a complete body of that many bytes.
func (c *Client) keeps(size int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if size > longestWhole || c.kept+size > mostWhole {
		return false
	}
	c.kept += size
	return true
}

func sizeCap(endpoint partnerapi.Endpoint) int64 {
	switch endpoint {
	case partnerapi.Products:
		return largestCatalog
	case partnerapi.Availability:
		return largestSlots
	default:
		return largestAnswer
	}
}
