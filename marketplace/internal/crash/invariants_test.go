//go:build linux

package crash

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// invariant is a statement that must hold despite all faults.
type invariant string

const (
	paymentsKept   invariant = "payments lost"
	confirmedOnce  invariant = "bookings confirmed twice at the partner"
	notReleased    invariant = "confirms after a release"
	heldIsHeld     invariant = "HELD bookings whose hold we released"
	noSeatLost     invariant = "holds without a record"
	endsWell       invariant = "bookings neither in a final state nor listed with a true reason"
	timeGoesOn     invariant = "histories that go back in time"
	oneOfTwo       invariant = "guests who rescheduled and have no booking, or two that are paid"
	booksAgree     invariant = "bookings about which we and the partner differ"
	answersInTime  invariant = "answers that are late, or not documented"
	verdictIsClean invariant = "rules of the contract broken, by the partner's verdict"
)

var invariants = []invariant{paymentsKept, confirmedOnce, notReleased, heldIsHeld, noSeatLost, endsWell, timeGoesOn, oneOfTwo, booksAgree, answersInTime, verdictIsClean}

// violates records a violation of an invariant.
func (r *outcome) violates(l invariant, format string, args ...any) {
	r.violations[l] = append(r.violations[l], fmt.Sprintf(format, args...))
}

// judge checks every invariant against the final records.
func (r *outcome) judge(t *testing.T) {
	t.Helper()
	r.customers(t)
	r.releases()
	r.finals()
	r.reschedules()
	r.partner()
	r.verdict()
	r.report(t)
}

func (r *outcome) report(t *testing.T) {
	t.Helper()
	for _, l := range invariants {
		for _, breach := range r.violations[l] {
			t.Errorf("%s: %s", l, breach)
		}
	}
}

// customers requires that every customer was answered and every acknowledged payment is stored.
func (r *outcome) customers(t *testing.T) {
	t.Helper()
	paid := map[string]bool{}
	for _, c := range r.clients {
		if c.failed != nil {
			r.violates(answersInTime, "%v", c.failed)
		}
		b, known := r.bookings[c.booking]
		switch {
		case c.booking == uuid.Nil:
		case !known && c.paid != "":
			r.violates(paymentsKept, "customer %d has paid %s for the booking %s, which is not there", c.number, c.paid, c.booking)
		case !known:
			r.violates(endsWell, "customer %d has the booking %s, which is not there", c.number, c.booking)
		case c.paid != "" && (b.PaymentReference != c.paid || b.Status != domain.Paid && b.Status != domain.Confirmed && b.Status != domain.Cancelled):
			r.violates(paymentsKept, "customer %d has paid %s for the booking %s, which is %s, paid with %q", c.number, c.paid, b.ID, b.Status, b.PaymentReference)
		case c.cancelled && b.Status != domain.Cancelled:
			r.violates(endsWell, "customer %d has cancelled the booking %s, which is %s", c.number, b.ID, b.Status)
		}
		if c.paid != "" {
			paid[c.paid] = true
		}
	}
	// The new booking of a reschedule has the payment of the old one.
	if kept := r.shop.count(t, `SELECT count(DISTINCT reference) FROM booking_payments WHERE succeeded`); kept != len(paid) {
		r.violates(paymentsKept, "%d payments were acknowledged, %d are stored", len(paid), kept)
	}
	r.paid = len(paid)
	for _, c := range r.clients {
		if begun := r.begun(c); len(begun) > 1 {
			r.violates(endsWell, "customer %d sent one order, with one key, and has the bookings %v", c.number, begun)
		}
	}
	for _, breach := range r.shop.answers.wrong {
		r.violates(answersInTime, "%s", breach)
	}
}

// begun returns the bookings of a customer's order for which the partner may have held seats. A repeated
// order makes a new booking where nothing was done for the one before, such as while the partner is not called.
func (r *outcome) begun(c *customer) (list []uuid.UUID) {
	for _, b := range r.bookings {
		if b.Contact.EmailAddress == c.address() && b.RescheduledFrom == uuid.Nil && b.Status != domain.Refused {
			list = append(list, b.ID)
		}
	}
	return list
}

// moves returns the new bookings of reschedules, by their old ones. A customer sends one reschedule.
func (r *outcome) moves() map[uuid.UUID]domain.Booking {
	made := map[uuid.UUID]domain.Booking{}
	for _, b := range r.bookings {
		if b.RescheduledFrom != uuid.Nil {
			if other, twice := made[b.RescheduledFrom]; twice {
				r.violates(oneOfTwo, "booking %s has the new bookings %s and %s", b.RescheduledFrom, b.ID, other.ID)
			}
			made[b.RescheduledFrom] = b
		}
	}
	return made
}

