// Testsummary runs `go test` with the given arguments and ends with a summary: which tests failed,
// how many were skipped and why, and how to install what they need.
//
//	testsummary -count=1 ./...
//
// It prints what `go test` prints without -v: a line for each package, and the output of failed
// tests. It exits with the code of `go test`.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
)

func main() {
	tests := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	tests.Stderr = os.Stderr
	events, err := tests.StdoutPipe()
	if err == nil {
		signal.Notify(make(chan os.Signal, 1), os.Interrupt) // `go test` receives it, too, and ends
		err = tests.Start()
	}
	if err == nil {
		s := newSummary(os.Stdout)
		s.read(events)
		err = tests.Wait()
		s.close()
	}
	exit := (*exec.ExitError)(nil)
	switch {
	case errors.As(err, &exit):
		os.Exit(max(exit.ExitCode(), 1)) // -1: a signal ended it
	case err != nil:
		fmt.Fprintln(os.Stderr, "testsummary:", err)
		os.Exit(2)
	}
}
