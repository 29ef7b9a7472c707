// Package sourcetest gives tests the project's files that are not in their own module. It is only for tests.
//
// Go keeps the result of a package's tests until their program changes, or a file of their module or a variable that
// they have read. Go does not see other modules' files, or what a command was built from. Therefore `make test` sets a
// variable for each top-level folder, which changes with any file in it, and tests that depend on the folder read it.
package sourcetest

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// depended are the variables that were asked for.
var depended struct {
	sync.Mutex
	variables map[string]bool
}

// Depend makes the results of the package's tests depend on all files of a top-level folder, or, with "", of the project.
// Go does not see what is read before the tests run. If it is called then, another call has to follow in a test.
func Depend(folder string) {
	depended.Lock()
	defer depended.Unlock()
	if depended.variables == nil {
		depended.variables = map[string]bool{}
	}
	depended.variables[variable(folder)] = true
	for name := range depended.variables {
		os.Getenv(name)
	}
}

// variable returns the name of the variable for a folder. Those whose names do not consist of letters have none of
// their own.
func variable(folder string) string {
	if folder == "" || strings.Trim(folder, "abcdefghijklmnopqrstuvwxyz") != "" {
		return "SOURCES"
	}
	return "SOURCES_" + folder
}

// Root returns the folder of the workspace, relative to the current one, which is the package's. It is "." if there is no workspace.
func Root() string {
	for up := "."; ; up = filepath.Join(up, "..") {
		if _, err := os.Stat(filepath.Join(up, "go.work")); err == nil {
			return up
		}
		if at, err := filepath.Abs(up); err != nil || at == filepath.Dir(at) {
			return "."
		}
	}
}

// Path returns the path of a file or folder by its name from the project's root, with slashes. "" is the root. The results
// of the package's tests then depend on all of its top-level folder.
//
// It panics before the tests run, because Go would not see the dependency.
func Path(name string) string {
	if !flag.Parsed() {
		panic("sourcetest: Path was called before the tests run")
	}
	top, _, _ := strings.Cut(path.Clean("/" + name)[1:], "/")
	Depend(top)
	return filepath.Join(Root(), filepath.FromSlash(name))
}

// Read returns the content of a file by its name from the project's root.
func Read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s is not in the project", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
