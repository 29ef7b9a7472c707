package probe

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"code.dny.dev/ssrf"

	"partnerkit.dev/internal/connection"
)

const (
	largestHeader = 1 << 20 // bytes read of an answer's header
	// idleFor is shorter than any server's keep-alive, so that no request is lost on a connection
	// that the partner is closing.
	idleFor = time.Second
)

// openConnection opens a connection to the partner, with TLS where the base URL says so.
func (c *Config) openConnection(ctx context.Context) (net.Conn, error) {
	base := c.BaseURL
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
func (c *Config) connect(ctx context.Context, network, address string) (net.Conn, error) {
	if c.Dial != nil {
		return c.Dial(ctx, network, address)
	}
	d := &net.Dialer{}
	if c.PublicOnly {
		d.Control = ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(wireServer)).Safe
	}
	return d.DialContext(ctx, network, address)
}

// newConnectedClient returns a client whose only connection is ready, if that is not nil.
func (c *Config) newConnectedClient(ready net.Conn) *http.Client {
	transport := c.transport()
	if ready != nil {
		var once sync.Once
		dial := func(ctx context.Context, _, _ string) (connection net.Conn, err error) {
			once.Do(func() { connection = ready })
			if connection == nil {
				return c.openConnection(ctx)
			}
			return connection, nil
		}
		transport.DialContext, transport.DialTLSContext = dial, dial
	}
	return client(transport)
}

func (c *Config) tlsConfig() *tls.Config {
	return &tls.Config{RootCAs: c.RootCAs, MinVersion: tls.VersionTLS12, GetClientCertificate: connection.SendCertificate(c.Certificate)}
}

func (c *Config) transport() *http.Transport {
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
