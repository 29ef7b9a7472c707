package explore

import (
	"context"
	"fmt"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
)

const (
	// soon is how long before its expiry a hold is no longer used.
	soon     = 10 * time.Second
	undoTime = 20 * time.Second
)

type explorer struct {
	*scenario.Player
	ctx      context.Context
	from     Material
	pools    []*slotPool            // one for each option
	accepted map[acceptedParty]bool // parties that were accepted before
	given    map[string]bool        // codes and booking ids that were returned before

	exploration *report.Exploration
	broken      *lifecycleRun // the last playing of the failing lifecycle; nil if no lifecycle failed
	stop        *partner.Stop // why no further lifecycle is played

	shortening time.Time // when shortening of the failing lifecycle started; zero if no lifecycle failed
	start      []int64   // seats in its slots at the start
	notUndone  int       // holds and bookings that lifecycles could not undo
}

type acceptedParty struct{ slot, party string }

type lifecycleRun struct {
	*explorer
	offers  []discover.Offer // by slot number; empty if the lifecycle does not use it
	state   model.State
	open    []bool           // slots that could be booked when last seen
	stale   []bool           // slots that may have changed since they were last seen
	holds   []*scenario.Hold // by the number of their reserve
	ids     []string         // ids of the bookings of the holds
	expires []time.Time      // of the holds, as the partner stated
	start   []int64          // seats left in the slots at the start
	taken   int              // steps taken, including skipped ones
	steps   []report.LifecycleStep
	shown   []*report.Exchange
	act     Act                 // the last step that may have changed something
	flaw    string              // what is wrong with the last step; "" if nothing
	reads   []*scenario.Reading // the last of each slot
	at      *scenario.Reading   // of the slot where other customers may have caused the flaw; nil if they cannot have
	off     int64               // by how many seats it is wrong
	took    time.Duration       // how long others had to change them
	stop    *partner.Stop       // why the lifecycle was not completed
}

func (p *lifecycleRun) goesOn() bool { return p.flaw == "" && p.stop == nil }

// stopAt ends the lifecycle if there is a stop, and reports whether there is one.
func (p *lifecycleRun) stopAt(o *partner.Stop) bool {
	if p.stop == nil {
		p.stop = o
	}
	return o != nil
}

func (p *lifecycleRun) addStep(format string, args ...any) *report.LifecycleStep {
	p.steps = append(p.steps, report.LifecycleStep{Does: fmt.Sprintf(format, args...), Curl: []string{}})
	return &p.steps[len(p.steps)-1]
}

func (p *lifecycleRun) record(reported *report.LifecycleStep, answer *probe.Answer, e expectation) {
	reported.Want, reported.Got = e.want, p.Words(answer.Words()+e.detail)
	reported.Curl = append(reported.Curl, answer.Curl)
	p.shown = append(p.shown, answer.Exchange)
	if partner.IsBusy(answer) {
		p.stopAt(partner.NewStop("the partner refused a call with 429"))
		return
	}
	p.flaw, p.act.Body = e.flaw, e.ofBody
	for slot := range p.stale {
		p.stale[slot] = true
	}
}

// count counts a slot's seats, as the last part of the reported step.
func (p *lifecycleRun) count(reported *report.LifecycleStep, slot int) {
	if !p.goesOn() {
		return
	}
	read, o := p.Seats.Look(p.ctx, p.offers[slot], "during a lifecycle")
	if p.stopAt(o) {
		return
	}
	before := p.reads[slot]
	p.reads[slot], p.stale[slot], p.open[slot] = read, false, read.Last.Slot.Status.IsBookable()
	p.shown = append(p.shown, read.Last.Exchange)
	reported.Curl = append(reported.Curl, read.Last.Exchange.Curl)
	want := &p.state.Slots[slot]
	if !read.Counted || !want.Counted {
		want.Counted = false // it is now sold without limit
		return
	}
	reported.Want = joinSentences(reported.Want, want.String())
	reported.Got = joinSentences(reported.Got, fmt.Sprintf("%d left", read.Last.Left))
	if !want.Allow(read.Last.Left) {
		p.act.Seats = true
		p.at, p.took = read, read.Last.Time().Sub(before.Last.Time())
		p.off = read.Last.Left - min(max(read.Last.Left, want.Least), want.Least+want.More)
		p.flaw = fmt.Sprintf("Expected %s in slot %s, received %d", want, letter(slot), read.Last.Left)
	}
}

func (p *lifecycleRun) lifecycle(found *Found) *report.Lifecycle {
	reported := &report.Lifecycle{Seed: found.Seed, Drawn: len(found.First), Tries: found.Tries, Slots: []string{}}
	for slot, offer := range p.offers {
		if offer.Slot.ID != "" {
			reported.Slots = append(reported.Slots, p.Words(fmt.Sprintf("slot %s: %q of product %q, option %q, at %s",
				letter(slot), offer.Slot.ID, offer.Product.ID, offer.Option.ID, offer.Slot.StartText)))
		}
	}
	for _, step := range p.steps {
		step.Does, step.Want, step.Got = p.Words(step.Does), p.Words(step.Want), p.Words(step.Got)
		reported.Steps = append(reported.Steps, step)
	}
	return reported
}

