package partner

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/health"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// What is read of an answer at most, in bytes, once it is unpacked.
const (
	largestCatalog = 64 << 20
	largestSlots   = 16 << 20
	largestProbe   = 64 << 10 // its content is not read; the rest is left where it is
	largestHeader  = 64 << 10
)

// Target is a partner to be called.
type Target struct {
	ID       uuid.UUID // of the integration
	BaseURL  *url.URL
	AuthType partnerapi.AuthType
	AuthKey  string
}

// Config says how partners are called.
type Config struct {
	Guard     *Guard
	UserAgent string
	AtOnce    int                          // calls to one partner that wait for its answer at the same time
	Observe   func(uuid.UUID, health.Call) // is told of every call, by integration
	Now       func() time.Time
	Scale     func(time.Duration) time.Duration // of the limits; nil: they are the contract's
}

// Client calls partners. It is safe for concurrent use.
type Client struct {
	config Config
	http   *http.Client
	gates  *gates
	large  chan struct{} // a turn for each large answer that may be held at once
	life   context.Context
	end    context.CancelFunc
	calls  sync.WaitGroup // that outlive whoever made them
}

// NewClient returns a client.
func NewClient(config Config) *Client {
	if config.Scale == nil {
		config.Scale = func(limit time.Duration) time.Duration { return limit }
	}
	life, end := context.WithCancel(context.Background())
	return &Client{
		config: config, life: life, end: end,
		gates: newGates(config.AtOnce),
		large: make(chan struct{}, largeAtOnce),
		http: &http.Client{
			Transport: &http.Transport{
				DialContext:            config.Guard.dialer().DialContext,
				TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
				TLSHandshakeTimeout:    dialTime,
				ForceAttemptHTTP2:      true,
				MaxIdleConns:           1000,
				MaxIdleConnsPerHost:    config.AtOnce, // 2, the default, would dial anew for most calls
				IdleConnTimeout:        30 * time.Second,
				MaxResponseHeaderBytes: largestHeader,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Close ends the calls that are under way, waits for those that outlive whoever made
// them, and closes idle connections.
func (c *Client) Close() {
	c.end()
	c.calls.Wait()
	c.http.CloseIdleConnections()
}

// call is one request.
type call struct {
	method, path string
	name         string // for people, where the path holds a code
	query        url.Values
	body         any // nil: none
	limit        time.Duration
	largest      int64
	only200      bool // the probe's: no other 2xx will do
	once         bool // net/http must not send it again, whatever it thinks of the connection
	read         func([]byte) error
}

// what names the call for people.
func (asked call) what() string {
	if asked.name != "" {
		return asked.name
	}
	return asked.method + " " + asked.path
}

// Products pulls the catalog, whole, or what changed since then, and has read read its
// body, which nobody may keep. The error is PartnerLate or PartnerFailed, with words for
// the partner; what read returns is part of them.
func (c *Client) Products(ctx context.Context, t Target, since time.Time, read func(body []byte) error) error {
	query := url.Values{}
	if !since.IsZero() {
		query.Set("updated_since", since.UTC().Format(time.RFC3339))
	}
	_, err := c.do(ctx, t, call{
		method: http.MethodGet, path: partnerapi.ProductsPath, query: query,
		limit: partnerapi.Products.Timeout(partnerapi.Healthy), largest: largestCatalog, read: read,
	})
	return err
}

// Probe asks whether the partner is there; what it answers does not matter.
func (c *Client) Probe(ctx context.Context, t Target) error {
	_, err := c.do(ctx, t, call{
		method: http.MethodGet, path: partnerapi.ProductsPath, query: url.Values{"limit": {"1"}},
		limit: partnerapi.ProbeTimeout, largest: largestProbe, only200: true,
	})
	return err
}

// Availability asks for an option's slots, and returns the answer's body, which
// readable has found good. Errors are those of Products.
func (c *Client) Availability(ctx context.Context, t Target, asked partnerapi.AvailabilityRequest, readable func([]byte) error) ([]byte, error) {
	return c.do(ctx, t, call{
		method: http.MethodPost, path: partnerapi.AvailabilityPath, body: asked,
		limit: partnerapi.Availability.Timeout(partnerapi.Healthy), largest: largestSlots, read: readable,
	})
}

// do sends a call once it is the partner's turn, reads the whole answer within the
// limit, and tells what came of it.
func (c *Client) do(ctx context.Context, t Target, asked call) ([]byte, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(c.life, func() { end(errClosed) })()
	leave, err := c.gates.enter(ctx, t.ID)
	if err != nil {
		return nil, context.Cause(ctx)
	}
	defer leave()
	limit := c.config.Scale(asked.limit)
	within, cancel := context.WithTimeoutCause(ctx, limit, errLate)
	defer cancel()
	turn := &turn{of: c.large}
	defer turn.leave() // once the body has been read for its meaning as well
	began := c.config.Now()
	status, body, err := c.send(within, t, asked, turn)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // we gave up, which says nothing of the partner
	}
	if errors.Is(err, errCrowded) {
		return nil, marketplace.Errorf(marketplace.PartnerLate, "the partner's answer to %s is larger than %d MiB, and had to wait for other such answers until its %s were over", asked.what(), usualAnswer>>20, asked.limit)
	}
	outcome, err := judged(within, asked, status, body, err)
	ended := c.config.Now()
	c.config.Observe(t.ID, health.Call{At: ended, Outcome: outcome, Status: status, Took: ended.Sub(began)})
	return body, err
}

var (
	errLate   = errors.New("the partner's time is over")
	errLarge  = errors.New("the answer is larger than is read")
	errClosed = errors.New("the service is stopping")
)

func (c *Client) send(ctx context.Context, t Target, asked call, turn *turn) (status int, body []byte, err error) {
	request, err := c.request(ctx, t, asked)
	if err != nil {
		return 0, nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	if response.ContentLength > asked.largest && asked.read != nil {
		return response.StatusCode, nil, errLarge
	}
	body, err = io.ReadAll(io.LimitReader(&turnstile{response.Body, ctx, turn, usualAnswer}, asked.largest+1))
	if err == nil && int64(len(body)) > asked.largest && asked.read != nil {
		err = errLarge
	}
	return response.StatusCode, body, err
}

func (c *Client) request(ctx context.Context, t Target, asked call) (*http.Request, error) {
	address, err := partnerapi.URL(t.BaseURL, asked.path, asked.query)
	if err != nil {
		return nil, err
	}
	var body io.Reader
	if asked.body != nil {
		text, err := json.Marshal(asked.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, asked.method, address.String(), body)
	if err != nil {
		return nil, err
	}
	request.URL = address // as it is: NewRequest would parse it anew
	if asked.once {
		request.GetBody = nil
	}
	if asked.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", c.config.UserAgent)
	request.Header.Set("Authorization", t.AuthType.Authorization(t.AuthKey))
	return request, nil
}

// judged says what came of a call, for health and for people.
func judged(within context.Context, asked call, status int, body []byte, err error) (health.Outcome, error) {
	what := asked.what()
	switch {
	case err != nil && errors.Is(context.Cause(within), errLate):
		return health.Timeout, errTooLate(asked)
	case packedBadly(err):
		return health.Unreadable, marketplace.Errorf(marketplace.PartnerFailed, "the partner's answer to %s makes no sense: it is not packed as its Content-Encoding, gzip, says", what)
	case errors.Is(err, errLarge):
		return health.Unreadable, marketplace.Errorf(marketplace.PartnerFailed, "the partner's answer to %s has more than %s MiB", what, strconv.FormatInt(asked.largest>>20, 10))
	case prohibited(err):
		return health.Transport, marketplace.Errorf(marketplace.PartnerFailed, "the partner's name leads to an address that is not public")
	case err != nil:
		return health.Transport, &marketplace.Error{Code: marketplace.PartnerFailed, Message: fmt.Sprintf("the partner could not be reached for %s, or the connection broke", what), Cause: withoutAddress(err)}
	case status/100 != 2 || asked.only200 && status != http.StatusOK:
		return health.Status, marketplace.Errorf(marketplace.PartnerFailed, "the partner answered %s with %d", what, status)
	}
	if asked.read != nil {
		if err := asked.read(body); err != nil {
			return health.Unreadable, marketplace.Errorf(marketplace.PartnerFailed, "the partner's answer to %s makes no sense: %w", what, err)
		}
	}
	return health.OK, nil
}

// errTooLate says that the partner did not answer in time.
func errTooLate(asked call) error {
	return marketplace.Errorf(marketplace.PartnerLate, "the partner did not answer %s within %s", asked.what(), asked.limit)
}

// badAnswer reports whether an answer broke off because of what it is, and not because
// the connection did.
func badAnswer(err error) bool { return packedBadly(err) || errors.Is(err, errLarge) }

// withoutAddress drops the address from a client error: its query is nobody's
// business, and the log names the integration.
func withoutAddress(err error) error {
	if inURL := (*url.Error)(nil); errors.As(err, &inURL) {
		return inURL.Err
	}
	return err
}
