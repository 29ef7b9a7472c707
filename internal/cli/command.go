package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/safetext"
)

// These exit codes are common to all commands.
const (
	ExitFailed = 1 // the command line was valid, but the command failed
	ExitUsage  = 2 // the command line, or a setting, is invalid
)

// Exit ends a command with an exit code.
type Exit struct {
	Code int
	Err  error // the error; nil if the command's output already reports it
}

// Error returns the error's message.
func (e Exit) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the error.
func (e Exit) Unwrap() error { return e.Err }

// FailedError returns the error of a command that failed although its command line was valid.
func FailedError(err error) error { return Exit{ExitFailed, err} }

// Misuse returns the error of an invalid command line or setting.
func Misuse(err error) error { return Exit{ExitUsage, err} }

// Run runs a command line and returns its exit code. For an error without an exit code it returns
// otherwise. It writes errors to stderr, formatted by shown; nil writes them unchanged.
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
		fmt.Fprintf(stderr, "%s: %s\n", root.Name(), safetext.Lines(strings.TrimSpace(text)))
	}
	return exit.Code
}

// Prepare adds man pages and --version to a root. Errors of all its commands end with a hint to the
// help, formatted with the command's path. A command that only has subcommands shows its help.
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
	// Without RunE, the arguments would not be checked.
	command.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
}

// Exactly requires n arguments. The format of its error receives the actual number.
func Exactly(n int, format string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return Misuse(fmt.Errorf(format, len(args)))
		}
		return nil
	}
}

// NoArgs refuses arguments without showing them, because a key may be among them.
func NoArgs(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Misuse(fmt.Errorf("%s takes no arguments, only flags; '%[1]s --help' shows examples", command.CommandPath()))
	}
	return nil
}

// Fill fills the flags of a command from its settings before it runs, and validates them. It
// reports all mistakes, one per line. checks find mistakes that involve more than one flag.
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
