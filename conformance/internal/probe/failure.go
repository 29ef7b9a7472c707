package probe

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// errTooLarge ends the reading of a body that is larger than any answer may be.
var errTooLarge = errors.New("body over the cap")

// way is how far a request has come. Its callbacks come from goroutines of the
// transport, also after the request has ended.
type way struct{ dialled, connected atomic.Bool }

// trace returns a context that keeps account of a request's way.
func (w *way) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		ConnectDone: func(_, _ string, err error) {
			if err == nil {
				w.dialled.Store(true)
			}
		},
		GotConn: func(httptrace.GotConnInfo) { w.connected.Store(true) },
	})
}

// attempt is a request that got no whole answer.
type attempt struct {
	err      error
	deadline time.Duration // how long it was waited for
	largest  int64         // bytes of the body that are read
	way      *way
	reached  bool // the partner has answered before: it is late, not absent
	began    bool // the answer had begun to come
}

// failure tells why there is no whole answer; run is the context of the run.
func (a attempt) failure(run context.Context) *Failure {
	// The address is in the exchange: net/url's repetition of it adds nothing.
	if wrapped, ok := errors.AsType[*url.Error](a.err); ok {
		a.err = wrapped.Err
	}
	waited := a.deadline.Round(time.Millisecond)
	shakingHands := !a.reached && a.way.dialled.Load() && !a.way.connected.Load()
	switch {
	case run.Err() != nil:
		return &Failure{Stopped, "the run ended before the answer came"}
	case a.timedOut() && !a.reached && !a.way.dialled.Load():
		return &Failure{Refused, fmt.Sprintf("no connection within %s", waited)}
	case a.timedOut() && shakingHands:
		return &Failure{TLS, fmt.Sprintf("the TLS handshake was not finished within %s", waited)}
	case a.timedOut():
		return &Failure{Timeout, fmt.Sprintf("no whole answer within %s", waited)}
	case errors.Is(a.err, errTooLarge):
		return &Failure{TooLarge, fmt.Sprintf("the body is larger than %d MiB, the most that is read", a.largest>>20)}
	case errors.Is(a.err, http.ErrSchemeMismatch):
		return &Failure{TLS, "the server speaks plain HTTP where the base URL says https"}
	case a.handshakeFailed():
		return &Failure{TLS, fmt.Sprintf("the TLS handshake failed: %v", a.err)}
	case a.brokeOff() && shakingHands:
		return &Failure{TLS, "the connection was closed during the TLS handshake"}
	case a.brokeOff():
		return &Failure{Reset, "the connection was closed before the whole answer had come"}
	case a.began:
		return &Failure{Protocol, fmt.Sprintf("the body cannot be read: %v", a.err)}
	}
	if resolve := (*net.DNSError)(nil); errors.As(a.err, &resolve) {
		return &Failure{Unresolved, fmt.Sprintf("the name %q has no address: %s", resolve.Name, resolve.Err)}
	}
	if dial := (*net.OpError)(nil); errors.As(a.err, &dial) && dial.Op == "dial" {
		return &Failure{Refused, fmt.Sprintf("no connection: %v", a.err)}
	}
	return &Failure{Protocol, fmt.Sprintf("the answer cannot be read as HTTP: %v", a.err)}
}

func (a attempt) timedOut() bool {
	return errors.Is(a.err, context.DeadlineExceeded) || errors.Is(a.err, os.ErrDeadlineExceeded)
}

func (a attempt) brokeOff() bool {
	return errors.Is(a.err, io.EOF) || errors.Is(a.err, io.ErrUnexpectedEOF) ||
		errors.Is(a.err, syscall.ECONNRESET) || errors.Is(a.err, syscall.EPIPE)
}

func (a attempt) handshakeFailed() bool {
	return is[*tls.CertificateVerificationError](a.err) || is[tls.RecordHeaderError](a.err) || is[tls.AlertError](a.err)
}

// is reports whether err wraps an error of that type.
func is[E error](err error) bool {
	_, found := errors.AsType[E](err)
	return found
}
