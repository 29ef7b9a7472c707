//go:build unix

package docstest

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/mocktest"
)

// usualRuns is the file with the figures of a run, by depth, which the command, its help and the
// documents show.
const usualRuns = "conformance/internal/plan/usual.json"

// figures are those of one run.
type figures struct {
	Calls    float64 `json:"calls"`
	Holds    float64 `json:"holds"`
	Bookings float64 `json:"bookings"`
	Seconds  float64 `json:"seconds"`
}

func TestTheFiguresOfARunAreThoseThatItShows(t *testing.T) {
	t.Parallel()
	var recorded map[string]figures
	var lines []string
	changed := false
	table := "| depth | calls | holds | bookings | seconds |\n|---|---|---|---|---|\n"
	checkPage(t, usualRuns, func(text string) string {
		check(t, json.Unmarshal([]byte(text), &recorded))
		for _, depth := range []string{"quick", "standard", "thorough"} {
			f := recorded[depth]
			// They change together. A thorough run takes a minute, and a standard one a hundredth of all tests' time.
			if depth == "quick" || depth == "standard" && (*update || os.Getenv("DOCS") != "") || *update && changed {
				f = measure(t, depth, f)
				changed = changed || f != recorded[depth]
			}
			lines = append(lines, fmt.Sprintf(`  %q: {"calls": %.0f, "holds": %.0f, "bookings": %.0f, "seconds": %.0f}`, depth, f.Calls, f.Holds, f.Bookings, f.Seconds))
			table += fmt.Sprintf("| `%s` | %.0f | %.0f | %.0f | %.0f |\n", depth, f.Calls, f.Holds, f.Bookings, f.Seconds)
		}
		return "{\n" + strings.Join(lines, ",\n") + "\n}\n"
	})
	checkPage(t, "conformance/README.md", func(text string) string { return section(t, text, "runs", table) })
}

// measure runs the suite at a mock, and returns the recorded figures if they are right.
func measure(t *testing.T, depth string, recorded figures) figures {
	t.Helper()
	mock := mocktest.Start(t, mockpartner.Options{Seed: 7})
	folder := t.TempDir()
	// The time limit is far away, so that a slow machine makes as many calls.
	run := exec.CommandContext(t.Context(), filepath.Join(programs(t), "conformance"), "run", "--base-url", mock.URL, "--handles-ticket-delivery", "--depth", depth, "--max-duration", "1h", "--report-dir", folder, "--reports", "report.json")
	run.Env = append(os.Environ(), "CONFORMANCE_AUTH_KEY="+mock.AuthKey)
	if output, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	text, err := os.ReadFile(filepath.Join(folder, "report.json"))
	check(t, err)
	var report struct {
		Milliseconds float64 `json:"duration_ms"`
		Coverage     figures
	}
	check(t, json.Unmarshal(text, &report))
	f := report.Coverage
	if isNear(f.Calls, recorded.Calls) && isNear(f.Holds, recorded.Holds) && isNear(f.Bookings, recorded.Bookings) {
		return recorded
	}
	return figures{round(f.Calls), round(f.Holds), round(f.Bookings), round(max(report.Milliseconds/1000, 1))}
}

// isNear reports whether a figure is within a tenth of the recorded one, or within two.
func isNear(measured, recorded float64) bool {
	return math.Abs(measured-recorded) <= max(recorded/10, 2)
}

// round keeps the first two digits.
func round(n float64) float64 {
	unit := math.Pow10(max(int(math.Log10(n))-1, 0))
	return math.Round(n/unit) * unit
}