func letter(slot int) string { return string(rune('A' + slot)) }

func joinSentences(first, second string) string {
	if first == "" {
		return second
	}
	return first + "; " + second
}

// play plays a lifecycle step by step, up to the first breach of the contract, and undoes what it did.
func (e *explorer) play(lifecycle Lifecycle, offers []discover.Offer) *lifecycleRun {
	p := &lifecycleRun{
		explorer: e, offers: offers, open: make([]bool, len(offers)), stale: make([]bool, len(offers)), start: make([]int64, len(offers)), reads: make([]*scenario.Reading, len(offers)),
		state: model.State{Slots: make([]model.Seats, len(offers)), Holdless: e.Book.Traits().TakesLater()},
	}
	defer p.undo()
	p.begin()
	for _, step := range lifecycle {
		if !p.goesOn() {
			return p
		}
		p.take(step)
		p.taken++
	}
	p.lookAround()
	if p.flaw == "" {
		for _, exchange := range p.shown {
			probe.Abridge(exchange)
		}
	}
	return p
}

func (p *lifecycleRun) begin() {
	for slot, offer := range p.offers {
		if offer.Slot.ID == "" || p.stop != nil {
			continue
		}
		read, o := p.Seats.Look(p.ctx, offer, "before a lifecycle")
		if p.stopAt(o) {
			return
		}
		if read.Last.Slot.ID == "" {
			p.stopAt(partner.NotHere("the slot is no longer shown"))
			return
		}
		p.shown = append(p.shown, read.Last.Exchange)
		p.open[slot] = read.Last.Slot.Status.IsBookable()
		p.Seats.Use(offer)
		p.reads[slot], p.start[slot] = read, read.Last.Left
		p.state.Slots[slot] = model.Seats{Counted: read.Counted, Least: read.Last.Left, Endless: isUnlimited(offer)}
	}
}

// take takes one step of the lifecycle. It skips a step about a hold that was refused.
func (p *lifecycleRun) take(step Step) {
	switch step.Does {
	case model.Look:
		p.lookAgain(step.Slot)
		return
	case model.Reserve:
		p.act = Act{Does: step.Does}
		p.reserveParty(step)
		return
	case ReleaseUnknown, ConfirmUnknown, CancelUnknown:
		p.act = Act{Does: step.Does}
		p.callUnknown(step.Does)
		return
	case Wait:
		p.wait()
		return
	}
	hold := p.state.Holds[step.Hold]
	p.act = Act{Does: step.Does, On: hold.Stage, Guests: hold.Party.Guests}
	switch {
	case hold.Stage == model.Refused, step.Does == model.Cancel && !hold.WasBooked():
	case hold.Stage == model.Held && !p.expires[step.Hold].IsZero() && p.Clock.Now().After(p.expires[step.Hold].Add(-soon)):
		p.stopAt(partner.NewStop("holds expire too soon to play a lifecycle"))
	case step.Does == model.Release:
		p.releaseOne(step.Hold)
	case step.Does == model.Confirm:
		p.confirmOne(step.Hold)
	case step.Does == model.Cancel:
		p.cancelOne(step.Hold)
	}
}

func (p *lifecycleRun) lookAgain(slot int) {
	p.count(p.addStep("read slot %s again", letter(slot)), slot)
}

// lookAround reads every slot that may have changed since it was last seen: a step about one slot
// may change another.
func (p *lifecycleRun) lookAround() {
	for slot, offer := range p.offers {
		if offer.Slot.ID != "" && p.stale[slot] && p.goesOn() {
			p.lookAgain(slot)
		}
	}
}

// wait moves the target's clock until every hold has expired. It does not move the clock close to
// the start of a slot, where the sale may end.
func (p *lifecycleRun) wait() {
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
	reported := p.addStep("move the clock %s ahead, until every hold has expired", ahead.Round(time.Second))
	if err := p.Clock.MoveBeyond(p.ctx, last); err != nil {
		p.stopAt(partner.NewStop("%v", err))
		return
	}
	p.state.RecordExpiry()
	for slot, offer := range p.offers {
		if offer.Slot.ID != "" {
			p.count(reported, slot)
		}
	}
}

// comfortablyAhead is how far ahead slots must start while the clock is moved.
const comfortablyAhead = 3 * 24 * time.Hour

func (p *lifecycleRun) undo() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), undoTime)
	defer cancel()
	for _, h := range p.holds {
		if p.Book.Undo(ctx, h, "release a hold of the lifecycle", "cancel a booking of the lifecycle") {
			continue
		}
		if p.notUndone++; p.notUndone == mostNotUndone {
			p.stopAt(partner.NewStop("holds or bookings of the lifecycles could not be undone"))
		}
	}
}
