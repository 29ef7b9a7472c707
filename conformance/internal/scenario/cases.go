package scenario

import (
	"context"
	"fmt"
	"maps"
	"strings"
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

// OnCase returns a player of the same run whose lifecycles are played on a case.
func (p *Player) OnCase(c *plan.Case) *Player {
	on := *p
	on.on = caseBasis{c}
	return &on
}

// Case returns what lifecycles are played on; nil means what is easiest to try.
func (p *Player) Case() *plan.Case { return p.on.Case }

// caseBasis is what lifecycles are played on: a case, or what is easiest to try.
type caseBasis struct{ *plan.Case }

// Forget makes the lifecycles on a case be played again when they are next requested.
func (p *Player) Forget(c *plan.Case) {
	maps.DeleteFunc(p.memory, func(key string, _ any) bool {
		return strings.HasSuffix(key[:strings.LastIndex(key, "/")], caseBasis{c}.lifecycleName(""))
	})
}

// lifecycleName returns a lifecycle name that includes the case, if there is one.
func (b caseBasis) lifecycleName(name string) string {
	if b.Case == nil {
		return name
	}
	return fmt.Sprintf("%s of %s", name, b.Case)
}

// isBrief reports whether only the calls that show most are made.
func (b caseBasis) isBrief() bool { return b.Case != nil && b.Brief }

// leftOut returns the stop of a lifecycle that brief cases leave out.
func (b caseBasis) leftOut() *partner.Stop {
	if !b.isBrief() {
		return nil
	}
	return partner.NewStop("the partner is slow, so only the calls that show most were made")
}

// isBare reports whether a lifecycle leaves out optional fields. Without a case it returns otherwise.
func (b caseBasis) isBare(otherwise bool) bool {
	if b.Case == nil {
		return otherwise
	}
	return b.Bare
}

// applyCase changes w to the slot and the party of the case, if there is one.
func (b caseBasis) applyCase(w wanted) wanted {
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

// SimilarCase returns the case that describes a lifecycle which was not played on a case. It returns nil for
// other lifecycles, and if the lifecycle reached no slot. Simpler cases show which parts a breach needs.
func (o *Opening) SimilarCase() *plan.Case {
	if o.Case != nil || o.Offer.Slot.ID == "" || o.Offer.Option.Lead() == "" {
		return nil
	}
	like := &plan.Case{Offer: o.Offer, Units: o.Units, Bare: o.bare, Between: plan.Nothing}
	if len(like.Units) == 0 {
		like.Units = []partnerapi.UnitQuantity{{ID: o.Offer.Option.Lead(), Quantity: 1}}
	}
	return like
}

// Idle contains two readings of a slot between which the lifecycle changed nothing: the catalog was
// pulled, or a long window was read.
type Idle struct {
	Before, After *Reading
	Stage         model.Stage // of the lifecycle's hold
}

// recordIdle adds a reading that no call of the lifecycle preceded.
func (t lifecyclePlayer) recordIdle(after *Reading, stop *partner.Stop) *partner.Stop {
	if hold := t.opening.Hold; stop == nil && hold != nil && t.opening.seen != nil {
		t.opening.Idle = append(t.opening.Idle, Idle{t.opening.seen, after, hold.stage()})
		t.opening.seen = after
	}
	return stop
}

// Other is a hold for one guest that is made and released in the slot of another lifecycle while that
// lifecycle is being played.
type Other struct{ Before, Held, Released *Reading }

func (t lifecyclePlayer) reserveAnother() *partner.Stop {
	var o Other
	var stop *partner.Stop
	if o.Before, stop = t.Seats.seats(t.ctx, t.opening.Offer, "before another hold of the slot"); stop != nil {
		return stop
	}
	made, stop := t.Book.read(t.Book.Reserve(t.ctx, "reserve another seat of the slot", t.opening.Offer, partner.Guests(t.opening.Offer.Option, 1), true, probe.GoodKey))
	if stop != nil {
		return partner.NotHere("the slot had no seat for another hold")
	}
	if o.Held, stop = t.Seats.seats(t.ctx, t.opening.Offer, "after another hold of the slot"); stop != nil {
		return stop
	}
	if _, stop = t.Book.releaseHold(t.ctx, "release it", made, true); stop != nil {
		return stop
	}
	if o.Released, stop = t.Seats.seats(t.ctx, t.opening.Offer, "after that was released"); stop == nil {
		t.opening.Others, t.opening.seen = append(t.opening.Others, o), o.Released
	}
	return stop
}

// playBetweenCalls makes the calls that come between two calls of a lifecycle.
func (t lifecyclePlayer) playBetweenCalls() *partner.Stop {
	if t.on.Case == nil {
		return nil
	}
	if t.on.Fresh {
		t.Calls.Client.Close()
	}
	if t.opening.acts++; t.on.Brief && t.opening.acts > 2 {
		return nil
	}
	switch t.on.Between {
	case plan.SameSlot:
		if t.opening.acts%2 == 0 {
			return nil // every second time shows as much
		}
		if stop := t.reserveAnother(); stop != nil || t.opening.acts > 1 {
			return stop
		}
		return t.reserveAnother() // twice before the first call: some faults need two
	case plan.CatalogPull, plan.WholeWindow:
		if t.opening.acts == 1 && t.opening.bookedFirst {
			return nil
		}
		if t.on.Between == plan.WholeWindow {
			return t.recordIdle(t.Seats.lookIn(t.ctx, t.opening.Offer, t.question(), "in the slots of the next 60 days"))
		}
		if _, stop := t.read.pull(t.ctx, "pull of the catalog", nil, probe.GoodKey); stop != nil {
			return stop
		}
		return t.recordIdle(t.Seats.seats(t.ctx, t.opening.Offer, "after a catalog pull"))
	}
	return nil
}

// question returns a question about the lifecycle's option for the complete window.
func (t lifecyclePlayer) question() Question {
	q := Question{Product: t.opening.Offer.Product, Option: t.opening.Offer.Option}
	q.Window, _ = t.Scope.Window(t.Clock.Now(), q.Product.Zone)
	return q
}
