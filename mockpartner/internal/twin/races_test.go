package twin_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/internal/twin"
)

// A call of the recording is made twice at the same time. The second has an effect of its own: another booking, or seats that
// come back again, which every later list shows.
func TestALostRaceIsLearnedFromARecording(t *testing.T) {
	t.Parallel()
	archive, err := os.ReadFile(recordBookings(t, mockpartner.Options{}))
	check(t, err)
	for race, twice := range map[string]struct{ method, path string }{
		`{on: confirm, race: "100ms"}`: {"POST", "/bookings/confirm"},
		`{on: release, race: "100ms"}`: {"DELETE", "/bookings/"},
		`{on: cancel, race: "100ms"}`:  {"POST", "/cancel"},
	} {
		for _, lost := range []bool{true, false} {
			var log struct {
				Log struct{ Entries []map[string]any }
			}
			check(t, json.Unmarshal(archive, &log))
			var edited []map[string]any
			raced := false
			for i, entry := range log.Log.Entries {
				began := noon.Add(time.Duration(i) * time.Second) // one after another, but for the race
				entry["startedDateTime"], entry["time"] = began.Format(time.RFC3339Nano), 5.0
				request, response := entry["request"].(map[string]any), entry["response"].(map[string]any)
				content := response["content"].(map[string]any)
				text, _ := content["text"].(string)
				path, _, _ := strings.Cut(request["url"].(string), "?")
				if lost && raced && strings.HasSuffix(path, "/availability") && race != `{on: confirm, race: "100ms"}` {
					content["text"] = withSeats(t, text, 2)
				}
				edited = append(edited, entry)
				if !raced && request["method"] == twice.method && strings.Contains(path, twice.path) && response["status"] == 200.0 {
					raced = true
					again := maps.Clone(entry)
					again["response"] = maps.Clone(response)
					again["startedDateTime"] = began.Add(time.Millisecond).Format(time.RFC3339Nano)
					if lost {
						again["response"].(map[string]any)["content"] = map[string]any{"mimeType": "application/json", "text": strings.Replace(text, `"externalBookingId":"`, `"externalBookingId":"again-`, 1)}
					}
					edited = append(edited, again)
				}
			}
			whole, err := json.Marshal(map[string]any{"log": map[string]any{"entries": edited}})
			check(t, err)
			file := filepath.Join(t.TempDir(), "raced.har")
			check(t, os.WriteFile(file, whole, 0o600))
			learned, err := twin.Learn(t.Context(), twin.Options{Recordings: []string{file}, Now: func() time.Time { return noon }})
			check(t, err)
			if got, _, _ := strings.Cut(string(learned.Scenario), "\ncatalog:"); !raced || strings.Contains(got, race) != lost || !lost && strings.Contains(got, "quirks") {
				t.Errorf("%s: want it learned: %t, got\n%s", race, lost, got)
			}
		}
	}
}

// withSeats returns a list of slots with more vacancies.
func withSeats(t *testing.T, text string, more float64) string {
	t.Helper()
	var slots []map[string]any
	check(t, json.Unmarshal([]byte(text), &slots))
	for _, slot := range slots {
		if left, counted := slot["vacancies"].(float64); counted {
			slot["vacancies"] = left + more
		}
	}
	changed, err := json.Marshal(slots)
	check(t, err)
	return string(changed)
}
