package storefront_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/storefront"
)

// ratesServer publishes a table with one rate, and then another.
type ratesServer struct {
	*httptest.Server
	day, dollars atomic.Value
	asked        atomic.Int64
}

func openBank(t *testing.T) *ratesServer {
	b := &ratesServer{}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.asked.Add(1)
		if r.URL.Path != "/daily.xml" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(`<Envelope><Cube><Cube time="` + b.day.Load().(string) + `"><Cube currency="USD" rate="` + b.dollars.Load().(string) + `"/></Cube></Cube></Envelope>`))
	}))
	t.Cleanup(b.Close)
	return b
}

func (b *ratesServer) publishes(day, dollars string) { b.day.Store(day); b.dollars.Store(dollars) }

func TestAFeedStoresNewerRatesAndNoOlderOnes(t *testing.T) {
	t.Parallel()
	store, at := pgtest.Open(t), openBank(t)
	feed := storefront.NewRatesFeed(at.URL+"/daily.xml", "test", store.Storefront, slog.New(slog.NewTextHandler(t.Output(), nil)))
	yen := decimal.RequireFromString("171.94")
	must(t, store.Storefront.ChangeRates(t.Context(), domain.RatesChange{Base: "EUR", Rates: map[domain.Currency]*decimal.Decimal{"JPY": &yen}}))
	for _, one := range []struct{ publishes, dollars, of, inForce string }{
		{"2026-06-29", "1.1", "2026-06-29", "1.1"}, // replaces rates that operators set
		{"2026-06-30", "1.2", "2026-06-30", "1.2"},
		{"2026-06-30", "1.3", "2026-06-30", "1.2"}, // the rates of that day are stored already
		{"2026-06-26", "1.4", "2026-06-30", "1.2"}, // an outdated copy
		{"2026-07-01", "1.5", "2026-07-01", "1.5"},
	} {
		at.publishes(one.publishes, one.dollars)
		must(t, feed.Pull(t.Context()))
		terms, err := store.Storefront.Terms(t.Context())
		must(t, err)
		dollars, yens := terms.Rates.Per["USD"], terms.Rates.Per["JPY"]
		if of := terms.RatesOf.Format(time.DateOnly); of != one.of || dollars.String() != one.inForce || yens.String() != "171.94" {
			t.Errorf("After the table of %s, expected %s dollars of %s and the yen as they were, received %s of %s and %s", one.publishes, one.inForce, one.of, dollars, of, yens)
		}
	}
}

func TestAFeedThatFailsSaysWhyWithoutThePasswordInItsAddress(t *testing.T) {
	t.Parallel()
	at := openBank(t)
	at.publishes("yesterday", "1.1")
	host := strings.TrimPrefix(at.URL, "http://")
	for address, want := range map[string]string{
		"http://me:hush@" + host + "/daily.xml": "its date is \"yesterday\"",
		"http://me:hush@" + host + "/gone":      host + " answered with 503",
		"http://me:hush@127.0.0.1:1/":           "fetch the rates: dial tcp 127.0.0.1:1",
		"http://me:hush@%":                      "expected an address such as https://www.ecb.europa.eu/",
	} {
		_, err := storefront.FetchRates(t.Context(), address, "test")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("Expected %q and no password, received %v", want, err)
		}
	}
}
