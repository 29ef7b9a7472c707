package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// completed returns what the shell is offered for the last argument.
func completed(t *testing.T, args ...string) []string {
	t.Helper()
	var out, complaint bytes.Buffer
	if code := execute(t.Context(), append([]string{"__complete"}, args...), &out, &complaint); code != 0 {
		t.Fatalf("%v: want exit 0, got %d: %s", args, code, complaint.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return lines[:len(lines)-1] // the last tells the shell what to do with them
}

func TestAShellCompletesTheNamesOfRulesProfilesDefectsAndVariants(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "settings.yaml")
	if err := os.WriteFile(config, []byte("profiles: {staging: {strict: true}, production: {}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
		not  string
	}{
		{[]string{"explain", "reserve.v"}, "reserve.vacancies.one", ""},
		{[]string{"explain", "reserve.status", ""}, "", "reserve.vacancies.one"},
		{[]string{"run", "--rule", ""}, "reserve.vacancies.one", ""},
		{[]string{"run", "--rule", "reserve.status,"}, "reserve.status,reserve.vacancies.one", "reserve.status,reserve.status"},
		{[]string{"run", "--config", config, "--profile", ""}, "staging", ""},
		{[]string{"run", "--auth-type", ""}, "api_key", ""},
		{[]string{"selftest", "--defect", "hold-without-code,"}, "hold-without-code,hold-takes-no-seats", ""},
		{[]string{"selftest", "--variant", ""}, "gzip", ""},
	} {
		offered := completed(t, c.args...)
		if c.want != "" && !slices.Contains(offered, c.want) || c.not != "" && slices.Contains(offered, c.not) {
			t.Errorf("%v: want %q offered and not %q, got %v", c.args, c.want, c.not, offered)
		}
	}
}
