package crash

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// reckoning is what the customers, the marketplace and the partner say of the bookings.
type reckoning struct {
	shop     *shop
	clients  []*customer
	bookings map[uuid.UUID]marketplace.Booking
	history  map[uuid.UUID][]marketplace.HistoryEntry
	holds    map[string]mockpartner.Hold      // by code
	booked   map[string][]mockpartner.Booking // by reseller reference
	journal  []mockpartner.Exchange
	deaths   []mockpartner.Testimony // of replicas
	lost     int                     // holds whose reserve answer was lost
}

func (s *shop) reckon(t *testing.T, customers []*customer) *reckoning {
	t.Helper()
	r := &reckoning{
		shop: s, clients: customers, bookings: map[uuid.UUID]marketplace.Booking{},
		holds: map[string]mockpartner.Hold{}, booked: map[string][]mockpartner.Booking{}, journal: s.partner.Default().Journal().Exchanges(mockpartner.ExchangeFilter{}),
		deaths: s.partner.Default().Journal().Testimony(),
	}
	all, err := s.store.Bookings.List(t.Context(), booking.Filter{Checkouts: true}, marketplace.PageRequest{Size: 1_000_000})
	check(t, err)
	ids := make([]uuid.UUID, 0, len(all.Entries))
	for _, b := range all.Entries {
		r.bookings[b.ID] = b
		ids = append(ids, b.ID)
	}
	r.history, err = s.store.Bookings.Histories(t.Context(), ids)
	check(t, err)
	inside := s.partner.Default().Platform().Inside()
	for _, hold := range inside.Holds {
		r.holds[hold.Code] = hold
	}
	for _, b := range inside.Bookings {
		r.booked[b.ResellerReference] = append(r.booked[b.ResellerReference], b)
	}
	return r
}

// calls are the exchanges of an endpoint about a booking, the oldest first.
func (r *reckoning) calls(b marketplace.Booking, endpoint partnerapi.Endpoint) (list []mockpartner.Exchange) {
	for _, e := range r.journal {
		if e.Endpoint == endpoint && r.bookingOf(e) == b.ID {
			list = append(list, e)
		}
	}
	return list
}

// bookingOf is the booking that an exchange was about.
func (r *reckoning) bookingOf(e mockpartner.Exchange) uuid.UUID {
	body := string(e.Request.Body)
	if _, reference, found := strings.Cut(body, `"resellerReference":"`); found {
		if id, err := uuid.Parse(reference[:min(len(reference), 36)]); err == nil {
			return id
		}
	}
	return uuid.Nil
}

func attends(b marketplace.Booking, reason marketplace.AttentionReason) bool {
	return slices.ContainsFunc(b.Attention, func(a marketplace.Attention) bool { return a.Reason == reason })
}

func reasons(b marketplace.Booking) (list []marketplace.AttentionReason) {
	for _, a := range b.Attention {
		list = append(list, a.Reason)
	}
	return list
}

// lostHolds wants the partner to hold nothing but what somebody may still pay for, and
// what it has answered to nobody: as many as its journal has such answers.
func (r *reckoning) lostHolds(t *testing.T) {
	t.Helper()
	lost := map[uuid.UUID]bool{}
	for _, e := range r.journal {
		if e.Endpoint != partnerapi.Reserve || e.After == nil || e.After.Hold == nil || e.Before != nil && e.Before.Hold != nil {
			continue
		}
		id := r.bookingOf(e)
		written := r.bookings[id].Code != "" // it was written down after all
		if !written && r.answerLost(e) {
			lost[id] = true
		}
	}
	for _, hold := range r.holds {
		b := r.bookings[uuid.MustParse(hold.ResellerReference)]
		switch {
		case hold.State != mockpartner.Held || b.Status == marketplace.Held:
		case b.Status == marketplace.Lost && lost[b.ID]:
			r.lost++
		case b.Status == marketplace.Paid && len(b.Attention) > 0: // an operator decides
		default:
			t.Errorf("booking %s is %s, and the partner still holds its seats: %+v", b.ID, b.Status, r.history[b.ID])
		}
	}
	if r.lost != len(lost) {
		t.Errorf("want as many holds left as answers to reserve were lost, %d, got %d", len(lost), r.lost)
	}
	r.shop.lost = r.lost
}

