//go:build linux

package crash

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"regexp"
	"strings"
	"sync"
)

// link is the way from one replica to the database, a proxy that the test owns. It can
// hold replies back, lose the reply to a commit, and be silent.
type link struct {
	listener net.Listener
	socket   func() string // of the database that is in charge
	inside   sync.WaitGroup

	mu     sync.Mutex
	open   map[*connection]bool
	gate   chan struct{} // closed: replies pass; open: they wait
	silent int           // how many faults have it swallow what comes, either way
	lose   int           // how many replies to commits are to be lost
	lost   int           // how many were
	made   func()        // is called at the next commit; nil: nobody waits for it
	closed bool
}

func newLink(socket func() string) (*link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &link{listener: listener, socket: socket, open: map[*connection]bool{}, gate: make(chan struct{})}
	close(l.gate)
	l.inside.Go(l.accept)
	return l, nil
}

// address is the database's, as a replica sees it.
func (l *link) address() string {
	return "postgres://marketplace@" + l.listener.Addr().String() + "/postgres?sslmode=disable"
}

func (l *link) close() {
	_ = l.listener.Close() // what is accepted is cut below
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cut()
	l.inside.Wait()
}

// cut ends every connection.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for p := range l.open {
		p.end()
	}
}

// hold holds back every reply until release is called; then they come.
func (l *link) hold() (release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	gate := make(chan struct{})
	l.gate = gate
	return sync.OnceFunc(func() { close(gate) })
}

// silence has the database accept what comes, and never say anything; what was said then
// is lost when speak is called.
func (l *link) silence() (speak func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent++
	return func() {
		l.mu.Lock()
		l.silent--
		l.mu.Unlock()
		l.cut()
	}
}

// loses has the reply to the next commit lost, once it has come: the connection breaks.
func (l *link) loses() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lose++
}

// atCommit has f called once the database has made the next commit, before the replica
// learns of it: the worst moment for a replica to be stopped. It returns whether there was
// one before ctx ended.
func (l *link) atCommit(ctx context.Context, f func()) bool {
	called := make(chan struct{})
	l.mu.Lock()
	l.made = func() { f(); close(called) }
	l.mu.Unlock()
	select {
	case <-called:
		return true
	case <-ctx.Done():
	}
	l.mu.Lock()
	waits := l.made != nil
	l.made = nil
	l.mu.Unlock()
	if !waits { // it has been taken, and is called as soon as the reply comes
		<-called
	}
	return !waits
}

func (l *link) losses() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

func (l *link) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return // the link is closed
		}
		l.inside.Go(func() { l.carry(client) })
	}
}

// connection is one connection of a replica, with the one to the database that it goes on by.
type connection struct {
	link             *link
	client, database net.Conn
	commits          commits
	losing           bool   // the reply to what was sent last; guarded by the link
	made             func() // is called when that comes; guarded by the link
}

func (p *connection) end() {
	_ = p.client.Close() // the other end learns of it
	_ = p.database.Close()
}

func (l *link) carry(client net.Conn) {
	defer client.Close()
	database, err := net.Dial("unix", l.socket())
	if err != nil {
		return // the database is away, and so is the link
	}
	p := &connection{link: l, client: client, database: database, commits: commits{writes: map[string]bool{}}}
	l.mu.Lock()
	l.open[p] = true
	closed := l.closed
	l.mu.Unlock()
	defer l.leaves(p)
	defer p.end()
	if closed {
		return
	}
	var back sync.WaitGroup
	back.Go(func() { p.replies(); p.end() })
	p.requests()
	p.end()
	back.Wait()
}

// leaves forgets a connection. Whoever waits for its commit is told.
func (l *link) leaves(p *connection) {
	l.mu.Lock()
	delete(l.open, p)
	made := p.made
	l.mu.Unlock()
	if made != nil {
		made()
	}
}

