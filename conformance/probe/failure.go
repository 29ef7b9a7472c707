package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"time"
)

// errTooLarge ends the reading of a body that is larger than any answer may be.
var errTooLarge = errors.New("body over the cap")

// failureOf tells why a request got no whole answer. Deadline is how long the
// request was waited for; run is the context of the whole run.
func failureOf(run context.Context, err error, deadline time.Duration, largest int64) *Failure {
	var (
		resolve *net.DNSError
		verify  *tls.CertificateVerificationError
		record  tls.RecordHeaderError
		alert   tls.AlertError
		unknown x509.UnknownAuthorityError
	)
	// The address is in the exchange: net/url's repetition of it adds nothing.
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	switch {
	case run.Err() != nil:
		return &Failure{Stopped, "the run ended before the answer came"}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return &Failure{Timeout, fmt.Sprintf("no whole answer within %s", deadline.Round(time.Millisecond))}
	case errors.Is(err, errTooLarge):
		return &Failure{TooLarge, fmt.Sprintf("the body is larger than %d MiB, the most that is read", largest>>20)}
	case errors.As(err, &resolve):
		return &Failure{Unresolved, fmt.Sprintf("the name %q has no address: %s", resolve.Name, resolve.Err)}
	case errors.As(err, &verify), errors.As(err, &record), errors.As(err, &alert), errors.As(err, &unknown):
		return &Failure{TLS, fmt.Sprintf("the TLS handshake failed: %v", err)}
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return &Failure{Refused, fmt.Sprintf("no connection: %v", err)}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return &Failure{Reset, "the connection was closed before the whole answer had come"}
	case errors.Is(err, http.ErrSchemeMismatch):
		return &Failure{TLS, "the server speaks plain HTTP where the base URL says https"}
	default:
		return &Failure{Protocol, fmt.Sprintf("the answer is not HTTP: %v", err)}
	}
}