// reschedules requires that a guest who has rescheduled has one booking, here and at the partner. While the
// partner's answer to the new one is unknown, the old one is kept, too.
func (r *outcome) reschedules() {
	for id, to := range r.moves() {
		old, there := r.bookings[id], 0
		for _, made := range append(r.booked[id.String()], r.booked[to.ID.String()]...) {
			if made.State == client.Booked {
				there++
			}
		}
		switch {
		case old.Status == domain.Cancelled && to.Status == domain.Confirmed && old.RescheduledTo == to.ID && there == 1:
		case old.Status == domain.Confirmed && to.Status == domain.Paid && attends(to, domain.RescheduleUnknown) && old.RescheduledTo == to.ID && there > 0:
		case old.Status == domain.Confirmed && to.Status != domain.Confirmed && to.Status != domain.Paid && old.RescheduledTo == uuid.Nil && there == 1:
		default:
			r.violates(oneOfTwo, "booking %s is %s, its new booking %s is %s, and the partner has %d: %+v", id, old.Status, to.ID, to.Status, there, r.history[to.ID])
		}
	}
	for _, c := range r.clients {
		if to := r.bookings[c.moved]; c.moved != uuid.Nil && (to.RescheduledFrom != c.booking || to.Status != domain.Confirmed && to.Status != domain.Paid && to.Status != domain.Cancelled) {
			r.violates(oneOfTwo, "customer %d has rescheduled to the booking %s, which is %s", c.number, c.moved, to.Status)
		}
	}
}

// releases requires that each release was sent after its booking gave up the hold, and no confirm
// after the release.
func (r *outcome) releases() {
	released := map[string]client.Exchange{} // the first one, by code
	for _, e := range r.journal {
		if e.Endpoint != partnerapi.Release && e.Endpoint != partnerapi.Confirm {
			continue
		}
		for _, code := range r.codesOf(e) {
			first, was := released[code]
			switch {
			case e.Endpoint == partnerapi.Confirm && was:
				r.violates(notReleased, "the code %s was released at %s and confirmed at %s", code, first.Arrived, e.Arrived)
			case e.Endpoint == partnerapi.Release && !was:
				released[code] = e
			}
		}
	}
	for code, e := range released {
		b, known := r.byCode[code]
		switch {
		case !known:
			r.violates(heldIsHeld, "the code %s was released, and no booking has it", code)
		case b.Status == domain.Held, b.Status == domain.Reserving:
			r.violates(heldIsHeld, "booking %s is %s, and its hold was released at %s", b.ID, b.Status, e.Arrived)
		case !r.movedBefore(b, e):
			r.violates(heldIsHeld, "the hold of booking %s was released at %s, before the booking showed it: %+v", b.ID, e.Arrived, r.history[b.ID])
		}
	}
}

// clockError is the maximum error of a replica's reading of the database's clock: half of the
// maximum duration of a reading.
const clockError = 500 * time.Millisecond

// movedBefore reports whether a booking had given up its hold when a release arrived. The history
// is in the order of creation. Its times are the replicas' readings of the database's clock.
func (r *outcome) movedBefore(b domain.Booking, e client.Exchange) bool {
	for _, entry := range r.history[b.ID] {
		switch {
		case entry.Kind == domain.CallKind && entry.Endpoint == partnerapi.Release:
			return false
		case entry.Kind == domain.MoveKind && (entry.To == domain.Released || entry.To == domain.Cancelled):
			return entry.At.Add(-r.shop.apart - clockError).Before(e.Arrived)
		}
	}
	return false
}

// heldSeats requires that the partner holds only seats that can still be paid, that an
// operator decides about, or whose answer no replica could store.
func (r *outcome) heldSeats(t *testing.T) {
	t.Helper()
	for _, hold := range r.holds {
		b := r.bookings[uuid.MustParse(hold.ResellerReference)]
		switch {
		case hold.State != client.Held || b.Status == domain.Held || b.Release == domain.Pending: // a late answer has just arrived
		case b.Status == domain.Lost && attends(b, domain.ReserveUnknown):
			r.shop.lost++ // the verdict shows whether it had to be released
		case b.Status == domain.Paid && len(b.Attention) > 0:
		default:
			r.violates(noSeatLost, "booking %s is %s, and the partner holds its seats: %+v", b.ID, b.Status, r.history[b.ID])
		}
	}
	r.releases()
	r.report(t)
}

