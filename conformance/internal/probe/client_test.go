package probe_test

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

const goodKey = "k7Gz29dLqXw84MtR1vbN"

func newClient(t *testing.T, address string, authType partnerapi.AuthType) *probe.Client {
	t.Helper()
	base, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if authType == "" {
		authType = partnerapi.Bearer
	}
	client := probe.NewClient(probe.Config{BaseURL: base, AuthType: authType, AuthKey: goodKey, UserAgent: "a-test"})
	t.Cleanup(client.Close)
	return client
}

// get is a call whose answer is waited for as long as it takes.
func get() probe.Call {
	return probe.Call{Endpoint: partnerapi.Products, Method: http.MethodGet, Path: "/products", Deadline: time.Minute}
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func TestDoSendsWhatTheMarketplaceSends(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body string
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		got, body = r, string(raw)
	})
	call := probe.Call{
		Endpoint: partnerapi.Release, Method: http.MethodDelete, Path: partnerapi.ReleasePath("a/b ../%2F+é"),
		Query: url.Values{"q": {"a b"}}, Body: []byte(`{"n":1}`), Deadline: time.Minute,
	}
	answer := newClient(t, address+"/partner/v2/", "").Do(t.Context(), call)
	if !answer.HasStatus(http.StatusOK) {
		t.Fatalf("want 200, got %+v", answer.Exchange)
	}
	want := "/partner/v2" + call.Path + "?q=a+b"
	if got.Method != http.MethodDelete || got.RequestURI != want || body != `{"n":1}` {
		t.Errorf("want DELETE %s with its body, got %s %s with %q", want, got.Method, got.RequestURI, body)
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer " + goodKey, "Accept": "application/json", "Content-Type": "application/json", "User-Agent": "a-test", "Idempotency-Key": "",
	} {
		if got.Header.Get(name) != want {
			t.Errorf("want %s: %q, got %q", name, want, got.Header.Get(name))
		}
	}
	if address := answer.Request.URL; !strings.HasSuffix(address, want) {
		t.Errorf("want the address in the evidence as it was sent, %s, got %s", want, address)
	}
}

func TestDoSendsTheGivenKey(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		authType partnerapi.AuthType
		key      probe.Key
		header   []string
		shown    string
		curl     string // the header in the line that repeats it
	}{
		"bearer":         {partnerapi.Bearer, probe.GoodKey, []string{"Bearer " + goodKey}, "Bearer [redacted]", `"Authorization: Bearer $` + probe.KeyVariable + `"`},
		"api_key":        {partnerapi.APIKey, probe.GoodKey, []string{goodKey}, "[redacted]", `"Authorization: $` + probe.KeyVariable + `"`},
		"bearer, wrong":  {partnerapi.Bearer, probe.WrongKey, []string{"Bearer conformance-suite-wrong-key"}, "Bearer conformance-suite-wrong-key", `'Authorization: Bearer conformance-suite-wrong-key'`},
		"api_key, wrong": {partnerapi.APIKey, probe.WrongKey, []string{"conformance-suite-wrong-key"}, "conformance-suite-wrong-key", `'Authorization: conformance-suite-wrong-key'`},
		"none":           {partnerapi.Bearer, probe.NoKey, nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			address := serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header["Authorization"] })
			call := get()
			call.Key = want.key
			answer := newClient(t, address, want.authType).Do(t.Context(), call)
			if strings.Join(got, "|") != strings.Join(want.header, "|") {
				t.Errorf("want Authorization %q, got %q", want.header, got)
			}
			if shown := answer.Request.Header.Get("Authorization"); shown != want.shown {
				t.Errorf("want %q in the evidence, got %q", want.shown, shown)
			}
			if line := answer.Curl; strings.Contains(line, goodKey) || !strings.Contains(line, want.curl) || want.curl == "" && strings.Contains(line, "Authorization") {
				t.Errorf("want %s in the curl line, got %s", want.curl, line)
			}
		})
	}
}

func TestDoReadsAWholeAnswerHoweverItComes(t *testing.T) {
	t.Parallel()
	const want = `[{"id":"1"}]`
	for name, handler := range map[string]http.HandlerFunc{
		"with its length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(want)))
			_, _ = io.WriteString(w, want)
		},
		"in chunks": func(w http.ResponseWriter, _ *http.Request) {
			for _, char := range want {
				_, _ = io.WriteString(w, string(char))
				_ = http.NewResponseController(w).Flush()
			}
		},
		"compressed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			zip := gzip.NewWriter(w)
			_, _ = io.WriteString(zip, want)
			_ = zip.Close()
		},
		"ended by the connection's end": func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			_, _ = io.WriteString(conn, "HTTP/1.0 200 OK\r\n\r\n"+want)
			_ = conn.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := newClient(t, serve(t, handler), "").Do(t.Context(), get())
			if !answer.HasStatus(200) || string(answer.Raw) != want || answer.Response.Body.Text != want || answer.Response.Body.Cut || answer.Response.Body.Size != int64(len(want)) {
				t.Errorf("want %s, got %q and %+v", want, answer.Raw, answer.Exchange)
			}
		})
	}
}

