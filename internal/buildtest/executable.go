package buildtest

import (
	"os"
	"syscall"
	"testing"
)

// Script creates a command that is a script for /bin/sh.
func Script(t testing.TB, file, script string) {
	t.Helper()
	if err := createExecutable(file, []byte("#!/bin/sh\n"+script)); err != nil {
		t.Fatal(err)
	}
}

// createExecutable keeps other tests from starting processes meanwhile: such a process has the file
// open for writing until it executes its own program, and until then the system refuses to execute
// the file ("text file busy").
func createExecutable(file string, content []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(file, content, 0o755)
}