// answerLost reports whether an answer may not have reached a caller who wrote it down:
// the connection broke, or its replica was killed before.
func (r *reckoning) answerLost(e mockpartner.Exchange) bool {
	over := e.Arrived.Add(time.Duration(e.Duration))
	return !e.Delivered || e.LeftAfter != nil || slices.ContainsFunc(r.deaths, func(death mockpartner.Testimony) bool {
		return slices.Contains(death.Died, e.Caller) && !over.Before(death.Since)
	})
}

// customers wants every customer answered, and every payment that was acknowledged kept.
func (r *reckoning) customers(t *testing.T) {
	t.Helper()
	paid := map[string]bool{}
	for _, c := range r.clients {
		if c.failed != nil {
			t.Error(c.failed)
		}
		b, known := r.bookings[c.booking]
		switch {
		case c.booking == uuid.Nil:
		case !known:
			t.Errorf("customer %d has the booking %s, which nobody knows", c.number, c.booking)
		case c.paid != "" && (b.PaymentReference != c.paid || b.Status != marketplace.Paid && b.Status != marketplace.Confirmed && b.Status != marketplace.Cancelled):
			t.Errorf("customer %d has paid %s for the booking %s, which is %s, paid with %q", c.number, c.paid, b.ID, b.Status, b.PaymentReference)
		case c.cancelled && b.Status != marketplace.Cancelled:
			t.Errorf("customer %d has cancelled the booking %s, which is %s", c.number, b.ID, b.Status)
		}
		if c.paid != "" {
			paid[c.paid] = true
		}
	}
	if kept := r.shop.count(t, `SELECT count(*) FROM booking_payments WHERE succeeded`); kept != len(paid) {
		t.Errorf("want the %d payments that were acknowledged, got %d", len(paid), kept)
	}
	r.shop.paid = len(paid)
	if len(r.bookings) > len(r.clients) {
		t.Errorf("want at most one booking of each of %d customers, got %d", len(r.clients), len(r.bookings))
	}
}

// finals wants every booking in a final state, or with somebody's attention for a reason
// that the partner's own journal bears out.
func (r *reckoning) finals(t *testing.T) {
	t.Helper()
	for _, b := range r.bookings {
		whole := true
		switch b.Status {
		case marketplace.Confirmed, marketplace.Refused:
			whole = len(b.Attention) == 0
		case marketplace.Released:
			whole = b.Release == marketplace.Done && len(b.Attention) == 0
		case marketplace.Cancelled:
			whole = b.Cancellation == marketplace.Done && len(b.Attention) == 0
		case marketplace.Lost:
			whole = attends(b, marketplace.ReserveUnknown) && r.unanswered(b, partnerapi.Reserve)
		case marketplace.Paid:
			whole = r.trulyPaid(b)
		default:
			whole = false
		}
		if !whole {
			t.Errorf("booking %s is %s, released %q, cancelled %q, listed for %v: %+v", b.ID, b.Status, b.Release, b.Cancellation, reasons(b), r.history[b.ID])
		}
	}
}

// trulyPaid reports whether there is a true reason that a payment has no confirmation.
func (r *reckoning) trulyPaid(b marketplace.Booking) bool {
	switch {
	case len(b.Attention) != 1:
		return false
	case attends(b, marketplace.LatePayment):
		return b.Release == marketplace.Done && len(r.calls(b, partnerapi.Confirm)) == 0
	case attends(b, marketplace.ConfirmRefused):
		return (len(r.booked[b.ID.String()]) == 0 || doubted(b)) && slices.ContainsFunc(r.calls(b, partnerapi.Confirm), func(e mockpartner.Exchange) bool { return e.Status >= 400 })
	case attends(b, marketplace.ConfirmUnknown):
		return r.unanswered(b, partnerapi.Confirm)
	default:
		return false
	}
}

