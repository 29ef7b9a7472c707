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

// Key is the key that callers of a started mock present unless its options name
// another one.
const Key = "a-key-for-tests"

// Server is a mock that is served on a port of its own, for a test.
type Server struct {
	*mockpartner.Mock
	URL     string         // where the default sandbox's endpoints lie
	AuthKey string         // what callers must present
	Control *client.Client // of the default sandbox
}

// Start serves a mock until the test ends, as httptest would. Options that are
// wrong fail the test.
func Start(t testing.TB, o mockpartner.Options) *Server {
	t.Helper()
	o.AuthKey = cmp.Or(o.AuthKey, Key)
	mock, err := mockpartner.New(o)
	if err != nil {
		t.Fatalf("mockpartner: %v", err)
	}
	server := httptest.NewServer(mock)
	t.Cleanup(func() {
		mock.Close() // who watches a journal would keep the server up
		server.Close()
	})
	control, err := client.New(server.URL, client.Options{Token: o.ControlToken, HTTP: server.Client()})
	if err != nil {
		t.Fatalf("mockpartner: %v", err)
	}
	return &Server{Mock: mock, URL: server.URL, AuthKey: o.AuthKey, Control: control}
}

// AssertCallerKept fails the test where the callers of the default sandbox broke
// their side of the contract, with every finding in words. A sandbox that no one
// has called fails it too: there is nothing that was kept.
func (s *Server) AssertCallerKept(t testing.TB) {
	t.Helper()
	AssertCallerKept(t, s.Default())
}

// AssertCallerKept is Server.AssertCallerKept for one sandbox.
func AssertCallerKept(t testing.TB, box *mockpartner.Sandbox) {
	t.Helper()
	if verdict := box.Verdict(); verdict.Verdict != mockpartner.Kept {
		t.Errorf("sandbox %s: %s", box.Name(), verdict)
	}
}
