package storefront

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
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
	log                *slog.Logger
}

type ratesStore interface {
	Terms(ctx context.Context) (domain.Terms, error)
	ChangeRates(ctx context.Context, c domain.RatesChange) error
}

// NewRatesFeed returns a feed for an address.
func NewRatesFeed(address, userAgent string, store ratesStore, log *slog.Logger) *RatesFeed {
	return &RatesFeed{address, userAgent, store, feedClient(), log}
}

// Pull stores the published rates if they are newer than the stored ones, or if operators set
// those.
func (f *RatesFeed) Pull(ctx context.Context) error {
	daily, err := fetchRates(ctx, f.client, f.address, f.userAgent)
	if err != nil {
		return err
	}
	before, err := f.store.Terms(ctx)
	if err != nil || !daily.Date.After(before.RatesOf) {
		return err
	}
	if err := f.store.ChangeRates(ctx, daily.Rates.Merge(daily.Date)); err != nil {
		return fmt.Errorf("store the exchange rates of %s: %w", daily.Date.Format(time.DateOnly), err)
	}
	f.log.InfoContext(ctx, "imported "+plural.Count(len(daily.Rates.Per), "exchange rate"), slog.String("as_of", daily.Date.Format(time.DateOnly)))
	return nil
}

// FetchRates returns the table at an address.
func FetchRates(ctx context.Context, address, userAgent string) (DailyRates, error) {
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

func fetchRates(ctx context.Context, client *http.Client, address, userAgent string) (daily DailyRates, err error) {
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