// doubted reports whether an operator is told that the partner may have booked in spite of
// its refusal.
func doubted(b marketplace.Booking) bool {
	return slices.ContainsFunc(b.Attention, func(a marketplace.Attention) bool {
		return a.Reason == marketplace.ConfirmRefused && strings.Contains(a.Message, "the partner may have booked")
	})
}

// unanswered reports whether no call of an endpoint about a booking was answered in time
// to a replica that lived to write it down.
func (r *reckoning) unanswered(b marketplace.Booking, endpoint partnerapi.Endpoint) bool {
	for _, e := range r.calls(b, endpoint) {
		if !r.answerLost(e) && time.Duration(e.Duration) < endpoint.Timeout(partnerapi.Healthy) {
			return false
		}
	}
	return true
}

// partner wants the partner's books to agree: nobody is booked twice, and whoever is
// booked is expected by both or by neither.
func (r *reckoning) partner(t *testing.T) {
	t.Helper()
	for reference, list := range r.booked {
		if len(list) > 1 {
			t.Errorf("want the booking %s confirmed once, got %d times", reference, len(list))
		}
		b := r.bookings[uuid.MustParse(reference)]
		there := list[0]
		switch {
		case b.Status == marketplace.Confirmed && there.State == mockpartner.Booked && there.ID == b.ExternalBookingID:
		case b.Status == marketplace.Cancelled && there.State == mockpartner.Cancelled:
		case b.Status == marketplace.Paid && (attends(b, marketplace.ConfirmUnknown) || doubted(b)):
		default:
			t.Errorf("booking %s is %s, and %s at the partner's", b.ID, b.Status, there.State)
		}
	}
	for _, b := range r.bookings {
		if b.Status == marketplace.Confirmed && len(r.booked[b.ID.String()]) == 0 {
			t.Errorf("booking %s is CONFIRMED, and the partner has none", b.ID)
		}
	}
	for _, hold := range r.holds {
		if hold.State == mockpartner.Held {
			t.Errorf("want no hold after its expiry, got %s of %s", hold.Code, hold.ResellerReference)
		}
	}
	if broken := r.shop.partner.Default().Platform().Invariants(); broken != nil {
		t.Errorf("the partner's inventory: %+v", broken)
	}
}

// verdict wants the partner's judge to find nothing against the marketplace.
func (r *reckoning) verdict(t *testing.T) {
	t.Helper()
	verdict := r.shop.partner.Default().Verdict()
	if verdict.Verdict != mockpartner.Kept || verdict.Dropped > 0 {
		t.Errorf("want it kept, and about everything, got %d exchanges dropped: %s", verdict.Dropped, verdict)
	}
}

// table is the figures.
func (r *reckoning) table() string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	row := func(what string, n any) { fmt.Fprintf(w, "%s\t%v\n", what, n) }
	row("customers", len(r.clients))
	row("replicas killed", r.shop.kills)
	row("restarts of PostgreSQL", r.shop.restarts)
	retries, told, longest := 0, map[int]int{}, time.Duration(0)
	for _, c := range r.clients {
		retries += c.retries
		longest = max(longest, c.longest)
		if c.booking == uuid.Nil {
			told[c.refusal.Code]++
		}
	}
	row("requests sent again", retries)
	row("longest wait for one answer", longest.Round(time.Millisecond))
	for code, n := range told {
		row(fmt.Sprintf("told no, with %d", code), n)
	}
	states := map[string]int{}
	for _, b := range r.bookings {
		name := string(b.Status)
		for _, reason := range reasons(b) {
			name += ", " + string(reason)
		}
		states[name]++
	}
	for _, name := range slices.Sorted(maps.Keys(states)) {
		row(name, states[name])
	}
	row("payments acknowledged, and kept", r.shop.paid)
	row("holds whose answer was lost, gone by their expiry", r.shop.lost)
	faults := map[string]int{}
	for _, e := range r.journal {
		for _, name := range e.Faults {
			faults[name]++
		}
	}
	row("calls to the partner", len(r.journal))
	for _, name := range slices.Sorted(maps.Keys(faults)) {
		row("of these "+name, faults[name])
	}
	_ = w.Flush() // into memory
	return text.String()
}
