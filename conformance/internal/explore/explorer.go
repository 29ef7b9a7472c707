package explore

import (
	"context"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/noise"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/plural"
)

const (
	// shorteningTime is the maximum time for shortening a failing lifecycle.
	shorteningTime = 20 * time.Second
	// lifecycleShare is the share of the run's time after which no further lifecycle starts. It comes
	// after all parts of the run that leave time.
	lifecycleShare = 0.93
	// mostDoubts is the maximum number of lifecycles that fail once but not again.
	mostDoubts = 3
)

// Result is the outcome of the random lifecycles of a run.
type Result struct {
	Exploration report.Exploration
	Flaw        string // what is wrong with the last step of the failing lifecycle; "" if no lifecycle failed
	Does        string // description of that step
	Shown       []*report.Exchange
	Stop        *partner.Stop // why no further lifecycle was played
}

// Play plays the random lifecycles of a run, and shortens the first one that fails.
func Play(ctx context.Context, p *scenario.Player, newJudge NewJudge) Result {
	exploration := p.Explore()
	e := newExplorer(ctx, p, newJudge)
	e.exploration = exploration
	if e.pools, e.stop = slotPools(ctx, p); e.stop == nil {
		e.from = Material{
			Slots: len(e.roles(0)), Parties: len(drawnParties),
			Books: p.Book.CanCancel(ctx), Waits: p.Clock.CanMove() && !p.Book.Traits().AnyHoldless(),
		}
		e.search()
	}
	r := Result{Exploration: *exploration, Stop: e.stop}
	if e.broken != nil {
		r.Flaw, r.Shown, r.Does = e.broken.unlawful.Flaw, e.broken.shown, e.broken.does()
	}
	return r
}

// explorer plays random lifecycles, each on other slots.
type explorer struct {
	*stage
	from  Material
	pools []*slotPool // one for each option

	exploration *report.Exploration
	broken      *run          // the last playing of the failing lifecycle; nil if no lifecycle failed
	stop        *partner.Stop // why no further lifecycle is played

	shortening time.Time // when shortening of the failing lifecycle started; zero if no lifecycle failed
	start      []int64   // seats in its slots at the start
}

func newExplorer(ctx context.Context, p *scenario.Player, newJudge NewJudge) *explorer {
	return &explorer{
		stage:       &stage{Player: p, ctx: ctx, newJudge: newJudge, parties: drawnParties, accepted: map[acceptedParty]bool{}},
		exploration: &report.Exploration{},
	}
}

func (e *explorer) search() {
	doubts := 0
	for e.exploration.Played < e.exploration.Lifecycles && e.broken == nil && e.stop == nil {
		e.shortening, e.start = time.Time{}, nil
		left, seed := e.exploration.Lifecycles-e.exploration.Played, e.exploration.Seed+uint64(e.exploration.Played)
		played, found := Search(e.from, left, seed, e.judge)
		e.exploration.Played += played
		switch {
		case found == nil, e.stop != nil:
			return
		case e.confirm(found):
			return
		}
		e.exploration.Disturbed++
		if doubts++; doubts == mostDoubts {
			e.stop = partner.NewStop("%s broke the contract once, but not when repeated", plural.Count(doubts, "lifecycle"))
		}
	}
}

// judge plays a lifecycle that was drawn, or a shorter one that was derived from it.
func (e *explorer) judge(seed uint64, lifecycle Lifecycle) (Verdict, int) {
	lifecycle = lifecycle.limitSlots(len(e.roles(seed)))
	if !e.shortening.IsZero() {
		return e.judgeShorter(seed, lifecycle)
	}
	if e.Time.SpentShare() > lifecycleShare {
		e.stop = partner.NewStop("only %[2]d of %[1]d lifecycles were played before the time was used up (--max-duration)", e.exploration.Lifecycles, seed-e.exploration.Seed)
		return Over, 0
	}
	offers, _ := e.offers(seed, lifecycle, (*slotPool).inTurn)
	a := e.play(lifecycle, offers)
	e.exploration.Steps += len(a.steps)
	switch {
	case !a.broke() && a.stop != nil:
		e.stop = a.stop
		return Over, 0
	case !a.broke():
		return Held, 0
	case e.sharesSeats(a), !e.isStable(a):
		e.exploration.Disturbed++
		return Held, 0
	}
	e.shortening, e.start = time.Now(), a.start
	return Broke, a.taken
}

// sharesSeats reports whether a breach about seats is lawful, as slots of the lifecycle share them.
func (e *explorer) sharesSeats(a *run) bool {
	if !a.unlawful.Others {
		return false
	}
	for _, held := range a.offers {
		for _, other := range a.offers {
			if held.Slot.ID != "" && other.Slot.ID != "" && e.MovesWith(e.ctx, held, other) {
				return true
			}
		}
	}
	return false
}

// judgeShorter plays a lifecycle on slots that no lifecycle has used. On used slots it might fail because
// of earlier calls.
func (e *explorer) judgeShorter(seed uint64, lifecycle Lifecycle) (Verdict, int) {
	if time.Since(e.shortening) > shorteningTime || e.Time.SpentShare() > shorteningShare {
		return Over, 0
	}
	offers, ok := e.offers(seed, lifecycle, e.popUnusedSlot)
	if !ok {
		return Over, 0
	}
	a := e.play(lifecycle, offers)
	switch {
	case a.broke():
		return Broke, a.taken
	case a.stop != nil:
		return Over, 0
	default:
		return Held, 0
	}
}

// confirm plays the failing lifecycle again, the shortest first. It keeps one that still fails when it is
// repeated.
func (e *explorer) confirm(found *Found) bool {
	for _, lifecycle := range []Lifecycle{found.Shortest, found.First} {
		if a := e.replay(found.Seed, lifecycle); a != nil {
			e.broken = a
			e.exploration.Broken = a.lifecycle(found)
			return true
		}
	}
	return false
}

