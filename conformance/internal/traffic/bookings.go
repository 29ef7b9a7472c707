package traffic

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// bookings judges the answers to the calls about holds and bookings.
type bookings struct {
	*tally
	*caller
	*sold
	*windows
	*history
	tickets bool // the partner delivers its own tickets
	lives   holdTimes
	found   []judge.RuleFinding // about the call that is judged

	uncancelled *judge.RuleFinding // an answer that shows that cancel is not supported
	cancels     bool               // a cancellation was accepted
}

func (t *bookings) take(c *call) {
	l := t.history.holdOf(c)
	if l != nil && c.StartedAt.Before(l.until) {
		l.lose()
	}
	switch c.Endpoint {
	case partnerapi.Reserve:
		t.takeReserve(c)
	case partnerapi.Confirm:
		t.takeConfirm(c, l)
	case partnerapi.Release:
		t.takeUndoing(c, l, model.Release)
	case partnerapi.Cancel:
		t.takeCancel(c, l)
	}
	if l != nil && c.EndTime().After(l.until) {
		l.until = c.EndTime()
	}
}

// lifecycle returns the judge of a hold in a slot with these seats.
func (t *bookings) lifecycle(given judge.Given, left model.Seats) *judge.Lifecycle {
	l := judge.NewLifecycle(given, nil, func(of rule.Rule, flaw string) {
		f := judge.Finding{}
		if flaw != "" {
			f = judge.Breach("%s", flaw)
		}
		t.found = append(t.found, judge.RuleFinding{Rule: of, Finding: f})
	}).ByBody()
	l.Open([]model.Seats{left})
	return l
}

// judge judges a call by the law of holds and bookings. The evidence is the calls before it.
func (t *bookings) judge(l *judge.Lifecycle, c *call, act trace.Act, evidence ...*report.Exchange) trace.Judgement {
	t.found = t.found[:0]
	act.Answer, act.Cut, act.Raced, act.Body = c.Answer, !c.Whole, c.raced, bodyOf(c)
	j := l.Take(act)
	for i := range t.found {
		f := &t.found[i]
		if f.Ends() {
			f.Finding = f.WithEvidence(append(evidence, c.Exchange)...)
		}
	}
	return j
}

// takeReserve judges the answer to a reserve that conforms to the contract.
func (t *bookings) takeReserve(c *call) {
	asked := c.Reserved
	t.reservedOnce(c, asked.ResellerReference)
	if _, known := t.question(partnerapi.AvailabilityRequest{ProductID: asked.ProductID, OptionID: asked.OptionID}); !known && !c.HasStatus(200, 201) || !t.isCurrent(c) && c.mayBeUnsold() {
		return // it is unknown whether this option is sold
	}
	slot, at := t.windows.slot(asked)
	full := !at.IsZero() && (!slot.Status.IsBookable() || slot.Vacancies != nil && *slot.Vacancies == 0)
	h := &hold{Lifecycle: t.lifecycle(t.history.given, model.Seats{Counted: full}), code: partner.Text(c.Answer, "reservationConfirmationCode"), until: c.EndTime(), asked: partnerapi.ReserveRequest{ProductID: asked.ProductID, OptionID: asked.OptionID, AvailabilityID: asked.AvailabilityID}, before: slot.Vacancies, reserve: c.Exchange}
	act := trace.Act{Does: model.Reserve, Party: model.Party{Guests: 1}, Offer: offerOf(asked)}
	if expires, err := partnerapi.ParseDateTime(partner.Text(c.Answer, "expiresAt")); err == nil {
		h.expires, act.Life = expires, expires.Sub(c.PartnerTime())
	}
	var shown []*report.Exchange
	if before := t.history.byCode[h.code]; before != nil {
		shown = append(shown, before.reserve)
	}
	j := t.judge(h.Lifecycle, c, act, shown...)
	for _, f := range t.found {
		switch {
		case judge.IsHoldLength(f.Rule):
			t.lives.take(act.Life, f)
		case f.Ends() && j.Others && f.Rule.ID == j.Rule.ID:
			t.doubt(f.Rule, judge.Doubt("a slot that had been shown as %s was held; it may have been opened in between", slot.Status).WithEvidence(c.Exchange))
		default:
			t.record(f)
		}
	}
	if !c.HasStatus(200, 201) || !c.Whole || scenario.NoObject(c.Answer) != "" {
		return
	}
	t.takeFields(c, schemas.ReserveAnswer, fieldrule.All(partnerapi.Reserve)...)
	t.lives.holdless = t.lives.holdless || act.Life > partnerapi.HoldlessAfter
	if h.code != "" {
		t.history.enter(h)
	}
}

func offerOf(asked partnerapi.ReserveRequest) discover.Offer {
	return discover.Offer{Product: discover.Product{ID: asked.ProductID}, Option: discover.Option{ID: asked.OptionID}, Slot: discover.Slot{ID: asked.AvailabilityID}}
}

