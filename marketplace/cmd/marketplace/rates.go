package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/marketplace/internal/worker"
)

func newRates() *cobra.Command {
	command := &cobra.Command{Use: "rates", Short: "Exchange rates", Example: "  marketplace rates import eurofxref-daily.xml"}
	command.AddCommand(newRatesImport())
	return command
}

func newRatesImport() *cobra.Command {
	var s storage
	var force bool
	command := &cobra.Command{
		Use:   "import FILE|URL|-",
		Short: "Import the European Central Bank's daily rates",
		Long: `Imports exchange rates from the European Central Bank's daily file
(eurofxref-daily.xml): from a file, from an address, or from the standard input (-).
Other currencies keep their rates with their dates, unless these were set for a base
other than EUR. The import names them. They are sold in until their rates have the age
--rates-max-age of marketplace serve.

An import is refused if the file is older than the table in force or from the future,
has a currency twice or the euro itself, or has a rate that is more than twice or less
than half of the one in force. Check the file, and use --force if it is right.

You can import rates while the service runs: its prices change immediately. The
service can also import them every day: see --rates-url of marketplace serve.`,
		Example: `  marketplace rates import ` + storefront.RatesAddress + `
  marketplace rates import eurofxref-daily.xml
  marketplace rates import - < eurofxref-daily.xml`,
		Args: cli.Exactly(1, "expected one FILE, one URL, or - for the standard input, received %d"),
		RunE: func(command *cobra.Command, args []string) error {
			daily, err := readRates(command.Context(), args[0], command.InOrStdin())
			if err != nil {
				return err
			}
			var after domain.RateTable
			err = withStore(command.Context(), s, func(store *postgres.Store) error {
				after, err = store.Storefront.ImportRates(command.Context(), daily, time.Now(), force)
				return err
			})
			if mistaken := (*domain.Error)(nil); errors.As(err, &mistaken) && mistaken.Code == domain.Conflict {
				return fmt.Errorf("refused, because it is likely to be wrong (--force imports it):\n%w", withDetails(err))
			}
			if err != nil {
				return withDetails(err)
			}
			out := command.OutOrStdout()
			_, err = fmt.Fprintf(out, "imported %s of %s\n", plural.Count(len(daily.Rates.Per), "rate"), daily.Date.Format(time.DateOnly))
			for _, kept := range after.Kept() {
				_, failed := fmt.Fprintf(out, "not in the file: %s\n", kept)
				err = errors.Join(err, failed)
			}
			return err
		},
	}
	command.Flags().BoolVar(&force, "force", false, "import a file that is likely to be wrong")
	s.register(command)
	return command
}

func readRates(ctx context.Context, from string, stdin io.Reader) (domain.RatesFile, error) {
	switch {
	case from == "-":
		return readTable("the standard input", stdin)
	case strings.HasPrefix(from, "http://") || strings.HasPrefix(from, "https://"):
		daily, err := storefront.FetchRates(ctx, from, userAgent())
		return daily, withDetails(err)
	}
	file, err := os.Open(from)
	if err != nil {
		return domain.RatesFile{}, fmt.Errorf("read the rates: %w", err)
	}
	defer file.Close()
	return readTable(from, file)
}

func readTable(name string, in io.Reader) (domain.RatesFile, error) {
	daily, err := storefront.ReadRates(in)
	if err != nil {
		return daily, fmt.Errorf("%s: %w", name, withDetails(err))
	}
	return daily, nil
}

// prepareRates stores the rates that come with the service if none were ever imported, and how long a
// rate that a newer file lacks is sold in. It warns of an old table.
func prepareRates(ctx context.Context, store *postgres.Store, maxAge time.Duration, now time.Time, log *slog.Logger) (domain.RateTable, error) {
	daily, err := storefront.SampleRates()
	if err != nil {
		return domain.RateTable{}, err
	}
	seeded, err := store.Storefront.SeedRates(ctx, daily, now)
	if err != nil {
		return domain.RateTable{}, fmt.Errorf("store the first exchange rates: %w", err)
	}
	if seeded {
		log.Info("imported the built-in exchange rates", slog.String("as_of", daily.Date.Format(time.DateOnly)))
	}
	if err := store.Storefront.SetRatesMaxAge(ctx, maxAge); err != nil {
		return domain.RateTable{}, fmt.Errorf("store the maximum age of exchange rates: %w", err)
	}
	table, err := store.Storefront.Rates(ctx)
	if err != nil {
		return table, fmt.Errorf("read the exchange rates: %w", err)
	}
	if table.IsOld(now) {
		log.Warn("the exchange rates are old: set --rates-url, run marketplace rates import, or POST /api/v1/operator/rates/import",
			slog.String("as_of", table.Of.Format(time.DateOnly)))
	}
	return table, nil
}

// ratesFresh is the maximum age of exchange rates at which the service waits for the daily pull.
const ratesFresh = 24 * time.Hour

// newFeed returns the feed of exchange rates; nil without an address.
func newFeed(address, agent string, store *postgres.Store, now func() time.Time, log *slog.Logger) worker.RatesFeed {
	if address == "" {
		return nil
	}
	return storefront.NewRatesFeed(address, agent, store.Storefront, now, log)
}
