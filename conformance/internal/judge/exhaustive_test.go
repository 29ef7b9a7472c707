package judge

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// naive is a partner written straight from the contract's sentences, for a small world: two slots of two seats, and at
// most two holds. It shares nothing with what is tested.
type naive struct {
	left  [2]int
	holds []naiveHold
}

type naiveHold struct {
	slot, party int
	state       string // held, released, booked, cancelled or refused
}

// naiveCall is a call to the naive partner, or a reading of a slot.
type naiveCall struct {
	does        model.Kind
	slot, party int // of a reserve; a reading has a slot
	hold        int // of the other calls
}

// naiveAnswer is an answer to such a call. Only the fields that its kind has are used.
type naiveAnswer struct {
	status    int
	id        string // the code of a hold or the id of a booking; "" if it has neither
	success   bool
	silent    bool // a refusal without a message
	elsewhere bool // a booking of another slot
	left      int
}

func (n naive) calls() (all []naiveCall) {
	for slot := range n.left {
		all = append(all, naiveCall{does: model.Look, slot: slot})
		if len(n.holds) < 2 {
			all = append(all, naiveCall{does: model.Reserve, slot: slot, party: 1}, naiveCall{does: model.Reserve, slot: slot, party: 2})
		}
	}
	for hold, h := range n.holds {
		if h.state == "refused" {
			continue
		}
		all = append(all, naiveCall{does: model.Confirm, hold: hold}, naiveCall{does: model.Release, hold: hold})
		if h.state == "booked" || h.state == "cancelled" {
			all = append(all, naiveCall{does: model.Cancel, hold: hold})
		}
	}
	return all
}

func code(hold int) string      { return "code-" + strconv.Itoa(hold) }
func bookingID(hold int) string { return "booking-" + strconv.Itoa(hold) }

// lawful returns the answers that the contract allows.
func (n naive) lawful(c naiveCall) []naiveAnswer {
	done := naiveAnswer{status: 200, success: true}
	switch c.does {
	case model.Look:
		return []naiveAnswer{{status: 200, left: n.left[c.slot]}}
	case model.Reserve:
		if n.left[c.slot] < c.party { // RSV-4: more than there is are refused with 400 and a message
			return []naiveAnswer{{status: 400}}
		}
		made := naiveAnswer{status: 200, id: code(len(n.holds))}
		created := made
		created.status = 201
		return []naiveAnswer{made, created}
	case model.Confirm:
		booked := naiveAnswer{status: 200, id: bookingID(c.hold)}
		switch n.holds[c.hold].state {
		case "held": // CNF-3
			return []naiveAnswer{booked}
		case "booked": // CNF-4: the same booking, or a refusal
			return []naiveAnswer{booked, {status: 400}, {status: 404}, {status: 409}, {status: 400, silent: true}, {status: 404, silent: true}, {status: 409, silent: true}}
		default: // CNF-5
			return []naiveAnswer{{status: 400}}
		}
	case model.Release:
		if state := n.holds[c.hold].state; state == "booked" || state == "cancelled" { // REL-5, REL-6: nothing is released
			return []naiveAnswer{done, {status: 200, success: false}}
		}
		return []naiveAnswer{done} // REL-3, REL-4
	default:
		return []naiveAnswer{done} // CAN-3, CAN-4
	}
}

func (n naive) wasBooked(hold int) bool {
	return hold < len(n.holds) && (n.holds[hold].state == "booked" || n.holds[hold].state == "cancelled")
}