// replay plays a lifecycle until a breach is far likelier than other customers, and returns a playing
// that shows it, or nil.
func (e *explorer) replay(seed uint64, lifecycle Lifecycle) *run {
	lifecycle = lifecycle.limitSlots(len(e.roles(seed)))
	return e.repeat(func() []discover.Offer {
		offers, _ := e.offers(seed, lifecycle, e.popAnySlot)
		return offers
	}, lifecycle)
}

// offers returns the slots that a lifecycle is played on, by their number in it. Slots that it does not
// use are empty. It returns false if take has no slot left.
func (e *explorer) offers(seed uint64, lifecycle Lifecycle, take func(p *slotPool, left int64) (discover.Offer, bool)) ([]discover.Offer, bool) {
	roles := e.roles(seed)
	offers := make([]discover.Offer, len(roles))
	for _, step := range lifecycle {
		if step.Does != model.Look && step.Does != model.Reserve || offers[step.Slot].Slot.ID != "" {
			continue
		}
		left := int64(0)
		if e.start != nil {
			left = e.start[step.Slot]
		}
		offer, ok := take(roles[step.Slot], left)
		if !ok {
			return nil, false
		}
		offers[step.Slot] = offer
	}
	return offers, true
}

// popUnusedSlot returns a slot that no lifecycle has used, while there is one. It prefers a slot with left or
// more seats to one that just has room for lifecycles, and then a slot of its own.
func (e *explorer) popUnusedSlot(own *slotPool, left int64) (discover.Offer, bool) {
	for _, least := range []int64{left, min(left, roomForLifecycles)} {
		for _, pool := range append([]*slotPool{own}, e.pools...) {
			if offer, ok := pop(&pool.once, least); ok {
				return offer, true
			}
		}
	}
	return discover.Offer{}, false
}

// popAnySlot returns a slot that no lifecycle has used, while there is one with left or more seats;
// otherwise any slot of its own.
func (e *explorer) popAnySlot(own *slotPool, left int64) (discover.Offer, bool) {
	if offer, ok := pop(&own.last, left); ok {
		return offer, true
	}
	if offer, ok := e.popUnusedSlot(own, left); ok {
		return offer, true
	}
	return own.inTurn(left)
}

// roles returns the pools of a lifecycle's slots: two slots of one option if it has two, and one of
// another option if there is one.
func (e *explorer) roles(seed uint64) []*slotPool {
	own := e.pools[seed%uint64(len(e.pools))]
	roles := []*slotPool{own}
	if e.Seats.SharesSeats() { // a hold in one slot may take seats of any other
		return roles
	}
	if len(own.often) > 1 {
		roles = append(roles, own)
	}
	if len(e.pools) > 1 {
		roles = append(roles, e.pools[(seed+1)%uint64(len(e.pools))])
	}
	return roles
}

// roomForLifecycles is the preferred number of seats left in a slot for lifecycles: enough for several
// parties, and few enough to be sold out.
const roomForLifecycles = 4

const mostPools = 12

const (
	mostOften = 12              // maximum number of slots of an option that drawn lifecycles use
	mostLast  = noise.MostTries // maximum number of slots kept for the reported lifecycle
)

type slotPool struct {
	often []discover.Offer // for drawn lifecycles, in turn
	once  []discover.Offer // for shorter lifecycles derived from a failing one
	last  []discover.Offer // for the reported lifecycle, when it is played for the last times
	turns int
}

// newSlotPool divides an option's slots, so that each part has some with few seats left and some
// with many.
func newSlotPool(offers []discover.Offer) *slotPool {
	p := &slotPool{}
	for i, offer := range offers {
		switch {
		case len(p.often) < min(2, len(offers)), i%4 == 0 && len(p.often) < mostOften:
			p.often = append(p.often, offer)
		case i%4 == 2 && len(p.last) < mostLast:
			p.last = append(p.last, offer)
		default:
			p.once = append(p.once, offer)
		}
	}
	return p
}

// inTurn returns the slot that was not used for the longest time.
func (p *slotPool) inTurn(int64) (discover.Offer, bool) {
	p.turns++
	return p.often[p.turns%len(p.often)], true
}

// pop removes and returns the offer with the fewest seats among those with left or more seats.
func pop(offers *[]discover.Offer, left int64) (discover.Offer, bool) {
	best := -1
	for i, offer := range *offers {
		has := seatsLeft(offer)
		if has >= left && (best < 0 || has < seatsLeft((*offers)[best])) {
			best = i
		}
	}
	if best < 0 {
		return discover.Offer{}, false
	}
	chosen := (*offers)[best]
	*offers = slices.Delete(*offers, best, best+1)
	return chosen, true
}

func seatsLeft(o discover.Offer) int64 { return o.Slot.Seats(o.Product).Left }

// slotPools returns the slots for lifecycles, by option. Options with a single slot are left out if
// others have more.
func slotPools(ctx context.Context, p *scenario.Player) ([]*slotPool, *partner.Stop) {
	offers, stop := p.Offers(ctx, discover.Want{Seats: 1, Counted: true, Room: roomForLifecycles, Fewest: true, Late: true, Suits: p.KeepsSeats})
	if stop != nil {
		return nil, stop
	}
	options := discover.ByOption(offers)
	several := slices.ContainsFunc(options, func(slots []discover.Offer) bool { return len(slots) > 1 })
	var pools []*slotPool
	for _, slots := range options {
		if len(pools) < mostPools && (len(slots) > 1 || !several) {
			pools = append(pools, newSlotPool(slots))
		}
	}
	return pools, nil
}
