package api_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/telemetry"
)

// BenchmarkTraces compares replicas that send traces with one that sends none, in turns: on
// the fastest answer, a cached page of a list, and on an answer that queries
// the database. One replica traces as by default, another one every request, as with
// OTEL_TRACES_SAMPLER=always_on. off-of-off shows the noise of the machine.
func BenchmarkTraces(b *testing.B) {
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	b.Cleanup(receiver.Close)
	b.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.URL)
	address := pgtest.URL(b)
	open := func(o postgres.Options) *postgres.Store {
		o.Connections = 20
		store, err := postgres.OpenWith(b.Context(), address, o)
		must(b, err)
		b.Cleanup(store.Close)
		return store
	}
	plain := open(postgres.Options{})
	seed(b, plain, 1_000)
	without, same := aReplica(b, plain, usualPages), aReplica(b, plain, usualPages)
	tracing := func() *replica {
		traces, err := telemetry.NewTraces(b.Context(), "bench", slog.New(slog.DiscardHandler))
		must(b, err)
		b.Cleanup(func() { _ = traces.Close(context.WithoutCancel(b.Context())) })
		return aReplica(b, open(postgres.Options{Tracers: traces.Queries(), Jobs: traces.Jobs()}), usualPages, func(c *api.Config) { c.Traces = traces })
	}
	with := tracing()
	b.Setenv("OTEL_TRACES_SAMPLER", "always_on")
	all := tracing()
	var lists, days []string
	for page := range 25 {
		for _, currency := range listCurrencies {
			lists = append(lists, fmt.Sprintf("%s?limit=20&page=%d&currency=%s", resellersList, page+1, currency))
		}
	}
	rows, err := plain.Pool().Query(b.Context(), `SELECT activity_id, id FROM variations LIMIT 100`)
	must(b, err)
	for rows.Next() {
		var activity, variation uuid.UUID
		must(b, rows.Scan(&activity, &variation))
		days = append(days, fmt.Sprintf("%s/%s/variations/%s/availability?date=%s", resellersList, activity, variation, time.Now().AddDate(0, 0, 3).Format(time.DateOnly)))
	}
	must(b, rows.Err())
	for name, paths := range map[string][]string{"cached page": lists, "with SQL": days} {
		b.Run(name, func(b *testing.B) {
			ask := func(r *replica) float64 {
				var requests [][]byte
				for _, path := range paths {
					requests = append(requests, r.request(path))
				}
				return load(b, r.address, requests, http.StatusOK, 200*time.Millisecond).perSecond
			}
			for _, r := range []*replica{without, with, all, same} { // to fill the caches
				ask(r)
			}
			var on, every, noise, rate []float64
			for b.Loop() {
				for range 5 * rounds { // short runs, so that other load affects all replicas equally
					base := ask(without)
					rate, on, every, noise = append(rate, base), append(on, ask(with)/base), append(every, ask(all)/base), append(noise, ask(same)/base)
				}
			}
			b.ReportMetric(median(on), "on-of-off")
			b.ReportMetric(median(every), "everything-of-off")
			b.ReportMetric(median(noise), "off-of-off")
			b.ReportMetric(median(rate), "requests/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
