package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitFailed = 1 // the command was right, but could not be carried out
	exitUsage  = 2 // the command line, or a setting, is wrong
)

// misuse is an error of the command line or of a setting.
type misuse struct{ error }

func (m misuse) Unwrap() error { return m.error }

// execute runs the command, and returns its exit code. What was wrong is one line, of
// wrong settings a line each.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "marketplace: %v\n", err)
	if mistaken := (misuse{}); errors.As(err, &mistaken) {
		return exitUsage
	}
	return exitFailed
}

// group has a command that only holds others show its help, and refuse others than those.
func group(command *cobra.Command) {
	command.Args = func(command *cobra.Command, args []string) error {
		if len(args) > 0 {
			return misuse{fmt.Errorf("there is no command %q; %s --help lists all", args[0], command.CommandPath())}
		}
		return nil
	}
	// Without it the arguments above would not be looked at.
	command.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
}

// noArguments refuses every argument that is no flag.
func noArguments(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return misuse{fmt.Errorf("want no argument but flags, got %q; %s --help lists them", args[0], command.CommandPath())}
	}
	return nil
}
