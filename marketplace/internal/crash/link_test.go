//go:build linux

package crash

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"sync"
)

// link is one replica's connection to the database: a proxy in the test. It can hold replies back,
// lose the reply to a commit, and be silent.
type link struct {
	listener net.Listener
	database database
	inside   sync.WaitGroup

	mu     sync.Mutex
	open   map[*connection]bool
	gate   chan struct{} // closed: replies pass; open: they wait
	silent int           // the number of faults that make it discard data in both directions
	lose   int           // the number of replies to commits that it must lose
	lost   int           // the number of lost replies
	made   *atCommit     // called at the next such commit; nil: no call
	closed bool
}

func newLink(to database) (*link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &link{listener: listener, database: to, open: map[*connection]bool{}, gate: make(chan struct{})}
	close(l.gate)
	l.inside.Go(l.accept)
	return l, nil
}

// address returns the address of the database for a replica.
func (l *link) address() string {
	return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", l.database.account, l.listener.Addr(), l.database.name)
}

func (l *link) close() {
	_ = l.listener.Close() // accepted connections are cut below
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

// hold holds back every reply until release is called.
func (l *link) hold() (release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	gate := make(chan struct{})
	l.gate = gate
	return sync.OnceFunc(func() { close(gate) })
}

// silence makes the database accept data but send nothing. speak ends the silence; it cuts the
// connections, so that the replies are lost.
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

// loses makes the link lose the reply to the next commit when it arrives. The connection breaks.
func (l *link) loses() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lose++
}

// atCommit is a function that is called at a commit, before or after the replica receives the
// reply.
type atCommit struct {
	payment bool // only a commit that records a payment and so requires a confirm
	replied bool // after the reply
	call    func()
}

// await calls at.call at the next such commit. It reports whether there was one before ctx ended.
func (l *link) await(ctx context.Context, at atCommit) bool {
	called := make(chan struct{})
	l.mu.Lock()
	f := at.call
	at.call = func() { f(); close(called) }
	l.made = &at
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
	if !waits { // the commit has happened, so the call follows its reply
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

// connection is a connection of a replica and the matching connection to the database.
type connection struct {
	link             *link
	client, database net.Conn
	commits          commits
	losing           bool      // the reply to the last message is to be lost; guarded by the link
	made             *atCommit // called at that reply; guarded by the link
}

func (p *connection) end() {
	_ = p.client.Close() // the other end sees it
	_ = p.database.Close()
}

func (l *link) carry(client net.Conn) {
	defer client.Close()
	database, err := net.Dial("unix", l.database.socket())
	if err != nil {
		return // the database is down, so the link is too
	}
	p := &connection{link: l, client: client, database: database, commits: commits{texts: map[string][]byte{}}}
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

// leaves removes a connection, and notifies the functions that wait for its commit.
func (l *link) leaves(p *connection) {
	l.mu.Lock()
	delete(l.open, p)
	made := p.made
	l.mu.Unlock()
	if made != nil {
		made.call()
	}
}

// requests forwards what the replica sends, message by message.
func (p *connection) requests() {
	from := bufio.NewReader(p.client)
	for started := false; ; started = true {
		message, err := readMessage(from, started)
		if err != nil {
			return
		}
		if !p.hasSpoken() {
			continue
		}
		if made, payment := p.commits.parseCommit(message); made {
			p.link.mu.Lock()
			if p.link.lose > 0 {
				p.link.lose--
				p.losing = true
			}
			if p.link.made != nil && (payment || !p.link.made.payment) {
				p.made, p.link.made = p.link.made, nil
			}
			p.link.mu.Unlock()
		}
		if _, err := p.database.Write(message); err != nil {
			return
		}
	}
}

func (p *connection) hasSpoken() bool {
	p.link.mu.Lock()
	defer p.link.mu.Unlock()
	return p.link.silent == 0
}

// replies forwards what the database sends.
func (p *connection) replies() {
	buffer := make([]byte, 32<<10)
	for {
		n, err := p.database.Read(buffer)
		if n > 0 {
			passes, replied := p.passes()
			if passes {
				_, writeErr := p.client.Write(buffer[:n])
				err = errors.Join(err, writeErr)
			}
			replied()
		}
		if err != nil || p.wasLost() {
			return
		}
	}
}

// passes waits until a reply may pass, and reports whether it must pass. It returns the function to
// call afterwards.
func (p *connection) passes() (passes bool, replied func()) {
	p.link.mu.Lock()
	gate, made := p.link.gate, p.made
	p.made = nil
	p.link.mu.Unlock()
	replied = func() {}
	switch {
	case made != nil && made.replied:
		replied = made.call
	case made != nil:
		made.call()
	}
	<-gate
	p.link.mu.Lock()
	defer p.link.mu.Unlock()
	if p.losing {
		p.link.lost++
	}
	return !p.losing && p.link.silent == 0, replied
}

func (p *connection) wasLost() bool {
	p.link.mu.Lock()
	defer p.link.mu.Unlock()
	return p.losing
}

// largestMessage limits a message of a replica, in bytes.
const largestMessage = 64 << 20

// readMessage reads one message of PostgreSQL's protocol. The first message has no type.
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

// commits finds the messages that commit writes about a booking.
type commits struct {
	texts   map[string][]byte // of prepared statements that write, by name
	dirty   bool              // there are writes since the last commit
	payment bool              // a payment is among them
	inside  bool              // inside a transaction
}

var writing = regexp.MustCompile(`(?i)\b(insert\s+into|update)\s+(bookings|booking_\w+|idempotency_keys)\b`)

// parseCommit reports whether a message is a commit, and whether that commit records a payment.
func (c *commits) parseCommit(message []byte) (commit, payment bool) {
	if len(message) < 5 {
		return false, false
	}
	body := message[5:]
	switch message[0] {
	case 'P': // parse: the name of a statement and its text
		name, rest, _ := bytes.Cut(body, []byte{0})
		text, _, _ := bytes.Cut(rest, []byte{0})
		delete(c.texts, string(name))
		if writing.Match(text) {
			c.texts[string(name)] = text
		}
	case 'B': // bind: a portal and a statement
		_, rest, _ := bytes.Cut(body, []byte{0})
		name, _, _ := bytes.Cut(rest, []byte{0})
		text, writes := c.texts[string(name)]
		c.dirty = c.dirty || writes
		c.payment = c.payment || bytes.Contains(text, []byte("INSERT INTO booking_payments"))
	case 'Q': // query
		text := strings.ToLower(strings.TrimSpace(strings.TrimRight(string(body), "\x00")))
		switch {
		case strings.HasPrefix(text, "begin"):
			c.inside = true
			c.forget()
		case strings.HasPrefix(text, "commit"):
			c.inside = false
			return c.forget()
		case strings.HasPrefix(text, "rollback"):
			c.inside = false
			c.forget()
		}
	case 'S': // sync: outside a transaction it is a commit
		if !c.inside {
			return c.forget()
		}
	}
	return false, false
}

// forget returns the recorded writes and resets them.
func (c *commits) forget() (dirty, payment bool) {
	dirty, payment = c.dirty, c.payment
	c.dirty, c.payment = false, false
	return dirty, payment
}
