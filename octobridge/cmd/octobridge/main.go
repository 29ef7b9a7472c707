// Command octobridge makes an OCTO supplier a partner of the partner contract: it serves the contract,
// and calls the supplier.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // time zones of products, for machines without them

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/safetext"
	"partnerkit.dev/octobridge/internal/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process immediately.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return cli.Run(ctx, newRoot(), args, stdout, safetext.Writer{To: stderr}, cli.ExitFailed, nil)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "octobridge",
		Short: "Make an OCTO supplier a partner",
		Long: `octobridge stands in front of a supplier of OCTO, the open standard for tours and
activities (octo.travel), and serves the partner contract: products, availability,
reserve, confirm, release and cancel. A marketplace registers the bridge's address as
that of a partner.

Every flag can be set by an environment variable: OCTOBRIDGE_ and the flag's name in
capitals, such as OCTOBRIDGE_OCTO_URL for --octo-url. Flags take precedence over
variables. The keys are in environment variables only.`,
		Example: `  export OCTOBRIDGE_OCTO_KEY=the-key-of-the-supplier OCTOBRIDGE_AUTH_KEY=a-key-for-the-marketplace
  octobridge catalog --octo-url https://supplier.example/octo
  octobridge serve --octo-url https://supplier.example/octo`,
	}
	root.AddCommand(newServe(), newCatalog(), newHealth(), newVersion())
	cli.Prepare(root, "; see %s --help", "; see %s --help")
	return root
}

// settle sets a command's missing flags from their environment variables, and validates them.
func settle(command *cobra.Command, checks ...func() []error) {
	cli.Fill(command, cli.Settings{Flags: command.Flags(), Variable: cli.VariableNames("OCTOBRIDGE_")}, checks...)
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		Run:   func(c *cobra.Command, _ []string) { fmt.Fprintln(c.OutOrStdout(), "octobridge "+cli.Build()) },
	}
}

func newHealth() *cobra.Command {
	command := cli.NewHealth(&cobra.Command{
		Use:   "health",
		Short: "Check whether a running bridge is up",
		Long: `health exits with 0 if the bridge at the address is up and its store answers. It does
not call the supplier. Use it as the health check of a container, which has no shell and
no curl.`,
		Example: `  octobridge health --addr 127.0.0.1:8085`,
		Args:    cobra.NoArgs,
	}, defaultAddr, "the `address` that the bridge listens on", server.HealthPath, "the bridge is up")
	settle(command)
	return command
}