// imaginable returns the answers to a call in the small world, lawful or not.
func (n naive) imaginable(c naiveCall) (all []naiveAnswer) {
	if c.does == model.Look {
		for left := range 5 {
			all = append(all, naiveAnswer{status: 200, left: left})
		}
		return all
	}
	for _, status := range []int{200, 201, 400, 404, 409, 500} {
		switch {
		case status >= 400:
			all = append(all, naiveAnswer{status: status}, naiveAnswer{status: status, silent: true})
		case c.does == model.Reserve:
			ids := []string{code(len(n.holds)), ""}
			if len(n.holds) > 0 && n.holds[0].state != "refused" {
				ids = append(ids, code(0))
			}
			for _, id := range ids {
				all = append(all, naiveAnswer{status: status, id: id})
			}
		case c.does == model.Confirm:
			ids := []string{bookingID(c.hold), ""}
			if n.wasBooked(1 - c.hold) {
				ids = append(ids, bookingID(1-c.hold))
			}
			if n.wasBooked(c.hold) { // before, a new id is lawful
				ids = append(ids, "booking-other")
			}
			for _, id := range ids {
				all = append(all, naiveAnswer{status: status, id: id})
			}
		default:
			all = append(all, naiveAnswer{status: status, success: true}, naiveAnswer{status: status, success: false})
		}
	}
	return all
}

// after returns the partner after a lawful answer.
func (n naive) after(c naiveCall, a naiveAnswer) naive {
	n.holds = slices.Clone(n.holds)
	if c.hold == trace.None {
		return n
	}
	switch accepted := a.status < 300; c.does {
	case model.Reserve:
		made := naiveHold{c.slot, c.party, "refused"}
		if accepted {
			made.state = "held"
			n.left[c.slot] -= c.party
		}
		n.holds = append(n.holds, made)
	case model.Confirm:
		if h := &n.holds[c.hold]; h.state == "held" && accepted {
			h.state = "booked"
		}
	case model.Release:
		if h := &n.holds[c.hold]; h.state == "held" {
			h.state = "released"
			n.left[h.slot] += h.party
		}
	case model.Cancel:
		if h := &n.holds[c.hold]; h.state == "booked" {
			h.state = "cancelled"
			n.left[h.slot] += h.party
		}
	}
	return n
}

// act returns the act that a call and its answer are for the judge.
func (n naive) act(c naiveCall, a naiveAnswer) trace.Act {
	units := []partnerapi.UnitQuantity{{ID: "adult", Quantity: c.party}}
	of := trace.Act{Does: c.does, Slot: c.slot, Hold: c.hold, Units: units, Party: model.Party{Guests: int64(c.party)}}
	switch c.does {
	case model.Look:
		of.Seats = model.Seats{Counted: true, Least: int64(a.left)}
		return of
	case model.Reserve:
		of.Hold, of.Welcome = len(n.holds), true
	default:
		if c.hold == trace.None {
			break
		}
		h := n.holds[c.hold]
		of.Slot, of.Party.Guests = h.slot, int64(h.party)
	}
	slot := "slot-" + strconv.Itoa(of.Slot)
	booked := slot
	if a.elsewhere {
		booked = "another"
	}
	of.Offer = discover.Offer{Product: discover.Product{ID: "walk"}, Option: discover.Option{ID: "morning"}, Slot: discover.Slot{ID: slot}}
	body := `{"message":"refused"}`
	switch {
	case a.silent:
		body = `{}`
	case a.status >= 400:
	case c.does == model.Reserve:
		body = fmt.Sprintf(`{"reservationConfirmationCode":%q,"expiresAt":"2026-07-01T10:20:00Z"}`, a.id)
	case c.does == model.Confirm:
		body = fmt.Sprintf(`{"externalBookingId":%q,"status":"CONFIRMED","availabilityId":%q}`, a.id, booked)
	default:
		body = fmt.Sprintf(`{"success":%t}`, a.success)
	}
	of.Answer = answer(a.status, body)
	of.Answer.Endpoint = endpointOf[c.does]
	return of
}

var endpointOf = map[model.Kind]partnerapi.Endpoint{
	model.Reserve: partnerapi.Reserve, model.Confirm: partnerapi.Confirm, model.Release: partnerapi.Release, model.Cancel: partnerapi.Cancel,
}

