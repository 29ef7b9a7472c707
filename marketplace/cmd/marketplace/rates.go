package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/count"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/storefront"
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
		Long: `Takes over the exchange rates of a file in the form of the European Central Bank's
daily reference rates (eurofxref-daily.xml), of an address of one, or of the standard
input (-). Rates of currencies that the file does not name stay as they are, unless
their base was another than EUR.

The service may be running: its prices change immediately.`,
		Example: `  marketplace rates import https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml
  marketplace rates import eurofxref-daily.xml
  marketplace rates import - < eurofxref-daily.xml`,
		Args: cli.Exactly(1, "expected one FILE, one URL, or - for the standard input, received %d arguments"),
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
			_, err = fmt.Fprintf(command.OutOrStdout(), "imported %s of %s\n", count.Of(len(daily.Rates.Per), "rate"), daily.Date.Format(time.DateOnly))
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
		return fetchRates(ctx, from)
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

// fetchTime bounds the way to a table, and reading it.
const fetchTime = 30 * time.Second

func fetchRates(ctx context.Context, address string) (daily storefront.DailyRates, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil { // whose words would show a password in the address
		return daily, errors.New("fetch the rates: expected an address such as https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml")
	}
	request.Header.Set("User-Agent", "partnerkit-marketplace/"+cli.Version())
	response, err := http.DefaultClient.Do(request)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err // without the address, whose password it would show
	}
	if err != nil {
		return daily, fmt.Errorf("fetch the rates: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return daily, fmt.Errorf("fetch the rates: %s answered with %d", request.URL.Host, response.StatusCode)
	}
	return readTable(request.URL.Host, response.Body)
}

// seedRates stores the rates that come with the service if none were ever imported.
func seedRates(ctx context.Context, store *postgres.Store, log *slog.Logger) error {
	daily, err := storefront.SampleRates()
	if err != nil {
		return err
	}
	seeded, err := store.Storefront.SeedRates(ctx, daily.Rates, daily.Date)
	if err != nil {
		return fmt.Errorf("store the first exchange rates: %w", err)
	}
	if seeded {
		log.Warn("imported the built-in exchange rates, which are old: import current ones with marketplace rates import, or PUT /api/v1/operator/rates",
			slog.String("as_of", daily.Date.Format(time.DateOnly)))
	}
	return nil
}
