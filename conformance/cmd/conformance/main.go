// Command conformance judges whether a partner platform keeps the partner
// contract.
package main

import (
	"context"
	"fmt"
	"io"
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

// keysOf returns every key that the command was given, whichever it uses.
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
