package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// The exit codes that all commands have in common.
const (
	ExitFailed = 1 // the command line was right, and what it asks for could not be done
	ExitUsage  = 2 // the command line, or a setting, is wrong
)

// Exit ends a command with an exit code.
type Exit struct {
	Code int
	Err  error // what went wrong; nil: the command's output says it
}

// Error says what went wrong.
func (e Exit) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns what went wrong.
func (e Exit) Unwrap() error { return e.Err }

// Failed is the error of what could not be done, though the command line was right.
func Failed(err error) error { return Exit{ExitFailed, err} }

// Misuse is the error of a command line, or a setting, that is wrong.
func Misuse(err error) error { return Exit{ExitUsage, err} }

// Run runs a command line and returns its exit code, which is otherwise for an error that
// names none. Errors are written to stderr through shown; nil writes them unchanged.
func Run(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer, otherwise int, shown func(*cobra.Command, error) string) int {
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	exit := Exit{Code: otherwise, Err: err}
	if errors.As(err, &exit); exit.Err != nil {
		text := err.Error()
		if shown != nil {
			text = shown(command, err)
		}
		fmt.Fprintf(stderr, "%s: %s\n", root.Name(), strings.TrimSpace(text))
	}
	return exit.Code
}

// Prepare gives a root with all its commands what every root has: man pages, --version, and
// errors that end with the way to the help, in a format of the command's path. A command
// that only holds others shows its help.
func Prepare(root *cobra.Command, aboutCommands, aboutFlags string) {
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return Misuse(fmt.Errorf("%w"+aboutFlags, err, command.CommandPath()))
	})
	for _, command := range append(root.Commands(), root) {
		if !command.Runnable() {
			group(command, aboutCommands)
		}
	}
	addMan(root)
	showVersion(root)
}

// group makes a command show its help, and refuse unknown subcommands.
func group(command *cobra.Command, aboutCommands string) {
	command.Args = func(command *cobra.Command, args []string) error {
		if len(args) > 0 {
			return Misuse(fmt.Errorf("there is no command %q"+aboutCommands, args[0], command.CommandPath()))
		}
		return nil
	}
	// Without it the arguments above would not be looked at.
	command.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
}

// Exactly refuses another number of arguments than n, in a format of how many there are.
func Exactly(n int, format string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return Misuse(fmt.Errorf(format, len(args)))
		}
		return nil
	}
}

// Fill fills the flags of a command from its settings before it runs, and checks them.
// Every mistake is said, in one line each; checks find those that no flag finds by itself.
func Fill(command *cobra.Command, settings Settings, checks ...func() []error) {
	command.PreRunE = func(*cobra.Command, []string) error {
		_, wrong := settings.Apply()
		for _, check := range checks {
			wrong = append(wrong, check()...)
		}
		if err := errors.Join(wrong...); err != nil {
			return Misuse(err)
		}
		return nil
	}
}
