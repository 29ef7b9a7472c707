package mockpartner_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/fault"
	"partnerkit.dev/schemas/partnerapi"
)

// sendRaw sends a request over a connection of its own and returns every byte that
// comes until it closes, and how long that took.
func (c caller) sendRaw(method, path, body string) (string, time.Duration, error) {
	c.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.base, "http://"))
	check(c.t, err)
	defer conn.Close()
	began := time.Now()
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: partner\r\nAuthorization: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", method, path, c.key, len(body), body)
	text, err := io.ReadAll(conn)
	return string(text), time.Since(began), err
}

func (c caller) lastExchange() client.Exchange {
	c.t.Helper()
	all := c.mock.Default().Journal().Exchanges(client.Filter{Limit: 1})
	if len(all) != 1 {
		c.t.Fatal("want an exchange in the journal")
	}
	return all[0]
}

func TestAnAnswerIsLostAfterTheEffect(t *testing.T) {
	t.Parallel()
	for _, word := range fault.Wires() {
		t.Run(string(word), func(t *testing.T) {
			t.Parallel()
			c := start(t)
			slot := c.slot(5)
			c.arm(fmt.Sprintf(`{name: lost, match: {endpoint: reserve}, when: after, times: 1, fault: %s}`, word))
			c.sendRaw("POST", partnerapi.ReservePath, reserveBody(slot.ID, 2))
			if e := c.lastExchange(); !reflect.DeepEqual(e.Faults, []string{"lost"}) || e.Endpoint != partnerapi.Reserve || !e.Done {
				t.Fatalf("want the fault in the journal, got %+v", e)
			}
			c.requireVacancies(3)

			c.mock.Default().Faults().Clear()
			c.arm(fmt.Sprintf(`{match: {endpoint: reserve}, fault: %s}`, word))
			c.sendRaw("POST", partnerapi.ReservePath, reserveBody(slot.ID, 2))
			c.requireVacancies(3)
			c.requireBalanced()
		})
	}
}

func TestAnAnswerIsReplacedAfterTheEffect(t *testing.T) {
	t.Parallel()
	c := start(t)
	slot := c.slot(5)
	c.arm(`{match: {endpoint: reserve}, when: after, times: 1, status: 503, body: {message: "Try again."}, headers: {set: {Retry-After: "1"}}}`)
	a := c.call("POST", partnerapi.ReservePath, reserveBody(slot.ID, 2))
	a.requireRefusal(503, "Try again.")
	if a.header.Get("Retry-After") != "1" {
		t.Fatalf("want the header, got %v", a.header)
	}
	c.requireVacancies(3)
}

