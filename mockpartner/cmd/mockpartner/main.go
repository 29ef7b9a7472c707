// Command mockpartner serves a partner platform that follows the partner contract exactly, for
// tests of marketplaces that integrate with partners.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/safetext"
	"partnerkit.dev/mockpartner/internal/control"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process immediately.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return cli.Run(ctx, newRoot(), args, stdout, safetext.Writer{To: stderr}, cli.ExitUsage, nil)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "mockpartner",
		Short: "Run a partner platform that follows the partner contract exactly",
		Long: `mockpartner serves the six partner endpoints (products, availability, reserve,
confirm, release, cancel) from a catalog. Holds expire, seats are counted, and you
can move the clock. Its control API is at /_mock/. Quirks and faults, in a scenario
file or through the control API, make it misbehave on request. Defects and variants
are ready-made.`,
		Example: `  mockpartner serve --auth-key a-test-key
  curl -H 'Authorization: Bearer a-test-key' http://127.0.0.1:8081/products
  curl -d '{"advance":"25m"}' http://127.0.0.1:8081/_mock/clock`,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.AddCommand(newServe(), newScenario(), newLearn(), newDefects(), newVariants(), newVerdict(), newHealth(), newVersion())
	cli.Prepare(root, "; see %s --help", "; see %s --help")
	return root
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		Run:   func(c *cobra.Command, _ []string) { fmt.Fprintln(c.OutOrStdout(), "mockpartner "+cli.Build()) },
	}
}

func newHealth() *cobra.Command {
	return cli.NewHealth(&cobra.Command{
		Use:   "health",
		Short: "Check whether a running mock is up",
		Long: `health exits with 0 if the mock at the address is up. Use it as the health check of a
container, which has no shell and no curl.`,
		Example: `  mockpartner health --addr 127.0.0.1:8081`,
		Args:    cobra.NoArgs,
	}, defaultAddr, "address that the mock listens on", control.Path+"/healthz", "the mock is up")
}
