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

// SendBy is the time until which a call may be sent. The zero value does not bound it. It
// is measured by this process's own clocks, since a process that was paused must not
// trust what it knew before the pause.
type SendBy struct {
	began  time.Time
	within time.Duration
}

// Within returns the SendBy that ends so long after now.
func Within(within time.Duration) SendBy { return SendBy{time.Now(), within} }

// Over reports whether the time is over. It is by the monotonic clock, which a change of
// the machine's time does not move, or by the wall clock, which goes on while the machine
// is suspended.
func (s SendBy) Over() bool {
	return !s.began.IsZero() && (time.Since(s.began) > s.within || time.Now().Round(0).Sub(s.began.Round(0)) > s.within)
}

// errOverdue says that a call was not sent, because its time to be sent was over.
var errOverdue = errors.New("the call was not sent in time")

// sending is a call on its way to a connection.
type sending struct {
	by   SendBy
	sent atomic.Bool // it has gone to the network, as far as we know
}

// guarded has a request sent by its time: whichever connection it gets checks that with
// the first byte.
func (s *sending) guarded(ctx context.Context) context.Context {
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

// checkedConn is a connection that checks, right before it writes the first bytes of a
// call, that its time is not over. After that only a pause between the check and the
// system call is left. It carries one call at a time, as HTTP/1 does.
type checkedConn struct {
	net.Conn
	next     atomic.Pointer[sending] // that has not been written yet
	overdue  atomic.Bool
	awaiting atomic.Bool // an answer to a call that was written
}

// Write is net.Conn's.
func (c *checkedConn) Write(p []byte) (int, error) {
	if s := c.next.Swap(nil); s != nil {
		if s.by.Over() {
			c.overdue.Store(true)
		} else {
			s.sent.Store(true)
			c.awaiting.Store(true)
		}
	}
	if c.overdue.Load() {
		return 0, errOverdue // the connection cannot be used any more
	}
	return c.Conn.Write(p)
}

// checked has a dialer's connections check the time of their calls.
func checked(dial func(ctx context.Context, network, address string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &checkedConn{Conn: conn}, nil
	}
}

// Read is net.Conn's.
func (c *checkedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.awaiting.Store(false)
	}
	return n, err
}

// Close is net.Conn's. What the system has not sent yet of a call that was given up is
// dropped: it would go on trying for minutes, and the call belongs to somebody else then.
func (c *checkedConn) Close() error {
	if conn, is := c.Conn.(*net.TCPConn); is && c.awaiting.Load() {
		_ = conn.SetLinger(0) // fails where it is closed
	}
	return c.Conn.Close()
}
