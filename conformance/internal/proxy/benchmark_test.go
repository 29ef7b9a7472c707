package proxy_test

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/live"
)

// BenchmarkProxy compares the proxy, which judges, with a bare httputil.ReverseProxy: requests
// a second, and the time of the slowest hundredth.
func BenchmarkProxy(b *testing.B) {
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
	bare := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport: &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true}, ErrorLog: log.New(io.Discard, "", 0),
	})
	b.Cleanup(bare.Close)
	address, watcher := behind(b, upstream.URL, live.Options{})
	measure := func(to string) func(b *testing.B) {
		return func(b *testing.B) {
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true}}
			defer client.CloseIdleConnections()
			var mu sync.Mutex
			took := make([]time.Duration, 0, b.N)
			b.SetParallelism(1)
			b.RunParallel(func(pb *testing.PB) {
				var own []time.Duration
				for pb.Next() {
					began := time.Now()
					answer, err := client.Post(to+"/availability", "application/json", bytes.NewReader([]byte(`{"productId":"a","optionId":"b","localDateStart":"2026-07-01","localDateEnd":"2026-07-01","units":[{"id":"unit-adult","quantity":1}]}`)))
					if err != nil {
						b.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, answer.Body)
					_ = answer.Body.Close()
					own = append(own, time.Since(began))
				}
				mu.Lock()
				defer mu.Unlock()
				took = append(took, own...)
			})
			slices.Sort(took)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		}
	}
	b.Run("bare", measure(bare.URL))
	b.Run("judging", measure("http://"+address))
	findings := watcher.Stop(b.Context())
	b.Logf("judged %d calls, %d were not judged", findings.Result.Coverage.Calls, findings.Dropped)
}
