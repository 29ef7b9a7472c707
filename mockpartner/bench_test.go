package mockpartner_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"partnerkit.dev/internal/benchsize"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/mocktest"
)

// BenchmarkAgainstBareServer measures how many requests a second the mock
// answers, its journal on, as a ratio to a bare net/http server that sends the
// same bytes: over loopback, with keep-alive clients, the two by turns, so that
// a noisy machine is noisy to both. It reports the medians of all rounds.
//
//	go test -run '^$' -bench AgainstBareServer -benchtime 1x .
func BenchmarkAgainstBareServer(b *testing.B) {
	few, many := generateCatalog(b, 20), generateCatalog(b, benchsize.Choose(10_000, 100))
	window := windowOf(few.Products[0], time.Now())
	for _, load := range []struct {
		name         string
		sold         *catalog.Catalog
		method, path string
		body         func(n int64) string // of the n-th request
		shared       bool                 // all answers are one body, which the journal keeps once
	}{
		{"products", few, http.MethodGet, "/products", func(int64) string { return "" }, true},
		{"10,000 products", many, http.MethodGet, "/products", func(int64) string { return "" }, true},
		{"availability", few, http.MethodPost, "/availability", func(int64) string { return window }, true},
		// An unknown field makes each request different: no slot is
		// remembered, and every slot is recomputed.
		{"availability recomputed", few, http.MethodPost, "/availability", func(n int64) string {
			return fmt.Sprintf(`{"n":%d,%s`, n, window[1:])
		}, false},
	} {
		b.Run(load.name, func(b *testing.B) {
			mock, err := mockpartner.New(mockpartner.Options{AuthKey: "benchmark-key", Catalog: load.sold})
			check(b, err)
			var asked atomic.Int64
			answer, answered := race(b, load.method+" "+load.path, mock, func() []byte {
				body := load.body(asked.Add(1))
				return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: partner\r\nAuthorization: Bearer benchmark-key\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
					load.method, load.path, len(body), body)
			})
			kept := requireRecorded(b, mock, answer, load.body(1) != "")
			if kept.Arrived != uint64(answered) {
				b.Fatalf("want all %d exchanges to be counted, got %d", answered, kept.Arrived)
			}
			if want := min(answered, journal.DefaultLimits.Exchanges); load.shared && kept.Kept != want {
				b.Fatalf("want %d exchanges of %d in the journal, got %d", want, answered, kept.Kept)
			}
		})
	}
}

func generateCatalog(b *testing.B, products int) *catalog.Catalog {
	b.Helper()
	sold, err := catalog.Generate(1, products, 3)
	check(b, err)
	return sold
}

// windowOf asks for all that a marketplace pulls of a product's first option.
func windowOf(first catalog.Product, today time.Time) string {
	return fmt.Sprintf(`{"productId":%q,"optionId":%q,"localDateStart":%q,"localDateEnd":%q,"units":[{"id":"unit-adult","quantity":1}]}`,
		first.ID, first.Options[0].ID, today.Format(time.DateOnly), today.AddDate(0, 0, 60).Format(time.DateOnly))
}

// BenchmarkSandboxOfACaller measures how long it takes over loopback to make a
// sandbox, and to delete it.
func BenchmarkSandboxOfACaller(b *testing.B) {
	mock := mocktest.Start(b, mockpartner.Options{})
	for i := 0; b.Loop(); i++ {
		made, err := mock.Control.CreateSandbox(b.Context(), client.Spec{Name: fmt.Sprintf("box-%d", i)})
		check(b, err)
		check(b, mock.Control.Sandbox(made.Name).Delete(b.Context()))
	}
}

func roundTime() time.Duration { return time.Duration(benchsize.Choose(200, 10)) * time.Millisecond }

