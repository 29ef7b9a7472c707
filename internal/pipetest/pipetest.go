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
	var answers sync.WaitGroup
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answers.Add(1)
		defer answers.Done()
		handler.ServeHTTP(w, r)
	})}
	go func() { _ = server.Serve(connections) }() // ends with Close
	t.Cleanup(func() {
		_ = server.Close()
		answers.Wait()
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
