package api

import (
	"net/http"
	"testing"
)

// The trace of a trusted proxy decides whether spans are exported. Its caller must not decide that.
func TestATraceIsContinuedOnlyIfTheCallerNamesOne(t *testing.T) {
	t.Parallel()
	const first, second = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
	for _, c := range []struct {
		given []string
		want  bool
	}{{nil, false}, {[]string{first}, true}, {[]string{first, first}, true}, {[]string{first, second}, false}, {[]string{"", second}, false}} {
		if got := callerTrace(http.Header{"Traceparent": c.given}).IsValid(); got != c.want {
			t.Errorf("%v: Expected a trace: %t, received %t", c.given, c.want, got)
		}
	}
}
