package proxy_test

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/traffic/live"
	"partnerkit.dev/internal/benchsize"
)

const benchAtOnce = 2

// BenchmarkProxy compares the proxy, which judges, with a bare httputil.ReverseProxy, in turns:
// requests a second, and how much longer a call takes, at the median and in the slowest hundredth.
//
//	go test -run '^$' -bench Proxy$ -benchtime 1x ./internal/traffic/proxy
func BenchmarkProxy(b *testing.B) {
	bare, judging, watcher := bareAndJudging(b)
	calls := benchsize.Choose(2000, 100) // in each round
	for b.Loop() {
		var ratios []float64
		var took [2][]time.Duration
		for range benchsize.Choose(9, 1) {
			var rates [2]float64
			for i, address := range []string{bare, judging} {
				began := time.Now()
				callsTo(b, address, calls, func(d time.Duration) { took[i] = append(took[i], d) })
				rates[i] = float64(calls) / time.Since(began).Seconds()
			}
			ratios = append(ratios, rates[1]/rates[0])
		}
		slices.Sort(ratios)
		slices.Sort(took[0])
		slices.Sort(took[1])
		b.ReportMetric(ratios[len(ratios)/2], "requests-of-bare")
		for name, share := range map[string]int{"p50-added-µs": 50, "p99-added-µs": 99} {
			at := len(took[0]) * share / 100
			b.ReportMetric(float64((took[1][at] - took[0][at]).Microseconds()), name)
		}
	}
	findings := watcher.Stop(b.Context())
	b.Logf("judged %d calls, %d were not judged", findings.Result.Coverage.Calls, findings.Dropped)
}

// BenchmarkProxyMemory passes b.N calls through the proxy: the most memory of the process, with its
// client and its partner. With -benchtime 1000000x it must be about the same as with 100000x.
func BenchmarkProxyMemory(b *testing.B) {
	_, judging, watcher := bareAndJudging(b)
	b.ResetTimer()
	callsTo(b, judging, max(b.N, benchAtOnce), func(time.Duration) {})
	b.StopTimer()
	memory := &runtime.MemStats{}
	runtime.ReadMemStats(memory)
	b.ReportMetric(float64(memory.Sys)/(1<<20), "most-MiB")
	findings := watcher.Stop(b.Context())
	b.ReportMetric(float64(findings.Result.Coverage.Calls)/float64(b.N), "share-judged")
}

// callsTo makes calls, some at the same time, and records how long each took.
func callsTo(b *testing.B, address string, calls int, record func(time.Duration)) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchAtOnce, DisableCompression: true}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	var all sync.WaitGroup
	for range benchAtOnce {
		all.Go(func() {
			for range calls / benchAtOnce {
				began := time.Now()
				answer, err := client.Post(address+"/availability", "application/json", strings.NewReader(`{"productId":"a","optionId":"b","localDateStart":"2026-07-01","localDateEnd":"2026-07-01","units":[{"id":"unit-adult","quantity":1}]}`))
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				took := time.Since(began)
				mu.Lock()
				record(took)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if b.Failed() {
		b.FailNow()
	}
}

// bareAndJudging starts a partner with a prepared answer and two proxies for it, and returns their
// addresses.
func bareAndJudging(b *testing.B) (bare, judging string, watcher *live.Watcher) {
	b.Helper()
	slots := []byte("[" + string(bytes.Repeat([]byte(`{"id":"2026-07-01T10:00:00+01:00","localDateTimeStart":"2026-07-01T10:00:00+01:00","localDateTimeEnd":"2026-07-01T12:00:00+01:00","allDay":false,"available":true,"status":"AVAILABLE","vacancies":10,"capacity":20},`), 9)) + `{}]`)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(slots)
	}))
	b.Cleanup(upstream.Close)
	to, err := url.Parse(upstream.URL)
	if err != nil {
		b.Fatal(err)
	}
	plain := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport: &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true}, ErrorLog: log.New(io.Discard, "", 0),
	})
	b.Cleanup(plain.Close)
	address, watcher := serveProxy(b, upstream.URL, live.Options{})
	return plain.URL, "http://" + address, watcher
}