// requests passes on what the replica sends, message by message.
func (p *connection) requests() {
	from := bufio.NewReader(p.client)
	for started := false; ; started = true {
		message, err := readMessage(from, started)
		if err != nil {
			return
		}
		if !p.spoken() {
			continue
		}
		if p.commits.in(message) {
			p.link.mu.Lock()
			if p.link.lose > 0 {
				p.link.lose--
				p.losing = true
			}
			if p.link.made != nil {
				p.made, p.link.made = p.link.made, nil
			}
			p.link.mu.Unlock()
		}
		if _, err := p.database.Write(message); err != nil {
			return
		}
	}
}

func (p *connection) spoken() bool {
	p.link.mu.Lock()
	defer p.link.mu.Unlock()
	return p.link.silent == 0
}

// replies passes on what the database sends.
func (p *connection) replies() {
	buffer := make([]byte, 32<<10)
	for {
		n, err := p.database.Read(buffer)
		if n > 0 && p.passes() {
			if _, err := p.client.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil || p.wasLost() {
			return
		}
	}
}

// passes waits until a reply may pass, and reports whether it is to.
func (p *connection) passes() bool {
	p.link.mu.Lock()
	gate, made := p.link.gate, p.made
	p.made = nil
	p.link.mu.Unlock()
	if made != nil {
		made()
	}
	<-gate
	p.link.mu.Lock()
	defer p.link.mu.Unlock()
	if p.losing {
		p.link.lost++
	}
	return !p.losing && p.link.silent == 0
}

func (p *connection) wasLost() bool {
	p.link.mu.Lock()
	defer p.link.mu.Unlock()
	return p.losing
}

// largestMessage bounds a message of a replica, in bytes.
const largestMessage = 64 << 20

// readMessage reads one message of PostgreSQL's protocol; the first one has no type.
func readMessage(from *bufio.Reader, typed bool) ([]byte, error) {
	header := make([]byte, 4, 5)
	if typed {
		header = header[:5]
	}
	if _, err := io.ReadFull(from, header); err != nil {
		return nil, err
	}
	length := int(binary.BigEndian.Uint32(header[len(header)-4:])) - 4
	if length < 0 || length > largestMessage {
		return nil, errors.New("this is not PostgreSQL's protocol")
	}
	message := append(header, make([]byte, length)...)
	_, err := io.ReadFull(from, message[len(header):])
	return message, err
}

// commits finds the messages that have the database commit what was written about a booking.
type commits struct {
	writes map[string]bool // whether a prepared statement does, by its name
	dirty  bool            // something was written since the last commit
	inside bool            // a transaction that was begun
}

var writing = regexp.MustCompile(`(?i)\b(insert\s+into|update)\s+(bookings|booking_\w+|idempotency_keys)\b`)

func (c *commits) in(message []byte) bool {
	if len(message) < 5 {
		return false
	}
	body := message[5:]
	switch message[0] {
	case 'P': // parse: the name of a statement, and its text
		name, rest, _ := bytes.Cut(body, []byte{0})
		text, _, _ := bytes.Cut(rest, []byte{0})
		c.writes[string(name)] = writing.Match(text)
	case 'B': // bind: a portal, and a statement
		_, rest, _ := bytes.Cut(body, []byte{0})
		name, _, _ := bytes.Cut(rest, []byte{0})
		c.dirty = c.dirty || c.writes[string(name)]
	case 'Q': // query
		text := strings.ToLower(strings.TrimSpace(strings.TrimRight(string(body), "\x00")))
		switch {
		case strings.HasPrefix(text, "begin"):
			c.inside, c.dirty = true, false
		case strings.HasPrefix(text, "commit"):
			was := c.dirty
			c.inside, c.dirty = false, false
			return was
		case strings.HasPrefix(text, "rollback"):
			c.inside, c.dirty = false, false
		}
	case 'S': // sync: outside of a transaction, it is a commit
		if !c.inside {
			was := c.dirty
			c.dirty = false
			return was
		}
	}
	return false
}
