package twin_test

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/twin"
)

// The recording says how long the partner took, so nothing has to be waited for. A twin takes a
// millisecond or two itself, so the shortest answers are not slowed down.
func TestATwinTakesTheMedianTimeOfItsPartner(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(recordBookings(t, mockpartner.Options{}))
	check(t, err)
	var archive map[string]any
	check(t, json.Unmarshal(raw, &archive))
	// One call in three is ten times slower: a mean would show it, a median does not.
	median := map[string]time.Duration{"/availability": 120 * time.Millisecond, "/bookings/reserve": 2400 * time.Millisecond, "/products": 4 * time.Millisecond}
	calls := map[string]int{}
	for _, e := range archive["log"].(map[string]any)["entries"].([]any) {
		entry := e.(map[string]any)
		address, err := url.Parse(entry["request"].(map[string]any)["url"].(string))
		check(t, err)
		path := address.Path
		took := median[path].Seconds() * 1000
		if calls[path]++; calls[path]%3 == 0 {
			took *= 10
		}
		entry["time"] = took
	}
	changed, err := json.Marshal(archive)
	check(t, err)
	file := filepath.Join(t.TempDir(), "slow.har")
	check(t, os.WriteFile(file, changed, 0o600))
	twin := learnTwin(t, twin.Options{Recordings: []string{file}})
	scenario, err := script.Parse("twin.yaml", twin.Scenario)
	check(t, err)
	times := scenario.AnswerTimes
	if times == nil || time.Duration(times.Availability) != median["/availability"] || time.Duration(times.Reserve) != median["/bookings/reserve"] || times.Products != 0 {
		t.Errorf("Expected the medians %v, without the one of products, received %+v", median, times)
	}
}
