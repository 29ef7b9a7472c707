package mockpartner_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func TestTheJournalHoldsEveryExchangeBeforeItsCallerKnows(t *testing.T) {
	t.Parallel()
	c := start(t)
	slot := c.slot(5).ID
	c.mock.Default().Journal().Clear()
	products := c.call("GET", "/products?limit=2", "")
	asked := window("2026-07-01", "2026-08-30")
	fresh, remembered := c.call("POST", "/availability", asked), c.call("POST", "/availability", asked)
	reserved := c.call("POST", "/bookings/reserve", reserveBody(slot, 1))
	lost := c.call("GET", "/nowhere", "")
	kept := c.mock.Default().Journal().Exchanges(client.Filter{})
	want := []struct {
		endpoint partnerapi.Endpoint
		target   string
		request  string
		answer   answer
	}{
		{partnerapi.Products, "/products?limit=2", "", products},
		{partnerapi.Availability, "/availability", asked, fresh},
		{partnerapi.Availability, "/availability", asked, remembered},
		{partnerapi.Reserve, "/bookings/reserve", reserveBody(slot, 1), reserved},
		{"", "/nowhere", "", lost},
	}
	if len(kept) != len(want) {
		t.Fatalf("want %d exchanges, got %d", len(want), len(kept))
	}
	for i, w := range want {
		e := kept[i]
		if !e.Done || e.Endpoint != w.endpoint || e.Target != w.target || e.Status != w.answer.status || !e.At.Equal(noon) {
			t.Errorf("want %+v, got %+v", w, e)
		}
		if string(e.Request.Body) != w.request || string(e.Answer.Body) != w.answer.body {
			t.Errorf("%s: want both bodies byte for byte, got %q and %q", w.target, e.Request.Body, e.Answer.Body)
		}
		if got := e.Request.Header.Get("Authorization"); got != "Bearer [redacted]" {
			t.Errorf("%s: want no key in the journal, got %q", w.target, got)
		}
		if got := e.Answer.Header.Get("Content-Type"); got != "application/json" {
			t.Errorf("%s: want the answer's headers, got %v", w.target, e.Answer.Header)
		}
	}
}

// A large answer reaches its caller before the handler returns; so must the
// journal's entry be complete by then.
func TestAnExchangeIsOnRecordBeforeItsLastByteIsOut(t *testing.T) {
	t.Parallel()
	var mock *mockpartner.Mock
	var done []bool
	c := start(t, func(o *mockpartner.Options) {
		o.Around = func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(w, r)
				done = append(done, mock.Default().Journal().Exchanges(client.Filter{Limit: 1})[0].Done)
			})
		}
	})
	mock = c.mock
	c.call("GET", "/products", "")
	c.call("POST", "/bookings/confirm", confirmBody("x"))
	c.call("GET", "/products", "") // by now the hook has been through twice
	if len(done) < 2 || !done[0] || !done[1] {
		t.Fatalf("want both answers on record when they were written, got %v", done)
	}
}

func TestAroundBreaksRequestsAndAnswersOfEverySandbox(t *testing.T) {
	t.Parallel()
	c := start(t, func(o *mockpartner.Options) {
		o.Around = func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/products" {
					next.ServeHTTP(w, r)
					return
				}
				recorded := httptest.NewRecorder()
				next.ServeHTTP(recorded, r)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(recorded.Code)
				w.Write(bytes.ReplaceAll(recorded.Body.Bytes(), []byte("lisbon"), []byte("porto")))
			})
		}
	})
	if _, err := c.mock.Create("mine"); err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"", "/s/mine"} {
		if a := c.call("GET", prefix+"/products", ""); !strings.Contains(a.body, "porto-walk") || strings.Contains(a.body, "lisbon") {
			t.Errorf("%s: want the answer changed, got %.100s", prefix, a.body)
		}
		c.call("POST", prefix+"/availability", window(day, day)).is(200, schemas.AvailabilityAnswer)
	}
	box, _ := c.mock.Sandbox("mine")
	kept := box.Journal().Exchanges(client.Filter{Endpoint: partnerapi.Products})
	if len(kept) != 1 || !strings.Contains(string(kept[0].Answer.Body), "porto-walk") {
		t.Fatalf("want what went out in the journal, got %d exchanges", len(kept))
	}
}

func TestHugeAnswersOfAHookAreKeptInPart(t *testing.T) {
	t.Parallel()
	c := start(t, func(o *mockpartner.Options) {
		o.Around = func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for range 3 {
					w.Write(make([]byte, journal.MaxCopiedBody/2))
				}
			})
		}
	})
	if a := c.call("GET", "/products", ""); len(a.body) != 3*journal.MaxCopiedBody/2 {
		t.Fatalf("want the whole answer out, got %d bytes", len(a.body))
	}
	kept := c.mock.Default().Journal().Exchanges(client.Filter{})[0]
	if len(kept.Answer.Body) != journal.MaxCopiedBody || !kept.Answer.Truncated {
		t.Fatalf("want its beginning on record, got %d bytes, truncated %t", len(kept.Answer.Body), kept.Answer.Truncated)
	}
}

func TestAMockRunsWithTheClockItIsGiven(t *testing.T) {
	t.Parallel()
	base := clock.NewFrozen(noon)
	c := start(t, func(o *mockpartner.Options) { o.Clock, o.Now, o.Frozen = base, time.Time{}, false })
	c.reserve(c.slot(5).ID, 2)
	base.Advance(20*time.Minute - time.Second)
	c.requireVacancies(3)
	c.clock.Advance(time.Second)
	c.requireVacancies(5)
}

// TestNoTestingIsLinkedIntoTheCommand: mocktest is for tests, and nothing else brings
// package testing or a browser.
func TestNoTestingIsLinkedIntoTheCommand(t *testing.T) {
	t.Parallel()
	for _, module := range []string{"mockpartner", "internal", "schemas"} {
		sourcetest.Depend(module)
	}
	text, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "./cmd/...", "./client").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, name := range strings.Fields(string(text)) {
		if slices.Contains([]string{"testing", "net/http/httptest", "pgregory.net/rapid"}, name) || strings.HasPrefix(name, "github.com/chromedp/") {
			t.Errorf("want no %s in the command or the client", name)
		}
	}
}
