package api

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestTheCauseOfAnInternalErrorIsLoggedAndNotSent(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	fails := recorder{log: slog.New(slog.NewTextHandler(&log, nil))}.answer(func(http.ResponseWriter, *http.Request) error { return errors.New("the disk is full") })
	w := httptest.NewRecorder()
	fails.ServeHTTP(w, httptest.NewRequestWithContext(context.WithValue(t.Context(), exchangeKey{}, &exchange{}), http.MethodGet, "/", nil))
	const want = `{"success":0,"error":["unexpected error"],"message":"unexpected error","code":500,"error_code":"internal_error","retry":false}`
	if got := strings.TrimSpace(w.Body.String()); w.Code != http.StatusInternalServerError || got != want {
		t.Errorf("want 500 and\n%s\ngot %d and\n%s", want, w.Code, got)
	}
	if strings.Count(log.String(), "the disk is full") != 1 {
		t.Errorf("want the cause in the log once, got %q", &log)
	}
}

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
