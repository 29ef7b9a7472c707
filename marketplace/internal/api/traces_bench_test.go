package api_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/benchsize"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/replica"
	"partnerkit.dev/marketplace/internal/telemetry"
)

// BenchmarkTraces compares the CPU time of replicas that send traces with that of one that sends none:
// for the fastest answer, a cached page of a list, and for an answer that queries the database. One
// replica traces as by default, another one every request, as with OTEL_TRACES_SAMPLER=always_on.
//
// All run in this process, in turns of a few milliseconds and in changing order, so that other load
// affects them equally. The CPU time is that of this process: it includes sending the spans and
// receiving them, but not PostgreSQL. It overstates the cost by default: a replica that answers a
// quarter of the time may still start five traces of reads a second. Each ratio is a median, with half the width of its 95 %
// confidence interval as ±. off-of-off shows the noise. Every few rounds all replicas get new
// connections, because one connection may be a few percent faster than another for as long as it lives.
//
//	go test -run '^$' -bench Traces -benchtime 1x ./internal/api
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
	plain, another := open(postgres.Options{}), open(postgres.Options{})
	seed(b, plain, 1_000)
	without, same := aReplica(b, plain, usualPages), aReplica(b, another, usualPages)
	stores := []*postgres.Store{plain, another}
	tracing := func() *server {
		traces, err := telemetry.NewTraces(b.Context(), "bench", slog.New(slog.DiscardHandler))
		must(b, err)
		b.Cleanup(func() { _ = traces.Close(context.WithoutCancel(b.Context())) })
		store := open(postgres.Options{Tracers: traces.Queries(), Jobs: traces.Jobs()})
		stores = append(stores, store)
		return aReplica(b, store, usualPages, func(c *replica.Config) { c.Traces = traces })
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
			replicas := []*server{without, with, all, same}
			turns := make([]func() time.Duration, len(replicas))
			for i, r := range replicas {
				turns[i] = r.turn(b, paths)
				for range benchsize.Choose(20, 1) { // to fill the caches
					turns[i]()
				}
			}
			ratios, order := make([][]float64, len(replicas)), []int{0, 1, 2, 3}
			for b.Loop() {
				for round := range benchsize.Choose(150, 2) {
					if round%connectionRounds == 0 {
						for _, store := range stores {
							store.Pool().Reset()
						}
						for _, turn := range turns {
							turn() // to connect, and to prepare the statements
						}
					}
					var took [4]time.Duration
					rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
					for _, i := range order {
						took[i] = turns[i]()
					}
					for i := range ratios {
						ratios[i] = append(ratios[i], float64(took[i])/float64(took[0]))
					}
				}
			}
			for i, name := range []string{"", "on-of-off", "everything-of-off", "off-of-off"} {
				if name != "" {
					middle, half := interval(ratios[i])
					b.ReportMetric(middle, name)
					b.ReportMetric(half, "±"+name)
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

const (
	turnRequests = 100 // in one turn
	// connectionRounds is the number of rounds with the same connections.
	connectionRounds = 5
)

// turn returns a function that sends requests over one connection and returns the CPU time that this
// process took meanwhile.
func (r *server) turn(b *testing.B, paths []string) func() time.Duration {
	b.Helper()
	conn, err := net.Dial("tcp", r.address)
	must(b, err)
	b.Cleanup(func() { conn.Close() })
	in, next := bufio.NewReaderSize(conn, 64<<10), 0
	var requests [][]byte
	for _, path := range paths {
		requests = append(requests, r.request(path))
	}
	return func() time.Duration {
		before := cpuTime(b)
		for range turnRequests {
			status, _, err := exchange(conn, in, requests[next%len(requests)], nil)
			if err != nil || status != http.StatusOK {
				b.Fatalf("want 200, got %d and %v", status, err)
			}
			next++
		}
		return cpuTime(b) - before
	}
}

// cpuTime is the CPU time that this process has taken, in its own code and in the system's.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// interval returns the median of many values, and half the width of its 95 % confidence interval, by
// their order.
func interval(values []float64) (middle, half float64) {
	slices.Sort(values)
	n := float64(len(values))
	reach := 0.98 * math.Sqrt(n) // 1.96 standard deviations of a binomial with p = 1/2
	return values[len(values)/2], (values[int(min(n-1, n/2+reach))] - values[int(max(0, n/2-reach))]) / 2
}
