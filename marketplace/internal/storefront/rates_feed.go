package storefront

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/marketplace/internal/domain"
)

// RatesAddress is the address of the European Central Bank's daily table.
const RatesAddress = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"

// RatesFeed updates the exchange rates from a published table.
type RatesFeed struct {
	address, userAgent string
	store              ratesStore
	client             *http.Client
	now                func() time.Time
	log                *slog.Logger
}

type ratesStore interface {
	Rates(ctx context.Context) (domain.RateTable, error)
	ImportRates(ctx context.Context, f domain.RatesFile, now time.Time, force bool) (domain.RateTable, error)
	RefuseRates(ctx context.Context, reason string) error
}

// NewRatesFeed returns a feed for an address.
func NewRatesFeed(address, userAgent string, store ratesStore, now func() time.Time, log *slog.Logger) *RatesFeed {
	return &RatesFeed{address, userAgent, store, feedClient(), now, log}
}

// Pull stores the published rates unless they are stored already. Rates that are refused are no error,
// because another attempt would be refused too: they are logged, and the overview says why.
func (f *RatesFeed) Pull(ctx context.Context) error {
	daily, err := fetchRates(ctx, f.client, f.address, f.userAgent)
	if err != nil {
		return err
	}
	before, err := f.store.Rates(ctx)
	if err != nil || daily.Date.Equal(before.Of) {
		return err
	}
	of := slog.String("as_of", daily.Date.Format(time.DateOnly))
	after, err := f.store.ImportRates(ctx, daily, f.now(), false)
	if refused := (*domain.Error)(nil); errors.As(err, &refused) {
		reason := strings.Join(refused.Details, "; ")
		f.log.WarnContext(ctx, "the exchange rates were refused", of, slog.String("reason", reason))
		return f.store.RefuseRates(ctx, reason)
	}
	if err != nil {
		return fmt.Errorf("store the exchange rates of %s: %w", daily.Date.Format(time.DateOnly), err)
	}
	f.log.InfoContext(ctx, "imported "+plural.Count(len(daily.Rates.Per), "exchange rate"), of)
	for _, kept := range after.Kept() {
		f.log.WarnContext(ctx, "the published exchange rates lack a currency", slog.String("currency", kept.String()))
	}
	return nil
}

// FetchRates returns the table at an address.
func FetchRates(ctx context.Context, address, userAgent string) (domain.RatesFile, error) {
	return fetchRates(ctx, feedClient(), address, userAgent)
}

// fetchTime limits fetching a table. A job has a second more.
const fetchTime = 20 * time.Second

// feedClient returns a client without connection reuse, because the next table is fetched a day
// later.
func feedClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true
	return &http.Client{Transport: transport, Timeout: fetchTime}
}

func fetchRates(ctx context.Context, client *http.Client, address, userAgent string) (daily domain.RatesFile, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil { // its message may contain a password from the address
		return daily, errors.New("fetch the rates: expected an address such as " + RatesAddress)
	}
	request.Header.Set("User-Agent", userAgent)
	response, err := client.Do(request)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err // without the address, which may contain a password
	}
	if err != nil {
		return daily, fmt.Errorf("fetch the rates: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return daily, fmt.Errorf("fetch the rates: %s answered with %d", request.URL.Host, response.StatusCode)
	}
	if daily, err = ReadRates(response.Body); err != nil {
		return daily, fmt.Errorf("%s: %w", request.URL.Host, err)
	}
	return daily, nil
}
