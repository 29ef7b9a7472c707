package booking_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/octobridge/internal/booking"
	"partnerkit.dev/octobridge/internal/store"
)

// faults are what may happen to a call to the supplier.
var faults = map[string]supply{
	"passed on": passedOn, "lost before": lostBefore, "lost after": lostAfter, "503 before": answers(503, `{}`), "502 after": failsAfter(502),
	"429 before": answers(429, `{}`), "403 before": answers(403, `{}`), "400 after": refusedAfter,
}

// refusedAfter is a call that is carried out and then refused, as by a repeat. A supplier that refuses a
// reservation has not made it.
func refusedAfter(w http.ResponseWriter, r *http.Request, call string, supplier http.Handler) {
	if call == "reserve" {
		supplier.ServeHTTP(w, r)
		return
	}
	failsAfter(http.StatusBadRequest)(w, r, call, supplier)
}

// customer is what the marketplace knows of one reservation.
type customer struct {
	code      string
	confirmed string // the answer to confirm; "": there was none
	tried     bool   // confirm was called, perhaps without an answer
	refused   bool   // confirm was refused
	released  bool   // release was accepted before any confirm was
	cancelled bool
}

// Whatever happens to calls in whatever order: in the end the supplier has exactly the bookings that the
// marketplace has, and no hold that it does not know.
func TestBooking_WhateverIsLostTheSupplierHasWhatTheMarketplaceWasTold(t *testing.T) {
	t.Parallel()
	folder, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		own := filepath.Join(folder, fmt.Sprint(n))
		if err := os.Mkdir(own, 0o755); err != nil {
			t.Fatal(err)
		}
		h, stop := start(t, own)
		defer stop()
		ctx := context.Background()
		var known []*customer
		names := rapid.SliceOfN(rapid.SampledFrom([]string{
			"passed on", "passed on", "passed on", "lost before", "lost after", "503 before", "502 after", "429 before", "403 before", "400 after",
		}), 0, 20).Draw(t, "calls to the supplier")
		for _, name := range names {
			h.next = append(h.next, faults[name])
		}
		for _, one := range rapid.SliceOfN(rapid.SampledFrom([]step{reserves, reserves, confirms, confirms, confirms, releases, cancels, settles, restarts, waits, expires}), 1, 14).Draw(t, "steps") {
			var of *customer
			if len(known) > 0 {
				of = known[rapid.IntRange(0, len(known)-1).Draw(t, "customer")]
			}
			switch {
			case one == reserves:
				if code, err := h.reserve(ctx); err == nil {
					known = append(known, &customer{code: code})
				}
			case one == settles:
				h.pass(time.Millisecond)
				h.Settle(ctx, h.box.Now())
			case one == restarts:
				h.restart(t)
			case one == waits:
				h.pass(3 * time.Minute)
			case one == expires:
				h.pass(20 * time.Minute)
			case of != nil:
				of.does(t, h, one)
			}
		}
		// From now on all calls arrive, and everything is settled.
		h.sets()
		for range 3 {
			h.pass(3 * time.Minute)
			h.Settle(ctx, h.box.Now())
		}
		requireAgreement(t, h, known)
	})
}

// does makes a call of the marketplace, and notes its answer.
func (c *customer) does(t *rapid.T, h *harness, call step) {
	ctx := context.Background()
	switch call {
	case confirms:
		answer, err := h.confirm(ctx, c.code)
		refused := (*booking.Refusal)(nil)
		c.tried, c.refused = true, c.refused || errors.As(err, &refused)
		if err != nil {
			return
		}
		if c.confirmed != "" && c.confirmed != answer {
			t.Fatalf("confirm answered %s, and then %s", c.confirmed, answer)
		}
		if c.released || c.cancelled {
			t.Fatalf("%s was released or cancelled, and is confirmed", c.code)
		}
		c.confirmed = answer
	case releases:
		if err := h.Release(ctx, c.code); err == nil && c.confirmed == "" {
			c.released = !c.tried // an earlier confirm may have booked it
		}
	case cancels:
		if b, _, err := h.Store.Find(ctx, c.code); err == nil && b.BookingID != "" {
			c.cancelled = h.Cancel(ctx, b.BookingID, "") == nil || c.cancelled
		}
	}
}

func requireAgreement(t *rapid.T, h *harness, known []*customer) {
	ctx := context.Background()
	codes := map[string]*customer{}
	for _, c := range known {
		codes[c.code] = c
	}
	holds := map[string]client.HoldState{}
	for _, hold := range h.box.Holds() {
		holds[hold.Code] = hold.State
		b, found, err := h.Store.Find(ctx, hold.Code)
		if err != nil || !found && hold.State == client.Held {
			t.Fatalf("the supplier holds %s, of which the store knows nothing: %v", hold.Code, err)
		}
		if hold.State == client.Held && codes[hold.Code] == nil {
			t.Fatalf("the supplier holds %s, which no customer has: it is %s in the store", hold.Code, b.State)
		}
		if hold.State == client.Held && (b.State != store.Held || codes[hold.Code].released) {
			t.Fatalf("%s is held, and in the store it is %s", hold.Code, b.State)
		}
	}
	booked := map[string]bool{}
	for _, b := range h.box.Bookings() {
		if booked[b.Code] {
			t.Fatalf("%s was booked twice", b.Code)
		}
		booked[b.Code] = true
		c := codes[b.Code]
		kept, _, err := h.Store.Find(ctx, b.Code)
		if c == nil || !c.tried || err != nil || (b.State == client.Cancelled) != (kept.State == store.Cancelled) || b.State != client.Cancelled && kept.State != store.Confirmed {
			t.Fatalf("the booking %s of %s is %s; in the store it is %s; the marketplace has %+v", b.ID, b.Code, b.State, kept.State, c)
		}
		if c.cancelled && b.State != client.Cancelled {
			t.Fatalf("the booking %s was cancelled, and is not at the supplier", b.ID)
		}
	}
	for _, c := range known {
		if c.confirmed != "" && !booked[c.code] {
			t.Fatalf("%s was confirmed, and is not booked at the supplier: %s", c.code, holds[c.code])
		}
	}
	if broken := h.box.Invariants(); broken != nil {
		t.Fatalf("%+v", broken)
	}
}
