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
	"net"
	"net/http"
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
	firstPiece     = 16 << 10 // bytes read of a body that is too large
)

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
	c.http = client(c.config.transport())
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
		fresh := c.config.newConnectedClient(nil)
		defer fresh.CloseIdleConnections()
		return c.send(ctx, call, fresh)
	}
	return c.send(ctx, call, c.http)
}

// SendTogether sends calls at the same time, each on its own connection. The connections are opened
// first, so that the requests leave together, however long a handshake takes. answered receives each
// answer when it arrives, with the index of its call.
func (c *Client) SendTogether(ctx context.Context, calls []Call, answered func(i int, answer *Answer)) {
	for range calls {
		c.await(ctx)
	}
	connections := c.dialAll(ctx, calls)
	start := make(chan struct{})
	var running sync.WaitGroup
	for i, call := range calls {
		running.Go(func() {
			fresh := c.config.newConnectedClient(connections[i])
			defer fresh.CloseIdleConnections() // a partner that serves one connection at a time waits for this
			<-start
			answered(i, c.send(ctx, call, fresh))
		})
	}
	close(start)
	running.Wait()
}

// dialAll opens a connection for each call. An element is nil if that fails: the call then reports
// why.
func (c *Client) dialAll(ctx context.Context, calls []Call) []net.Conn {
	connections := make([]net.Conn, len(calls))
	var dialling sync.WaitGroup
	for i, call := range calls {
		dialling.Go(func() {
			within, cancel := context.WithTimeout(ctx, call.Deadline)
			defer cancel()
			if connection, err := c.config.openConnection(within); err == nil {
				connections[i] = connection
			}
		})
	}
	dialling.Wait()
	return connections
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
