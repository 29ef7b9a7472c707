package suite

import (
	"context"
	"fmt"

	"partnerkit.dev/conformance/discover"
	"partnerkit.dev/conformance/probe"
)

// reading is how many seats a slot had left at one moment.
type reading struct {
	discover.Seats
	when     string
	slot     discover.Slot
	exchange *probe.Exchange
}

// seats asks how many seats the offer's slot has left, and for its fresh id.
func (s *session) seats(ctx context.Context, offer discover.Offer, when string) (*reading, *obstacle) {
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
	read := &reading{when: when, slot: slot, exchange: answer.exchange, Seats: slot.Seats(offer.Product)}
	if !found {
		// A sold-out slot may be left out: what is gone has nothing left (AVL-14).
		read.Seats = discover.Seats{Counted: offer.Slot.Seats(offer.Product).Counted}
	}
	s.vacancies.note(offer, read, read.exchange.StartedAt.Add(read.exchange.Duration).Sub(s.started))
	return read, nil
}

// counted returns the exchange of a reading with its number marked, among the
// fields of the slot that say what it has left.
func (s *session) counted(r *reading) *probe.Exchange {
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
	by            int64
	stopped       *obstacle
	between       []*probe.Exchange // what happened between the readings
}

func (m change) holds() bool { return m.after.Left == m.before.Left+m.by }

func (m change) String() string {
	return fmt.Sprintf("want %s left %s (%d %s), got %d",
		seatsWord(m.before.Left+m.by), m.after.when, m.before.Left, m.before.when, m.after.Left)
}

// enough is how often a change must be seen the same way. Other customers of a
// live partner move seats too: one reading that is off proves nothing.
const enough = 2

// seatsMove judges an expectation about seats; the rule is not applicable where
// the slot does not count any.
func (c *check) seatsMove(measure func(attempt int) change) {
	if !c.seatsCounted(measure) {
		c.notApplicable("the slot does not tell its vacancies")
	}
}

// seatsCounted judges an expectation about seats, and reports whether there are
// any to count. Where the expectation does not hold at first it is measured
// again, on other slots of the same option: what is seen twice is the truth.
func (c *check) seatsCounted(measure func(attempt int) change) bool {
	var held, off int
	for attempt := 0; off < enough; attempt++ {
		m := measure(attempt)
		if m.before == nil || m.after == nil {
			if attempt > 0 {
				break // it cannot be measured again: the first measurement stands
			}
			c.past(m.stopped)
			c.inconclusive("the story of this rule was not played to its end")
		}
		if !m.before.Counted || !m.after.Counted {
			if attempt > 0 {
				break
			}
			return false
		}
		if m.holds() {
			if held++; off == 0 || held == enough {
				return true
			}
			continue
		}
		off++
		c.problems = append(c.problems, m.String())
		c.show(c.counted(m.before))
		c.show(m.between...)
		c.show(c.counted(m.after))
	}
	c.fail("%s", c.problems[0])
	return true
}
