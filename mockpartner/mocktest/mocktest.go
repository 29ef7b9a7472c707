// Package mocktest serves a mock partner in a Go test.
//
//	partner := mocktest.Start(t, mockpartner.Options{Frozen: true})
//	// … let the code under test book at partner.URL with partner.AuthKey, then:
//	partner.AssertCallerKept(t)
package mocktest

import (
	"cmp"
	"net/http/httptest"
	"testing"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
)

// Key is the default key that callers of a started mock present.
const Key = "a-key-for-tests"

// Server is a mock that is served on its own port, for a test.
type Server struct {
	*mockpartner.Mock
	URL     string         // base URL of the default sandbox's endpoints
	AuthKey string         // the key that callers must present
	Control *client.Client // of the default sandbox
}

// Start serves a mock until the test ends, like httptest. Invalid options fail the test.
func Start(t testing.TB, o mockpartner.Options) *Server {
	t.Helper()
	o.AuthKey = cmp.Or(o.AuthKey, Key)
	mock, err := mockpartner.New(o)
	if err != nil {
		t.Fatalf("mockpartner: %v", err)
	}
	server := httptest.NewServer(mock)
	t.Cleanup(func() {
		mock.Close() // requests that watch a journal would keep the server running
		server.Close()
	})
	control, err := client.New(server.URL, client.Options{Token: o.ControlToken, HTTP: server.Client()})
	if err != nil {
		t.Fatalf("mockpartner: %v", err)
	}
	return &Server{Mock: mock, URL: server.URL, AuthKey: o.AuthKey, Control: control}
}

// AssertCallerKept fails the test if the callers of the default sandbox broke their side of the
// contract. The message contains every finding. It also fails if nothing called the sandbox,
// because then nothing could be judged.
func (s *Server) AssertCallerKept(t testing.TB) {
	t.Helper()
	AssertCallerKept(t, s.Default())
}

// AssertCallerKept is Server.AssertCallerKept for one sandbox.
func AssertCallerKept(t testing.TB, box *mockpartner.Sandbox) {
	t.Helper()
	if verdict := box.Verdict(); verdict.Verdict != client.Kept {
		t.Errorf("sandbox %s: %s", box.Name(), verdict)
	}
}
