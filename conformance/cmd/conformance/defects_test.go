package main_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/selftest"
)

// aLongSelftest bounds some 20 runs, on a machine that is at work on other tests as
// well: many times what they take on two cores.
const aLongSelftest = 15 * time.Minute

// The whole kill matrix is what `make selftest` draws: of its defects, one for every
// rule, this tries each twelfth.
func TestADefectOfARuleFailsThatRuleAndNoOther(t *testing.T) {
	t.Parallel()
	const step = 12
	var names []string
	for i, c := range selftest.Fast().Cases {
		if c.Kind == selftest.Defect && i%step == 0 {
			names = append(names, c.Name)
		}
	}
	dir := filepath.Join(t.TempDir(), "matrix")
	r := startWithin(t, aLongSelftest, quickCommand, nil, "selftest", "--defect", strings.Join(names, ","), "--report-dir", dir).wait(t)
	if r.code != 0 {
		_, wrong, _ := strings.Cut(r.stdout, "\n\n") // the head
		_, wrong, _ = strings.Cut(wrong, "\n\n")     // a line for each partner
		t.Fatalf("want exit 0, got %d\n%s%s", r.code, wrong, r.stderr)
	}
	t.Log(r.stdout)
}

func TestASelftestThatProvesItsRulesExits0AndWritesTheMatrix(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "matrix")
	r := start(t, quickCommand, nil, "selftest", "--report-dir", dir, "--defect", "hold-without-code", "--variant", "gzip", "--json").wait(t)
	if r.code != 0 {
		t.Errorf("want exit 0, got %d\n%s", r.code, r.stderr)
	}
	var matrix selftest.Matrix
	if err := json.NewDecoder(bytes.NewBufferString(r.stdout)).Decode(&matrix); err != nil {
		t.Fatalf("want the matrix and nothing else on the standard output: %v\n%s", err, r.stdout)
	}
	if !matrix.Proven || matrix.Summary[selftest.Killed] != 1 || matrix.Summary[selftest.Silent] != 1 {
		t.Errorf("want one defect killed and one variant silent, got %+v", matrix)
	}
	for _, want := range []string{"variants 1, defects 1", "killed", "silent", "Proven in ", filepath.Join(dir, "selftest.json"), filepath.Join(dir, "selftest.md")} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("want it to say %q, got\n%s", want, r.stderr)
		}
	}
}
