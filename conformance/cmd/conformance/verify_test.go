package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"partnerkit.dev/mockpartner"
)

func TestAReportIsVerifiedByWhatTheRunPrinted(t *testing.T) {
	t.Parallel()
	_, url := startMock(t, mockpartner.Options{})
	r := judge(t, url, "--label", "products.status", "--reports", "report.html,junit.xml")
	printed := regexp.MustCompile(`(?m)^SHA-256 of the report: ([0-9a-f]{64})$`).FindStringSubmatch(r.stdout)
	if printed == nil {
		t.Fatalf("want the sum printed, got\n%s", r.stdout)
	}
	verify := func(path string, flags ...string) ran {
		t.Helper()
		return start(t, quickCommand, nil, append([]string{"verify", path}, flags...)...).wait(t)
	}
	for _, name := range []string{"report.json", "report.html"} {
		path := filepath.Join(r.dir, name)
		if got := verify(path, "--sha256", strings.ToUpper(printed[1])); got.code != 0 || !strings.HasPrefix(got.stdout, "unchanged: "+path+"\n") || !strings.Contains(got.stdout, printed[1]) {
			t.Errorf("want %s unchanged, exit 0, got exit %d\n%s%s", name, got.code, got.stdout, got.stderr)
		}
		if got := verify(path, "--sha256", strings.Repeat("0", 64)); got.code != 1 || !strings.Contains(got.stdout, "another report than that of --sha256") {
			t.Errorf("want %s to be another report, exit 1, got exit %d\n%s%s", name, got.code, got.stdout, got.stderr)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(changed, []byte(strings.Replace(string(text), "conformant", "nonconformant", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := verify(changed); got.code != 1 || !strings.HasPrefix(got.stdout, "changed: ") || !strings.Contains(got.stdout, "  differs: ") {
			t.Errorf("want %s changed, and what, exit 1, got exit %d\n%s%s", name, got.code, got.stdout, got.stderr)
		}
	}
	if got := verify(filepath.Join(r.dir, "junit.xml")); got.code != 2 || !strings.Contains(got.stderr, "is no report.json or report.html") || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("want one line that says that junit.xml is no such report, exit 2, got exit %d\n%s", got.code, got.stderr)
	}
}
