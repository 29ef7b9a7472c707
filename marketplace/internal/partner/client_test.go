package partner_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/pipetest"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/partner/partnertest"
	"partnerkit.dev/schemas/partnerapi"
)

// bench has a client, a partner, and the observed calls.
type bench struct {
	*partner.Client
	target   partner.Target
	mu       sync.Mutex
	observed []partner.Observation
}

// setup returns a client of a partner that answers over the machine's network. The limits are far
// longer than a busy machine needs.
func setup(t *testing.T, answer http.HandlerFunc, change ...func(*partner.Config)) *bench {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return newBench(t, server.URL, append([]func(*partner.Config){func(c *partner.Config) { c.Scale = partnertest.Unhurried }}, change...)...)
}

// timed runs a test in a synctest bubble with a client whose partner it reaches through pipes. The
// contract's own limits apply there, and time passes only while all wait.
func timed(t *testing.T, answer http.HandlerFunc, test func(t *testing.T, b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "http://partner.example")
		b.Dial(pipetest.Serve(t, answer))
		test(t, b)
	})
}

func newBench(t *testing.T, address string, change ...func(*partner.Config)) *bench {
	t.Helper()
	base, err := url.Parse(address + "/v2")
	check(t, err)
	b := &bench{target: partner.Target{ID: uuid.New(), BaseURL: base, AuthType: partnerapi.Bearer, AuthKey: "k"}}
	config := partner.Config{
		Guard: partner.NewGuard(true), UserAgent: "marketplace/test", AtOnce: 2, Now: time.Now,
		Observe: func(_ uuid.UUID, call partner.Observation) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.observed = append(b.observed, call)
		},
	}
	for _, c := range change {
		c(&config)
	}
	b.Client, err = partner.NewClient(config)
	check(t, err)
	t.Cleanup(b.Close)
	return b
}

// observes fails unless exactly one call with that outcome was observed.
func (b *bench) observes(t *testing.T, want partner.Result) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.observed) != 1 || b.observed[0].Result != want {
		t.Errorf("want one call that was %s, got %+v", want, b.observed)
	}
}

func acceptAny(context.Context, []byte) error { return nil }

