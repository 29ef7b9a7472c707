// Command conformance judges whether a partner platform keeps the partner
// contract.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes. CI decides by them.
const (
	exitConformant    = 0
	exitNonconformant = 1 // a MUST rule failed
	exitUsage         = 2 // the command was not understood, or could not do its work
	exitIncomplete    = 3 // the partner could not be judged
)

// version is set when a release is built.
var version = ""

func main() {
	// Signals stay ours until the very end: what a run holds is released first.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// exitError ends the command with a code; its output has been written.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// execute runs the command and returns its exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var exit exitError
	switch {
	case err == nil:
		return exitConformant
	case errors.As(err, &exit):
		return int(exit)
	default:
		fmt.Fprintf(stderr, "conformance: %v\n", err)
		return exitUsage
	}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "conformance",
		Short: "Judge whether a partner platform keeps the partner contract",
		Long: `conformance calls a partner's six endpoints as a marketplace would, judges every
answer against the contract, and says rule by rule, with evidence, what holds
and what does not.`,
		Example: `  export CONFORMANCE_AUTH_KEY=...
  conformance run --base-url https://partner.example/api
  conformance rules
  conformance explain reserve.vacancies.one`,
		Version:       suiteVersion(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
	}
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return fmt.Errorf("%w; '%s --help' lists the flags", err, command.CommandPath())
	})
	root.AddCommand(newRun(), newRules(), newExplain())
	return root
}

// suiteVersion is the version that a release, or go install, was built from.
func suiteVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
