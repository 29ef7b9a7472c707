package partner

import (
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/netip"

	"code.dny.dev/ssrf"
)

// GuardOf is a guard to which these addresses are public, with a resolver of the
// test's own.
func GuardOf(resolver *net.Resolver, public ...netip.Prefix) *Guard {
	return &Guard{guardian: ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(public...)), resolver: resolver}
}

// ErrCrowded is what a turnstile says when no turn has come.
var ErrCrowded = errCrowded

// Turnstile is one whose turns are all taken.
func Turnstile(ctx context.Context, answer io.Reader, usual int64) io.Reader {
	return &turnstile{answer, ctx, &turn{of: make(chan struct{})}, usual}
}

// Trust has a client trust the certificates of a test's own partner, and no others.
func (c *Client) Trust(authorities *x509.CertPool) {
	c.http.Transport.(*http.Transport).TLSClientConfig.RootCAs = authorities
}
