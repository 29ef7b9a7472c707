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

func TestAFeedStoresNewerRatesAndSaysWhyItRefusesOthers(t *testing.T) {
	t.Parallel()
	store, at := pgtest.Open(t), openBank(t)
	now := time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	feed := storefront.NewRatesFeed(at.URL+"/daily.xml", "test", store.Storefront, func() time.Time { return now }, slog.New(slog.NewTextHandler(t.Output(), nil)))
	yen, dollar := decimal.RequireFromString("171.94"), decimal.RequireFromString("1.3")
	must(t, store.Storefront.ChangeRates(t.Context(), domain.RatesChange{Base: "EUR", Rates: map[domain.Currency]*decimal.Decimal{"JPY": &yen, "USD": &dollar}}, now.AddDate(0, 0, -3)))
	for _, one := range []struct{ publishes, dollars, of, inForce, refused string }{
		{"2026-06-29", "1.1", "2026-06-29", "1.1", ""}, // replaces rates that operators set
		{"2026-06-30", "1.2", "2026-06-30", "1.2", ""},
		{"2026-06-30", "1.3", "2026-06-30", "1.2", ""}, // the rates of that day are stored already
		{"2026-06-26", "1.4", "2026-06-30", "1.2", "date: 2026-06-26 is before 2026-06-30, the date of the table in force"},
		{"2026-07-01", "12", "2026-06-30", "1.2", "rates.USD (line 1): 12 is more than twice the rate in force, 1.2"},
		{"2026-07-02", "1.5", "2026-06-30", "1.2", "date: 2026-07-02 is in the future"},
		{"2026-07-01", "1.5", "2026-07-01", "1.5", ""},
	} {
		at.publishes(one.publishes, one.dollars)
		must(t, feed.Pull(t.Context()))
		table, err := store.Storefront.Rates(t.Context())
		must(t, err)
		dollars, yens := table.Per["USD"], table.Per["JPY"]
		if of := table.Of.Format(time.DateOnly); of != one.of || dollars.Rate.String() != one.inForce || dollars.Of != table.Of || yens.Rate.String() != "171.94" || table.Refused != one.refused {
			t.Errorf("After the table of %s, expected %s dollars of %s, the yen as they were and refused %q, received %+v", one.publishes, one.inForce, one.of, one.refused, table)
		}
		if kept := table.Kept(); len(kept) != 1 || kept[0].Currency != "JPY" || kept[0].Of != "2026-06-28" {
			t.Errorf("Expected the yen of 2026-06-28 kept, received %v", kept)
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
