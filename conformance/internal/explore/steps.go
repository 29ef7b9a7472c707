package explore

import (
	"context"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/scenario"
)

// play plays a story step by step, up to the first that breaks the contract, and
// undoes what it did.
func (e *explorer) play(story Story, offers []discover.Offer) *playing {
	p := &playing{
		explorer: e, offers: offers, open: make([]bool, len(offers)), stale: make([]bool, len(offers)), start: make([]int64, len(offers)),
		state: model.State{Slots: make([]model.Seats, len(offers)), Holdless: e.Book.Traits().Holdless},
	}
	defer p.undo()
	p.begin()
	for _, step := range story {
		if !p.goesOn() {
			return p
		}
		p.take(step)
		p.taken++
	}
	p.lookAround()
	if p.flaw == "" {
		for _, exchange := range p.shown {
			exchange.Abridge()
		}
	}
	return p
}

// begin counts the seats that the story begins with.
func (p *playing) begin() {
	for slot, offer := range p.offers {
		if offer.Slot.ID == "" || p.stop != nil {
			continue
		}
		read, o := p.Seats.Look(p.ctx, offer, "before a story")
		if p.stopAt(o) {
			return
		}
		p.shown = append(p.shown, read.Last.Exchange)
		p.open[slot] = read.Last.Slot.Status.Bookable()
		p.Seats.Use(offer)
		p.start[slot] = read.Last.Left
		p.state.Slots[slot] = model.Seats{Counted: read.Counted, Least: read.Last.Left}
	}
}

// take takes one step of the story. One about a hold that was refused is passed over.
func (p *playing) take(step Step) {
	switch step.Does {
	case model.Look:
		p.lookAgain(step.Slot)
		return
	case model.Reserve:
		p.reserveParty(step)
		return
	case ReleaseUnknown, ConfirmUnknown, CancelUnknown:
		p.unknown(step.Does)
		return
	case Wait:
		p.wait()
		return
	}
	hold := p.state.Holds[step.Hold]
	switch {
	case hold.Stage == model.Refused, step.Does == model.Cancel && !hold.WasBooked():
	case hold.Stage == model.Held && !p.expires[step.Hold].IsZero() && p.Clock.Now().After(p.expires[step.Hold].Add(-soon)):
		p.stopAt(scenario.Missing("holds end too soon for a story to be played"))
	case step.Does == model.Release:
		p.releaseOne(step.Hold)
	case step.Does == model.Confirm:
		p.confirmOne(step.Hold)
	case step.Does == model.Cancel:
		p.cancelOne(step.Hold)
	}
}

// lookAgain is a step of its own.
func (p *playing) lookAgain(slot int) {
	p.count(p.tell("look at slot %s", letter(slot)), slot)
}

// lookAround looks at every slot that may have changed since it was seen: a step
// about one may move another.
func (p *playing) lookAround() {
	for slot, offer := range p.offers {
		if offer.Slot.ID != "" && p.stale[slot] && p.goesOn() {
			p.lookAgain(slot)
		}
	}
}

// wait moves the target's clock until every hold has expired. Near the start of a
// slot it does not: there its sale may end.
func (p *playing) wait() {
	last := time.Time{}
	for number, hold := range p.state.Holds {
		if hold.Stage == model.Held && p.expires[number].After(last) {
			last = p.expires[number]
		}
	}
	ahead := last.Sub(p.Clock.Now()) + time.Second
	if last.IsZero() || ahead <= 0 {
		return
	}
	for _, offer := range p.offers {
		if offer.Slot.ID != "" && offer.Slot.Start.Sub(last) < comfortablyAhead {
			return
		}
	}
	told := p.tell("move the clock %s ahead, until every hold has expired", ahead.Round(time.Second))
	if err := p.Clock.MoveBeyond(p.ctx, last); err != nil {
		p.stopAt(scenario.Missing("%v", err))
		return
	}
	p.state.Waited()
	for slot, offer := range p.offers {
		if offer.Slot.ID != "" {
			p.count(told, slot)
		}
	}
}

// comfortablyAhead is how far ahead slots have to start while the clock is moved.
const comfortablyAhead = 3 * 24 * time.Hour

// undo releases the holds and cancels the bookings of the story.
func (p *playing) undo() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), undoTime)
	defer cancel()
	for _, h := range p.holds {
		if p.Book.Undo(ctx, h, "release what a story held", "cancel what a story booked") {
			continue
		}
		if p.troubles++; p.troubles == mostTroubles {
			p.stopAt(scenario.Missing("what stories held or booked could not be undone"))
		}
	}
}
