//go:build !unix

package pgembed

import (
	"context"
	"fmt"
	"runtime"
)

// Server is never created on this system: the folder's lock, the private socket and the server's
// own user require Unix.
type Server struct{}

// Start returns an error that says what this system lacks.
func Start(context.Context, Config) (*Server, error) {
	return nil, fmt.Errorf("there is no private PostgreSQL on %s: set --database-url or MARKETPLACE_DATABASE_URL", runtime.GOOS)
}

// Prepare returns an error that says what this system lacks.
func Prepare(ctx context.Context, config Config) error {
	_, err := Start(ctx, config)
	return err
}

// URLOf returns an error that says what this system lacks.
func URLOf(string, string) (string, error) {
	_, err := Start(context.Background(), Config{})
	return "", err
}

// URL is never called.
func (s *Server) URL(string) string { return "" }

// Exited is never closed.
func (s *Server) Exited() <-chan struct{} { return nil }

// Stop does nothing.
func (s *Server) Stop(context.Context) error { return nil }
