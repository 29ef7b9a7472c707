// Command marketplace sells what partners offer to resellers: the reseller API, the
// partners' integrations and webhooks, and what happens by itself.
package main

import (
	"context"
	"fmt"
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
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	group(root)
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return misuse{fmt.Errorf("%w; %s --help lists the flags", err, command.CommandPath())}
	})
	root.AddCommand(newServe(), newHealth(), newMigrate(), newAccount(), newRates())
	cli.AddMan(root)
	cli.ShowVersion(root)
	return root
}
