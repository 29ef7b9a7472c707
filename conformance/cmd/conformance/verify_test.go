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
	r := judge(t, url, "--label", "products.status", "--reports", "report.html")
	printed := regexp.MustCompile(`(?m)^SHA-256 of the report: ([0-9a-f]{64})$`).FindStringSubmatch(r.stdout)
	if printed == nil {
		t.Fatalf("want the sum printed, got\n%s", r.stdout)
	}
	path := filepath.Join(r.dir, "report.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed, page := filepath.Join(t.TempDir(), "report.json"), filepath.Join(r.dir, "report.html")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(text), "conformant", "nonconformant", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"as the run wrote it":        {[]string{path, "--sha256", strings.ToUpper(printed[1])}, 0, "unchanged: " + path + "\nSHA-256   " + printed[1] + "\n"},
		"another than that of a sum": {[]string{path, "--sha256", strings.Repeat("0", 64)}, 1, "unchanged: " + path + "\n  another report than that of --sha256\n"},
		"one that was changed":       {[]string{changed}, 1, "changed: " + changed + "\nSHA-256   "},
		"a page":                     {[]string{page}, 2, "conformance: " + page + " is no report.json of this suite\n"},
	} {
		got := start(t, nil, append([]string{"verify"}, c.args...)...).wait(t)
		if got.code != c.code || !strings.HasPrefix(got.stdout+got.stderr, c.says) {
			t.Errorf("%s: want exit %d and %q, got exit %d\n%s%s", name, c.code, c.says, got.code, got.stdout, got.stderr)
		}
	}
}
