// Package partner registers partners' platforms, and calls them: each of the contract's
// endpoints within its limit, with the registered key, to addresses that are public, and
// never at the cost of another partner. Every call goes through one pipeline (do, in
// calls.go): permit, deadline, exchange, judgement, health. Callers are told what an
// answer means, and need no status codes.
package partner

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// Target is a partner to be called.
type Target struct {
	ID       uuid.UUID // of the integration
	Mode     marketplace.Mode
	BaseURL  *url.URL
	AuthType partnerapi.AuthType
	AuthKey  string
}

// Config says how partners are called.
type Config struct {
	Guard     *Guard
	UserAgent string
	AtOnce    int                          // calls to one partner that wait for its answer at the same time
	Observe   func(uuid.UUID, Observation) // is told of every call, by integration
	Now       func() time.Time
	Scale     func(time.Duration) time.Duration // of the limits; nil: they are the contract's
}

// Client calls partners. It is safe for concurrent use.
type Client struct {
	config  Config
	http    *http.Client // for what may be sent at any time
	booking *http.Client // for what may be sent for a while only
	permits *Permits
	large   *semaphore.Weighted // limits the large answers in memory
	life    context.Context
	end     context.CancelCauseFunc
	calls   sync.WaitGroup // that continue after their caller has gone
}

// largestHeader is how many bytes of an answer's header are read.
const largestHeader = 64 << 10

// NewClient returns a client.
func NewClient(config Config) *Client {
	if config.Scale == nil {
		config.Scale = func(limit time.Duration) time.Duration { return limit }
	}
	life, end := context.WithCancelCause(context.Background())
	return &Client{
		config: config, life: life, end: end,
		permits: NewPermits(config.AtOnce),
		large:   semaphore.NewWeighted(largeAtOnce),
		http:    &http.Client{Transport: transport(config), CheckRedirect: noRedirect},
		booking: &http.Client{Transport: bookingTransport(config), CheckRedirect: noRedirect},
	}
}

// transport is that of calls that may be sent at any time.
func transport(config Config) *http.Transport {
	return &http.Transport{
		DialContext:            config.Guard.DialContext(),
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    dialTime,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           1000,
		MaxIdleConnsPerHost:    config.AtOnce, // 2, the default, would open a new connection for most calls
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: largestHeader,
	}
}

// bookingTransport is that of calls whose connection checks that they are still to be
// sent. With HTTP/2 calls share one, and a write there is not any one call's.
func bookingTransport(config Config) *http.Transport {
	t := transport(config)
	t.DialContext = checked(t.DialContext)
	t.ForceAttemptHTTP2, t.Protocols = false, new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	return t
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Close cancels the running calls, waits for those that continue after their caller has
// gone, and closes idle connections.
func (c *Client) Close() {
	c.end(errClosed)
	c.calls.Wait()
	c.http.CloseIdleConnections()
	c.booking.CloseIdleConnections()
}
