package main_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/selftest"
)

// The whole kill matrix is what `make selftest` draws; this is a glimpse of it.
func TestASelftestThatProvesItsRulesExits0AndWritesTheMatrix(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "matrix")
	r := start(t, nil, "selftest", "--report-dir", dir, "--defect", "hold-without-code,cancel-late,age-limit-is-text", "--variant", "gzip", "--json").wait(t)
	if r.code != 0 {
		t.Errorf("want exit 0, got %d\n%s", r.code, r.stderr)
	}
	var matrix selftest.Matrix
	if err := json.NewDecoder(strings.NewReader(r.stdout)).Decode(&matrix); err != nil {
		t.Fatalf("want the matrix and nothing else on the standard output: %v\n%s", err, r.stdout)
	}
	if !matrix.Proven || matrix.Summary[selftest.Killed] != 3 || matrix.Summary[selftest.Silent] != 1 {
		t.Errorf("want three defects killed and one variant silent, got %+v", matrix)
	}
	for _, want := range []string{"variants 1, defects 3", "killed", "silent", "Proven in ", filepath.Join(dir, "selftest.json"), filepath.Join(dir, "selftest.md")} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("want it to say %q, got\n%s", want, r.stderr)
		}
	}
}