func TestFaultsOnTheWire(t *testing.T) {
	t.Parallel()
	c := start(t)
	whole := c.call("GET", "/products?limit=1", "").body
	for name, one := range map[string]struct {
		fault string
		seen  func(t *testing.T, text string, err error, took time.Duration)
	}{
		"EMPTY_RESPONSE: the connection closes without a byte": {`fault: EMPTY_RESPONSE`, func(t *testing.T, text string, err error, _ time.Duration) {
			if text != "" || err != nil {
				t.Errorf("want nothing and a proper close, got %q, %v", text, err)
			}
		}},
		"CONNECTION_RESET_BY_PEER: a TCP reset": {`fault: CONNECTION_RESET_BY_PEER`, func(t *testing.T, text string, err error, _ time.Duration) {
			if text != "" || !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("want a reset, got %q, %v", text, err)
			}
		}},
		"RANDOM_DATA_THEN_CLOSE: bytes that are no HTTP": {`fault: RANDOM_DATA_THEN_CLOSE`, func(t *testing.T, text string, err error, _ time.Duration) {
			if len(text) != 512 || strings.HasPrefix(text, "HTTP") || err != nil {
				t.Errorf("want 512 bytes of garbage, got %q, %v", text, err)
			}
		}},
		"MALFORMED_RESPONSE_CHUNK: headers, then garbage": {`fault: MALFORMED_RESPONSE_CHUNK`, func(t *testing.T, text string, err error, _ time.Duration) {
			head, rest, _ := strings.Cut(text, "\r\n\r\n")
			if !strings.HasPrefix(head, "HTTP/1.1 200 OK\r\n") || !strings.Contains(head, "Transfer-Encoding: chunked") || len(rest) != 512 || err != nil {
				t.Errorf("want a chunked answer that is garbage, got %q, %v", text, err)
			}
		}},
		"limit_data: a body that breaks off": {`limit_data: {bytes: 100}`, func(t *testing.T, text string, err error, _ time.Duration) {
			head, body, _ := strings.Cut(text, "\r\n\r\n")
			if body != whole[:100] || !strings.Contains(head, fmt.Sprintf("Content-Length: %d", len(whole))) {
				t.Errorf("want the length of the whole and 100 bytes, got %q, %v", text, err)
			}
		}},
		"bandwidth: a body that comes slowly": {`bandwidth: {rate: 10}`, func(t *testing.T, text string, _ error, took time.Duration) {
			// 500 bytes every 50 ms.
			requireIntact(t, text, whole, took, time.Duration(len(whole)/500)*50*time.Millisecond)
		}},
		"dribble: a body that comes in pieces": {`delay: {dribble: {chunks: 4, over: 80ms}}`, func(t *testing.T, text string, _ error, took time.Duration) {
			requireIntact(t, text, whole, took, 80*time.Millisecond)
		}},
		"slow_header: headers that come slowly": {`slow_header: {over: 100ms}`, func(t *testing.T, text string, _ error, took time.Duration) {
			requireIntact(t, text, whole, took, 90*time.Millisecond)
		}},
		"slow_close: an end that comes late": {`slow_close: {delay: 60ms}`, func(t *testing.T, text string, _ error, took time.Duration) {
			requireIntact(t, text, whole, took, 60*time.Millisecond)
			if strings.Contains(text, "Content-Length") || strings.Contains(text, "chunked") {
				t.Errorf("want only the end of the connection to end the body, got %q", text)
			}
		}},
		"latency: an answer that comes late": {`latency: {latency: 60ms, jitter: 10ms}`, func(t *testing.T, text string, _ error, took time.Duration) {
			requireIntact(t, text, whole, took, 50*time.Millisecond)
		}},
		"delay: an answer that comes late": {`delay: 60ms`, func(t *testing.T, text string, _ error, took time.Duration) {
			requireIntact(t, text, whole, took, 60*time.Millisecond)
		}},
		"delay after the effect": {`{when: after, delay: {uniform: {min: 50ms, max: 70ms}}}`, func(t *testing.T, text string, _ error, took time.Duration) {
			requireIntact(t, text, whole, took, 50*time.Millisecond)
		}},
		"delay and status together": {`{delay: {lognormal: {median: 40ms, sigma: 0.01}}, status: 502, body: Bad Gateway}`, func(t *testing.T, text string, _ error, took time.Duration) {
			if !strings.HasPrefix(text, "HTTP/1.1 502 Bad Gateway\r\n") || !strings.HasSuffix(text, "\r\n\r\nBad Gateway") || took < 30*time.Millisecond {
				t.Errorf("want 502 after 30ms, got %q after %s", text, took)
			}
		}},
		"headers: set and removed": {`headers: {set: {X-Trace: abc, content-type: text/plain}, remove: [date]}`, func(t *testing.T, text string, _ error, took time.Duration) {
			requireIntact(t, text, whole, took, 0)
			if !strings.Contains(text, "X-Trace: abc\r\n") || !strings.Contains(text, "Content-Type: text/plain\r\n") || strings.Contains(text, "Date:") {
				t.Errorf("want the headers changed, got %q", text)
			}
		}},
		"jq: the real answer, changed": {`jq: 'map({id})'`, func(t *testing.T, text string, _ error, _ time.Duration) {
			_, body, _ := strings.Cut(text, "\r\n\r\n")
			if body != `[{"id":"lisbon-walk"}]`+"\n" {
				t.Errorf("want what the program makes of it, got %s", body)
			}
		}},
		"limit_data: a limit that the body keeps": {`limit_data: {bytes: 1000000}`, func(t *testing.T, text string, _ error, took time.Duration) {
			requireIntact(t, text, whole, took, 0)
		}},
		"a status without a body to it": {`status: 204`, func(t *testing.T, text string, _ error, _ time.Duration) {
			if !strings.HasPrefix(text, "HTTP/1.1 204 No Content\r\n") || !strings.HasSuffix(text, "\r\n\r\n") || strings.Contains(text, "Content-Length") {
				t.Errorf("want 204 alone, got %q", text)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			c.arm(one.fault)
			text, took, err := c.sendRaw("GET", "/products?limit=1", "")
			one.seen(t, text, err, took)
			if f := c.fault(); f.Fired != 1 {
				t.Errorf("want it fired once, got %+v", f.Counts)
			}
			breaks := strings.HasPrefix(one.fault, "fault:") || strings.Contains(one.fault, "bytes: 100}")
			if e := c.lastExchange(); len(e.Faults) != 1 || !e.Done || e.Delivered == breaks || e.LeftAfter != nil || !e.Authorized {
				t.Errorf("want it in the journal, to a caller with the key who stayed, and delivered to be %t, got %+v", !breaks, e)
			}
		})
	}
}

