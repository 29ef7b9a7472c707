// Package connectiontest has servers to which a connection fails, in every way that has a cause of its
// own.
package connectiontest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"partnerkit.dev/internal/connection"
	"partnerkit.dev/internal/errtest"
)

// Way is a way in which a connection fails.
type Way struct {
	Name    string
	Address string // of the server
	Cause   connection.Cause
	// Roots are the authorities that the client trusts.
	Roots *x509.CertPool
}

// Ways returns the ways. The servers end with the test. The host names have no address: Resolver looks
// them up.
func Ways(t *testing.T) []Way {
	t.Helper()
	trusted, roots := NewCertificate(t, "127.0.0.1", time.Hour)
	expired, expiredRoots := NewCertificate(t, "127.0.0.1", -time.Hour)
	other, otherRoots := NewCertificate(t, "other.example", time.Hour)
	unknown, _ := NewCertificate(t, "127.0.0.1", time.Hour)
	secure := func(config *tls.Config) string {
		if config.Certificates == nil {
			config.Certificates = []tls.Certificate{trusted}
		}
		return serveTLS(t, config)
	}
	return []Way{
		{"an unknown host name", "https://unknown.example", connection.Address, roots},
		{"a closed port", "http://127.0.0.1:1", connection.Refused, roots},
		{"an unknown authority", secure(&tls.Config{Certificates: []tls.Certificate{unknown}}), connection.TLSUntrusted, roots},
		{"an expired certificate", secure(&tls.Config{Certificates: []tls.Certificate{expired}}), connection.TLSUntrusted, expiredRoots},
		{"a certificate for another name", secure(&tls.Config{Certificates: []tls.Certificate{other}}), connection.TLSUntrusted, otherRoots},
		{"TLS 1.1", secure(&tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}), connection.TLSVersion, roots},
		{"an old cipher", secure(&tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_RSA_WITH_RC4_128_SHA}}), connection.TLSVersion, roots},
		{"no TLS", "https://" + Speak(t, "HTTP/1.1 400 Bad Request\r\n\r\n"), connection.TLSVersion, roots},
		{"a client certificate, with TLS 1.3", secure(&tls.Config{ClientAuth: tls.RequireAnyClientCert}), connection.ClientCertificate, roots},
		{"a client certificate, with TLS 1.2", secure(&tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}), connection.ClientCertificate, roots},
		{"a silent server", silent(t, "http://"), connection.Timeout, roots},
		{"a silent TLS handshake", silent(t, "https://"), connection.Timeout, roots},
		{"an end before the answer", "http://" + Speak(t, ""), connection.Lost, roots},
		{"an end within the answer", "http://" + Speak(t, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[{"), connection.Lost, roots},
		{"an end within the TLS handshake", "https://" + Speak(t, ""), connection.Lost, roots},
		{"another protocol", "http://" + Speak(t, "SSH-2.0-OpenSSH_9.2p1\r\n"), connection.Lost, roots},
	}
}

// Resolver knows no name.
var Resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
	return nil, &net.OpError{Op: "dial", Net: "udp", Addr: &net.UDPAddr{IP: net.IPv4(10, 9, 8, 7), Port: 53}, Err: net.ErrClosed}
}}

// NewCertificate returns a certificate for a host and the pool of its issuer: itself. It is valid until
// that time from now. A server and a client can use it.
func NewCertificate(t testing.TB, host string, until time.Duration) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	errtest.Check(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(until),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, DNSNames: []string{host},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.DNSNames, template.IPAddresses = nil, []net.IP{ip}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	errtest.Check(t, err)
	parsed, err := x509.ParseCertificate(der)
	errtest.Check(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: parsed}, pool
}

func serveTLS(t *testing.T, config *tls.Config) string {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[]") }))
	server.Config.ErrorLog, server.TLS = log.New(io.Discard, "", 0), config
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

// Speak serves connections with these bytes: it reads what a client sends first, writes them and closes. It returns
// the address.
func Speak(t testing.TB, text string) (address string) {
	t.Helper()
	return accept(t, func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 4<<10))
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	})
}

// silent accepts connections and says nothing.
func silent(t *testing.T, scheme string) string {
	t.Helper()
	return scheme + accept(t, func(conn net.Conn) { t.Cleanup(func() { _ = conn.Close() }) })
}

func accept(t testing.TB, f func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.Check(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
			go f(conn)
		}
	}()
	return listener.Addr().String()
}

// WriteFiles writes a certificate and its key to PEM files.
func WriteFiles(t testing.TB, certificate tls.Certificate) (cert, key string) {
	t.Helper()
	dir := t.TempDir()
	certText, keyText := Encode(t, certificate)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	errtest.Check(t, os.WriteFile(cert, []byte(certText), 0o600))
	errtest.Check(t, os.WriteFile(key, []byte(keyText), 0o600))
	return cert, key
}

// Encode returns a certificate and its key in PEM.
func Encode(t testing.TB, certificate tls.Certificate) (cert, key string) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	errtest.Check(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}
