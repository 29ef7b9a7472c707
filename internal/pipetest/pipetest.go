// Package pipetest connects clients and servers of tests through pipes, which a synctest bubble needs: its time passes
// only while everything in it waits, and it does not see what waits for a network.
package pipetest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
)

// Serve serves a handler until the end of the test, and returns the function that connects to it,
// whatever address is given.
func Serve(t testing.TB, handler http.Handler) (dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	connections := make(pipes)
	var running sync.WaitGroup // the server, and its connections, whose handlers it does not wait for
	server := &http.Server{Handler: handler, ConnState: func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			running.Add(1)
		case http.StateClosed, http.StateHijacked:
			running.Done()
		}
	}}
	running.Go(func() { _ = server.Serve(connections) }) // ends with Close
	t.Cleanup(func() {
		_ = server.Close()
		running.Wait()
	})
	return connections.dial
}

// pipes is a network with one server.
type pipes chan net.Conn

func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	p <- server
	return client, nil
}

// Accept implements net.Listener.
func (p pipes) Accept() (net.Conn, error) {
	conn, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}

// Close implements net.Listener.
func (p pipes) Close() error { close(p); return nil }

// Addr implements net.Listener.
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }
