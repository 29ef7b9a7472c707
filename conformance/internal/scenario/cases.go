package scenario

import (
	"context"
	"fmt"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// leastAhead is how far ahead the slot of a case must start: a partner may stop selling a slot
// before it begins.
const leastAhead = 24 * time.Hour

// PlayCases returns the cases of the plan. It returns none if holds are not allowed or nothing can
// be booked.
func PlayCases(ctx context.Context, p *Player) []plan.Case { return p.cases(ctx, p.Depth.Cases()) }

func (p *Player) cases(ctx context.Context, most int) []plan.Case {
	survey := PlaySurvey(ctx, p, 0)
	if survey.Stop != nil || p.ReadOnly {
		return nil
	}
	return plan.Cover(discover.Pick(survey.Offers, discover.Want{Now: p.Clock.Now().Add(leastAhead), Seats: 1}), most)
}

// On returns a player of the same run whose stories are played on a case.
func (p *Player) On(c *plan.Case) *Player {
	on := *p
	on.on = basis{c}
	return &on
}

// Case returns what stories are played on; nil means what is easiest to try.
func (p *Player) Case() *plan.Case { return p.on.Case }

// basis is what stories are played on: a case, or what is easiest to try.
type basis struct{ *plan.Case }

// named returns a story name that includes the case, if there is one.
func (b basis) named(story string) string {
	if b.Case == nil {
		return story
	}
	return fmt.Sprintf("%s of %s", story, b.Case)
}

// bare reports whether a story leaves out optional fields. Without a case it returns otherwise.
func (b basis) bare(otherwise bool) bool {
	if b.Case == nil {
		return otherwise
	}
	return b.Bare
}

// cased changes w to the slot and the party of the case, if there is one.
func (b basis) cased(w wanted) wanted {
	if b.Case == nil {
		return w
	}
	at := b.Offer
	w.Seats, w.Late, w.OptionKey = b.Guests(), false, at.OptionKey()
	w.Suits = func(o discover.Offer) bool { return o.Slot.Start.Equal(at.Slot.Start) && o.Slot.ID == at.Slot.ID }
	w.party = func(discover.Option) []partnerapi.UnitQuantity { return b.Units }
	w.full = !b.Bare
	return w
}

// Like returns the case that describes a story which was not played on a case. It returns nil for
// other stories, and if the story reached no slot. Simpler cases show which parts a breach needs.
func (o *Opening) Like() *plan.Case {
	if o.Case != nil || o.Offer.Slot.ID == "" || o.Offer.Option.Lead() == "" {
		return nil
	}
	like := &plan.Case{Offer: o.Offer, Units: o.units, Bare: o.bare, Between: plan.Nothing}
	if len(like.Units) == 0 {
		like.Units = []partnerapi.UnitQuantity{{ID: o.Offer.Option.Lead(), Quantity: 1}}
	}
	return like
}

// Idle contains two readings of a slot between which the story changed nothing: the catalog was
// pulled, or a long window was read.
type Idle struct {
	Before, After *Reading
	Stage         model.Stage // of the story's hold
}

// idle adds a reading that no call of the story preceded.
func (t storyPlayer) idle(after *Reading, stop *partner.Stop) *partner.Stop {
	if hold := t.story.Hold; stop == nil && hold != nil && t.story.seen != nil {
		t.story.Idle = append(t.story.Idle, Idle{t.story.seen, after, hold.stage()})
		t.story.seen = after
	}
	return stop
}

// Other is a hold for one guest that is made and released in the slot of another story while that
// story is being played.
type Other struct{ Before, Held, Released *Reading }

func (t storyPlayer) another() *partner.Stop {
	var o Other
	var stop *partner.Stop
	if o.Before, stop = t.Seats.seats(t.ctx, t.story.Offer, "before another hold of the slot"); stop != nil {
		return stop
	}
	made, stop := t.Book.read(t.Book.Reserve(t.ctx, "reserve another seat of the slot", t.story.Offer, partner.Guests(t.story.Offer.Option, 1), true, probe.GoodKey))
	if stop != nil {
		return partner.NotHere("the slot had no seat for another hold")
	}
	if o.Held, stop = t.Seats.seats(t.ctx, t.story.Offer, "after another hold of the slot"); stop != nil {
		return stop
	}
	if _, stop = t.Book.releaseHold(t.ctx, "release it", made, true); stop != nil {
		return stop
	}
	if o.Released, stop = t.Seats.seats(t.ctx, t.story.Offer, "after that was released"); stop == nil {
		t.story.Others, t.story.seen = append(t.story.Others, o), o.Released
	}
	return stop
}

// interlude makes the calls that come between two calls of a story.
func (t storyPlayer) interlude() *partner.Stop {
	if t.on.Case == nil {
		return nil
	}
	if t.on.Fresh {
		t.Calls.Client.Close()
	}
	t.story.acts++
	switch t.on.Between {
	case plan.SameSlot:
		if t.story.acts%2 == 0 {
			return nil // every second time shows as much
		}
		if stop := t.another(); stop != nil || t.story.acts > 1 {
			return stop
		}
		return t.another() // twice before the first call: some faults need two
	case plan.CatalogPull:
		if _, stop := t.read.pull(t.ctx, "pull of the catalog", nil, probe.GoodKey); stop != nil {
			return stop
		}
		return t.idle(t.Seats.seats(t.ctx, t.story.Offer, "after a catalog pull"))
	case plan.WholeWindow:
		return t.idle(t.Seats.lookIn(t.ctx, t.story.Offer, t.question(), "in the slots of the next 60 days"))
	}
	return nil
}

// question returns a question about the story's option for the complete window.
func (t storyPlayer) question() Question {
	q := Question{Product: t.story.Offer.Product, Option: t.story.Offer.Option}
	q.Window, _ = t.Scope.Window(t.Clock.Now(), q.Product.Zone)
	return q
}
