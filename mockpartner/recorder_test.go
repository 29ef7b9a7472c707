package mockpartner_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/schemas/partnerapi"
)

func TestTheJournalTellsWhichAnswersCameWhole(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]bool{
		`status: 500`:                                     true,
		`{when: after, status: 204, body: ""}`:            true,
		`slow_header: {over: 1ms}`:                        true,
		`slow_close: {delay: 1ms}`:                        true,
		`bandwidth: {rate: 1000000}`:                      true,
		`delay: {dribble: {chunks: 3, over: 3ms}}`:        true,
		`limit_data: {bytes: 1000000}`:                    true,
		`limit_data: {bytes: 7}`:                          false,
		`fault: EMPTY_RESPONSE`:                           false,
		`{when: after, fault: MALFORMED_RESPONSE_CHUNK}`:  false,
		`{when: before, fault: MALFORMED_RESPONSE_CHUNK}`: false,
		`fault: RANDOM_DATA_THEN_CLOSE`:                   false,
		`fault: CONNECTION_RESET_BY_PEER`:                 false,
	} {
		c := start(t)
		c.arm(fault)
		c.raw("GET", "/products", "")
		if e := c.last(); e.Delivered != want || e.LeftAfter != nil || !e.Authorized {
			t.Errorf("%s: want delivered %t, to a caller with the key who stayed, got %+v", fault, want, e)
		}
	}
}

func TestTheJournalTellsThatACallerLeft(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{
		`{name: late, delay: 200ms}`,
		`{name: late, when: after, delay: 1m}`,
		`{name: late, delay: {dribble: {chunks: 5, over: 1m}}}`,
		`{name: late, slow_close: {delay: 1m}}`,
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			c.arm(fault)
			conn, err := net.Dial("tcp", strings.TrimPrefix(c.base, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\n\r\n", partnerapi.ProductsPath, c.key)
			await(t, "the fault fires", func() bool { return c.fault().Fired == 1 })
			conn.Close()
			await(t, "the exchange is done", func() bool { return c.last().Done })
			if e := c.last(); e.Delivered || e.LeftAfter == nil || *e.LeftAfter > e.Duration {
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
		if e := c.last(); e.Delivered || e.LeftAfter == nil {
			t.Fatalf("want it not delivered, got %+v", e)
		}
	}
}

// broken is a connection that nothing can be written to.
type broken struct{ http.ResponseWriter }

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWhatCannotBeWrittenIsNotDelivered(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.mock.ServeHTTP(broken{httptest.NewRecorder()}, httptest.NewRequest("GET", "/products?limit=1", nil))
	if e := c.last(); !e.Done || e.Delivered {
		t.Fatalf("want it not delivered, got %+v", e)
	}
}

func TestTheJournalTellsWhoPresentedTheKey(t *testing.T) {
	t.Parallel()
	c := start(t)
	for sent, want := range map[string]bool{"Bearer " + key: true, key: false, "": false} {
		c.key = sent
		c.call("GET", "/nowhere", "")
		kept := c.mock.Default().Journal().Exchanges(journal.Filter{Limit: 1})
		if kept[0].Authorized != want {
			t.Errorf("%q: want authorized %t", sent, want)
		}
	}
}
