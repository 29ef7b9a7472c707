package partner

import (
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/netip"

	"code.dny.dev/ssrf"
	"golang.org/x/sync/semaphore"
)

// GuardOf is a guard to which these addresses are public, with a resolver of the
// test's own.
func GuardOf(resolver *net.Resolver, public ...netip.Prefix) *Guard {
	return &Guard{guardian: ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(public...)), resolver: resolver}
}

// ErrCrowded is what the reader of an answer says when no place has come free.
var ErrCrowded = errCrowded

// CrowdedReader is one of an answer for which there is no place.
func CrowdedReader(ctx context.Context, answer io.Reader, usual int64) io.Reader {
	return &largeReader{answer, ctx, &place{of: semaphore.NewWeighted(0)}, usual}
}

// Trust has a client trust the certificates of a test's own partner, and no others.
func (c *Client) Trust(authorities *x509.CertPool) {
	for _, client := range []*http.Client{c.http, c.booking} {
		client.Transport.(*http.Transport).TLSClientConfig.RootCAs = authorities
	}
}
