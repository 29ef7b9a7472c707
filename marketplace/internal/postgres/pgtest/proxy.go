package pgtest

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"

	"partnerkit.dev/internal/errtest"
)

// Proxy stands between a store and its database, and can fall silent: it then accepts
// connections and bytes, and passes nothing on.
type Proxy struct {
	URL string // of the database, through the proxy

	mu     sync.Mutex
	silent bool
	speaks chan struct{} // closed while it speaks
	conns  []net.Conn
}

// ProxyTo returns a proxy before the database at that address. It stops when the test ends.
func ProxyTo(t testing.TB, address string) *Proxy {
	t.Helper()
	direct, err := url.Parse(address)
	errtest.Check(t, err)
	socket := filepath.Join(direct.Query().Get("host"), ".s.PGSQL.5432")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.Check(t, err)
	p := &Proxy{speaks: make(chan struct{})}
	close(p.speaks)
	direct.Host, direct.RawQuery = listener.Addr().String(), "sslmode=disable"
	p.URL = direct.String()
	t.Cleanup(func() { _ = listener.Close(); p.Fall(false); p.Cut() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.pass(conn, socket)
		}
	}()
	return p
}

func (p *Proxy) pass(client net.Conn, socket string) {
	server, err := net.Dial("unix", socket)
	if err != nil {
		_ = client.Close()
		return
	}
	p.mu.Lock()
	p.conns = append(p.conns, client, server)
	p.mu.Unlock()
	for to, from := range map[net.Conn]net.Conn{client: server, server: client} {
		go func() {
			defer client.Close()
			defer server.Close()
			_, _ = io.Copy(delayedWriter{p, to}, from) // how a connection ends is its ends' to know
		}()
	}
}

// delayedWriter passes on what it is given once the proxy speaks.
type delayedWriter struct {
	of *Proxy
	to io.Writer
}

func (h delayedWriter) Write(text []byte) (int, error) {
	h.of.mu.Lock()
	speaks := h.of.speaks
	h.of.mu.Unlock()
	<-speaks
	return h.to.Write(text)
}

// Fall has the proxy fall silent, or speak again.
func (p *Proxy) Fall(silent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if silent == p.silent {
		return
	}
	if p.silent = silent; silent {
		p.speaks = make(chan struct{})
	} else {
		close(p.speaks)
	}
}

// Cut ends all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		_ = conn.Close()
	}
	p.conns = nil
}
