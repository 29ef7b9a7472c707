package partner

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/google/uuid"

	"partnerkit.dev/internal/connection"
	"partnerkit.dev/marketplace/internal/domain"
)

// newIdentity returns a client certificate with its private key as one PEM text, and what is shown of
// it. The errors quote neither.
func newIdentity(certificate, key string) (identity string, shown *domain.ClientCertificate, err error) {
	if certificate == "" && key == "" {
		return "", nil, nil
	}
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	if err != nil {
		return "", nil, &domain.Error{Code: domain.Invalid, Message: "invalid client certificate", Details: []string{"client_certificate and client_key: expected a certificate and its private key, without a password, in PEM"}}
	}
	sum := sha256.Sum256(pair.Certificate[0])
	return strings.TrimSpace(certificate) + "\n" + strings.TrimSpace(key) + "\n",
		&domain.ClientCertificate{Fingerprint: hex.EncodeToString(sum[:]), ExpiresAt: pair.Leaf.NotAfter.UTC()}, nil
}

// checkIdentity refuses a client certificate for an address that is called without TLS.
func checkIdentity(i domain.Integration) error {
	if i.ClientCertificate != nil && i.BaseURL.Scheme != "https" {
		return &domain.Error{Code: domain.Invalid, Message: "invalid client certificate", Details: []string{"client_certificate: expected an https base_url, because only TLS sends it"}}
	}
	return nil
}

// identified are the HTTP clients of partners that know the marketplace by a client certificate. They
// share no connection with other partners, or with another certificate. It is safe for concurrent use.
type identified struct {
	mu sync.Mutex
	of map[uuid.UUID]identifiedClients // by integration
}

type identifiedClients struct {
	identity       string
	plain, booking *http.Client
}

func (i identifiedClients) close() {
	i.plain.CloseIdleConnections()
	i.booking.CloseIdleConnections()
}

// clientFor returns the HTTP client for a call, and a function that is called after it.
func (c *Client) clientFor(t Target, asked call) (client *http.Client, done func(), err error) {
	use, done := identifiedClients{plain: c.http, booking: c.booking}, func() {}
	if t.Identity != "" {
		if use, done, err = c.identifiedClients(t, asked.trial); err != nil {
			return nil, nil, err
		}
	}
	if asked.by != (SendBy{}) {
		return use.booking, done, nil
	}
	return use.plain, done, nil
}

// identifiedClients returns the clients of an integration. Those for a test of settings are not kept.
func (c *Client) identifiedClients(t Target, trial bool) (found identifiedClients, done func(), err error) {
	c.identified.mu.Lock()
	defer c.identified.mu.Unlock()
	found, known := c.identified.of[t.ID]
	if known && found.identity == t.Identity && !trial {
		return found, func() {}, nil
	}
	pair, err := tls.X509KeyPair([]byte(t.Identity), []byte(t.Identity))
	if err != nil {
		return found, nil, fmt.Errorf("a stored client certificate cannot be used: %w", err)
	}
	fresh := identifiedClients{identity: t.Identity, plain: withCertificate(c.http, &pair), booking: withCertificate(c.booking, &pair)}
	if trial {
		return fresh, fresh.close, nil
	}
	if known {
		found.close()
	}
	c.identified.of[t.ID] = fresh
	return fresh, func() {}, nil
}

func withCertificate(client *http.Client, certificate *tls.Certificate) *http.Client {
	transport := client.Transport.(*http.Transport).Clone()
	transport.TLSClientConfig.GetClientCertificate = connection.SendCertificate(certificate)
	identified := *client
	identified.Transport = transport
	return &identified
}

// close closes idle connections.
func (i *identified) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, clients := range i.of {
		clients.close()
	}
}
