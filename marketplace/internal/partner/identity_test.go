package partner_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/connection/connectiontest"
	"partnerkit.dev/marketplace/internal/partner"
)

// Two partners on one platform must not be called over a connection that the other's certificate opened.
func TestACallIsMadeWithTheCertificateOfItsIntegrationOnly(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		name := "none"
		if sent := r.TLS.PeerCertificates; len(sent) > 0 {
			name = sent[0].Subject.CommonName
		}
		seen = append(seen, name)
		_, _ = io.WriteString(w, goodHold)
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	server.StartTLS()
	t.Cleanup(server.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	b := setup(t, nil)
	b.Trust(trusted)
	base, err := url.Parse(server.URL)
	check(t, err)
	identity := func(name string) string {
		certificate, _ := connectiontest.NewCertificate(t, name, time.Hour)
		cert, key := connectiontest.Encode(t, certificate)
		return cert + key
	}
	one, two, renewed := identity("one"), identity("two"), identity("renewed")
	first, second := uuid.New(), uuid.New()
	for i, call := range []struct {
		of       uuid.UUID
		identity string
		trial    bool
		want     string
	}{
		{first, one, false, "one"}, {second, two, false, "two"}, {first, one, false, "one"}, {uuid.New(), "", false, "none"},
		{first, renewed, true, "renewed"}, {first, one, false, "one"}, {first, renewed, false, "renewed"}, {second, two, false, "two"},
	} {
		b.target.ID, b.target.BaseURL, b.target.Identity = call.of, base, call.identity
		if call.trial {
			b.TryProducts(t.Context(), b.target, acceptAny)
		} else {
			check(t, b.Probe(t.Context(), b.target))
			if _, made := b.reserve(t.Context()); made.Kind != partner.Done {
				t.Errorf("Expected a hold, received %+v", made)
			}
		}
		mu.Lock()
		for _, name := range seen {
			if name != call.want {
				t.Errorf("call %d: Expected the certificate %s, received %s", i+1, call.want, name)
			}
		}
		seen = nil
		mu.Unlock()
	}
}
