package connection_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"code.dny.dev/ssrf"

	"partnerkit.dev/internal/connection"
	"partnerkit.dev/internal/connection/connectiontest"
)

// ask reads the answer of a server.
func ask(ctx context.Context, address string, roots *x509.CertPool, dialer *net.Dialer) error {
	client := http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12, GetClientCertificate: connection.SendCertificate(nil)}, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.ReadAll(response.Body)
	return err
}

// requireNoAddress requires a line without an address of ours.
func requireNoAddress(t *testing.T, text string) {
	t.Helper()
	for _, ours := range []string{"127.0.0.1", "10.9.8.7", "::1", "\n", "lookup"} {
		if strings.Contains(text, ours) {
			t.Errorf("Expected no %q, received %s", ours, text)
		}
	}
}

func TestEveryWayInWhichAConnectionFailsHasACause(t *testing.T) {
	t.Parallel()
	for _, way := range connectiontest.Ways(t) {
		t.Run(way.Name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			if way.Cause == connection.Timeout {
				ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
			}
			defer cancel()
			ctx = connection.Watch(ctx)
			failure := connection.NewFailure(ctx, ask(ctx, way.Address, way.Roots, &net.Dialer{Resolver: connectiontest.Resolver}))
			if failure.Cause != way.Cause || !strings.HasPrefix(failure.Error(), string(way.Cause)+" (") {
				t.Errorf("Expected %s, received %v of %v", way.Cause, failure, errors.Unwrap(failure))
			}
			if way.Cause != connection.TLSUntrusted { // it names the host that was called
				requireNoAddress(t, failure.Error())
			}
		})
	}
}

// A stranger must not learn which names and addresses our network has.
func TestAnAddressThatIsNotPublicLooksLikeAnUnknownName(t *testing.T) {
	t.Parallel()
	guarded := &net.Dialer{Resolver: connectiontest.Resolver, Control: ssrf.New(ssrf.WithAnyPort()).Safe}
	unknown := connection.NewFailure(t.Context(), ask(t.Context(), "http://unknown.example", nil, guarded))
	for _, inside := range []string{"http://127.0.0.1:9", "http://10.9.8.7", "http://[::1]:9", "http://169.254.169.254/latest"} {
		failure := connection.NewFailure(t.Context(), ask(t.Context(), inside, nil, guarded))
		if failure.Error() != unknown.Error() {
			t.Errorf("%s: Expected %q, received %q", inside, unknown, failure)
		}
	}
	requireNoAddress(t, unknown.Error())
}
