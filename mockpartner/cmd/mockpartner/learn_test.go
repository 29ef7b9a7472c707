package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"partnerkit.dev/internal/cli"
)

func TestLearnWritesATwinThatTheMockPlays(t *testing.T) {
	mock := serve(t, nil, "--auth-key", key)
	t.Setenv("PARTNER_AUTH_KEY", key)
	twin := filepath.Join(t.TempDir(), "twin.yaml")
	got := finish(t, "learn", "--base-url", mock.base, "--max-rps", "0", "--out", twin)
	if got.code != 0 || got.stderr != "" || !strings.Contains(got.stdout, "8 products, 12 options") || !strings.Contains(got.stdout, "learned from 16 calls to the partner and 0 recorded calls") {
		t.Fatalf("want a report of what was learned, got %+v", got)
	}
	text, err := os.ReadFile(twin)
	if err != nil || strings.Contains(string(text), key) {
		t.Fatalf("want a file without the key, got %v", err)
	}
	if checked := finish(t, "scenario", "check", twin); checked.code != 0 {
		t.Errorf("want a scenario that can be played, got %+v", checked)
	}
	if printed := finish(t, "learn", "--base-url", mock.base, "--max-rps", "0", "--out", "-"); printed.code != 0 || !strings.Contains(printed.stdout, "id: lisbon-walk") {
		t.Errorf("want it on standard output, got %+v", printed)
	}
}

func TestLearnRefusesWhatItCannotDo(t *testing.T) {
	mock := serve(t, nil, "--auth-key", key)
	t.Setenv("PARTNER_AUTH_KEY", key)
	t.Setenv("ANOTHER_KEY", "not-"+key)
	twin := filepath.Join(t.TempDir(), "twin.yaml")
	for _, c := range []struct {
		arguments []string
		code      int
		want      string
	}{
		{nil, cli.ExitUsage, "expected --base-url, --har or both"},
		{[]string{"--base-url", mock.base, "--auth-key-env", "NO_SUCH_KEY"}, cli.ExitUsage, "set NO_SUCH_KEY, or name another variable with --auth-key-env"},
		{[]string{"--base-url", mock.base, "--auth-type", "basic"}, cli.ExitUsage, `--auth-type: expected bearer or api_key, received "basic"`},
		{[]string{"--base-url", mock.base, "--max-calls", "0"}, cli.ExitUsage, "--max-calls: expected at least 1, received 0"},
		{[]string{"--base-url", mock.base, "--max-rps", "-1"}, cli.ExitUsage, "--max-rps: expected 0 or more, received -1"},
		{[]string{"--base-url", mock.base, "--max-duration", "0s"}, cli.ExitUsage, "--max-duration: expected a duration above 0s"},
		{[]string{"--base-url", mock.base, "--out", ""}, cli.ExitUsage, "--out: expected a file"},
		{[]string{"--base-url", mock.base, "--auth-key-env", "ANOTHER_KEY"}, cli.ExitFailed, "expected 200, received 401: check the key"},
		{[]string{"--har", "learn_test.go"}, cli.ExitFailed, "expected an HTTP archive (HAR)"},
		{[]string{"--base-url", mock.base, "--max-rps", "0", "--out", filepath.Join(twin, "x", "y")}, cli.ExitFailed, "no such file or directory"},
	} {
		got := finish(t, append([]string{"learn", "--out", twin}, c.arguments...)...)
		if got.code != c.code || !strings.Contains(got.stderr, c.want) || strings.Contains(got.stderr, key) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%v: want exit %d and %q, got %+v", c.arguments, c.code, c.want, got)
		}
	}
	if _, err := os.Stat(twin); err == nil {
		t.Error("want no file where there is an error")
	}
}
