package examples_test

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// folder is where commands builds.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "commands"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

var build = sync.OnceValue(func() error {
	build := exec.Command("go", "build", "-o", folder+"/", "../conformance/cmd/conformance", "../mockpartner/cmd/mockpartner", "../marketplace/cmd/marketplace", "./minimal-partner")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, output)
	}
	return nil
})

// commands builds the commands once for all tests that call them, and returns their folder.
func commands(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out built commands")
	}
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return folder
}
