// Command mockpartner serves a partner platform that keeps the partner contract
// to the letter, for whoever integrates with partners to test against.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
)

// The exit codes.
const (
	exitFailed = 1 // the command was right, but could not be carried out
	exitUsage  = 2 // the command line, or a file it names, is wrong
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "mockpartner: "+strings.TrimSpace(err.Error()))
	if failed := (failure{}); errors.As(err, &failed) {
		return exitFailed
	}
	return exitUsage
}

// failure is an error that is no fault of the command line.
type failure struct{ error }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "mockpartner",
		Short: "A partner platform that keeps the partner contract to the letter",
		Long: `mockpartner serves the six partner endpoints (products, availability, reserve,
confirm, release, cancel) from a catalog, with holds that expire, seats that are
counted, and a clock that can be moved. Its control API lies at /_mock/. Quirks
and faults, in a scenario file or over the control API, make it misbehave on
demand; defects and variants are ready-made.`,
		Example: `  mockpartner serve --auth-key a-test-key
  curl -H 'Authorization: Bearer a-test-key' http://127.0.0.1:8081/products
  curl -d '{"advance":"25m"}' http://127.0.0.1:8081/_mock/clock`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		Args:              onlyCommands,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, c.CommandPath())
	})
	root.AddCommand(newServe(), newScenario(), newDefects(), newVariants(), newHealth(), newVersion())
	cli.AddMan(root)
	cli.ShowVersion(root)
	return root
}

// onlyCommands refuses what is no command of a command that only holds others.
func onlyCommands(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("there is no command %q; see %s --help", args[0], c.CommandPath())
	}
	return nil
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		Run:   func(c *cobra.Command, _ []string) { fmt.Fprintln(c.OutOrStdout(), "mockpartner "+cli.Build()) },
	}
}
