package partner

import (
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"code.dny.dev/ssrf"
	"golang.org/x/sync/semaphore"

	"partnerkit.dev/schemas/partnerapi"
)

// GuardOf returns a guard that accepts these addresses as public, with a resolver of the
// test.
func GuardOf(resolver *net.Resolver, public ...netip.Prefix) *Guard {
	return &Guard{guardian: ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(public...)), resolver: resolver}
}

// ErrCrowded is the error of an answer's reader if no place becomes free.
var ErrCrowded = errCrowded

// CrowdedReader returns a reader of an answer for which there is no place.
func CrowdedReader(ctx context.Context, answer io.Reader, usual int64) io.Reader {
	return &largeReader{answer, ctx, &place{of: semaphore.NewWeighted(0), accounts: NewPermits(1)}, usual}
}

// Dial makes a client reach all partners by that function.
func (c *Client) Dial(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	c.http.Transport.(*http.Transport).DialContext = dial
	c.booking.Transport.(*http.Transport).DialContext = checkingDialer(dial)
}

// Trust makes a client trust only the certificates of the test's partner.
func (c *Client) Trust(authorities *x509.CertPool) {
	for _, client := range []*http.Client{c.http, c.booking} {
		client.Transport.(*http.Transport).TLSClientConfig.RootCAs = authorities
	}
}

// CheckAnswer returns what is wrong with an answer to reserve or confirm for the client, or "".
func CheckAnswer(ctx context.Context, e partnerapi.Endpoint, body []byte) string {
	var err error
	var breaches []string
	switch e {
	case partnerapi.Reserve:
		err = readHold(new(partnerapi.ReserveAnswer))(ctx, body)
	case partnerapi.Confirm:
		err = readBooking(new(partnerapi.ConfirmAnswer), &breaches, true)(ctx, body)
	}
	if err != nil {
		return err.Error()
	}
	return strings.Join(breaches, ", ")
}
