package scenario

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

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
	clock := NewClock(target.URL, nil)
	wanted := time.Now().Add(20 * time.Minute)
	if err := clock.MoveBeyond(t.Context(), wanted); err != nil {
		t.Fatal(err)
	}
	if !stands.After(wanted) {
		t.Errorf("want the clock beyond %s, got %s", wanted, stands)
	}
}
