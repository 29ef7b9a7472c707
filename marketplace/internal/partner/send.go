package partner

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// SendBy is the time until which a call may be sent. The zero value sets no limit. It uses this
// process's clocks: a paused process must not trust what it knew before.
type SendBy struct {
	began  time.Time
	within time.Duration
}

// SendWithin returns the SendBy of that duration from now.
func SendWithin(within time.Duration) SendBy { return SendBy{time.Now(), within} }

// HasPassed reports whether the time has passed, by the monotonic clock or by the wall clock. A change
// of the machine's time does not move the first, and the second continues while the machine is
// suspended.
func (s SendBy) HasPassed() bool {
	return !s.began.IsZero() && (time.Since(s.began) > s.within || time.Now().Round(0).Sub(s.began.Round(0)) > s.within)
}

// errOverdue is returned for a call that was not sent in time.
var errOverdue = errors.New("the call was not sent in time")

// sending is a call on its way to a connection.
type sending struct {
	by   SendBy
	sent atomic.Bool // written to the network, as far as is known
}

// guardSending limits when a request is sent. Its connection checks the time before the first byte.
func (s *sending) guardSending(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
		conn := got.Conn
		if encrypted, is := conn.(*tls.Conn); is {
			conn = encrypted.NetConn()
		}
		if checked, is := conn.(*checkedConn); is {
			checked.next.Store(s)
		} else {
			s.sent.Store(true)
		}
	}})
}

// checkedConn is a connection that checks a call's time immediately before it writes the first
// bytes. Only a pause between the check and the system call remains. It carries one call at a time,
// like HTTP/1.
type checkedConn struct {
	net.Conn
	next     atomic.Pointer[sending] // not written yet
	overdue  atomic.Bool
	awaiting atomic.Bool // an answer to a call that was written
}

// Write implements net.Conn.
func (c *checkedConn) Write(p []byte) (int, error) {
	if s := c.next.Swap(nil); s != nil {
		if s.by.HasPassed() {
			c.overdue.Store(true)
		} else {
			s.sent.Store(true)
			c.awaiting.Store(true)
		}
	}
	if c.overdue.Load() {
		return 0, errOverdue // the connection cannot be reused
	}
	return c.Conn.Write(p)
}

// checkingDialer makes a dialer's connections check the time of their calls.
func checkingDialer(dial func(ctx context.Context, network, address string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &checkedConn{Conn: conn}, nil
	}
}

// Read implements net.Conn.
func (c *checkedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.awaiting.Store(false)
	}
	return n, err
}

// Close implements net.Conn. It drops unsent data of an abandoned call. The system would retry for
// minutes, while another replica owns the call.
func (c *checkedConn) Close() error {
	if conn, is := c.Conn.(*net.TCPConn); is && c.awaiting.Load() {
		_ = conn.SetLinger(0) // fails only if it is closed
	}
	return c.Conn.Close()
}
