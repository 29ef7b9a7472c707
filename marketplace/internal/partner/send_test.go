package partner_test

import (
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// soonDeadline is a deadline that leaves enough time on any machine.
func soonDeadline() partner.SendBy { return partner.SendWithin(24 * time.Hour) }

// listened counts the bytes that have arrived at a server.
type listened struct {
	net.Listener
	bytes, connections atomic.Int64
}

func (l *listened) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.connections.Add(1)
	return &countedConn{conn, l}, nil
}

type countedConn struct {
	net.Conn
	by *listened
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.by.bytes.Add(int64(n))
	return n, err
}

func TestACallWhoseTimeIsOverIsNotSent(t *testing.T) {
	t.Parallel()
	for name, encrypted := range map[string]bool{"on a plain connection": false, "on an encrypted connection": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(w, goodBooking)
			}))
			counted := &listened{Listener: server.Listener}
			server.Listener = counted
			b := setup(t, nil)
			if encrypted {
				server.StartTLS()
				trusted := x509.NewCertPool()
				trusted.AddCert(server.Certificate())
				b.Trust(trusted)
			} else {
				server.Start()
			}
			t.Cleanup(server.Close)
			var err error
			if b.target.BaseURL, err = url.Parse(server.URL); err != nil {
				t.Fatal(err)
			}
			late := partner.SendWithin(-time.Nanosecond)
			confirm := func(by partner.SendBy) partner.Outcome {
				_, o := b.Confirm(t.Context(), by, b.target, partnerapi.Healthy, partnerapi.ConfirmRequest{ReservationConfirmationCode: "H"}, false)
				return o
			}
			for what, call := range map[string]func() partner.Outcome{
				"a new connection":   func() partner.Outcome { return confirm(late) },
				"one that is reused": func() partner.Outcome { confirm(soonDeadline()); return confirm(late) },
				"release":            func() partner.Outcome { confirm(soonDeadline()); return b.Release(t.Context(), late, b.target, "H") },
				"reserve": func() partner.Outcome {
					_, o := b.Reserve(t.Context(), late, b.target, partnerapi.Healthy, partnerapi.ReserveRequest{}, func(partnerapi.ReserveAnswer, partner.Outcome) { t.Error("want nothing to come late") })
					return o
				},
			} {
				before := requests.Load()
				if o := call(); o.Kind != partner.NotSent || o.Status != 0 || o.Err == nil {
					t.Errorf("%s: want it not sent, got %+v", what, o)
				}
				if arrived := requests.Load() - before; arrived > 1 {
					t.Errorf("%s: want none but the one before, got %d", what, arrived)
				}
			}
			if !encrypted && counted.connections.Load() == 0 {
				t.Error("want the time checked with a connection at hand")
			}
			if o := confirm(soonDeadline()); o.Kind != partner.Done {
				t.Errorf("want the next one sent, got %+v", o)
			}
			if requests.Load() != 3 {
				t.Errorf("want 3 calls, got %d", requests.Load())
			}
		})
	}
}

func TestNoByteOfACallWhoseTimeIsOverIsSent(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	counted := &listened{Listener: server.Listener}
	server.Listener = counted
	server.Start()
	t.Cleanup(server.Close)
	b := setup(t, nil)
	var err error
	if b.target.BaseURL, err = url.Parse(server.URL); err != nil {
		t.Fatal(err)
	}
	if o := b.Cancel(t.Context(), partner.SendWithin(-time.Second), b.target, "B", ""); o.Kind != partner.NotSent {
		t.Errorf("want it not sent, got %+v", o)
	}
	b.Close()
	server.Close() // it has read everything
	if n := counted.bytes.Load(); n != 0 {
		t.Errorf("want nothing sent, got %d bytes", n)
	}
	if b.observed != nil {
		t.Errorf("Expected no report about the partner's health, received %+v", b.observed)
	}
}

func TestTheRestOfAnAbandonedCallIsNotSent(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { listener.Close() })
	b := setup(t, nil)
	ended := make(chan error, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			ended <- err
			return
		}
		defer conn.Close()
		_, _ = conn.Read(make([]byte, 1))
		go b.Close()
		_, err = io.Copy(io.Discard, conn) // it never answers
		ended <- err
	}()
	b.target.BaseURL = &url.URL{Scheme: "http", Host: listener.Addr().String()}
	if _, o := b.confirm(t.Context()); o.Kind != partner.Unanswered {
		t.Errorf("want no answer, got %+v", o)
	}
	if err := <-ended; !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("want the connection reset, got %v", err)
	}
}
