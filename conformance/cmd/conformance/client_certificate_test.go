package main_test

import (
	"crypto/tls"
	"net/http"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/connection/connectiontest"
)

// requireCertificate serves a partner that requires a client certificate. It returns its address, the file with its
// authority, and the flags with the certificate.
func requireCertificate(t *testing.T) (address, authority string, certificate []string) {
	t.Helper()
	ours, issuers := connectiontest.NewCertificate(t, "marketplace.example", time.Hour)
	client, clientKey := connectiontest.WriteFiles(t, ours)
	address = configuredTLS(t, &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: issuers})
	return address, testAuthority(t), []string{"--client-cert", client, "--client-key", clientKey}
}

func TestARunSendsAClientCertificate(t *testing.T) {
	t.Parallel()
	address, authority, certificate := requireCertificate(t)
	flags := ofMock(address, "--ca-file", authority, "--depth", "quick")
	if r := judge(t, address, append(flags, certificate...)...); r.code != 0 {
		t.Errorf("Expected every rule kept, received exit %d: %s\n%s", r.code, r.result.Reason, r.notPassed())
	}
	if r := judge(t, address, "--ca-file", authority); r.code != 3 || !strings.Contains(r.result.Reason, "tls_client_certificate: ") {
		t.Errorf("Expected the missing certificate named, received exit %d: %q", r.code, r.result.Reason)
	}
}

// A proxy stands where the marketplace is, so the partner must know it alike.
func TestAProxySendsAClientCertificate(t *testing.T) {
	t.Parallel()
	partner, authority, certificate := requireCertificate(t)
	for wantsAnswer, args := range map[bool][]string{true: certificate, false: nil} {
		p := startProxy(t, partner, append([]string{"--ca-file", authority}, args...)...)
		answer, err := http.Get(p.address + "/products")
		if err == nil {
			answer.Body.Close()
		}
		if answered := err == nil && answer.StatusCode == http.StatusUnauthorized; answered != wantsAnswer { // the call has no key
			t.Errorf("%v: Expected an answer of the partner: %t, received %v and %v", args, wantsAnswer, answer, err)
		}
	}
	p := start(t, nil, "proxy", "--upstream", partner, certificate[0], certificate[1])
	if r := p.wait(t); r.code != 2 || !strings.Contains(r.stderr, "--client-cert and --client-key belong together") {
		t.Errorf("Expected a refusal, received %+v", r)
	}
}
