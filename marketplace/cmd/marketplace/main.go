// Command marketplace sells partners' tours and activities to resellers. It serves the reseller API
// and partners' integrations and webhooks, and runs the background jobs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // time zones of products, for machines without them

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
)

func main() {
	ownFiles()
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
		Short: "Sell partners' tours and activities through resellers",
		Long: `marketplace imports the catalogs of partners, offers their activities to resellers
at its own prices, and books with the partners.

Every flag can be set by an environment variable: MARKETPLACE_ and the flag's name
in capitals, such as MARKETPLACE_DATABASE_URL for --database-url. Flags take
precedence over variables.`,
		Example: `  marketplace serve --allow-private-partners
  marketplace account create --email ana@example.com --role operator < password.txt`,
	}
	root.AddCommand(newServe(), newHealth(), newMigrate(), newAccount(), newRates())
	cli.Prepare(root, "; %s --help lists all", "; %s --help lists the flags")
	return root
}

func newHealth() *cobra.Command {
	command := cli.NewHealth(&cobra.Command{
		Use:   "health",
		Short: "Check whether a running service is ready",
		Long: `Exits with 0 if the service at the address is ready. Use it as the health check of a
container, which has no shell and no curl.`,
		Example: `  marketplace health
  marketplace health --addr 127.0.0.1:9000`,
		Args: noArguments,
	}, defaultAddr, "the `address` that the service listens on", "/readyz", "the service is ready")
	settle(command)
	return command
}

func newMigrate() *cobra.Command {
	var s storage
	command := &cobra.Command{
		Use:   "migrate",
		Short: "Update the database's tables",
		Long: `Brings the database's tables up to date, as serve does when it starts. Replicas that
start at the same time wait for one of them to do it.`,
		Example: `  marketplace migrate
  marketplace migrate --database-url postgres://user@host/name`,
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			db, err := openDatabase(command.Context(), s, slog.New(slog.DiscardHandler))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(command.OutOrStdout(), "the database is up to date")
			return errors.Join(err, db.close(context.WithoutCancel(command.Context())))
		},
	}
	s.register(command)
	return command
}
