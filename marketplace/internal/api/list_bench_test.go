package api_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/benchsize"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

var listCurrencies = []string{"EUR", "USD", "JPY", "GBP"}

// serveBytes is a server that always answers with the same bytes.
func serveBytes(tb testing.TB, r *server, paths []string, headers ...string) string {
	type made struct {
		header http.Header
		body   []byte
	}
	answers := map[string]made{}
	for _, path := range paths {
		header, body := get(tb, r.address, r.request(path, headers...))
		answers[path] = made{header, body}
	}
	peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		answer := answers[req.URL.RequestURI()]
		w.Header()["Content-Type"] = answer.header["Content-Type"]
		w.Header()["Content-Length"] = answer.header["Content-Length"]
		if req.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(answer.body)
	}))
	tb.Cleanup(peer.Close)
	return strings.TrimPrefix(peer.URL, "http://")
}

func rounds() int { return benchsize.Choose(5, 1) }

// BenchmarkList reads pages of 20 of 10,000 activities in 4 currencies while an operator
// changes one a second, and compares that with a bare server that sends the same bytes. Readers
// must see these changes, and earlier changes of rates and by syncs.
func BenchmarkList(b *testing.B) {
	store := pgtest.Open(b)
	activities := benchsize.Choose(10_000, 100)
	seed(b, store, activities)
	first, second := aReplica(b, store, usualPages), aReplica(b, store, usualPages)
	paths := []string{}
	for page := range activities / 20 {
		for _, currency := range listCurrencies {
			paths = append(paths, fmt.Sprintf("%s?limit=20&page=%d&currency=%s", resellersList, page+1, currency))
		}
	}
	stir(b, first, second, paths)
	for name, headers := range map[string][]string{"plain": nil, "gzip": {"Accept-Encoding: gzip"}} {
		b.Run(name, func(b *testing.B) { compare(b, first, second, paths, http.StatusOK, headers) })
	}
	b.Run("not modified", func(b *testing.B) { compare(b, first, second, paths, http.StatusNotModified, nil) })
}

func compare(b *testing.B, first, second *server, paths []string, want int, headers []string) {
	var requests [][]byte
	peer := serveBytes(b, first, paths, headers...)
	if want == http.StatusNotModified {
		headers = append(headers, "If-None-Match: *")
	}
	for _, path := range paths {
		requests = append(requests, first.request(path, headers...))
	}
	var share, late, rate []float64
	for b.Loop() {
		for range rounds() {
			plain := load(b, peer, requests, want, loadTime())
			stop := edit(b, first, second)
			ours := load(b, first.address, requests, want, loadTime())
			stop()
			share, rate = append(share, ours.perSecond/plain.perSecond), append(rate, ours.perSecond)
			late = append(late, float64(ours.p99)/float64(plain.p99))
		}
	}
	b.ReportMetric(median(share), "of-bare")
	b.ReportMetric(median(late), "p99-of-bare")
	b.ReportMetric(median(rate), "requests/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkListGrowth reads the same page of ever longer lists, with and without a cached
// page, and reports how much memory the index of the longest list takes.
func BenchmarkListGrowth(b *testing.B) {
	sizes := []int{1_000, benchsize.Choose(10_000, 1_000), benchsize.Choose(100_000, 1_000)}
	var found, made []*asker
	page := func(r *server) func(int) []byte {
		return same(r.request(resellersList + "?limit=20&page=20&currency=USD"))
	}
	for _, size := range sizes {
		store := pgtest.Open(b)
		seed(b, store, size)
		before := heap()
		keeps := aReplica(b, store, usualPages)
		if size == sizes[len(sizes)-1] {
			defer b.ReportMetric(float64(heap()-before)/(1<<20), "index-MiB")
		}
		makes := aReplica(b, store, 1)
		found, made = append(found, ask(b, keeps, page(keeps))), append(made, ask(b, makes, page(makes)))
	}
	taken := map[*asker][]float64{}
	for b.Loop() {
		for range rounds() {
			for i := range sizes {
				taken[found[i]] = append(taken[found[i]], found[i].secondsEach(b, benchsize.Choose(1000, 5)))
				taken[made[i]] = append(taken[made[i]], made[i].secondsEach(b, benchsize.Choose(50, 5)))
			}
		}
	}
	last := len(sizes) - 1
	b.ReportMetric(median(taken[found[last]])/median(taken[found[0]]), "found-100k-of-1k")
	b.ReportMetric(median(taken[made[last]])/median(taken[made[0]]), "made-100k-of-1k")
	b.ReportMetric(median(taken[found[last]])*1e6, "found-µs")
	b.ReportMetric(median(taken[made[last]])*1e6, "made-µs")
	b.ReportMetric(0, "ns/op")
}

// heap returns the memory in use, in bytes.
func heap() uint64 {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return now.HeapAlloc
}

// asker sends one request after another.
type asker struct {
	conn    net.Conn
	in      *bufio.Reader
	request func(n int) []byte // the nth
	sent    int
}

// same always returns the same request.
func same(request []byte) func(int) []byte { return func(int) []byte { return request } }

func ask(b *testing.B, r *server, request func(n int) []byte) *asker {
	b.Helper()
	conn, err := net.Dial("tcp", r.address)
	must(b, err)
	b.Cleanup(func() { conn.Close() })
	return &asker{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), request: request}
}

// secondsEach returns the time of an answer, in seconds.
func (a *asker) secondsEach(b *testing.B, times int) float64 {
	b.Helper()
	began := time.Now()
	for range times {
		a.sent++
		if status, _, err := exchange(a.conn, a.in, a.request(a.sent), nil); err != nil || status != http.StatusOK {
			b.Fatalf("want a page, got %d and %v", status, err)
		}
	}
	return time.Since(began).Seconds() / float64(times)
}
