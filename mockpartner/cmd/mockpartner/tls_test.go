package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/connection/connectiontest"
)

// A partner may know the marketplace by a client certificate.
func TestAMockRequiresAClientCertificateWhichLearnSends(t *testing.T) {
	server, _ := connectiontest.NewCertificate(t, "127.0.0.1", time.Hour)
	ours, _ := connectiontest.NewCertificate(t, "marketplace.example", time.Hour)
	other, _ := connectiontest.NewCertificate(t, "other.example", time.Hour)
	cert, certKey := connectiontest.WriteFiles(t, server)
	client, clientKey := connectiontest.WriteFiles(t, ours)
	stranger, strangerKey := connectiontest.WriteFiles(t, other)
	t.Setenv("PARTNER_AUTH_KEY", key)
	t.Setenv("SSL_CERT_FILE", cert)
	mock := serve(t, nil, "--auth-key", key, "--tls-cert", cert, "--tls-key", certKey, "--tls-client-ca", client)
	learn := func(args ...string) outcome {
		return finish(t, append([]string{"learn", "--base-url", mock.base, "--max-rps", "0", "--out", filepath.Join(t.TempDir(), "twin.yaml")}, args...)...)
	}
	if got := learn("--client-cert", client, "--client-key", clientKey); got.code != 0 || !strings.Contains(got.stdout, "8 products") {
		t.Errorf("Expected a twin, received %+v", got)
	}
	for name, args := range map[string][]string{"no certificate": nil, "an unknown certificate": {"--client-cert", stranger, "--client-key", strangerKey}} {
		if got := learn(args...); got.code == 0 || !strings.Contains(got.stderr, "tls_client_certificate") || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: Expected a refusal in one line, received %+v", name, got)
		}
	}
	for want, args := range map[string][]string{
		"--client-cert and --client-key belong together": {"learn", "--base-url", mock.base, "--client-cert", client},
		"cannot be used":                         {"learn", "--base-url", mock.base, "--client-cert", client, "--client-key", strangerKey},
		"--tls-client-ca requires --tls-cert":    {"serve", "--auth-key", key, "--tls-client-ca", client},
		"--tls-cert and --tls-key belong":        {"serve", "--auth-key", key, "--tls-key", certKey},
		"holds no certificate: give a PEM file":  {"serve", "--auth-key", key, "--tls-cert", cert, "--tls-key", certKey, "--tls-client-ca", clientKey},
		"/nowhere.pem cannot be read (no such f": {"serve", "--auth-key", key, "--tls-cert", cert, "--tls-key", certKey, "--tls-client-ca", "/nowhere.pem"},
	} {
		if got := finish(t, args...); got.code != 2 || !strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("Expected %q, received %+v", want, got)
		}
	}
}