// The caps are on what is read, and on what of it is kept as evidence.
func TestABodyIsReadUpToItsEndpointsCap(t *testing.T) {
	t.Parallel()
	const mega = 1 << 20
	for name, test := range map[string]struct {
		endpoint partnerapi.Endpoint
		size     int
		declared bool
		whole    bool
	}{
		"a catalog of 32 MB":              {partnerapi.Products, 32 * mega, false, true},
		"a catalog of 32 MB and a byte":   {partnerapi.Products, 32*mega + 1, false, false},
		"slots of 16 MB":                  {partnerapi.Availability, 16 * mega, true, true},
		"slots of 16 MB and a byte":       {partnerapi.Availability, 16*mega + 1, true, false},
		"a hold of 4 MB":                  {partnerapi.Reserve, 4 * mega, false, true},
		"a hold of 4 MB and a byte":       {partnerapi.Reserve, 4*mega + 1, false, false},
		"a release of a byte less":        {partnerapi.Release, 4*mega - 1, true, true},
		"one piece":                       {partnerapi.Confirm, 16 << 10, false, true},
		"one piece and a byte":            {partnerapi.Confirm, 16<<10 + 1, false, true},
		"a cancellation of several megas": {partnerapi.Cancel, 3 * mega, false, true},
		"nothing":                         {partnerapi.Cancel, 0, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if test.declared {
					w.Header().Set("Content-Length", strconv.Itoa(test.size))
				}
				_, _ = io.CopyN(w, letters{}, int64(test.size))
			})
			call := get()
			call.Endpoint = test.endpoint
			answer := newClient(t, address, "").Do(t.Context(), call)
			if test.whole && (!answer.HasStatus(200) || len(answer.Raw) != test.size || answer.Response.Body.Size != int64(test.size)) {
				t.Fatalf("want %d bytes, got %d and %+v", test.size, len(answer.Raw), answer.Failure)
			}
			if !test.whole && (answer.Failure == nil || answer.Failure.Kind != report.TooLarge || answer.Raw != nil || !answer.BrokeOff(200) || !answer.Response.Body.Cut) {
				t.Fatalf("want a body that is too large, got %+v", answer.Exchange)
			}
			if kept := len(answer.Response.Body.Text); kept != min(test.size, 8<<10) {
				t.Errorf("want the first 8 KB as evidence, got %d bytes", kept)
			}
		})
	}
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestEvidenceIsBounded(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		for i := range 30 {
			w.Header().Set("X-Long-"+strconv.Itoa(i), strings.Repeat("y", 30<<10))
		}
	})
	call := get()
	call.Path = partnerapi.ReleasePath(strings.Repeat("z", 100<<10))
	answer := newClient(t, address, "").Do(t.Context(), call)
	if !answer.HasStatus(200) {
		t.Fatalf("want 200, got %+v", answer.Failure)
	}
	size := len(answer.Request.URL) + len(answer.Curl)
	for name, values := range answer.Response.Header {
		size += len(name) + len(strings.Join(values, ""))
	}
	if size > 40<<10 {
		t.Errorf("want at most 40 KB of evidence, got %d KB", size>>10)
	}
	if !strings.HasSuffix(answer.Request.URL, "…") || answer.Response.Header.Get("(more)") == "" {
		t.Errorf("want the cuts marked, got %.80q and %d headers", answer.Request.URL, len(answer.Response.Header))
	}
}

func TestInvalidUTF8ShowsAsReplacementCharacters(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "a\xff\xfeb") })
	answer := newClient(t, address, "").Do(t.Context(), get())
	if string(answer.Raw) != "a\xff\xfeb" || answer.Response.Body.Text != "a\uFFFDb" {
		t.Errorf("want the bytes raw and U+FFFD as evidence, got %q and %q", answer.Raw, answer.Response.Body.Text)
	}
}

func TestExchangesAreKeptInTheOrderOfSending(t *testing.T) {
	t.Parallel()
	client := newClient(t, serve(t, func(http.ResponseWriter, *http.Request) {}), "")
	var running sync.WaitGroup
	for range 20 {
		running.Go(func() { client.Do(t.Context(), get()) })
	}
	running.Wait()
	exchanges := client.Exchanges()
	if len(exchanges) != 20 {
		t.Fatalf("want 20 exchanges, got %d", len(exchanges))
	}
	for i, exchange := range exchanges {
		if exchange.Number != i+1 || exchange.Response == nil || exchange.Duration <= 0 {
			t.Errorf("want exchange %d whole, got %+v", i+1, exchange)
		}
	}
}

func TestARunThatEndsStopsTheCallThatIsUnderWay(t *testing.T) {
	t.Parallel()
	run, end := context.WithCancel(t.Context())
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		end()
		<-r.Context().Done()
	})
	answer := newClient(t, address, "").Do(run, get())
	if answer.Failure == nil || answer.Failure.Kind != report.Stopped || answer.HasStatus(200) || answer.BrokeOff(200) {
		t.Errorf("want a call that was stopped, got %+v", answer.Failure)
	}
}

func TestCallsAreNoMoreASecondThanTheyMayBe(t *testing.T) {
	t.Parallel()
	const calls, perSecond = 11, 100
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := probe.NewClient(probe.Config{BaseURL: address, MaxRPS: perSecond})
	t.Cleanup(client.Close)
	began := time.Now()
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			client.Do(t.Context(), probe.Call{Endpoint: partnerapi.Products, Method: http.MethodGet, Path: partnerapi.ProductsPath, Deadline: time.Minute})
		})
	}
	all.Wait()
	// One interval less: concurrent calls may ask in another order than they read the clock.
	if took, want := time.Since(began), (calls-2)*time.Second/perSecond; took < want {
		t.Errorf("want %d concurrent calls to take at least %s, got %s", calls, want, took)
	}
}
