package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/internal/connection/connectiontest"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/mockpartner"
)

// A partner knows the marketplace by its client certificate, over real TLS.
func TestAPartnerThatRequiresAClientCertificateIsSynced(t *testing.T) {
	t.Parallel()
	server, _ := connectiontest.NewCertificate(t, "127.0.0.1", time.Hour)
	first, issuers := connectiontest.NewCertificate(t, "marketplace.example", time.Hour)
	second, _ := connectiontest.NewCertificate(t, "marketplace.example", 2*time.Hour)
	stranger, _ := connectiontest.NewCertificate(t, "stranger.example", time.Hour)
	issuers.AddCert(second.Leaf)
	mock, err := mockpartner.New(mockpartner.Options{AuthKey: "partner-key", Seed: 1})
	must(t, err)
	t.Cleanup(mock.Close)
	platform := httptest.NewUnstartedServer(mock)
	platform.TLS = &tls.Config{Certificates: []tls.Certificate{server}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: issuers}
	platform.Config.ErrorLog = log.New(io.Discard, "", 0)
	platform.StartTLS()
	t.Cleanup(platform.Close)
	trusted, _ := connectiontest.WriteFiles(t, server)
	address := pgtest.URL(t)
	s := startService(t, append([]string{"SSL_CERT_FILE=" + trusted}, firstOperator...), "--database-url", address, "--secret-key", strings.Repeat("s", 32))
	operator, err := client.NewOperator(s.base, client.Password("op@example.com", operatorPassword), client.Options{})
	must(t, err)
	_, err = operator.CreateAccount(t.Context(), client.NewAccount{Email: "boats@example.com", Password: operatorPassword, Role: client.PartnerRole, Name: "Boats"})
	must(t, err)
	partner, err := client.NewPartner(s.base, client.Password("boats@example.com", operatorPassword), client.Options{})
	must(t, err)
	ctx := t.Context()

	cert, key := connectiontest.Encode(t, first)
	made, err := partner.Register(ctx, client.Registration{Name: "Boats", BaseURL: platform.URL, AuthKey: "partner-key", ClientCertificate: cert, ClientKey: client.Secret(key)})
	must(t, err)
	if synced, err := operator.Sync(ctx, made.IntegrationID, client.Full); err != nil || synced.Synced == 0 {
		t.Errorf("Expected a synced catalog, received %+v and %v", synced, err)
	}
	shows := func(want tls.Certificate) {
		t.Helper()
		found, err := partner.Integration(ctx, made.IntegrationID)
		must(t, err)
		sum := sha256.Sum256(want.Certificate[0])
		if c := found.ClientCertificate; c == nil || c.Fingerprint != hex.EncodeToString(sum[:]) || !c.ExpiresAt.Equal(want.Leaf.NotAfter) {
			t.Errorf("Expected the certificate shown, received %+v", c)
		}
	}
	shows(first)

	change := func(of tls.Certificate) client.Patch {
		cert, key := connectiontest.Encode(t, of)
		return client.Patch{"client_certificate": cert, "client_key": key}
	}
	_, err = partner.ChangeIntegration(ctx, made.IntegrationID, change(stranger))
	if err == nil || !strings.Contains(err.Error(), "tls_client_certificate (") {
		t.Errorf("Expected a certificate that the partner does not accept to be refused, received %v", err)
	}
	_, err = partner.ChangeIntegration(ctx, made.IntegrationID, client.Patch{"client_certificate": ""})
	if err == nil || !strings.Contains(err.Error(), "tls_client_certificate (") {
		t.Errorf("Expected the certificate to be needed, received %v", err)
	}
	shows(first)
	if _, err := partner.ChangeIntegration(ctx, made.IntegrationID, change(second)); err != nil {
		t.Errorf("Expected another accepted certificate to be stored, received %v", err)
	}
	shows(second)
	otherCert, _ := connectiontest.Encode(t, stranger)
	for name, wrong := range map[string]client.Patch{
		"a key of another certificate": {"client_certificate": otherCert, "client_key": key},
		"no key":                       {"client_certificate": otherCert}, "no certificate": {"client_key": key}, "no PEM": {"client_certificate": "hush", "client_key": "hush"},
	} {
		if _, err := partner.ChangeIntegration(ctx, made.IntegrationID, wrong); err == nil || !strings.Contains(err.Error(), "client_certificate and client_key: expected") || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: Expected a refusal, received %v", name, err)
		}
	}
	_, err = partner.ChangeIntegration(ctx, made.IntegrationID, client.Patch{"base_url": strings.Replace(platform.URL, "https", "http", 1), "auth_key": "partner-key", "force": true})
	if err == nil || !strings.Contains(err.Error(), "expected an https base_url") {
		t.Errorf("Expected an address without TLS to be refused, received %v", err)
	}
	if _, err := operator.Sync(ctx, made.IntegrationID, client.Full); err != nil {
		t.Errorf("Expected the new certificate to be sent, received %v", err)
	}
	requireEncrypted(ctx, t, address, key)
	s.stop(t)
}

// requireEncrypted requires that no row of an integration contains the private key.
func requireEncrypted(ctx context.Context, t *testing.T, address, key string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, address)
	must(t, err)
	defer conn.Close(ctx)
	var sealed []byte
	var row string
	must(t, conn.QueryRow(ctx, "SELECT client_identity, i::text FROM integrations i").Scan(&sealed, &row))
	line := strings.Split(key, "\n")[1]
	if text := string(sealed) + row; len(sealed) == 0 || strings.Contains(text, line) || strings.Contains(text, fmt.Sprintf("%x", line)) || strings.Contains(text, "PRIVATE") {
		t.Error("Expected the private key encrypted")
	}
}
