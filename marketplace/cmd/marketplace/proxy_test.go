package main

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
)

// proxy stands between a store and its database, and can fall silent: it then accepts
// connections and bytes, and passes nothing on.
type proxy struct {
	url string // of the database, through the proxy

	mu     sync.Mutex
	silent bool
	speaks chan struct{} // closed while it speaks
	conns  []net.Conn
}

// proxyTo returns a proxy before the database at that address. It stops when the test ends.
func proxyTo(t *testing.T, address string) *proxy {
	t.Helper()
	direct, err := url.Parse(address)
	must(t, err)
	socket := filepath.Join(direct.Query().Get("host"), ".s.PGSQL.5432")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &proxy{speaks: make(chan struct{})}
	close(p.speaks)
	direct.Host, direct.RawQuery = listener.Addr().String(), "sslmode=disable"
	p.url = direct.String()
	t.Cleanup(func() { _ = listener.Close(); p.fall(false); p.cut() })
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

func (p *proxy) pass(client net.Conn, socket string) {
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
	of *proxy
	to io.Writer
}

func (h delayedWriter) Write(text []byte) (int, error) {
	h.of.mu.Lock()
	speaks := h.of.speaks
	h.of.mu.Unlock()
	<-speaks
	return h.to.Write(text)
}

// fall has the proxy fall silent, or speak again.
func (p *proxy) fall(silent bool) {
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

// cut ends all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		_ = conn.Close()
	}
	p.conns = nil
}