// finals requires that every booking is in a final state, or needs attention for a reason that the
// partner's journal confirms, and that its history is in the order of its times.
func (r *outcome) finals() {
	for _, b := range r.bookings {
		if history := r.history[b.ID]; !slices.IsSortedFunc(history, func(a, b domain.HistoryEntry) int { return a.At.Compare(b.At) }) {
			r.violates(timeGoesOn, "booking %s: %+v", b.ID, history)
		}
		well := true
		switch b.Status {
		case domain.Confirmed, domain.Refused:
			well = len(b.Attention) == 0
		case domain.Released:
			well = b.Release == domain.Done && len(b.Attention) == 0
		case domain.Cancelled:
			refused := b.RescheduledFrom != uuid.Nil && b.ExternalBookingID == "" && b.Release == domain.Done
			well = (b.Cancellation == domain.Done || refused) && len(b.Attention) == 0
		case domain.Lost:
			well = attends(b, domain.ReserveUnknown)
		case domain.Paid:
			well = r.trulyPaid(b)
		default:
			well = false
		}
		if !well {
			r.violates(endsWell, "booking %s is %s, released %q, cancelled %q, listed for %v: %+v", b.ID, b.Status, b.Release, b.Cancellation, reasons(b), r.history[b.ID])
		}
	}
}

// trulyPaid reports whether there is a valid reason that a paid booking is not confirmed.
func (r *outcome) trulyPaid(b domain.Booking) bool {
	refused := false
	for _, e := range r.calls(b, partnerapi.Confirm) {
		refused = refused || e.Status >= 400
	}
	expected := 1
	if b.RescheduledFrom != uuid.Nil {
		expected = 2 // with RescheduleUnknown
	}
	switch {
	case len(b.Attention) != expected || attends(b, domain.RescheduleUnknown) != (expected == 2):
		return false
	case attends(b, domain.LatePayment):
		return b.Release == domain.Done && len(r.calls(b, partnerapi.Confirm)) == 0
	case attends(b, domain.ConfirmRefused):
		return (len(r.booked[b.ID.String()]) == 0 || isDoubted(b)) && refused
	default:
		return attends(b, domain.ConfirmUnknown)
	}
}

// isDoubted reports whether the attention says that the partner may have booked despite its refusal.
func isDoubted(b domain.Booking) bool {
	return attends(b, domain.RescheduleUnknown) || slices.ContainsFunc(b.Attention, func(a domain.Attention) bool {
		return a.Reason == domain.ConfirmRefused && strings.Contains(a.Message, "the partner may have booked")
	})
}

// partner requires that the partner's records agree: no customer is booked twice, and
// both sides know the same bookings.
func (r *outcome) partner() {
	for reference, list := range r.booked {
		if len(list) > 1 {
			r.violates(confirmedOnce, "the partner has %d bookings of %s", len(list), reference)
		}
		b := r.bookings[uuid.MustParse(reference)]
		there := list[0]
		switch {
		case b.Status == domain.Confirmed && there.State == client.Booked && there.ID == b.ExternalBookingID:
		case b.Status == domain.Cancelled && there.State == client.Cancelled:
		case b.Status == domain.Paid && (attends(b, domain.ConfirmUnknown) || isDoubted(b)):
		default:
			r.violates(booksAgree, "booking %s is %s, and %s at the partner's", b.ID, b.Status, there.State)
		}
	}
	for _, b := range r.bookings {
		if b.Status == domain.Confirmed && len(r.booked[b.ID.String()]) == 0 {
			r.violates(booksAgree, "booking %s is CONFIRMED, and the partner has none", b.ID)
		}
	}
	for _, hold := range r.holds {
		if hold.State == client.Held {
			r.violates(noSeatLost, "the partner holds %s of %s after its expiry", hold.Code, hold.ResellerReference)
		}
	}
	for _, broken := range r.shop.partner.Default().Invariants() {
		r.violates(noSeatLost, "the partner's inventory: %+v", broken)
	}
}

// verdict requires that the partner's judge has no finding against the marketplace. The test gives
// the judge no testimony: it sees by itself which processes continued.
func (r *outcome) verdict() {
	verdict := r.shop.partner.Default().Verdict()
	r.says = string(verdict.Verdict)
	if verdict.Verdict != client.Kept || verdict.Dropped > 0 {
		r.violates(verdictIsClean, "%d exchanges dropped: %s%s", verdict.Dropped, verdict, r.bookingsOf(verdict))
	}
}
