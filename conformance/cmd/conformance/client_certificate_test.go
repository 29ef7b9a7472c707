package main_test

import (
	"crypto/tls"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/connection/connectiontest"
)

func TestARunSendsAClientCertificate(t *testing.T) {
	t.Parallel()
	ours, issuers := connectiontest.NewCertificate(t, "marketplace.example", time.Hour)
	client, clientKey := connectiontest.WriteFiles(t, ours)
	address := configuredTLS(t, &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: issuers})
	authority := testAuthority(t)
	flags := ofMock(address, "--ca-file", authority, "--depth", "quick")
	if r := judge(t, address, append(flags, "--client-cert", client, "--client-key", clientKey)...); r.code != 0 {
		t.Errorf("Expected every rule kept, received exit %d: %s\n%s", r.code, r.result.Reason, r.notPassed())
	}
	if r := judge(t, address, "--ca-file", authority); r.code != 3 || !strings.Contains(r.result.Reason, "tls_client_certificate: ") {
		t.Errorf("Expected the missing certificate named, received exit %d: %q", r.code, r.result.Reason)
	}
}