// race measures the mock and a bare server that sends the same, by turns. It
// returns what they send, and how often the mock did.
func race(b *testing.B, name string, mock *mockpartner.Mock, request func() []byte) (answer []byte, answered int) {
	mocked := httptest.NewServer(mock)
	defer mocked.Close()
	answer, answered = answerOf(b, mocked, request()), 1
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		w.Write(answer)
	}))
	defer bare.Close()

	b.ResetTimer()
	for b.Loop() {
		var ofMock, ofBare, ratios []float64
		for range benchsize.Choose(9, 1) {
			m, n := perSecond(b, mocked, request, len(answer))
			p, _ := perSecond(b, bare, request, len(answer))
			ofMock, ofBare, ratios = append(ofMock, m), append(ofBare, p), append(ratios, m/p)
			answered += n
		}
		b.ReportMetric(median(ofMock), "mock-req/s")
		b.ReportMetric(median(ofBare), "bare-req/s")
		b.ReportMetric(median(ratios), "ratio")
		b.Logf("%s: %.0f requests/s, a bare server %.0f (%d bytes each): ratio %.2f, medians of %d rounds", name, median(ofMock), median(ofBare), len(answer), median(ratios), len(ratios))
	}
	return answer, answered
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// requireRecorded expects the journal to hold what was answered, body and all, and returns
// how much that is.
func requireRecorded(b *testing.B, mock *mockpartner.Mock, answer []byte, withRequestBodies bool) journal.Count {
	b.Helper()
	kept := mock.Default().Journal().Exchanges(client.Filter{})
	if len(kept) == 0 {
		b.Fatal("want the newest exchanges in the journal, got none")
	}
	for _, e := range kept {
		if !e.Done || !bytes.Equal(e.Answer.Body, answer) || withRequestBodies && len(e.Request.Body) == 0 {
			b.Fatalf("want exchange %d with its bodies, got %d and %d bytes", e.Number, len(e.Request.Body), len(e.Answer.Body))
		}
	}
	return mock.Default().Journal().Count()
}

// perSecond keeps a server busy for a round, with two clients a processor. It
// returns how many requests a second were answered, and how many in all.
func perSecond(b *testing.B, server *httptest.Server, request func() []byte, size int) (float64, int) {
	b.Helper()
	var done atomic.Int64
	var clients sync.WaitGroup
	start := time.Now()
	for range 2 * runtime.NumCPU() {
		clients.Go(func() {
			client, err := dial(server)
			if err != nil {
				b.Error(err)
				return
			}
			defer client.conn.Close()
			for time.Since(start) < roundTime() {
				n, err := client.call(request())
				if err != nil || n != size {
					b.Errorf("want %d bytes, got %d, %v", size, n, err)
					return
				}
				done.Add(1)
			}
		})
	}
	clients.Wait()
	return float64(done.Load()) / time.Since(start).Seconds(), int(done.Load())
}

// lightClient is as light as can be: a heavy one would hide what the servers cost.
type lightClient struct {
	conn   net.Conn
	reader *bufio.Reader
}

func dial(server *httptest.Server) (*lightClient, error) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		return nil, err
	}
	return &lightClient{conn: conn, reader: bufio.NewReaderSize(conn, 64<<10)}, nil
}

// call sends a request and reads the answer, of which it returns the length.
func (c *lightClient) call(request []byte) (int, error) {
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	length := -1
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if len(line) <= len("\r\n") {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, err
			}
		}
	}
	if length < 0 {
		return 0, fmt.Errorf("an answer without a length")
	}
	return c.reader.Discard(length)
}

func answerOf(b *testing.B, server *httptest.Server, request []byte) []byte {
	b.Helper()
	client, err := dial(server)
	check(b, err)
	defer client.conn.Close()
	if _, err := client.conn.Write(request); err != nil {
		b.Fatal(err)
	}
	answer, err := http.ReadResponse(client.reader, nil)
	check(b, err)
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		b.Fatalf("want 200 and a body, got %s, %v: %s", answer.Status, err, body)
	}
	return body
}