// requireIntact expects an answer that is whole, and took so long.
func requireIntact(t *testing.T, text, body string, took, atLeast time.Duration) {
	t.Helper()
	if !strings.HasPrefix(text, "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(text, "\r\n\r\n"+body) {
		t.Errorf("want the whole answer, got %q", text)
	}
	if took < atLeast {
		t.Errorf("want at least %s, got %s", atLeast, took)
	}
}

func TestTheJournalHasWhatWentOverTheWire(t *testing.T) {
	t.Parallel()
	c := start(t)
	whole := c.call("GET", "/products?limit=1", "").body
	c.arm(`[{name: headers, last: true, times: 1, slow_header: {over: 1ms}}, {name: cut, last: true, times: 1, limit_data: {bytes: 7}}, {name: empty, fault: EMPTY_RESPONSE}]`)
	for _, want := range []struct {
		fault, body string
		status      int
	}{{"headers", whole, 200}, {"cut", whole[:7], 200}, {"empty", "", 0}} {
		c.sendRaw("GET", "/products?limit=1", "")
		if e := c.lastExchange(); e.Status != want.status || string(e.Answer.Body) != want.body || e.Faults[0] != want.fault {
			t.Errorf("want %d and %q by %s, got %d and %q by %s", want.status, want.body, want.fault, e.Status, e.Answer.Body, e.Faults)
		}
	}
}

func TestTheAnswerToHeadHasNoBodyThatCouldBeSlow(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.arm(`bandwidth: {rate: 1}`)
	text, _, err := c.sendRaw("HEAD", "/products", "")
	if err != nil || !strings.HasPrefix(text, "HTTP/1.1 200 OK") || !strings.HasSuffix(text, "\r\n\r\n") {
		t.Fatalf("want headers alone, got %q, %v", text, err)
	}
}

// A partner that is slow before it acts acts even if the caller has given up.
func TestTheEffectComesAfterTheCallerHasGone(t *testing.T) {
	t.Parallel()
	c := start(t)
	slot := c.slot(5)
	c.arm(`{match: {endpoint: reserve}, delay: 100ms}`)
	body := reserveBody(slot.ID, 1)
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.base, "http://"))
	check(t, err)
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Length: %d\r\n\r\n%s", partnerapi.ReservePath, c.key, len(body), body)
	await(t, "the fault fires", func() bool { return c.fault().Fired == 1 })
	conn.Close()
	await(t, "the seat is taken", func() bool { return len(c.mock.Default().Platform().Holds()) == 1 })
}

// patience limits how long a test waits. It is far longer than a busy machine needs.
const patience = 10 * time.Minute

// await waits until the condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(patience); !holds(); <-ticker.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited for nothing: %s", what)
		}
	}
}

func TestTheJournalRecordsThatACallerLeft(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{
		`{name: late, delay: 10m}`,
		`{name: late, when: after, delay: 10m}`,
		`{name: late, delay: {dribble: {chunks: 5, over: 10m}}}`,
		`{name: late, slow_close: {delay: 10m}}`,
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			c.arm(fault)
			conn, err := net.Dial("tcp", strings.TrimPrefix(c.base, "http://"))
			check(t, err)
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\n\r\n", partnerapi.ProductsPath, c.key)
			await(t, "the fault fires", func() bool { return c.fault().Fired == 1 })
			conn.Close()
			await(t, "the caller is known to have left", func() bool { return c.lastExchange().LeftAfter != nil })
			c.mock.Default().Faults().Close() // waiting calls continue
			await(t, "the exchange is done", func() bool { return c.lastExchange().Done })
			if e := c.lastExchange(); e.Delivered || *e.LeftAfter > e.Duration {
				t.Errorf("want nothing delivered, to a caller who left before the end, got %+v", e)
			}
		})
	}
}

func TestNothingIsDeliveredToACallerWhoHasGoneAlready(t *testing.T) {
	t.Parallel()
	c := start(t)
	gone, leave := context.WithCancel(t.Context())
	leave()
	for range 20 {
		request := httptest.NewRequestWithContext(gone, "GET", "/products?limit=1", nil)
		c.mock.ServeHTTP(httptest.NewRecorder(), request)
		if e := c.lastExchange(); e.Delivered || e.LeftAfter == nil {
			t.Fatalf("want it not delivered, got %+v", e)
		}
	}
}

// broken is a connection that nothing can be written to.
type broken struct{ http.ResponseWriter }

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestAnAnswerThatCannotBeWrittenIsNotDelivered(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.mock.ServeHTTP(broken{httptest.NewRecorder()}, httptest.NewRequest("GET", "/products?limit=1", nil))
	if e := c.lastExchange(); !e.Done || e.Delivered {
		t.Fatalf("want it not delivered, got %+v", e)
	}
}
