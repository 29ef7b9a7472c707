// Package examples_test runs the recipes, clients, manifests and partners of the examples.
package examples_test

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"partnerkit.dev/internal/buildtest"
	"partnerkit.dev/internal/errtest"
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
	return buildtest.Install(folder, "partnerkit.dev/conformance/cmd/conformance", "partnerkit.dev/mockpartner/cmd/mockpartner", "partnerkit.dev/marketplace/cmd/marketplace", "partnerkit.dev/examples/minimal-partner", "partnerkit.dev/examples/shop")
})

// commands builds the commands once for all tests that call them, and returns their folder.
func commands(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out built commands")
	}
	check(t, build())
	return folder
}

// check ends the test on an error.
var check = errtest.Check
