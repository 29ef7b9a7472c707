package partner_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// closing is a partner that closes connections that were used before: right after an
// answer, when the next call may be on its way, or when a booking call has arrived, before
// it is answered. It does the same with calls for slots.
type closing struct {
	atOnce   bool
	bookings atomic.Int32 // booking calls that have arrived
	slots    atomic.Int32 // calls for slots that have arrived
}

func (c *closing) serve(conn net.Conn) {
	defer conn.Close()
	used := false
	for reader := bufio.NewReader(conn); ; used = true {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, request.Body)
		answer := "[]"
		if strings.Contains(request.URL.Path, "/availability") {
			c.slots.Add(1)
			if used {
				return
			}
		}
		if strings.Contains(request.URL.Path, "/bookings/") {
			c.bookings.Add(1)
			if !c.atOnce {
				return
			}
			answer = goodHold
		}
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer)
		if c.atOnce {
			return
		}
	}
}

// newBench returns a client of the partner.
func (c *closing) newBench(t *testing.T) *bench {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go c.serve(conn)
		}
	}()
	b := setup(t, nil)
	b.target.BaseURL = &url.URL{Scheme: "http", Host: listener.Addr().String()}
	return b
}

func TestABookingCallIsSentOnceEvenIfAReusedConnectionBreaks(t *testing.T) {
	t.Parallel()
	const rounds = 50
	for name, c := range map[string]*closing{
		"it is closed as the call arrives": {}, "it is closed as the call is sent": {atOnce: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := c.newBench(t)
			for round := range int32(rounds) {
				before := c.bookings.Load()
				if err := b.Probe(t.Context(), b.target); err != nil { // it leaves an idle connection
					t.Fatal(err)
				}
				var outcome partner.Outcome
				if round%2 == 0 {
					_, outcome = b.reserve(t.Context())
				} else {
					_, outcome = b.confirm(t.Context())
				}
				arrived := c.bookings.Load() - before
				if arrived > 1 || arrived == 0 && outcome.Kind.IsAnswered() || !c.atOnce && (arrived != 1 || outcome.Kind != partner.Unanswered) {
					t.Fatalf("want it sent once, got %d calls and %+v", arrived, outcome)
				}
			}
		})
	}
}

func TestACallForSlotsIsSentAgainWhereAConnectionThatWasUsedBeforeIsClosed(t *testing.T) {
	t.Parallel()
	c := &closing{}
	b := c.newBench(t)
	again := 0
	for range 10 {
		check(t, b.Probe(t.Context(), b.target)) // it leaves an idle connection, but not always in time
		before := c.slots.Load()
		err := b.Availability(t.Context(), b.target, partnerapi.AvailabilityRequest{}, acceptAny)
		arrived := c.slots.Load() - before
		if err != nil || arrived > 2 {
			t.Fatalf("Expected it sent again on a fresh connection, received %v after %d calls", err, arrived)
		}
		if arrived == 2 {
			again++
		}
	}
	if again == 0 {
		t.Error("Expected a used connection to be closed under a call in ten rounds, received none")
	}
}
