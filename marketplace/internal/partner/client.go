// Package partner registers partners' platforms and calls them. Each of the contract's endpoints is
// called within its limit, with the registered key, and only at public addresses. One partner's
// calls never delay another's. Every call goes through one pipeline (do, in calls.go): permit,
// deadline, exchange, watcher, judgement, health. Callers receive the meaning of an answer and need no
// status codes.
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

	"partnerkit.dev/internal/connection"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/parts"
	"partnerkit.dev/schemas/partnerapi"
)

// Target is how a partner is called.
type Target struct {
	ID       uuid.UUID // of the integration
	Account  uuid.UUID // that owns it
	Mode     domain.Mode
	BaseURL  *url.URL
	AuthType partnerapi.AuthType
	AuthKey  string
	Identity string // a client certificate with its private key, in PEM; "": none
	Tickets  bool   // the partner delivers its own tickets
}

// Config configures a Client.
type Config struct {
	Guard     *Guard
	UserAgent string
	AtOnce    int                          // concurrent calls to one partner
	Observe   func(uuid.UUID, Observation) // called after every call, with the integration
	Watcher   Watcher                      `part:"optional"` // sees every call; nil: none
	Now       func() time.Time
	Scale     func(time.Duration) time.Duration `part:"optional"` // scales the limits; nil: the contract's limits apply
}

// Client calls partners. It is safe for concurrent use.
type Client struct {
	config     Config
	http       *http.Client // for calls without a SendBy
	booking    *http.Client // for calls with a SendBy
	permits    *Permits
	identified identified
	large      *semaphore.Weighted // limits the large answers in memory
	largeOf    *Permits            // limits them for each account
	life       context.Context
	end        context.CancelCauseFunc
	calls      sync.WaitGroup // calls that continue after their caller has gone
}

// largestHeader limits an answer's header, in bytes.
const largestHeader = 64 << 10

// NewClient returns a client.
func NewClient(config Config) (*Client, error) {
	if err := parts.Check("partners' client", config); err != nil {
		return nil, err
	}
	if config.Scale == nil {
		config.Scale = func(limit time.Duration) time.Duration { return limit }
	}
	life, end := context.WithCancelCause(context.Background())
	return &Client{
		config: config, life: life, end: end,
		permits:    NewPermits(config.AtOnce),
		identified: identified{of: map[uuid.UUID]identifiedClients{}},
		large:      semaphore.NewWeighted(largeAtOnce),
		largeOf:    NewPermits(largeOfAccount),
		http:       &http.Client{Transport: transport(config), CheckRedirect: noRedirect},
		booking:    &http.Client{Transport: bookingTransport(config), CheckRedirect: noRedirect},
	}, nil
}

// transport returns the transport for calls without a SendBy.
func transport(config Config) *http.Transport {
	return &http.Transport{
		DialContext:            config.Guard.DialContext(),
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, GetClientCertificate: connection.SendCertificate(nil)},
		TLSHandshakeTimeout:    dialTime,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           1000,
		MaxIdleConnsPerHost:    config.AtOnce, // 2, the default, would open a new connection for most calls
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: largestHeader,
	}
}

// bookingTransport returns the transport for calls whose connection checks their SendBy. It does
// not use HTTP/2, where calls share a connection and a write does not belong to one call.
func bookingTransport(config Config) *http.Transport {
	t := transport(config)
	t.DialContext = checkingDialer(t.DialContext)
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
	c.identified.close()
}
