//go:build !unix

package pgembed

import (
	"context"
	"fmt"
	"runtime"
)

// Server is a PostgreSQL that runs, which none does on this system: the folder's lock,
// the socket that nobody else can open and the server's own user are Unix's.
type Server struct{}

// Start says what this system lacks.
func Start(context.Context, Config) (*Server, error) {
	return nil, fmt.Errorf("there is no private PostgreSQL on %s: set --database-url or MARKETPLACE_DATABASE_URL", runtime.GOOS)
}

// URLOf says what this system lacks.
func URLOf(string, string) (string, error) {
	_, err := Start(context.Background(), Config{})
	return "", err
}

// URL is never asked for: there is no server.
func (s *Server) URL(string) string { return "" }

// Gone is never closed.
func (s *Server) Gone() <-chan struct{} { return nil }

// Stop has nothing to end.
func (s *Server) Stop(context.Context) error { return nil }
