package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
)

func TestDiffReportsNewFailuresAndFixes(t *testing.T) {
	t.Parallel()
	_, whole := startMock(t, mockpartner.Options{})
	good := filepath.Join(judge(t, whole, ofMock(whole)...).dir, "report.json")
	bad := filepath.Join(judge(t, startBroken(t), "--handles-ticket-delivery").dir, "report.json")
	diff := func(args ...string) ran {
		return start(t, nil, append([]string{"diff"}, args...)...).wait(t)
	}

	r := diff(good, bad)
	for _, want := range []string{"Newly failing\n", brokenFirst + ": passed, now failed\n", brokenLast + ": passed, now failed\n", "2 newly failing, 0 still failing, 0 fixed", "note: the reports are of different partners"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("want it to say %q, got\n%s", want, r.stdout)
		}
	}
	if r.code != 1 {
		t.Errorf("want exit 1 where a rule broke, got %d", r.code)
	}
	if r := diff(bad, good); r.code != 0 || !strings.Contains(r.stdout, "0 newly failing, 0 still failing, 2 fixed") {
		t.Errorf("want exit 0 where rules are fixed, got %d\n%s", r.code, r.stdout)
	}
	if r := diff(bad, good, "--twin"); r.code != 1 || !strings.Contains(r.stderr, "the twin lacks 2 breaches of the partner: "+brokenFirst+", "+brokenLast) {
		t.Errorf("want exit 1 where a twin lacks breaches, got %d\n%s", r.code, r.stderr)
	}
	if r := diff(bad, bad, "--twin"); r.code != 0 {
		t.Errorf("want exit 0 where a twin has the same breaches, got %d\n%s", r.code, r.stderr)
	}
	if r := diff(bad, bad, "--markdown"); r.code != 0 || !strings.HasPrefix(r.stdout, "## 0 newly failing, 2 still failing, 0 fixed\n") {
		t.Errorf("want exit 0 where nothing new is broken, got %d\n%s", r.code, r.stdout)
	}
	var compared report.Comparison
	if r := diff(good, bad, "--json"); r.code != 1 || json.NewDecoder(bytes.NewBufferString(r.stdout)).Decode(&compared) != nil || len(compared.Broke) != 2 {
		t.Errorf("want exit 1 and the comparison as JSON, got %d\n%s", r.code, r.stdout)
	}
}

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
	if err := os.WriteFile(changed, []byte(strings.Replace(string(text), `"verdict": "partial"`, `"verdict": "conformant"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"as the run wrote it":        {[]string{path, "--sha256", strings.ToUpper(printed[1])}, 0, "unchanged: " + path + "\nSHA-256   " + printed[1] + "\n"},
		"another than that of a sum": {[]string{path, "--sha256", strings.Repeat("0", 64)}, 1, "unchanged: " + path + "\n  not the report that --sha256 names\n"},
		"one that was changed":       {[]string{changed}, 1, "changed: " + changed + "\nSHA-256   "},
		"a page":                     {[]string{page}, 2, "conformance: " + page + " is not a report.json of this suite\n"},
	} {
		got := start(t, nil, append([]string{"verify"}, c.args...)...).wait(t)
		if got.code != c.code || !strings.HasPrefix(got.stdout+got.stderr, c.says) {
			t.Errorf("%s: want exit %d and %q, got exit %d\n%s%s", name, c.code, c.says, got.code, got.stdout, got.stderr)
		}
	}
}
