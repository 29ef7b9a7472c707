package explore

import (
	"context"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	// soon is how long before its expiry a hold is no longer used.
	soon     = 10 * time.Second
	undoTime = 20 * time.Second
	// mostNotUndone is the number of holds and bookings that lifecycles could not undo after which no
	// further lifecycle is played. They are left to the end of the run.
	mostNotUndone = 5
)

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
		seats[slot] = model.Seats{Counted: read.Counted, Least: read.Last.Left, Endless: offer.Slot.IsUnlimited(offer.Product)}
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
		p.takeReading(reported, slot, read, true)
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
