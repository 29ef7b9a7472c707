package suite

import (
	"context"
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
)

// reading is how many seats a slot had left at one moment. Where it was looked at
// several times in a row, it is what the last look showed.
type reading struct {
	discover.Seats
	when     string
	offer    discover.Offer
	slot     discover.Slot
	exchange *probe.Exchange
	first    look   // right after the step of the story before it
	watch    *watch // of the slot
}

// look is one look at the seats of a slot.
type look struct {
	left     int64
	slot     discover.Slot
	exchange *probe.Exchange
}

// last is the look that the reading shows.
func (r *reading) last() look { return look{left: r.Left, slot: r.slot, exchange: r.exchange} }

// seats asks how many seats the offer's slot has left, and for its fresh id. Where a
// story is played again because others may be at the slots, it looks several times.
func (s *session) seats(ctx context.Context, offer discover.Offer, when string) (*reading, *obstacle) {
	read, o := s.look(ctx, offer, when)
	if o == nil && s.again {
		o = s.linger(ctx, read, looksAgain, 0)
	}
	if o != nil {
		return nil, o
	}
	return read, nil
}

// look looks at the offer's slot once.
func (s *session) look(ctx context.Context, offer discover.Offer, when string) (*reading, *obstacle) {
	question := questionAbout(offer)
	question.answer, question.stopped = s.availability(ctx, "seats left "+when, question.product, question.option, question.window, probe.GoodKey)
	return s.readSeats(ctx, offer, when, question)
}

// questionAbout is the availability call for the day of the offer's slot.
func questionAbout(offer discover.Offer) asked {
	return asked{product: offer.Product, option: offer.Option, window: discover.Day(offer.Slot.Start, offer.Product.Zone)}
}

// readSeats reads the offer's slot in the answer to the question about it.
func (s *session) readSeats(ctx context.Context, offer discover.Offer, when string, question asked) (*reading, *obstacle) {
	answer, o := s.readSlots(ctx, question)
	if o != nil {
		return nil, o
	}
	slot, found := find(answer.slots, offer.Slot)
	read := &reading{when: when, offer: offer, slot: slot, exchange: answer.exchange, watch: s.watched(offer), Seats: slot.Seats(offer.Product)}
	if !found {
		// A sold-out slot may be left out: what is gone has nothing left (AVL-14).
		read.Seats = discover.Seats{Counted: offer.Slot.Seats(offer.Product).Counted}
	}
	read.first = read.last()
	s.vacancies.note(offer, read, read.exchange.StartedAt.Add(read.exchange.Duration).Sub(s.started))
	return read, nil
}

// counted returns the exchange of a look with its number marked, among the fields
// of the slot that say what it has left.
func (s *session) counted(r look) *probe.Exchange {
	if r.slot.ID == "" {
		return r.exchange // the slot is gone
	}
	fields := map[string]any{"id": r.slot.ID, "localDateTimeStart": r.slot.StartText, "status": r.slot.Status}
	if r.slot.Vacancies != nil {
		fields["vacancies"] = *r.slot.Vacancies
	}
	if r.slot.Capacity != nil {
		fields["capacity"] = *r.slot.Capacity
	}
	return marked(r.exchange, fields, "/vacancies", s.redact)
}

// find returns the slot of that id, else the one that starts at the same time.
func find(slots []discover.Slot, wanted discover.Slot) (discover.Slot, bool) {
	for _, slot := range slots {
		if slot.ID == wanted.ID {
			return slot, true
		}
	}
	for _, slot := range slots {
		if !slot.Start.IsZero() && slot.Start.Equal(wanted.Start) {
			return slot, true
		}
	}
	return discover.Slot{}, false
}

// change is one expectation about seats, measured in a story: after is before
// plus by. Either reading is nil where the story was stopped before it.
type change struct {
	before, after *reading
	via           []*reading // in between; what moved while the story itself did nothing does not count
	by            int64
	stopped       *obstacle
	between       []*probe.Exchange // what happened between the readings
}

// moved is by how many seats the slot changed with the steps of the story, and how
// long these took.
func (m change) moved() (seats int64, took time.Duration) {
	last := m.before
	for _, next := range append(slices.Clone(m.via), m.after) {
		seats += next.first.left - last.Left
		took += middle(next.first.exchange).Sub(middle(last.exchange))
		last = next
	}
	return seats, took
}

func (m change) String() string {
	seats, _ := m.moved()
	return fmt.Sprintf("want %s left %s (%d %s), got %d",
		seatsWord(m.before.Left+m.by), m.after.when, m.before.Left, m.before.when, m.before.Left+seats)
}

// counted reports whether both readings were made, of a slot that counts seats.
func (m change) counted() bool {
	return m.before != nil && m.after != nil && m.before.Counted && m.after.Counted
}

// tried is what a change says of its rule.
func (s *session) tried(m change) try {
	if !m.counted() {
		return unplayed(m.stopped)
	}
	seats, took := m.moved()
	t := try{took: took, at: m.after, off: seats - m.by}
	if t.off != 0 {
		t.flaw = m.String()
		t.shown = slices.Concat([]*probe.Exchange{s.counted(m.before.last())}, m.between, []*probe.Exchange{s.counted(m.after.first)})
	}
	return t
}

// seatsMove judges an expectation about seats; the rule is not applicable where
// the slot does not count any.
func (c *check) seatsMove(ctx context.Context, measure func(attempt int) change) {
	counted, o := c.seatsCounted(ctx, measure)
	c.past(o)
	if !counted {
		c.notApplicable("the slot does not tell its vacancies")
	}
}

// seatsCounted judges an expectation about seats, and reports whether there are
// any to count, and why it cannot be judged. What does not hold is measured again,
// on other slots of the same option.
func (c *check) seatsCounted(ctx context.Context, measure func(attempt int) change) (counted bool, o *obstacle) {
	switch m := measure(0); {
	case m.before == nil || m.after == nil:
		return true, unplayed(m.stopped).stopped
	case !m.counted():
		return false, nil
	}
	return true, c.weigh(ctx, 1, func(attempt int) try { return c.tried(measure(attempt)) })
}

// weigh judges a rule by several tries where the first has a flaw, and watches the
// slots of those that have. It returns why the rule cannot be judged.
func (c *check) weigh(ctx context.Context, clean int, run func(attempt int) try) *obstacle {
	guilty, o := weigh(clean, func(attempt int) try {
		t := run(attempt)
		if t.flaw != "" && !t.sure {
			c.problems = append(c.problems, t.flaw)
			c.show(t.shown...)
			c.watchOver(ctx, t)
		}
		c.again = c.again || t.flaw != "" || t.stopped != nil
		return t
	}, c.lateForMore, func(t try) bool { return c.watchLong(ctx, t) })
	c.again = false
	if guilty != nil {
		c.exchanges, c.picture = append(slices.Clone(guilty.shown), c.exchanges...), guilty.picture
		c.fail("%s", guilty.flaw)
	}
	return o
}

// unplayed is a try that was stopped before what is to be judged.
func unplayed(stopped *obstacle) try {
	if stopped == nil {
		stopped = missing("the story of this rule was not played to its end")
	}
	return try{stopped: stopped}
}