// holdTimes is how long holds last (RSV-7). A partner whose clock was moved seems to hold for longer,
// so only what every hold shows counts against it.
type holdTimes struct {
	shortest time.Duration
	shown    *judge.RuleFinding // by the shortest
	holdless bool
}

func (l *holdTimes) take(life time.Duration, f judge.RuleFinding) {
	if l.shown == nil || life < l.shortest {
		l.shortest, l.shown = life, &f
	}
}

func (b *bookings) settle(t *tally) {
	if l := b.lives; l.shown != nil && !l.holdless {
		t.record(*l.shown)
	}
	if b.uncancelled != nil && b.cancels {
		t.record(*b.uncancelled)
	}
}

// takeConfirm judges an answer to a confirm, by the known state of its code.
func (t *bookings) takeConfirm(c *call, h *hold) {
	act := trace.Act{Does: model.Confirm}
	if h == nil { // its hold is unknown
		if c.HasStatus(http.StatusOK) {
			l := t.lifecycle(judge.Given{}, model.Seats{})
			l.Adopt(model.Unknown)
			t.judge(l, c, act)
			t.record(t.found...)
			t.takeBooking(c)
		}
		return
	}
	t.mayConfirm(c, h)
	h.age(c.PartnerTime())
	if stage := h.stage(); t.partial && (stage == model.Released || stage == model.Expired || stage == model.Held && c.Response.Status/100 == 4) {
		h.lose() // a call that is missing may have confirmed, released or cancelled it before
	}
	shown := h.evidence()
	if other := t.history.byID[partner.Text(c.Answer, "externalBookingId")]; other != nil && other != h {
		shown = append(shown, other.confirm)
	}
	act.Freed = t.isFreed(h)
	t.judge(h.Lifecycle, c, act, shown...)
	t.record(t.found...)
	if !c.HasStatus(http.StatusOK) {
		return
	}
	t.takeBooking(c)
	if id := h.ID(0); id != "" && h.confirm == nil {
		h.confirm, h.id = c.Exchange, id
		if t.history.byID[id] == nil {
			t.history.byID[id] = h
		}
	}
}

// isFreed reports whether availability, asked after the answer to the reserve of a hold, has shown as many seats as before it.
func (t *bookings) isFreed(h *hold) bool {
	slot, at := t.windows.slot(h.asked)
	return h.before != nil && slot.Vacancies != nil && at.After(h.reserve.StartedAt.Add(h.reserve.Duration)) && *slot.Vacancies >= *h.before
}

// takeBooking judges the fields of a booking.
func (t *bookings) takeBooking(c *call) {
	if !c.Whole || scenario.NoObject(c.Answer) != "" {
		return
	}
	schema, rules := schemas.ConfirmAnswer, fieldrule.All(partnerapi.Confirm)
	if t.tickets {
		schema = schemas.ConfirmAnswerWithTickets
	} else {
		rules = slices.DeleteFunc(rules, func(r rule.Rule) bool { return strings.Contains(r.ID, "ticket") })
	}
	t.takeFields(c, schema, rules...)
}

// takeCancel judges an answer to a cancellation. A partner may not support any (CAN-6).
func (t *bookings) takeCancel(c *call, h *hold) {
	if c.HasStatus(http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented) {
		if h != nil && h.stage() == model.Booked && t.uncancelled == nil {
			t.judge(h.Lifecycle, c, trace.Act{Does: model.Cancel}, h.evidence()...)
			t.uncancelled = &judge.RuleFinding{Rule: t.found[0].Rule, Finding: t.found[0].Finding}
			h.State().Holds[0].Stage = model.Booked
		}
		return
	}
	t.cancels = t.cancels || c.HasStatus(http.StatusOK)
	t.takeUndoing(c, h, model.Cancel)
}

// takeUndoing judges a release or a cancellation, by the known state of its hold.
func (t *bookings) takeUndoing(c *call, h *hold, does model.Kind) {
	if h == nil {
		if t.isUnknown(c) {
			t.judge(t.lifecycle(judge.Given{}, model.Seats{}), c, trace.Act{Does: does, Hold: trace.None})
			t.record(t.found...)
		}
		return
	}
	h.age(c.PartnerTime())
	before := h.stage()
	t.judge(h.Lifecycle, c, trace.Act{Does: does}, h.evidence()...)
	t.record(t.found...)
	if h.stage() != before {
		h.ended = c.Exchange
	}
}

// longestCode is the maximum length of an unknown code that a partner must answer. Intermediaries
// may refuse longer ones.
const longestCode = 200

// isUnknown reports whether the code of a call that the recording has not shown before is unknown to the partner, and
// one that it must answer. In a partial history the partner may know the code.
func (t *bookings) isUnknown(c *call) bool {
	return !t.partial && len(c.Named) <= longestCode && !strings.ContainsFunc(c.Named, func(r rune) bool { return r < ' ' || r == 0x7f || r == '/' || r == '\uFFFD' })
}
