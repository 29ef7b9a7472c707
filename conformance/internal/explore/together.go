package explore

import (
	"context"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// Together is the outcome of lifecycles of several holds and bookings that are live at the same time
// in one slot.
type Together struct {
	Broken          *report.Lifecycle // nil if no lifecycle failed
	Does            string            // description of the step that failed
	trace.Judgement                   // of that step
	Shown           []*report.Exchange
	Offers          map[string]string // product ids by the option keys of the lifecycles that were played
}

// Instances returns the options whose slots were used.
func (t *Together) Instances() (seen []plan.Instance) {
	for option, product := range t.Offers {
		seen = append(seen, plan.Instance{plan.Product: product, plan.Option: option, plan.Order: "other holds and bookings of the slot"})
	}
	return seen
}

const (
	// togetherShare is the share of the run's time for these lifecycles.
	togetherShare = 0.06
	// callsEach is approximately the number of calls of one lifecycle.
	callsEach = 20
)

// PlayTogether plays the lifecycles, each on the slots of other options, until one fails.
func PlayTogether(ctx context.Context, p *scenario.Player, newJudge NewJudge) *Together {
	t := &Together{Offers: map[string]string{}}
	e := newExplorer(ctx, p, newJudge)
	left := p.Calls.Affordable(partnerapi.Reserve, togetherShare) / callsEach
	if left == 0 || p.ReadOnly {
		return t
	}
	e.pools, e.stop = slotPools(ctx, p)
	if sold := endlessPool(ctx, p); sold != nil {
		e.pools, e.stop = append(e.pools, sold), nil
	}
	if e.stop != nil {
		return t
	}
	lifecycles := concurrentLifecycles(p.Book.CanCancel(ctx))
	next, most := 0, min(left*p.StoriesAtOnce(), p.Depth.Together()*len(lifecycles))
	var doubtful []int // to be played alone
	play := func(n int) {
		if !e.playTogether(t, uint64(n), lifecycles[n%len(lifecycles)].limitSlots(len(e.roles(uint64(n))))) {
			doubtful = append(doubtful, n)
		}
	}
	isOver := func() bool {
		return t.Broken != nil || e.stop != nil || ctx.Err() != nil || !p.Account.Plenty(scenario.TogetherShare, 0)
	}
	for next < most && !isOver() && !p.Time.LateForMore() {
		p.Calls.Interleave(p.StoriesAtOnce(), func() func() {
			if next >= most || isOver() || p.Time.LateForMore() || len(doubtful) > 0 {
				return nil
			}
			n := next
			next++
			return func() { play(n) }
		})
		again := doubtful
		doubtful = nil
		for _, n := range again {
			if !isOver() {
				play(n)
			}
		}
	}
	return t
}

// endlessPool returns slots of an option that is sold without limit; nil if there are none.
func endlessPool(ctx context.Context, p *scenario.Player) *slotPool {
	offers, stop := p.Offers(ctx, discover.Want{Seats: 1, Late: true, Suits: func(o discover.Offer) bool { return o.Slot.IsUnlimited(o.Product) }})
	if stop != nil {
		return nil
	}
	key := offers[0].OptionKey()
	return newSlotPool(slices.DeleteFunc(offers, func(o discover.Offer) bool { return o.OptionKey() != key }))
}

// playTogether plays one lifecycle. A breach counts if the lifecycle fails at the same step each time that
// it is played again. It returns false if it must be played alone to see whether it fails.
func (e *explorer) playTogether(t *Together, seed uint64, lifecycle Lifecycle) bool {
	e.start = nil
	offers, ok := e.offers(seed, lifecycle, (*slotPool).inTurn)
	if !ok {
		return true
	}
	first := e.play(lifecycle, offers)
	for _, offer := range offers {
		if offer.Slot.ID != "" {
			t.Offers[offer.OptionKey()] = offer.Product.ID
		}
	}
	switch {
	case !first.broke():
		return true
	case e.Calls.Interleaves():
		return false
	case e.sharesSeats(first), !e.isStable(first):
		return true
	}
	e.start = first.start
	if a := e.replay(seed, lifecycle[:first.taken]); a != nil {
		t.Broken = a.lifecycle(&Found{Shortest: lifecycle, First: lifecycle, Seed: seed})
		t.Judgement, t.Shown, t.Does = a.unlawful, a.shown, a.does()
	}
	return true
}

// Parties of the lifecycles, by their index in parties.
const (
	one, two, mixedPair, tooMany = 0, 1, 3, 5
)

// concurrentLifecycles returns lifecycles in which each call comes while other holds or bookings of the slot are
// live: older and newer ones, of other sizes, and after some of them have ended.
func concurrentLifecycles(books bool) []Lifecycle {
	reserve := func(party int) Step { return Step{Does: model.Reserve, Party: party} }
	at := func(slot int) Step { return Step{Does: model.Reserve, Slot: slot} }
	confirm := func(hold int) Step { return Step{Does: model.Confirm, Hold: hold} }
	release := func(hold int) Step { return Step{Does: model.Release, Hold: hold} }
	cancel := func(hold int) Step { return Step{Does: model.Cancel, Hold: hold} }
	look := Step{Does: model.Look}
	unknown := func(kind model.Kind) Step { return Step{Does: kind} }
	lifecycles := []Lifecycle{
		{reserve(two), reserve(one), release(0), release(0), release(1), release(0), release(1)},
		{reserve(one), reserve(two), release(1), release(1), reserve(one), release(1), release(0), release(2), release(0)},
		{reserve(one), unknown(ReleaseUnknown), look, reserve(tooMany), reserve(mixedPair), reserve(tooMany), release(2), unknown(ReleaseUnknown), look, release(0)},
	}
	if !books {
		return lifecycles
	}
	return append([]Lifecycle{
		{reserve(two), reserve(one), confirm(0), confirm(1), confirm(0), cancel(0), cancel(0), confirm(1), cancel(1)},
		{reserve(one), reserve(two), confirm(1), confirm(0), release(0), cancel(1), release(1), confirm(1), cancel(1), confirm(0), cancel(0)},
		{reserve(two), reserve(one), release(0), confirm(0), confirm(1), release(0), confirm(0), cancel(1), cancel(1), confirm(1)},
		{reserve(one), confirm(0), reserve(two), release(1), release(1), confirm(0), cancel(0), reserve(one), cancel(0), release(0), confirm(0), release(2)},
		{reserve(one), confirm(0), cancel(0), reserve(one), confirm(1), cancel(0), confirm(0), release(0), confirm(1), release(1), cancel(1), cancel(0)},
		{reserve(one), reserve(two), reserve(one), confirm(1), release(0), confirm(2), cancel(1), release(0), cancel(2), cancel(1)},
		{reserve(mixedPair), reserve(one), confirm(0), release(1), confirm(0), reserve(tooMany), cancel(0), cancel(0), release(1), confirm(1)},
		{at(0), at(1), at(2), confirm(1), release(0), confirm(2), confirm(1), cancel(2), cancel(1), cancel(2), release(0)},
		{reserve(one), reserve(one), unknown(ConfirmUnknown), look, confirm(0), unknown(CancelUnknown), look, unknown(ReleaseUnknown), look, unknown(ConfirmUnknown), look, release(1), cancel(0), unknown(CancelUnknown), look},
	}, lifecycles...)
}
