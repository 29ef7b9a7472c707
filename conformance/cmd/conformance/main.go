// Command conformance judges whether a partner platform keeps the partner
// contract.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/internal/cli"
)

func main() {
	// Signals stay ours until the very end: what a run holds is released first,
	// also when the terminal is closed, or nobody reads the output any more.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs the command and returns its exit code. What was wrong with its
// use is said in one line, without the key.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetOut(stdout)
	addCompletion(root)
	return cli.Run(ctx, root, args, stdout, stderr, exitUsage, func(command *cobra.Command, err error) string {
		message := err.Error()
		for _, key := range keysOf(command) {
			message = probe.NewRedactor(key).Redact(message)
		}
		return oneLine(message)
	})
}

func keysOf(command *cobra.Command) []string {
	keys := []string{os.Getenv(probe.KeyVariable)}
	if given := command.Flags().Lookup(authKeyFlag); given != nil {
		keys = append(keys, given.Value.String())
	}
	if variable := command.Flags().Lookup(authKeyEnvFlag); variable != nil {
		keys = append(keys, os.Getenv(variable.Value.String()))
	}
	return keys
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
	}
	root.AddCommand(newRun(), newCleanup(), newRules(), newExplain(), newDiff(), newSelftest(), newVerify())
	cli.Prepare(root, "; '%s --help' lists all", "; '%s --help' lists the flags")
	root.SetHelpCommand(newHelp(root))
	return root
}

func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [command]",
		Short:   "Show what a command does, and its flags",
		Example: "  conformance help run",
		RunE: func(_ *cobra.Command, args []string) error {
			command, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("there is no command %q; 'conformance --help' lists all", strings.Join(args, " "))
			}
			return command.Help()
		},
	}
}

// Exit codes. CI decides by them.
const (
	exitConformant    = 0
	exitNonconformant = 1             // a MUST rule failed
	exitUsage         = cli.ExitUsage // the command was not understood, or could not do its work
	exitIncomplete    = 3             // the partner could not be judged
)

// noArgs refuses arguments without showing them: a key may be among them.
func noArgs(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, only flags; '%[1]s --help' shows examples", command.CommandPath())
	}
	return nil
}

func writeJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

func readAtMost(name string, most int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, most))
}

// prepareFolder makes the folder for the reports and tries to write into it. The folder
// of the usual name, which the user did not choose, must not be a symbolic link: one in
// a repository that was cloned could lead anywhere.
func prepareFolder(dir, usual string) error {
	if info, err := os.Lstat(dir); err == nil && dir == usual && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("the report folder %s is a symbolic link: name the folder that it leads to with --report-dir", dir)
	}
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		var trial *os.File
		if trial, err = os.CreateTemp(dir, ".trial-*"); err == nil {
			err = errors.Join(trial.Close(), os.Remove(trial.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("--report-dir %s cannot be written (%w): name another folder", dir, reason(err))
	}
	return nil
}

// reason leaves out the operation and the path of a file error, which the
// message around it names.
func reason(err error) error {
	if inPath, ok := errors.AsType[*fs.PathError](err); ok {
		return inPath.Err
	}
	return err
}
