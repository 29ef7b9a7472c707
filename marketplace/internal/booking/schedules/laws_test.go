package schedules

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// Invariants in addition to those of package marketplace.
var (
	heldIsHeld = domain.Invariant{ID: "held-is-held", Says: "A hold that the store shows as HELD was not released at the partner by us."}
	ownedCall  = domain.Invariant{ID: "owned-call", Says: "A call that another replica has taken over is not sent."}
	sameAnswer = domain.Invariant{ID: "same-answer", Says: "The answer that a key gives does not change."}
	oneBooking = domain.Invariant{ID: "one-booking", Says: "A key makes one booking."}
)

// storedCallEnd reports whether the end of a booking's call is stored.
func (d *database) storedCallEnd(id, call uuid.UUID) (ended *booking.CallEnd) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.rows[id]; r != nil {
		for _, c := range r.calls {
			if c.ID == call {
				return c.ended
			}
		}
	}
	return nil
}

// checkReserve checks the invariants when a reserve is sent.
func (w *world) checkReserve(_ partnerapi.Endpoint, id uuid.UUID, t task, call uuid.UUID) {
	w.checkPayments()
	if w.database.storedCallEnd(id, call) != nil {
		w.breaks(ownedCall, "%s sends reserve after the checkout was given up", t.name)
	}
	for _, h := range w.platform.list() {
		if h.booking == id {
			w.breaks(domain.ReservedOnce, "%s sends reserve again", t.name)
		}
	}
}

// arrivedConfirm checks the invariants when a confirm is sent. An answer that another
// replica reads, but stores only after the call was taken over, is too late.
func (w *world) arrivedConfirm(code string, r *replica, t task, call uuid.UUID) {
	w.mu.Lock()
	looked := r.looked[t.name]
	w.mu.Unlock()
	w.checkPayments()
	h := w.platform.find(code)
	if h.releases > 0 {
		w.breaks(domain.NoConfirmAfter, "%s sends confirm after the release", t.name)
	}
	for _, c := range h.confirms {
		if !c.over && time.Since(c.at) < partnerapi.Confirm.Timeout(partnerapi.Healthy) {
			w.breaks(domain.ConfirmedOnce, "%s sends confirm while another one is under way", t.name)
		}
	}
	w.database.mu.Lock()
	answered := slices.ContainsFunc(w.database.rows[h.booking].calls, func(c *recorded) bool {
		return c.Endpoint == partnerapi.Confirm && c.ended != nil && c.ended.Status != 0 && c.over.Before(looked)
	})
	w.database.mu.Unlock()
	if answered && !t.operator {
		w.breaks(domain.ConfirmedOnce, "%s sends confirm after one was answered", t.name)
	}
	if w.database.storedCallEnd(h.booking, call) != nil {
		w.breaks(ownedCall, "%s sends a confirm that was taken over", t.name)
	}
}

// arrivedRelease checks the invariants when a release is sent.
func (w *world) arrivedRelease(code string) {
	w.checkPayments()
	h := w.platform.find(code)
	if r, err := w.database.read(h.booking); err == nil && r.Status == domain.Held {
		w.breaks(heldIsHeld, "the hold is released while the booking is HELD")
	}
}

// arrivedCancel checks the invariants when a cancellation is sent: a guest who has rescheduled has the new
// booking at the partner before the old one is cancelled there.
func (w *world) arrivedCancel(external string) {
	for _, h := range w.platform.list() {
		if h.external != external {
			continue
		}
		r, err := w.database.read(h.booking)
		if err != nil || r.RescheduledTo == uuid.Nil {
			return
		}
		if to, err := w.database.read(r.RescheduledTo); err != nil || to.ExternalBookingID == "" {
			w.breaks(domain.OneOfTwo, "the old booking is cancelled at the partner, and the new one is %s", to.Status)
		}
	}
}

// checkReschedules checks the stored bookings of reschedules after a change. The database is locked.
func (w *world) checkReschedules() {
	for _, r := range w.database.rows {
		if r.RescheduledFrom == uuid.Nil {
			continue
		}
		old := w.database.rows[r.RescheduledFrom]
		switch {
		case r.Status == domain.Confirmed && old.Status != domain.Cancelled:
			w.breaks(domain.OneOfTwo, "the new booking is CONFIRMED, and the old one is %s", old.Status)
		case old.RescheduledTo == r.ID && old.Status == domain.Cancelled && r.ExternalBookingID == "":
			w.breaks(domain.OneOfTwo, "the old booking is CANCELLED, and the new one is %s", r.Status)
		}
	}
}

