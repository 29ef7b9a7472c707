package main

import (
	"os"
	"path/filepath"
	"testing"

	"partnerkit.dev/internal/buildtest"
	"partnerkit.dev/internal/errtest"
)

func TestAProgramIsLinkedOnceUntilSomethingInItChanges(t *testing.T) {
	t.Parallel()
	folder, kept := t.TempDir(), filepath.Join(t.TempDir(), "kept")
	linker, made := filepath.Join(folder, "link"), filepath.Join(folder, "made")
	buildtest.Script(t, linker, `echo linked >>"$0.log"; echo "$3" >"$2"`)
	for i, step := range []struct {
		program, id string
		links       int // until now
	}{
		{"a.test", "-buildid=1", 1},
		{"a.test", "-buildid=1", 1},
		{"b.test", "-buildid=2", 2},
		{"a.test", "-buildid=3", 3},
		{"b.test", "-buildid=2", 3},
		{"a.test", "-buildid=1", 4}, // only the last of each is kept
	} {
		errtest.Check(t, run(kept, step.program, []string{linker, "-o", made, step.id}))
		program, err := os.ReadFile(made)
		errtest.Check(t, err)
		log, err := os.ReadFile(linker + ".log")
		errtest.Check(t, err)
		if links := len(log) / len("linked\n"); links != step.links || string(program) != step.id+"\n" {
			t.Errorf("step %d: want the program of %s and %d links until now, got %q and %d", i, step.id, step.links, program, links)
		}
	}
	left, err := os.ReadDir(kept)
	errtest.Check(t, err)
	if len(left) != 2 {
		t.Errorf("want one program kept for each package, got %v", left)
	}
}

func TestAFailureOfAToolIsOursAndNothingIsKept(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	linker := filepath.Join(folder, "link")
	buildtest.Script(t, linker, "exit 3")
	if err := run(filepath.Join(folder, "kept"), "a.test", []string{linker, "-o", filepath.Join(folder, "made"), "-buildid=1"}); err == nil || err.Error() != "exit status 3" {
		t.Errorf("want the linker's exit status, got %v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "kept")); err == nil {
		t.Error("want nothing kept")
	}
}
