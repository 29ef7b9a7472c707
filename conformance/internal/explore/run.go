package explore

import (
	"context"
	"fmt"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// NewJudge returns the judge of one lifecycle.
type NewJudge func() trace.Judge

// party returns the guests that a reserve is for: the units of an option, and how many of the guests are infants.
// welcome means that no partner may refuse them while there are seats (RSV-5).
type party func(option discover.Option, left model.Seats) (units []partnerapi.UnitQuantity, infants int64, welcome bool)

// stage is where lifecycles are played.
type stage struct {
	*scenario.Player
	ctx      context.Context
	newJudge NewJudge
	parties  []party
	accepted map[acceptedParty]bool // parties that were accepted before
	fresh    bool                   // each call uses a new connection
	kept     int                    // bytes of answers about slots, of lifecycles that broke nothing
	undone   int                    // holds and bookings that lifecycles could not undo
}

type acceptedParty struct{ slot, party string }

// run is a lifecycle that is played.
type run struct {
	*stage
	judge    trace.Judge
	state    *model.State     // by the judge
	offers   []discover.Offer // by slot number; empty if the lifecycle does not use it
	open     []bool           // slots that could be booked when last seen
	stale    []bool           // slots that may have changed since they were last seen
	holds    []*scenario.Hold // by the number of their reserve
	start    []int64          // seats left in the slots at the start
	taken    int              // steps taken, including skipped ones
	steps    []report.LifecycleStep
	shown    []*report.Exchange
	unlawful trace.Judgement     // of the last step; its Flaw is "" if nothing is wrong
	reads    []*scenario.Reading // the last of each slot
	at       *scenario.Reading   // of the slot where other customers may have caused the flaw; nil if they cannot have
	took     time.Duration       // how long others had to change them
	refused  bool                // the party of a case was refused
	fitted   int64               // the most guests that a hold was for
	stop     *partner.Stop       // why the lifecycle was not completed
}

func (p *run) broke() bool  { return p.unlawful.Flaw != "" }
func (p *run) goesOn() bool { return !p.broke() && p.stop == nil }

// stopAt ends the lifecycle if there is a stop, and reports whether there is one.
func (p *run) stopAt(o *partner.Stop) bool {
	if p.stop == nil {
		p.stop = o
	}
	return o != nil
}

// does describes the last step.
func (p *run) does() string { return p.steps[len(p.steps)-1].Does }

func (p *run) addStep(format string, args ...any) *report.LifecycleStep {
	p.steps = append(p.steps, report.LifecycleStep{Does: fmt.Sprintf(format, args...), Curl: []string{}})
	return &p.steps[len(p.steps)-1]
}

// take takes the answer to a call of the last step, and judges it.
func (p *run) take(reported *report.LifecycleStep, act trace.Act) {
	p.shown = append(p.shown, act.Answer.Exchange)
	reported.Curl = append(reported.Curl, act.Answer.Curl)
	if partner.IsBusy(act.Answer) {
		p.stopAt(partner.NewStop("the partner refused a call with 429"))
		return
	}
	p.unlawful = p.judge.Take(act)
	reported.Want, reported.Got = p.unlawful.Want, p.Words(act.Answer.Words()+p.unlawful.Detail)
	for slot := range p.stale {
		p.stale[slot] = true
	}
}

// count counts a slot's seats, as the last part of the reported step.
func (p *run) count(reported *report.LifecycleStep, slot int) {
	if !p.goesOn() {
		return
	}
	read, o := p.Seats.Look(p.ctx, p.offers[slot], "during a lifecycle")
	if !p.stopAt(o) {
		p.takeReading(reported, slot, read, false)
	}
}

// takeReading judges a reading of a slot. wide: it is of the slots of the whole window.
func (p *run) takeReading(reported *report.LifecycleStep, slot int, read *scenario.Reading, wide bool) {
	before := p.reads[slot]
	p.reads[slot], p.stale[slot], p.open[slot] = read, false, read.Last.Slot.Status.IsBookable()
	p.shown = append(p.shown, read.Last.Shown)
	reported.Curl = append(reported.Curl, read.Last.Exchange.Curl)
	j := p.judge.Take(trace.Act{Does: model.Look, Slot: slot, Offer: p.offers[slot], Wide: wide, Seats: model.Seats{Counted: read.Counted, Least: read.Last.Left}})
	reported.Want, reported.Got = joinSentences(reported.Want, j.Want), joinSentences(reported.Got, j.Detail)
	if p.unlawful = j; j.Flaw != "" {
		p.at, p.took = read, read.Last.Time().Sub(before.Last.Time())
	}
}

func (p *run) lifecycle(found *Found) *report.Lifecycle {
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
	if first == "" || second == "" {
		return first + second
	}
	return first + "; " + second
}
