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
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	// soon is how long before its expiry a hold is no longer used.
	soon     = 10 * time.Second
	undoTime = 20 * time.Second
)

// NewJudge returns the judge of one lifecycle.
type NewJudge func() trace.Judge

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
		p.takeReading(reported, slot, read)
	}
}

// takeReading judges a reading of a slot.
func (p *run) takeReading(reported *report.LifecycleStep, slot int, read *scenario.Reading) {
	before := p.reads[slot]
	p.reads[slot], p.stale[slot], p.open[slot] = read, false, read.Last.Slot.Status.IsBookable()
	p.shown = append(p.shown, read.Last.Shown)
	reported.Curl = append(reported.Curl, read.Last.Exchange.Curl)
	j := p.judge.Take(trace.Act{Does: model.Look, Slot: slot, Offer: p.offers[slot], Seats: model.Seats{Counted: read.Counted, Least: read.Last.Left}})
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

// play plays a lifecycle step by step, up to the first breach of the contract, and undoes what it did.
func (e *stage) play(lifecycle Lifecycle, offers []discover.Offer) *run {
	p := &run{
		stage: e, judge: e.newJudge(), offers: offers, open: make([]bool, len(offers)), stale: make([]bool, len(offers)), start: make([]int64, len(offers)), reads: make([]*scenario.Reading, len(offers)),
	}
	p.state = p.judge.State()
	defer p.undo()
	p.begin()
	for _, step := range lifecycle {
		if !p.goesOn() {
			return p
		}
		p.step(step)
		p.taken++
	}
	p.lookAround()
	if p.goesOn() {
		p.abridge()
	}
	return p
}

// mostEvidence is how many bytes of answers about slots are kept of the lifecycles that broke nothing. A run of the
// standard depth has a few MiB.
const mostEvidence = 64 << 20

// abridge drops answers about slots, which are most of a lifecycle, once many were kept. Calls about holds and bookings
// stay complete in the recording of the run.
func (p *run) abridge() {
	for _, x := range p.shown {
		if x.Endpoint != partnerapi.Availability || x.Response == nil {
			continue
		}
		if p.kept += len(x.Response.Body.Text); p.kept > mostEvidence {
			probe.Abridge(x)
		}
	}
}

func (p *run) begin() {
	seats := make([]model.Seats, len(p.offers))
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
		p.shown = append(p.shown, read.Last.Shown)
		p.open[slot] = read.Last.Slot.Status.IsBookable()
		p.Seats.Use(offer)
		p.offers[slot].Slot = read.Last.Slot // checkout also reserves the current id
		p.reads[slot], p.start[slot] = read, read.Last.Left
		seats[slot] = model.Seats{Counted: read.Counted, Least: read.Last.Left, Endless: isUnlimited(offer)}
	}
	p.judge.Open(seats)
	p.state.Holdless = p.holdless()
}

// holdless reports whether the holds of the lifecycle's slots keep no seats, as far as the run has seen (RSV-8).
func (p *run) holdless() bool {
	traits := p.Book.Traits()
	for _, offer := range p.offers {
		if offer.Slot.ID != "" && !traits.TakesLaterIn(offer.Product.ID) {
			return false
		}
	}
	return true
}

// step takes one step of the lifecycle. It skips a step about a hold that was refused.
func (p *run) step(step Step) {
	if p.fresh {
		p.Calls.Client.Close()
	}
	switch step.Does {
	case model.Look:
		p.lookAgain(step.Slot)
		return
	case WholeWindow:
		p.lookInWindow(step.Slot)
		return
	case Pull:
		p.stopAt(p.PullCatalog(p.ctx))
		return
	case Wait:
		p.wait()
		return
	case model.Reserve:
		p.reserve(step)
		return
	case ReleaseUnknown, ConfirmUnknown, CancelUnknown:
		p.callUnknown(step, "")
		return
	}
	hold := p.state.Holds[step.Hold]
	switch {
	case hold.Stage == model.Refused, step.Does == model.Cancel && !hold.WasBooked():
	case hold.Stage == model.Held && !p.holds[step.Hold].Expires.IsZero() && p.Clock.Now().After(p.holds[step.Hold].Expires.Add(-soon)):
		p.stopAt(partner.NewStop("holds expire too soon to play a lifecycle"))
	case step.Does == ReleaseNear, step.Does == ConfirmNear:
		p.callUnknown(step, p.holds[step.Hold].Code)
	case step.Does == CancelNear:
		if id := p.judge.ID(step.Hold); id != "" {
			p.callUnknown(step, id)
		}
	default:
		p.callAbout(step, hold)
	}
}

func (p *run) lookAgain(slot int) {
	p.count(p.addStep("read slot %s again", letter(slot)), slot)
}

func (p *run) lookInWindow(slot int) {
	reported := p.addStep("read slot %s in the slots of the next 60 days", letter(slot))
	read, stop := p.LookInWindow(p.ctx, p.offers[slot])
	if !p.stopAt(stop) {
		p.takeReading(reported, slot, read)
	}
}

// lookAround reads every slot that may have changed since it was last seen: a step about one slot
// may change another.
func (p *run) lookAround() {
	for slot, offer := range p.offers {
		if offer.Slot.ID != "" && p.stale[slot] && p.goesOn() {
			p.lookAgain(slot)
		}
	}
}

// wait moves the target's clock until every hold has expired. It does not move the clock close to
// the start of a slot, where the sale may end.
func (p *run) wait() {
	last := time.Time{}
	for number, hold := range p.state.Holds {
		if hold.Stage == model.Held && p.holds[number].Expires.After(last) {
			last = p.holds[number].Expires
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

func (p *run) undo() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), undoTime)
	defer cancel()
	for _, h := range p.holds {
		if p.Book.Undo(ctx, h, "release a hold of the lifecycle", "cancel a booking of the lifecycle") {
			continue
		}
		if p.undone++; p.undone == mostNotUndone {
			p.stopAt(partner.NewStop("holds or bookings of the lifecycles could not be undone"))
		}
	}
}
