package mockpartner

import (
	"cmp"
	"net/http/httptest"
	"testing"

	"partnerkit.dev/mockpartner/client"
)

// TestKey is the key that callers of a started mock present unless its options
// name another one.
const TestKey = "a-key-for-tests"

// Server is a mock that is served on a port of its own, for a test.
type Server struct {
	*Mock
	URL     string         // where the default sandbox's endpoints lie
	AuthKey string         // what callers must present
	Control *client.Client // of the default sandbox
}

// Start serves a mock until the test ends, as httptest would. Options that are
// wrong fail the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	o.AuthKey = cmp.Or(o.AuthKey, TestKey)
	mock, err := New(o)
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
