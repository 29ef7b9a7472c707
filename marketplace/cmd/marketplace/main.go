// Command marketplace sells what partners offer to resellers: the reseller API, the
// partners' integrations and webhooks, and what happens by itself.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // zones of products, on machines that have none

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return cli.Run(ctx, newRoot(), args, stdout, stderr, cli.ExitFailed, nil)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "marketplace",
		Short: "Sell what partners offer to resellers",
		Long: `marketplace pulls the catalogs of partners that keep the partner contract, shows
them to resellers with prices of its own, and books with the partners.

Every flag can be set by an environment variable: MARKETPLACE_ and the flag's name
in capitals, such as MARKETPLACE_DATABASE_URL for --database-url. A flag stands
before its variable.`,
		Example: `  marketplace serve --allow-private-partners
  marketplace account create --email ana@example.com --role operator < password.txt`,
	}
	root.AddCommand(newServe(), newHealth(), newMigrate(), newAccount(), newRates())
	cli.Prepare(root, "; %s --help lists all", "; %s --help lists the flags")
	return root
}
