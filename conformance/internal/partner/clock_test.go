package partner

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// An address of the user's own network may be what only this machine can reach.
func TestAClockLeadsTheSuiteToNoOtherAddress(t *testing.T) {
	t.Parallel()
	inside := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("expected no request, received %s %s", r.Method, r.URL)
	}))
	t.Cleanup(inside.Close)
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		target := httptest.NewServer(http.RedirectHandler(inside.URL, status))
		t.Cleanup(target.Close)
		err := NewClock(target.URL, nil, nil).Read(t.Context())
		if err == nil || !strings.Contains(err.Error(), fmt.Sprint("answered ", status)) {
			t.Errorf("%d: want the redirect itself as the answer, got %v", status, err)
		}
	}
}

func TestAClockThatStandsStillIsStillMovedBeyondATime(t *testing.T) {
	t.Parallel()
	stands := time.Now().Add(-time.Hour) // and is an hour further behind than when it was read
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Advance string }
		if r.Method == http.MethodPost && json.NewDecoder(r.Body).Decode(&asked) == nil {
			ahead, _ := time.ParseDuration(asked.Advance)
			stands = stands.Add(ahead)
		}
		fmt.Fprintf(w, `{"now": %q}`, stands.Format(time.RFC3339Nano))
	}))
	t.Cleanup(target.Close)
	clock := NewClock(target.URL, nil, nil)
	wanted := time.Now().Add(20 * time.Minute)
	if err := clock.MoveBeyond(t.Context(), wanted); err != nil {
		t.Fatal(err)
	}
	if !stands.After(wanted) {
		t.Errorf("want the clock beyond %s, got %s", wanted, stands)
	}
}
