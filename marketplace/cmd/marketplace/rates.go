package main

import (
	"context"
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
	command := &cobra.Command{
		Use:   "import FILE|URL|-",
		Short: "Import the European Central Bank's daily rates",
		Long: `Imports exchange rates from the European Central Bank's daily file
(eurofxref-daily.xml): from a file, from an address, or from the standard input (-).
Other currencies keep their rates, unless these were set for a base other than EUR.

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
			err = withStore(command.Context(), s, func(store *postgres.Store) error {
				return store.Storefront.ChangeRates(command.Context(), daily.Rates.Merge(daily.Date))
			})
			if err != nil {
				return withDetails(err)
			}
			_, err = fmt.Fprintf(command.OutOrStdout(), "imported %s of %s\n", plural.Count(len(daily.Rates.Per), "rate"), daily.Date.Format(time.DateOnly))
			return err
		},
	}
	s.register(command)
	return command
}

func readRates(ctx context.Context, from string, stdin io.Reader) (storefront.DailyRates, error) {
	switch {
	case from == "-":
		return readTable("the standard input", stdin)
	case strings.HasPrefix(from, "http://") || strings.HasPrefix(from, "https://"):
		daily, err := storefront.FetchRates(ctx, from, userAgent())
		return daily, withDetails(err)
	}
	file, err := os.Open(from)
	if err != nil {
		return storefront.DailyRates{}, fmt.Errorf("read the rates: %w", err)
	}
	defer file.Close()
	return readTable(from, file)
}

func readTable(name string, in io.Reader) (storefront.DailyRates, error) {
	daily, err := storefront.ReadRates(in)
	if err != nil {
		return daily, fmt.Errorf("%s: %w", name, withDetails(err))
	}
	return daily, nil
}

// prepareRates stores the rates that come with the service if none were ever imported, and warns of
// old ones.
func prepareRates(ctx context.Context, store *postgres.Store, now time.Time, log *slog.Logger) (domain.Terms, error) {
	daily, err := storefront.SampleRates()
	if err != nil {
		return domain.Terms{}, err
	}
	seeded, err := store.Storefront.SeedRates(ctx, daily.Rates, daily.Date)
	if err != nil {
		return domain.Terms{}, fmt.Errorf("store the first exchange rates: %w", err)
	}
	if seeded {
		log.Info("imported the built-in exchange rates", slog.String("as_of", daily.Date.Format(time.DateOnly)))
	}
	terms, err := store.Storefront.Terms(ctx)
	if err != nil {
		return terms, fmt.Errorf("read the exchange rates: %w", err)
	}
	if domain.RatesOld(terms.RatesOf, now) {
		log.Warn("the exchange rates are old: set --rates-url, run marketplace rates import, or PUT /api/v1/operator/rates",
			slog.String("as_of", terms.RatesOf.Format(time.DateOnly)))
	}
	return terms, nil
}

// ratesFresh is the maximum age of exchange rates at which the service waits for the daily pull.
const ratesFresh = 24 * time.Hour

// newFeed returns the feed of exchange rates; nil without an address.
func newFeed(address, agent string, store *postgres.Store, log *slog.Logger) worker.RatesFeed {
	if address == "" {
		return nil
	}
	return storefront.NewRatesFeed(address, agent, store.Storefront, log)
}
