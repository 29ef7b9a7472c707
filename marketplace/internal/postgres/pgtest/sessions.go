package pgtest

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// sessions are connections to one database that outlive those who use them: a new one costs
// PostgreSQL more CPU time than most tests do.
type sessions struct {
	mu   sync.Mutex
	idle []*session
}

// session is a connection that the server knows.
type session struct {
	net.Conn
	startup  string // what the client asked for
	greeting []byte // what the server answered: its settings, the process and that it is ready
	process  int32  // the server's
}

// dial is how a client reaches the server, or rather a session that an earlier client has left.
func (s *sessions) dial(ctx context.Context, network, address string) (net.Conn, error) {
	return &client{of: s, dial: func() (net.Conn, error) { return (&net.Dialer{}).DialContext(ctx, network, address) }}, nil
}

// take returns a session that was started so and still stands, or nil.
func (s *sessions) take(startup string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := len(s.idle) - 1; n >= 0; n-- {
		if one := s.idle[n]; one.startup == startup {
			s.idle = append(s.idle[:n], s.idle[n+1:]...)
			if one.forget() == nil { // it still stands
				return one
			}
			_ = one.Close()
		}
	}
	return nil
}

// processes are the server's for the idle sessions.
func (s *sessions) processes() (all []int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.idle {
		all = append(all, one.process)
	}
	return all
}

// leave keeps a session for another client.
func (s *sessions) leave(one *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, one)
}

// close ends the idle sessions.
func (s *sessions) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.idle {
		_ = one.Close()
	}
	s.idle = nil
}

// start has a server start a session.
func start(conn net.Conn, startup []byte) (*session, error) {
	if _, err := conn.Write(startup); err != nil {
		return nil, err
	}
	s := &session{Conn: conn, startup: string(startup)}
	for {
		var head [5]byte // a message's type and its length without the type
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			return nil, err
		}
		body := make([]byte, max(0, int(binary.BigEndian.Uint32(head[1:]))-4))
		if _, err := io.ReadFull(conn, body); err != nil {
			return nil, err
		}
		s.greeting = append(append(s.greeting, head[:]...), body...)
		switch {
		case head[0] == 'K' && len(body) >= 4:
			s.process = int32(binary.BigEndian.Uint32(body))
		case head[0] == 'Z' || head[0] == 'E':
			return s, nil
		}
	}
}

// forget makes the session what it was after its start.
func (s *session) forget() error {
	if err := s.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return err
	}
	server := pgproto3.NewFrontend(s.Conn, s.Conn)
	server.Send(&pgproto3.Query{String: "DISCARD ALL"})
	if err := server.Flush(); err != nil {
		return err
	}
	for done := false; ; {
		message, err := server.Receive()
		if err != nil {
			return err
		}
		switch message := message.(type) {
		case *pgproto3.ErrorResponse: // it is in a transaction
			return pgconn.ErrorResponseToPgError(message)
		case *pgproto3.CommandComplete:
			done = done || string(message.CommandTag) == "DISCARD ALL"
		case *pgproto3.ReadyForQuery:
			if done { // what the client had not read comes before
				return s.SetDeadline(time.Time{})
			}
		}
	}
}