// endedReschedule checks the bookings of one guest, who had old and may have rescheduled it.
func (w *world) endedReschedule(old *row) {
	has, paid, decided, listed := 0, 0, false, false
	for _, r := range w.database.rows {
		if r != old && r.RescheduledFrom != old.ID {
			continue
		}
		h := w.platform.find(r.Code)
		there := h != nil && h.external != "" && !h.cancelled && !w.resolved[r.ID]
		listed = listed || len(r.Attention) > 0
		decided = decided || r.CancelReason == "ill" // by the customer
		if r.Status == domain.Confirmed {
			has++
			if !there {
				w.breaks(domain.OneOfTwo, "a booking is CONFIRMED, and the partner has none")
			}
		}
		if there {
			paid++
		}
	}
	switch to := w.database.rows[old.RescheduledTo]; {
	case has == 0 && !decided:
		w.breaks(domain.OneOfTwo, "the guest has no booking")
	case paid > 1 && !listed:
		w.breaks(domain.OneOfTwo, "the guest has %d bookings at the partner, and no operator is notified", paid)
	case old.Status == domain.Confirmed && to != nil && to.Status != domain.Paid:
		w.breaks(domain.NothingStuck, "the old booking cannot be cancelled, and the new one is %s", to.Status)
	}
}

// checkMove checks the invariants when a booking moves. The database is locked.
func (w *world) checkMove(before, after domain.Booking) {
	if before.PaymentReference != "" && after.PaymentReference != before.PaymentReference {
		w.breaks(domain.PaymentKept, "the payment %s is gone", before.PaymentReference)
	}
	if after.Status != domain.Held {
		return
	}
	if h := w.platform.find(after.Code); h != nil && h.releases > 0 {
		w.breaks(heldIsHeld, "the booking becomes HELD after its hold was released")
	}
}

// checkPayments checks that every acknowledged payment is stored.
func (w *world) checkPayments() {
	w.mu.Lock()
	payments := slices.Clone(w.payments)
	w.mu.Unlock()
	for _, p := range payments {
		r, err := w.database.read(p.booking)
		switch {
		case err != nil, !slices.ContainsFunc(r.Payments, func(known domain.Payment) bool { return known.Reference == p.reference && known.Succeeded }):
			w.breaks(domain.PaymentKept, "the payment %s was acknowledged, and is not stored", p.reference)
		case r.Status != domain.Paid && r.Status != domain.Confirmed && r.Status != domain.Cancelled:
			w.breaks(domain.PaymentKept, "the booking is %s, and was paid", r.Status)
		}
	}
}

func (p *platform) list() (all []*hold) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.holds {
		all = append(all, h)
	}
	return all
}

func (p *platform) find(code string) *hold {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.holds[code]
}

// checkEnd checks the invariants once nothing more happens.
func (w *world) checkEnd() {
	w.checkPayments()
	for _, r := range w.database.rows {
		w.endedBooking(r)
		if w.known > 0 && r.RescheduledFrom == uuid.Nil {
			w.endedReschedule(r)
		}
	}
	for _, h := range w.platform.list() {
		w.endedHold(h)
	}
	for key, answers := range w.answers {
		for _, a := range answers[1:] {
			if string(a.Body) != string(answers[0].Body) || a.Status != answers[0].Status {
				w.breaks(sameAnswer, "%s: first %d %s, then %d %s", key, answers[0].Status, answers[0].Body, a.Status, a.Body)
			}
		}
	}
	if made := len(w.platform.holds) - w.known; len(w.answers) > 0 && made > 1 {
		w.breaks(oneBooking, "the partner was asked for %d holds", made)
	}
}

func (w *world) endedBooking(r *row) {
	listed := len(r.Attention) > 0
	switch {
	case r.Status == domain.Reserving || r.Status == domain.Held:
		w.breaks(domain.NothingStuck, "the booking stays %s", r.Status)
	case r.Status == domain.Paid && !needsOperator(r.Booking):
		w.breaks(domain.NothingStuck, "the booking stays PAID, and no operator is notified")
	case r.ConfirmCall != uuid.Nil:
		w.breaks(domain.NothingStuck, "a confirm never ends")
	case r.Release == domain.Pending || r.Cancellation == domain.Pending:
		w.breaks(domain.NothingStuck, "a delivery is due, and no job makes it")
	}
	for _, call := range r.calls {
		if call.ended == nil && call.Endpoint == partnerapi.Confirm {
			w.breaks(domain.NothingStuck, "a confirm has no end")
		}
	}
	if r.Status == domain.Confirmed && (r.ExternalBookingID == "" || r.PaymentReference == "") {
		w.breaks(domain.ConfirmedIsPaid, "%+v", r.Booking)
	}
	if h := w.platform.find(r.Code); h != nil && h.external != "" && !h.cancelled && !listed && !w.resolved[r.ID] && r.Status != domain.Confirmed {
		w.breaks(domain.CancelPropagates, "the partner has confirmed, and the booking is %s", r.Status)
	}
}

func (w *world) endedHold(h *hold) {
	if h.external != "" || h.releases > 0 {
		return
	}
	r, err := w.database.read(h.booking)
	switch {
	case h.delivered == "": // its code was never read
	case w.hasDied(h.delivered) && (err != nil || r.Code == ""): // its code was lost with the replica that had read it
	case err != nil || r.Code == "":
		w.breaks(domain.HoldsEnd, "its code was read, and the hold is neither stored nor released")
	case r.Status != domain.Paid:
		w.breaks(domain.HoldsEnd, "the booking is %s, and the hold was not released", r.Status)
	}
}

func (w *world) hasDied(name string) bool {
	return slices.ContainsFunc(w.replicas, func(r *replica) bool { return r.name == name && r.killed })
}
