// Package connection says in one word why a call failed below HTTP, without the addresses and the
// resolver of the machine that made it.
package connection

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"unicode"

	"code.dny.dev/ssrf"
)

// Cause is why a call failed below HTTP.
type Cause string

// The causes.
const (
	Address           Cause = "address"                // the host name is unknown, or its address is not public
	Refused           Cause = "refused"                // no connection was accepted
	TLSUntrusted      Cause = "tls_untrusted"          // the server's certificate is not valid for its name
	TLSVersion        Cause = "tls_version"            // no common version or cipher of TLS, or no TLS
	ClientCertificate Cause = "tls_client_certificate" // the server requires a certificate of the client that it accepts
	Timeout           Cause = "timeout"
	Lost              Cause = "connection_lost" // or it did not carry HTTP
)

// details describe the causes for people.
var details = map[Cause]string{
	Address:           "the host name is unknown, or its address is not public",
	Refused:           "no connection was accepted at this address and port",
	TLSUntrusted:      "the server's certificate is not trusted",
	TLSVersion:        "the server has no version and cipher of TLS 1.2 or newer, or no TLS",
	ClientCertificate: "the server requires a client certificate that it accepts",
	Timeout:           "there was no complete answer in time",
	Lost:              "the connection ended without a complete HTTP answer",
}

// Failure is an error below HTTP. Its text contains no address, unlike the texts of the error that it
// wraps.
type Failure struct {
	Cause  Cause
	detail string
	err    error
}

// NewFailure returns the failure of a call with that context, whose error is err.
func NewFailure(ctx context.Context, err error) *Failure {
	f := &Failure{Cause: causeOf(err), err: err}
	if asked, watched := ctx.Value(askedKey{}).(*atomic.Bool); watched && asked.Load() && mayMissCertificate(err) {
		f.Cause = ClientCertificate
	}
	f.detail = details[f.Cause]
	if invalid := (*tls.CertificateVerificationError)(nil); errors.As(err, &invalid) {
		f.detail = readable(invalid.Err.Error())
	}
	return f
}

// Error returns the cause and its description in one line.
func (f *Failure) Error() string { return string(f.Cause) + " (" + f.detail + ")" }

// Unwrap returns the error of the call.
func (f *Failure) Unwrap() error { return f.err }

// longestDetail limits what is said about a certificate, which may contain many names.
const longestDetail = 200

// readable returns a short line of a text that another machine chose in part.
func readable(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(text, ""))
	if len(text) > longestDetail {
		text = strings.ToValidUTF8(text[:longestDetail], "") + "…"
	}
	return text
}

type askedKey struct{}

// Watch returns the context for a call, so that NewFailure knows whether its server asked for a client
// certificate. Servers with TLS 1.2 do not say that they missed it.
func Watch(ctx context.Context) context.Context {
	return context.WithValue(ctx, askedKey{}, &atomic.Bool{})
}

// SendCertificate returns a function for tls.Config.GetClientCertificate that sends the certificate,
// or none if it is nil.
func SendCertificate(certificate *tls.Certificate) func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	if certificate == nil {
		certificate = &tls.Certificate{}
	}
	return func(asked *tls.CertificateRequestInfo) (*tls.Certificate, error) {
		if noted, watched := asked.Context().Value(askedKey{}).(*atomic.Bool); watched {
			noted.Store(true)
		}
		return certificate, nil
	}
}

// mayMissCertificate reports whether a server may end a handshake with that error because of the
// client's certificate. A write may fail before the server's alert is read.
func mayMissCertificate(err error) bool {
	operation := (*net.OpError)(nil)
	return strings.Contains(err.Error(), "http2: client conn could not be established") || errors.As(err, &operation) && (operation.Op == "remote error" && strings.HasSuffix(operation.Err.Error(), "handshake failure") || operation.Op == "write")
}

func causeOf(err error) Cause {
	var unknown *net.DNSError
	var invalid *net.AddrError
	var untrusted *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	var operation *net.OpError
	var timed net.Error
	switch {
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedPort), errors.Is(err, ssrf.ErrProhibitedNetwork), errors.Is(err, ssrf.ErrInvalidHostPort),
		errors.As(err, &unknown), errors.As(err, &invalid):
		return Address
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timed) && timed.Timeout():
		return Timeout
	case errors.As(err, &untrusted):
		return TLSUntrusted
	case errors.As(err, &plain), errors.Is(err, http.ErrSchemeMismatch):
		return TLSVersion
	}
	alert := errors.As(err, &operation)
	switch {
	case alert && operation.Op == "remote error":
		return alertCause(operation.Err.Error())
	case alert && operation.Op == "local error", strings.Contains(err.Error(), "tls: server selected unsupported"):
		return TLSVersion
	case alert && operation.Op == "dial":
		return Refused
	}
	return Lost
}

// alertCause returns the cause of a TLS alert of the server, for which crypto/tls has no type. Servers
// that miss a client certificate send several.
func alertCause(alert string) Cause {
	for _, about := range []string{"certificate", "unknown certificate authority", "access denied"} {
		if strings.Contains(alert, about) {
			return ClientCertificate
		}
	}
	return TLSVersion
}
