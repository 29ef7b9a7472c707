package pgtest

import (
	"encoding/binary"
	"net"
	"sync"
	"time"
)

// client is a connection of a client's, which believes that the server has started a session for it.
type client struct {
	of   *sessions
	dial func() (net.Conn, error)

	mu      sync.Mutex
	conn    net.Conn // nil before the first message
	session *session // nil for a request to cancel a query
	unread  []byte   // of the greeting
	limited bool     // as the client does to what it interrupts
	over    bool     // the client has said goodbye
	closed  bool
}

const cancelRequest = 80877102 // PostgreSQL's number for it

func (c *client) Write(message []byte) (int, error) {
	c.mu.Lock()
	conn := c.conn
	switch {
	case conn == nil:
		defer c.mu.Unlock()
		return len(message), c.begin(message)
	case !c.limited && len(message) == 5 && message[0] == 'X':
		c.over = true
		c.mu.Unlock()
		return len(message), nil
	}
	c.mu.Unlock()
	return conn.Write(message)
}

// begin reads a client's first message.
func (c *client) begin(message []byte) (err error) {
	if len(message) < 8 || binary.BigEndian.Uint32(message[4:]) == cancelRequest {
		if c.conn, err = c.dial(); err == nil {
			_, err = c.conn.Write(message)
		}
		return err
	}
	if c.session = c.of.take(string(message)); c.session == nil {
		conn, err := c.dial()
		if err != nil {
			return err
		}
		if c.session, err = start(conn, message); err != nil {
			_ = conn.Close()
			return err
		}
	}
	c.conn, c.unread = c.session, c.session.greeting
	return nil
}

func (c *client) Read(into []byte) (int, error) {
	c.mu.Lock()
	conn := c.conn
	if len(c.unread) > 0 || conn == nil {
		defer c.mu.Unlock()
		n := copy(into, c.unread)
		c.unread = c.unread[n:]
		return n, nil
	}
	c.mu.Unlock()
	return conn.Read(into)
}

func (c *client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return net.ErrClosed
	}
	c.closed = true
	switch {
	case c.session != nil && c.over && len(c.unread) == 0 && c.session.forget() == nil:
		c.of.leave(c.session)
		return nil
	case c.conn == nil:
		return nil
	}
	return c.conn.Close()
}

func (c *client) SetDeadline(at time.Time) error {
	return c.limit(at, net.Conn.SetDeadline)
}

func (c *client) SetReadDeadline(at time.Time) error {
	return c.limit(at, net.Conn.SetReadDeadline)
}

func (c *client) SetWriteDeadline(at time.Time) error {
	return c.limit(at, net.Conn.SetWriteDeadline)
}

// limit sets a time limit, or removes it.
func (c *client) limit(at time.Time, set func(net.Conn, time.Time) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limited = !at.IsZero()
	if c.conn == nil {
		return nil
	}
	return set(c.conn, at)
}

func (c *client) LocalAddr() net.Addr  { return &net.UnixAddr{Net: "unix"} }
func (c *client) RemoteAddr() net.Addr { return &net.UnixAddr{Net: "unix"} }
