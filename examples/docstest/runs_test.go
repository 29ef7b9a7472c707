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

var depths = []string{"quick", "standard", "thorough"}

// figures are those of one run.
type figures struct {
	Calls    int `json:"calls"`
	Holds    int `json:"holds"`
	Bookings int `json:"bookings"`
	Seconds  int `json:"seconds"`
}

func TestTheFiguresOfARunAreThoseThatItShows(t *testing.T) {
	t.Parallel()
	shown(t, usualRuns, func(text string) (string, error) {
		var recorded map[string]figures
		if err := json.Unmarshal([]byte(text), &recorded); err != nil {
			return "", err
		}
		var lines []string
		for _, depth := range depths {
			measured := recorded[depth]
			if *update || depth == "quick" || depth == "standard" && !testing.Short() {
				measured = measure(t, depth, recorded[depth])
			}
			line, err := json.Marshal(measured)
			if err != nil {
				return "", err
			}
			lines = append(lines, fmt.Sprintf("  %q: %s", depth, line))
		}
		return "{\n" + strings.Join(lines, ",\n") + "\n}\n", nil
	})
	shown(t, "conformance/README.md", func(text string) (string, error) {
		recorded, err := os.ReadFile(filepath.Join(root, usualRuns))
		if err != nil {
			return "", err
		}
		var of map[string]figures
		if err := json.Unmarshal(recorded, &of); err != nil {
			return "", err
		}
		table := "| depth | calls | holds | bookings | seconds |\n|---|---|---|---|---|\n"
		for _, depth := range depths {
			f := of[depth]
			table += fmt.Sprintf("| `%s` | %d | %d | %d | %d |\n", depth, f.Calls, f.Holds, f.Bookings, f.Seconds)
		}
		return section(text, "runs", table)
	})
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
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Duration int `json:"duration_ms"`
		Coverage figures
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	measured := report.Coverage
	if isNear(measured.Calls, recorded.Calls) && isNear(measured.Holds, recorded.Holds) && isNear(measured.Bookings, recorded.Bookings) {
		return recorded
	}
	return figures{round(measured.Calls), round(measured.Holds), round(measured.Bookings), round(max(report.Duration/1000, 1))}
}

// isNear reports whether a figure is within a tenth of the recorded one, or within two.
func isNear(measured, recorded int) bool {
	return math.Abs(float64(measured-recorded)) <= max(float64(recorded)/10, 2)
}

// round keeps the first two digits.
func round(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}
