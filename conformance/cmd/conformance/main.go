// Command conformance checks whether a partner platform conforms to the partner contract.
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
	"partnerkit.dev/conformance/internal/settings"
	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/safetext"
)

func main() {
	// Handle signals until the very end: the run first releases its holds, even when the terminal
	// is closed or the output is no longer read.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(execute(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// execute runs the command and returns its exit code. It reports a usage error in one line, without
// the key.
func execute(ctx context.Context, args []string, environment settings.Environment, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot(environment)
	root.SetIn(stdin)
	root.SetOut(stdout)
	addCompletion(root)
	return cli.Run(ctx, root, args, stdout, stderr, exitUsage, func(command *cobra.Command, err error) string {
		message := err.Error()
		for _, key := range keysOf(command, environment) {
			message = probe.NewRedactor(key).Redact(message)
		}
		return safetext.Line(message)
	})
}

func keysOf(command *cobra.Command, environment settings.Environment) []string {
	given := func(flag string) string {
		if known := command.Flags().Lookup(flag); known != nil {
			return known.Value.String()
		}
		return ""
	}
	return []string{
		environment.Get(probe.KeyVariable), environment.Get(settings.WebhookSecretVariable),
		given(settings.WebhookSecretFlag), given(settings.AuthKeyFlag), environment.Get(given(settings.AuthKeyEnvFlag)),
	}
}

func newRoot(environment settings.Environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "conformance",
		Short: "Test whether a partner platform conforms to the partner contract",
		Long: `conformance calls a partner's six endpoints as a marketplace would, judges every
answer against the contract, and reports for each rule, with evidence, whether
the partner keeps it.`,
		Example: `  export CONFORMANCE_AUTH_KEY=...
  conformance run --base-url https://partner.example/api
  conformance rules
  conformance explain reserve.vacancies.one`,
	}
	root.AddCommand(newRun(environment), newJudge(), newProxy(), newCleanup(environment), newRules(), newExplain(), newDiff(), newSelftest(), newVerify())
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
