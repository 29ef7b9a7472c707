package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"partnerkit.dev/internal/tooltest"
)

// packages are packages whose tests have every result.
var packages = map[string]string{
	"go.mod": "module example\n",
	"good/good_test.go": `package good
import "testing"
func TestGood(t *testing.T) { t.Log("a quiet message") }
func TestWithoutCurl(t *testing.T) { t.Log("before"); t.Skip("` + tooltest.Curl.String() + `\nsecond line") }
func TestWithoutABrowser(t *testing.T) { t.Run("a", func(t *testing.T) { t.Skip("` + tooltest.Browser.String() + `") }) }
func TestAlsoWithoutCurl(t *testing.T) { t.Skip("` + tooltest.Curl.String() + `") }
func TestSlow(t *testing.T) { t.Skip("takes minutes") }
`,
	"left/left_test.go": `package left
import ("fmt"; "os"; "testing")
func TestMain(m *testing.M) { fmt.Println("SKIPPED: ` + tooltest.PostgreSQL.String() + `"); os.Exit(0) }
`,
	"bad/bad_test.go": `package bad
import ("fmt"; "testing")
func TestBad(t *testing.T) {
	t.Run("passes", func(t *testing.T) { t.Log("a quiet message") })
	t.Run("fails", func(t *testing.T) { fmt.Println("printed"); t.Error("the reason") })
}
`,
	"panics/panics_test.go": `package panics
import "testing"
func TestPanics(t *testing.T) { panic("oh no") }
`,
	"broken/broken_test.go": "package broken\nvar x int = \"text\"\n",
}

// run runs the command in a new module with these packages.
func run(t *testing.T, folders ...string) (output string, code int) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range packages {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), os.Args[0], append([]string{"-vet=off"}, folders...)...)
	command.Dir, command.Env = dir, append(os.Environ(), "GOWORK=off", child+"=1")
	text, _ := command.CombinedOutput() // the code says whether it failed
	return string(text), command.ProcessState.ExitCode()
}

const child = "TESTSUMMARY_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestSkippedTestsAreCountedByWhatTheyNeed(t *testing.T) {
	t.Parallel()
	output, code := run(t, "./good", "./left")
	want := `
2 tests ran, 5 skipped
     2  needs curl: install curl
     1  all tests of a package: needs PostgreSQL: install postgresql
     1  needs a browser: install chromium
     1  takes minutes
To run all of them: sudo apt-get install chromium curl postgresql
`
	if code != 0 || !strings.HasSuffix(output, want) || !strings.Contains(output, "ok  \texample/good\t") || strings.Contains(output, "quiet") {
		t.Errorf("want 0, a line for each package and\n%s\ngot %d and\n%s", want, code, output)
	}
}

func TestFailuresAreShownWithTheirOutputAndNamedAtTheEnd(t *testing.T) {
	t.Parallel()
	output, code := run(t, "./...")
	for _, want := range []string{
		"--- FAIL: TestBad/fails", "printed\n", "the reason\n", "FAIL\texample/bad\t", "panic: oh no", "panics_test.go:3", "ok  \texample/good\t",
		`cannot use "text"`, "FAIL\texample/broken [build failed]", "FAIL: 3 failures\n",
	} {
		if !strings.Contains(output, want) {
			t.Errorf("want %q in\n%s", want, output)
		}
	}
	_, end, _ := strings.Cut(output, "FAIL: 3 failures\n")
	for _, want := range []string{"  example/bad TestBad/fails\n", "  example/panics TestPanics\n", "  example/broken\n"} {
		if !strings.Contains(end, want) {
			t.Errorf("want %q at the end, got\n%s", want, end)
		}
	}
	if code != 1 || strings.Contains(output, "quiet") {
		t.Errorf("want 1 and nothing of what passed, got %d and\n%s", code, output)
	}
}

func TestARaceIsShownWhicheverTestItWasPrintedIn(t *testing.T) {
	t.Parallel()
	var printed strings.Builder
	s := newSummary(&printed)
	line := func(action, test, output string) string {
		return fmt.Sprintf("{\"Action\":%q,\"Package\":\"p\",\"Test\":%q,\"Output\":%q}\n", action, test, output)
	}
	s.read(strings.NewReader(line("output", "TestA", "WARNING: DATA RACE\n") + line("pass", "TestA", "") + line("output", "TestB", "race detected\n") + line("fail", "TestB", "") + line("fail", "", "")))
	s.close()
	if got := printed.String(); !strings.HasPrefix(got, "WARNING: DATA RACE\nrace detected\n") {
		t.Errorf("want the race, got\n%s", got)
	}
}