func TestACallIsWhatTheContractSays(t *testing.T) {
	t.Parallel()
	var got []string
	b := setup(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, fmt.Sprintf("%s %s %s %s", r.Method, r.URL, r.Header.Get("Authorization"), body))
		_, _ = io.WriteString(w, "[]")
	})
	if err := b.Products(t.Context(), b.target, time.Time{}, acceptAny); err != nil {
		t.Error(err)
	}
	b.target.AuthType = partnerapi.APIKey
	if err := b.Products(t.Context(), b.target, time.Date(2026, 7, 1, 11, 0, 0, 0, time.FixedZone("", 7200)), acceptAny); err != nil {
		t.Error(err)
	}
	if err := b.Probe(t.Context(), b.target); err != nil {
		t.Error(err)
	}
	asked := partnerapi.AvailabilityRequest{
		ProductID: "p", OptionID: "o", LocalDateStart: "2026-07-01", LocalDateEnd: "2026-08-30",
		Units: []partnerapi.UnitQuantity{{ID: partnerapi.AdultUnitID, Quantity: 1}},
	}
	if err := b.Availability(t.Context(), b.target, asked, acceptAny); err != nil {
		t.Error(err)
	}
	want := []string{
		"GET /v2/products Bearer k ",
		"GET /v2/products?updated_since=2026-07-01T09%3A00%3A00Z k ",
		"GET /v2/products?limit=1 k ",
		`POST /v2/availability k {"productId":"p","optionId":"o","localDateStart":"2026-07-01","localDateEnd":"2026-08-30","units":[{"id":"unit-adult","quantity":1}]}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("want\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

func TestTheOutcomeOfACallIsReportedAndLogged(t *testing.T) {
	t.Parallel()
	says := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		outcome partner.Result
		code    domain.Code
		words   string
	}{
		"a good answer": {says(200, "good"), partner.ResultOK, "", ""},
		"packed": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			zip := gzip.NewWriter(w)
			_, _ = io.WriteString(zip, "good")
			_ = zip.Close()
		}, partner.ResultOK, "", ""},
		"nonsense":   {says(200, "bad"), partner.ResultUnreadable, domain.PartnerFailed, "is invalid: not good"},
		"an error":   {says(503, ""), partner.ResultStatus, domain.PartnerFailed, "GET /products with 503"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, partner.ResultStatus, domain.PartnerFailed, "with 302"},
		"silence":    {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, partner.ResultTimeout, domain.PartnerLate, "did not answer GET /products within 15s"},
		"a body that never ends in time": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "go")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, partner.ResultTimeout, domain.PartnerLate, "within 15s"},
		"a lost connection": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, partner.ResultTransport, domain.PartnerFailed, "the connection was lost"},
		"half a body": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "good")
		}, partner.ResultTransport, domain.PartnerFailed, "the connection was lost"},
		"a flood": {func(w http.ResponseWriter, _ *http.Request) {
			block := make([]byte, 1<<20)
			for range 65 {
				_, _ = w.Write(block)
			}
		}, partner.ResultUnreadable, domain.PartnerFailed, "exceeds 64 MiB"},
		"a flood that is announced": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(64<<20+1))
			_, _ = io.WriteString(w, "good")
		}, partner.ResultUnreadable, domain.PartnerFailed, "exceeds 64 MiB"},
		"a flood in a small packet": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzipText(t, make([]byte, 1<<20))
			for range 65 { // gzip allows several streams in a row
				_, _ = w.Write(packed)
			}
		}, partner.ResultUnreadable, domain.PartnerFailed, "exceeds 64 MiB"},
		"no gzip though it says so": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, "good, but not packed")
		}, partner.ResultUnreadable, domain.PartnerFailed, "is not compressed that way"},
		"gzip that is damaged": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzipText(t, []byte("good"))
			packed[len(packed)-6] ^= 1
			_, _ = w.Write(packed)
		}, partner.ResultUnreadable, domain.PartnerFailed, "is not compressed that way"},
		"gzip that is cut short": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzipText(t, []byte("good"))
			_, _ = w.Write(packed[:len(packed)-4])
		}, partner.ResultTransport, domain.PartnerFailed, "the connection was lost"},
		"a flood of headers": {func(w http.ResponseWriter, _ *http.Request) {
			for i := range 2000 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 100))
			}
			_, _ = io.WriteString(w, "good")
		}, partner.ResultTransport, domain.PartnerFailed, "the connection was lost"},
		"a flood of early hints": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 10_000))
			for r.Context().Err() == nil {
				w.WriteHeader(http.StatusEarlyHints)
			}
		}, partner.ResultTransport, domain.PartnerFailed, "the connection was lost"},
		"a page":     {says(200, "<html>"), partner.ResultUnreadable, domain.PartnerFailed, "is invalid: not good"},
		"no content": {says(204, ""), partner.ResultUnreadable, domain.PartnerFailed, "is invalid: not good"},
		"a byte now and then": {func(w http.ResponseWriter, r *http.Request) {
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				<-tick.C
			}
		}, partner.ResultTimeout, domain.PartnerLate, "within 15s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			judge := func(t *testing.T, b *bench) {
				read := false
				err := b.Products(t.Context(), b.target, time.Time{}, func(_ context.Context, body []byte) error {
					if read = string(body) == "good"; !read {
						return errors.New("not good")
					}
					return nil
				})
				b.observes(t, c.outcome)
				if c.code == "" {
					if err != nil || !read {
						t.Errorf("want the body read, got %t and %v", read, err)
					}
					return
				}
				if err == nil || domain.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.words) {
					t.Errorf("want %s with %q, got %v", c.code, c.words, err)
				}
			}
			if c.outcome == partner.ResultTimeout {
				timed(t, c.answer, judge)
				return
			}
			judge(t, setup(t, c.answer))
		})
	}
}

func gzipText(t *testing.T, text []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write(text); err != nil {
		t.Error(err)
	}
	if err := zip.Close(); err != nil {
		t.Error(err)
	}
	return packed.Bytes()
}

func TestOnlyA200IsAGoodProbe(t *testing.T) {
	t.Parallel()
	b := setup(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	if err := b.Probe(t.Context(), b.target); err == nil {
		t.Error("want a 204 refused")
	}
	b.observes(t, partner.ResultStatus)
	if o := b.TryProducts(t.Context(), b.target, acceptAny); o.Err == nil {
		t.Error("Expected a 204 refused in a test of settings, too")
	}
	large := setup(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<20)) })
	if err := large.Probe(t.Context(), large.target); err != nil {
		t.Errorf("want whatever it holds ignored, got %v", err)
	}
}

func TestACallerThatGivesUpDoesNotAffectThePartnersHealth(t *testing.T) {
	t.Parallel()
	ctx, giveUp := context.WithCancel(t.Context())
	b := setup(t, func(_ http.ResponseWriter, r *http.Request) { giveUp(); <-r.Context().Done() })
	if err := b.Products(ctx, b.target, time.Time{}, acceptAny); !errors.Is(err, context.Canceled) {
		t.Errorf("want our own end, got %v", err)
	}
	if len(b.observed) != 0 {
		t.Errorf("Expected nothing to be reported, received %+v", b.observed)
	}
}

func TestAPartnerThatHangsKeepsOnlyItsOwnCallersWaiting(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}, 10), make(chan struct{})
	hanging := setup(t, func(http.ResponseWriter, *http.Request) { arrived <- struct{}{}; <-release })
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			if err := hanging.Probe(t.Context(), hanging.target); err != nil {
				t.Error(err)
			}
		})
	}
	<-arrived
	<-arrived
	other := hanging.target
	other.ID = uuid.New()
	quick := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(quick.Close)
	var err error
	if other.BaseURL, err = url.Parse(quick.URL); err != nil {
		t.Fatal(err)
	}
	if err := hanging.Probe(t.Context(), other); err != nil {
		t.Errorf("want the other partner called immediately, got %v", err)
	}
	if len(arrived) != 0 {
		t.Errorf("want at most two concurrent calls, got %d more", len(arrived))
	}
	close(release)
	all.Wait()
}

// check ends the test on an error.
var check = errtest.Check

// LIM-1: the client waits for the partner although the customer has disconnected.
func TestFreshAvailabilityIsWaitedForAlsoWhenTheCustomerHangsUp(t *testing.T) {
	t.Parallel()
	arrived, answer := make(chan struct{}), make(chan struct{})
	b := setup(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(arrived)
		<-answer
		_, _ = io.WriteString(w, "[]")
	})
	customer, hangUp := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- b.FreshAvailability(customer, b.target, partnerapi.AvailabilityRequest{}, acceptAny) }()
	<-arrived
	hangUp()
	close(answer)
	if err := <-over; err != nil {
		t.Errorf("Expected the partner's answer, received %v", err)
	}
	if err := b.FreshAvailability(customer, b.target, partnerapi.AvailabilityRequest{}, acceptAny); !errors.Is(err, context.Canceled) {
		t.Errorf("Expected nothing sent for a customer who has left before, received %v", err)
	}
}
