package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/url"

	"partnerkit.dev/schemas/partnerapi"
)

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
