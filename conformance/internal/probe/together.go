package probe

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"code.dny.dev/ssrf"

	"partnerkit.dev/internal/connection"
)

// SendTogether sends calls at the same time, each on its own connection. The connections are opened
// first, so that the requests leave together, however long a handshake takes. heard receives each
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
			fresh := c.newConnectedClient(connections[i])
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
			if connection, err := c.dial(within); err == nil {
				connections[i] = connection
			}
		})
	}
	dialling.Wait()
	return connections
}

func (c *Client) dial(ctx context.Context) (net.Conn, error) {
	base := c.config.BaseURL
	port := base.Port()
	if base.Scheme != "https" {
		if port == "" {
			port = "80"
		}
		return c.connect(ctx, "tcp", net.JoinHostPort(base.Hostname(), port))
	}
	if port == "" {
		port = "443"
	}
	config := c.tlsConfig()
	config.ServerName, config.NextProtos = base.Hostname(), []string{"h2", "http/1.1"}
	raw, err := c.connect(ctx, "tcp", net.JoinHostPort(base.Hostname(), port))
	if err != nil {
		return nil, err
	}
	secured := tls.Client(raw, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = raw.Close() // the handshake's error says why
		return nil, err
	}
	return secured, nil
}

// wireServer is the address of Azure's WireServer, which hands out a machine's secrets like a
// metadata service. The address looks public.
var wireServer = netip.MustParsePrefix("168.63.129.16/32")

// connect connects to the partner. If only public addresses are allowed, it checks each address when it
// connects, because a name may resolve differently than before.
func (c *Client) connect(ctx context.Context, network, address string) (net.Conn, error) {
	if c.config.Dial != nil {
		return c.config.Dial(ctx, network, address)
	}
	d := &net.Dialer{}
	if c.config.PublicOnly {
		d.Control = ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(wireServer)).Safe
	}
	return d.DialContext(ctx, network, address)
}

// newConnectedClient returns a client whose only connection is ready, if that is not nil.
func (c *Client) newConnectedClient(ready net.Conn) *http.Client {
	transport := c.transport()
	if ready != nil {
		var once sync.Once
		dial := func(ctx context.Context, _, _ string) (connection net.Conn, err error) {
			once.Do(func() { connection = ready })
			if connection == nil {
				return c.dial(ctx)
			}
			return connection, nil
		}
		transport.DialContext, transport.DialTLSContext = dial, dial
	}
	return client(transport)
}

func (c *Client) tlsConfig() *tls.Config {
	return &tls.Config{RootCAs: c.config.RootCAs, MinVersion: tls.VersionTLS12, GetClientCertificate: connection.SendCertificate(c.config.Certificate)}
}

func (c *Client) transport() *http.Transport {
	return &http.Transport{
		DialContext:            c.connect,
		TLSClientConfig:        c.tlsConfig(),
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        idleFor,
		MaxResponseHeaderBytes: largestHeader,
	}
}

func client(transport *http.Transport) *http.Client {
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
