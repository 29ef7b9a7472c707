//go:build unix

package tooltest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"partnerkit.dev/internal/tooltest"
)

// It changes the process's environment, so it is not parallel.
func TestTheLastLinesSayWhatFailedWhatWasSkippedAndWhatToInstall(t *testing.T) {
	output, skipped := filepath.Join(t.TempDir(), "output"), filepath.Join(t.TempDir(), "skipped")
	if err := os.WriteFile(output, []byte("ok  \tgood\t0.1s\n--- FAIL: TestBad (0.00s)\n    --- FAIL: TestBad/one (0.00s)\n        bad_test.go:7: why\nFAIL\nFAIL\tbad\t0.1s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CI", "")
	t.Setenv("SKIPPED_TESTS", skipped)
	for _, tool := range []tooltest.Tool{tooltest.Curl, tooltest.Browser, tooltest.Curl, tooltest.Registry} {
		t.Run("skipped", func(t *testing.T) { tooltest.Skip(t, tool, "it is an example") })
	}
	if code := tooltest.SkipPackage(tooltest.PostgreSQL, "it is an example"); code != 0 {
		t.Errorf("want 0, got %d", code)
	}
	const want = `
FAIL:
--- FAIL: TestBad (0.00s)
    --- FAIL: TestBad/one (0.00s)
FAIL	bad	0.1s

Tests that were skipped, by what they need: 5
2 needs curl: install curl
1 all tests of a package: needs PostgreSQL: install postgresql
1 needs a browser: install chromium
1 needs npm's registry
To run all of them: sudo apt-get install chromium curl postgresql
`
	text, err := exec.CommandContext(t.Context(), "sh", "summary.sh", output, skipped).CombinedOutput()
	if got := regexp.MustCompile(`(?m)^ +(\d)`).ReplaceAllString(string(text), "$1"); err != nil || got != want { // uniq indents the counts
		t.Errorf("want\n%s\ngot %v and\n%s", want, err, got)
	}
}

func TestInCINoTestIsSkipped(t *testing.T) {
	t.Setenv("CI", "1")
	t.Setenv("SKIPPED_TESTS", "") // the list of the run that this test is part of
	if code := tooltest.SkipPackage(tooltest.PostgreSQL, "it is an example"); code != 1 {
		t.Errorf("want 1, got %d", code)
	}
}
