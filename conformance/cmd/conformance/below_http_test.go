package main_test

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/connection/connectiontest"
	"partnerkit.dev/mockpartner"
)

// configuredTLS serves the mock with these settings of TLS.
func configuredTLS(t *testing.T, config *tls.Config) (address string) {
	t.Helper()
	server := httptest.NewUnstartedServer(newMock(t, mockpartner.Options{}))
	server.Config.ErrorLog, server.TLS = log.New(io.Discard, "", 0), config
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

// testAuthority is the file with the certificate of every test server.
func testAuthority(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: tlsServer(t, http.NotFoundHandler()).Certificate().Raw})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A connection that is accepted, and carries no HTTP, shows nothing about the partner's answers.
func TestWhatFailsBelowHTTPIsNotJudged(t *testing.T) {
	t.Parallel()
	for name, partner := range map[string]struct {
		address string
		trusted bool
		says    string
	}{
		"the connection is closed without an answer":        {"http://" + connectiontest.Speak(t, ""), false, "the connection was closed before an answer began"},
		"another protocol answers":                          {"http://" + connectiontest.Speak(t, "SSH-2.0-OpenSSH_9.2p1\r\n"), false, "the server does not speak HTTP"},
		"garbage answers":                                   {"http://" + connectiontest.Speak(t, "\x00\x01\x02 this is not HTTP\r\n\r\n\xff\xfe"), false, "the server does not speak HTTP"},
		"a TLS alert answers plain HTTP":                    {"http://" + connectiontest.Speak(t, "\x15\x03\x01\x00\x02\x02\x16"), false, "the server does not speak HTTP"},
		"the TLS handshake is broken off":                   {"https://" + connectiontest.Speak(t, ""), false, "closed during the TLS handshake"},
		"a client certificate is required, with TLS 1.3":    {configuredTLS(t, &tls.Config{ClientAuth: tls.RequireAnyClientCert}), true, "certificate required"},
		"a client certificate is required, with TLS 1.2":    {configuredTLS(t, &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}), true, "remote error: tls:"},
		"the partner knows only TLS 1.1":                    {configuredTLS(t, &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}), true, "protocol version not supported"},
		"the certificate is for another name":               {strings.Replace(configuredTLS(t, nil), "127.0.0.1", "localhost", 1), true, "localhost"},
		"no protocol of TLS suits both, or no cipher suite": {configuredTLS(t, &tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_RSA_WITH_RC4_128_SHA}}), true, "handshake failure"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var flags []string
			if partner.trusted {
				flags = []string{"--ca-file", testAuthority(t)}
			}
			r := judge(t, partner.address, flags...)
			if r.code != 3 || r.result.Verdict != report.Incomplete || !strings.Contains(r.result.Reason, partner.says) {
				t.Errorf("Expected exit 3 with %q, received exit %d, %s: %q", partner.says, r.code, r.result.Verdict, r.result.Reason)
			}
			for _, one := range r.rulesWithoutExploring() {
				if one.ID != rule.Reachable.ID && one.Outcome != report.Blocked {
					t.Errorf("Expected %s blocked, received %s: %s", one.ID, one.Outcome, one.Message)
				}
			}
		})
	}
}

// leaving is a partner that accepts no connection any more after a number of calls.
func leaving(t *testing.T, calls int64) (address string) {
	t.Helper()
	mock := newMock(t, mockpartner.Options{})
	var served atomic.Int64
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if served.Add(1) == calls {
			_ = server.Listener.Close()
		}
		if served.Load() >= calls {
			w.Header().Set("Connection", "close")
		}
		mock.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestAPartnerThatCannotBeReachedAnyMoreIsNotAccused(t *testing.T) {
	t.Parallel()
	r := judge(t, leaving(t, 60), "--depth", "quick")
	if r.code != 3 || !strings.Contains(r.result.Reason, "connection refused") {
		t.Errorf("Expected exit 3 because connections are refused, received exit %d: %q", r.code, r.result.Reason)
	}
	if failed := slices.Concat(r.outcomes(report.Failed), r.outcomes(report.Warned)); len(failed) > 0 {
		t.Errorf("Expected no breach, received %q\n%s", failed, r.notPassed())
	}
}
