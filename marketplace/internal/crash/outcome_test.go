//go:build linux

package crash

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// outcome contains the bookings in the records of the customers, the marketplace and the partner.
type outcome struct {
	shop       *shop
	clients    []*customer
	bookings   map[uuid.UUID]domain.Booking
	byCode     map[string]domain.Booking
	history    map[uuid.UUID][]domain.HistoryEntry
	holds      map[string]client.Hold      // by code
	booked     map[string][]client.Booking // by reseller reference
	journal    []client.Exchange
	violations map[invariant][]string
	paid       int    // acknowledged payments
	says       string // the verdict of the partner's judge
}

func (s *shop) collect(t *testing.T, customers []*customer) *outcome {
	t.Helper()
	r := &outcome{
		shop: s, clients: customers, bookings: map[uuid.UUID]domain.Booking{}, byCode: map[string]domain.Booking{}, violations: map[invariant][]string{},
		holds: map[string]client.Hold{}, booked: map[string][]client.Booking{}, journal: s.partner.Default().Exchanges(client.Filter{}),
	}
	all, err := s.store.Bookings.List(t.Context(), booking.Filter{Checkouts: true}, domain.PageRequest{Size: 1_000_000})
	check(t, err)
	ids := make([]uuid.UUID, 0, len(all.Entries))
	for _, b := range all.Entries {
		r.bookings[b.ID] = b
		r.byCode[b.Code] = b
		ids = append(ids, b.ID)
	}
	r.history, err = s.store.Bookings.Histories(t.Context(), ids)
	check(t, err)
	inside := s.partner.Default().Platform().State()
	for _, hold := range inside.Holds {
		r.holds[hold.Code] = hold
	}
	for _, b := range inside.Bookings {
		r.booked[b.ResellerReference] = append(r.booked[b.ResellerReference], b)
	}
	return r
}

// calls returns the exchanges of an endpoint about a booking, oldest first.
func (r *outcome) calls(b domain.Booking, endpoint partnerapi.Endpoint) (list []client.Exchange) {
	for _, e := range r.journal {
		if e.Endpoint == endpoint && r.bookingOf(e) == b.ID {
			list = append(list, e)
		}
	}
	return list
}

// codesOf returns the code in a release or a confirm, or nothing if the body cannot be parsed.
func (r *outcome) codesOf(e client.Exchange) []string {
	_, rest, found := strings.Cut(string(e.Request.Body), `"reservationConfirmationCode":"`)
	if code, _, whole := strings.Cut(rest, `"`); found && whole {
		return []string{code}
	}
	return nil
}

// bookingOf returns the booking of an exchange.
func (r *outcome) bookingOf(e client.Exchange) uuid.UUID {
	body := string(e.Request.Body)
	if _, reference, found := strings.Cut(body, `"resellerReference":"`); found {
		if id, err := uuid.Parse(reference[:min(len(reference), 36)]); err == nil {
			return id
		}
	}
	return uuid.Nil
}

func attends(b domain.Booking, reason domain.AttentionReason) bool {
	return slices.ContainsFunc(b.Attention, func(a domain.Attention) bool { return a.Reason == reason })
}

func reasons(b domain.Booking) (list []domain.AttentionReason) {
	for _, a := range b.Attention {
		list = append(list, a.Reason)
	}
	return list
}

// bookingsOf returns the history of the bookings in a verdict's findings.
func (r *outcome) bookingsOf(v client.Verdict) string {
	var text strings.Builder
	for _, rule := range v.Rules {
		for _, finding := range rule.Findings {
			for _, e := range finding.Exchanges {
				b := r.bookings[r.bookingOf(e)]
				fmt.Fprintf(&text, "#%d: booking %s is %s: %+v\n", e.Number, b.ID, b.Status, r.history[b.ID])
				var other []string
				for _, call := range r.journal {
					if call.Request.Header.Get("User-Agent") == r.journal[e.Number-1].Request.Header.Get("User-Agent") && call.Number > e.Number {
						other = append(other, call.Arrived.Format("04:05.0 ")+string(call.Endpoint))
					}
				}
				fmt.Fprintf(&text, "its process at %s, and then: %v\n", e.Arrived.Format("04:05.000"), other)
			}
		}
	}
	return text.String()
}