// mayBeAccused lists the endpoints whose rules an act may break, after the acts shown. Seats that change although nothing was
// called since the slot was read are those of any hold.
func mayBeAccused(c naiveCall, endpoint partnerapi.Endpoint, shown []naiveCall) []partnerapi.Endpoint {
	all := []partnerapi.Endpoint{endpoint}
	for _, before := range slices.Backward(shown) {
		if c.does != model.Look || before.does != model.Look {
			break
		}
		if before.slot == c.slot {
			for _, call := range shown {
				all = append(all, endpointOf[call.does])
			}
			break
		}
	}
	return all
}

// clone returns a judge that has seen the same acts.
func (l *Lifecycle) clone() *Lifecycle {
	next := *l
	next.given = maps.Clone(l.given)
	next.state.Slots, next.state.Holds = slices.Clone(l.state.Slots), slices.Clone(l.state.Holds)
	next.holds = slices.Clone(l.holds)
	next.idle, next.since, next.tried = maps.Clone(l.idle), slices.Clone(l.since), maps.Clone(l.tried)
	next.full, next.freed = slices.Clone(l.full), l.freed.clone()
	return &next
}

func (f freedSeats) clone() freedSeats {
	back := make(map[int]map[manner]bool, len(f.back))
	for slot, known := range f.back {
		back[slot] = maps.Clone(known)
	}
	return freedSeats{maps.Clone(f.last), back}
}

// exhaustion plays every trace of the small world, and changes each of its answers in every way.
type exhaustion struct {
	*testing.T
	traces, changes, unseen int
}

// play plays every continuation of a trace by so many acts. last is the endpoint of its last call.
func (e *exhaustion) play(n naive, judge *Lifecycle, last partnerapi.Endpoint, acts int, shown []naiveCall) {
	if e.Failed() || acts == 0 {
		return
	}
	for _, c := range n.calls() {
		lawful := n.lawful(c)
		for _, a := range n.imaginable(c) {
			if slices.Contains(lawful, a) {
				continue
			}
			act := n.act(c, a)
			endpoint := last
			if c.does != model.Look {
				endpoint = act.Answer.Endpoint
			}
			if endpoint == "" { // a reading before any call shows other customers
				e.unseen++
				continue
			}
			e.changes++
			j := judge.clone().Take(act)
			if j.Rule.ID == rule.ReleaseRebookable.ID { // what the release promised
				endpoint = partnerapi.Release
			}
			if j.Flaw == "" || !slices.Contains(mayBeAccused(c, endpoint, shown), j.Rule.Endpoint) {
				e.Errorf("after %+v, %+v answered with %+v: Expected a breach of %s, received %q of %s", shown, c, a, endpoint, j.Flaw, j.Rule.ID)
				return
			}
		}
		for _, a := range lawful {
			e.traces++
			act, next := n.act(c, a), judge.clone()
			if j := next.Take(act); j.Flaw != "" {
				e.Errorf("after %+v, %+v answered with %+v: Expected no breach, received %q of %s", shown, c, a, j.Flaw, j.Rule.ID)
				return
			}
			endpoint := last
			if c.does != model.Look {
				endpoint = act.Answer.Endpoint
			}
			e.play(n.after(c, a), next, endpoint, acts-1, append(slices.Clone(shown), c))
		}
	}
}

// A trace of six acts has more than a million continuations: make soak plays them, make test those of four.
func TestEveryLawfulTraceIsLawfulAndEveryForbiddenAnswerIsAccused(t *testing.T) {
	t.Parallel()
	acts := 4
	if os.Getenv("SOAK") != "" {
		acts = 6
	}
	judge := NewLifecycle(Given{}, nil, nil)
	judge.Open([]model.Seats{{Counted: true, Least: 2}, {Counted: true, Least: 2}})
	e := &exhaustion{T: t}
	e.play(naive{left: [2]int{2, 2}}, judge, "", acts, nil)
	t.Logf("%d traces of up to %d acts are lawful; %d forbidden answers and readings are accused; %d readings before any call are not judged", e.traces, acts, e.changes, e.unseen)
}
