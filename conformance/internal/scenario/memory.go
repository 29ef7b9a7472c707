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

// EarlyState is the state in which a hold is left early in the run, to be checked again late in the run.
type EarlyState string

const (
	LeftHeld     EarlyState = "held"      // confirmed late
	LeftOpen     EarlyState = "open"      // held, and released late
	SoonReleased EarlyState = "released"  // released; released and confirmed again late
	SoonBooked   EarlyState = "booked"    // confirmed; confirmed again, released and cancelled late
	SoonUndone   EarlyState = "cancelled" // confirmed and cancelled; cancelled again, confirmed and released late
)

// EarlyStates lists the states in which early holds for a party are left. Of two parties of two guests one is booked.
func EarlyStates(party EarlyParty) []EarlyState {
	if party == EarlyPair {
		return []EarlyState{LeftHeld, LeftOpen, SoonReleased, SoonUndone}
	}
	return []EarlyState{LeftHeld, LeftOpen, SoonReleased, SoonBooked, SoonUndone}
}

// EarlyParty is the party of such a hold.
type EarlyParty int

// The parties of early holds.
const (
	EarlyGuest EarlyParty = iota
	EarlyPair             // two guests
	EarlyMixed            // two guests of different types
)

// EarlyParties lists the parties of early holds.
func EarlyParties() []EarlyParty { return []EarlyParty{EarlyGuest, EarlyPair, EarlyMixed} }

// Size returns the number of guests and of their types.
func (p EarlyParty) Size() (guests int64, types int) {
	switch p {
	case EarlyPair:
		return 2, 1
	case EarlyMixed:
		return 2, 2
	default:
		return 1, 1
	}
}

// earlyWant returns what a hold of such a party in that state needs.
func earlyWant(state EarlyState, party EarlyParty, option string) wanted {
	guests, types := party.Size()
	want := seat(fmt.Sprintf("reserve %s, to check it again later: %s", model.SeatsWord(guests), state), option)
	want.Seats, want.party = guests, leads(guests)
	if types > 1 {
		want.party = twoTypes
	}
	return want
}

// Kept is a hold, or its booking, that was made early in the run and is checked again late in the
// run.
type Kept struct {
	Opening
	Seen *Reading // late, before any further call
	Age  time.Duration

	made   time.Time // by this machine's clock
	target time.Time // by the target's clock
}

// Instances returns what the late calls are an instance of; nil if they were not made.
func (k *Kept) Instances() []plan.Instance {
	if k.Seen == nil {
		return nil
	}
	return []plan.Instance{{plan.Delay: "seconds later", plan.Product: k.Offer.Product.ID, plan.Option: k.OptionKey()}}
}

// leastKeptSlots is the number of unused slots that an option must have before a hold is kept on one of them. With fewer,
// other tests would share slots with it, and count its seats.
const leastKeptSlots = 8

// KeepSome makes the holds and bookings that are checked again late in the run.
func KeepSome(ctx context.Context, p *Player, isDoubtful func(Story) bool) {
	if p.Depth.Age() == 0 || p.ReadOnly {
		return
	}
	if first := PlayBooking(ctx, p, 0); first.Stop != nil && !first.Stop.OnlyMissing() {
		return
	}
	for n, party := range EarlyParties() {
		states := EarlyStates(party)
		// A slow partner's time, and few holds, are better spent elsewhere.
		if p.Calls.Affordable(partnerapi.Reserve, keyShare) < (n+1)*len(states) || n > 0 && !p.Account.Plenty(CaseShare, len(states)) {
			return
		}
		p.kept++
		var stories []func() Story
		for _, state := range states {
			stories = append(stories, func() Story { return keep(ctx, p, state, party, 0) })
		}
		p.playAtOnce(ctx, stories, isDoubtful)
	}
}

func keep(ctx context.Context, p *Player, state EarlyState, party EarlyParty, attempt int) *Kept {
	return playOnce(p, fmt.Sprintf("keep %s %d", state, party), attempt, func(k *Kept, option string) {
		if p.Book.traits.NoCancel && state != LeftOpen && state != SoonReleased {
			k.Stop = partner.NewStop("the partner does not support cancellations")
			return
		}
		want := earlyWant(state, party, option)
		roomy := p.Seats.hasRoom(PlaySurvey(ctx, p, 0).Offers)
		want.Suits = func(o discover.Offer) bool { return roomy(o) && p.Account.holdsNone(o) }
		t := p.begin(ctx, &k.Opening, want)
		switch state {
		case SoonReleased:
			t.give("release the hold", true, "after release")
		case SoonBooked:
			t.book("confirm the hold", true, "after confirm")
		case SoonUndone:
			t.book("confirm the hold", true, "after confirm")
			t.undo("cancel the booking", true, "after the cancellation")
		}
		k.made, k.target = time.Now(), p.Clock.Now()
	})
}

// hasRoom accepts slots of options that have enough unused slots, with more than one seat left.
func (s *Seats) hasRoom(offers []discover.Offer) func(discover.Offer) bool {
	slots := map[string]int{}
	for _, offer := range offers {
		if offer.Slot.Status.IsBookable() && !s.used[offer.Key()] {
			slots[offer.OptionKey()]++
		}
	}
	return func(o discover.Offer) bool {
		seats := o.Slot.Seats(o.Product)
		return slots[o.OptionKey()] >= leastKeptSlots && (!seats.Counted || seats.Left > 1)
	}
}

// PlayKept checks again what was made early, and makes the late calls. A further attempt is made
// and checked with a wait in between.
func PlayKept(state EarlyState, party EarlyParty) func(context.Context, *Player, int) *Kept {
	return func(ctx context.Context, p *Player, attempt int) *Kept {
		return playOnce(p, fmt.Sprintf("kept %s %d", state, party), attempt, func(k *Kept, _ string) {
			if p.kept <= int(party) {
				k.Stop = partner.NewStop("no hold or booking was made early in the run, to check it again")
				return
			}
			*k = *keep(ctx, p, state, party, attempt)
			t, age := p.continueLifecycle(ctx, &k.Opening), p.Depth.Age()
			if attempt > 0 {
				age = min(max(age, PlayKept(state, party)(ctx, p, 0).Age), oldest)
			}
			t.step(func() *partner.Stop {
				if !p.Account.holdsNoneBut(k.Hold, k.Offer) { // where there are few slots
					return partner.NewStop("other holds of the run take seats of the same slot")
				}
				return k.grow(ctx, p, age, IsLastMoment(state, party))
			})
			if attempt > 0 {
				t.step(func() *partner.Stop { return k.sync(ctx, p) })
			}
			t.count("seconds later", &k.Seen)
			t.playLate(state)
		})
	}
}

// playLate makes the calls about what was left in a state seconds ago.
func (t lifecyclePlayer) playLate(state EarlyState) {
	switch state {
	case LeftHeld:
		t.confirm("confirm the hold seconds later, with a wrong key", probe.WrongKey, "")
		t.confirm("confirm the hold seconds later, without a key", probe.NoKey, "")
		t.book("confirm the hold seconds later", true, "after the late confirm")
		t.undo("cancel the booking", true, "after the cancellation")
	case LeftOpen:
		t.release("release the hold seconds later, with a wrong key", probe.WrongKey, "")
		t.release("release the hold seconds later, without a key", probe.NoKey, "")
		t.give("release the hold seconds later", true, "after the late release")
	case SoonReleased:
		t.release("release the same code again, seconds later", probe.GoodKey, "after another release, seconds later")
		t.confirm("confirm the released code, seconds later", probe.GoodKey, "after the released code was confirmed")
	case SoonBooked:
		t.confirm("confirm the same code again, seconds later", probe.GoodKey, "after another confirm, seconds later")
		t.release("release the confirmed code, seconds later", probe.GoodKey, "after the confirmed code was released")
		t.cancel("cancel the booking seconds later, with a wrong key", probe.WrongKey, "")
		t.cancel("cancel the booking seconds later, without a key", probe.NoKey, "")
		t.undo("cancel the booking, seconds later", true, "after the late cancellation")
	case SoonUndone:
		t.cancel("cancel the booking again, seconds later", probe.GoodKey, "after another cancellation, seconds later")
		t.confirm("confirm the cancelled booking's code, seconds later", probe.GoodKey, "after the cancelled code was confirmed")
		t.release("release the cancelled booking's code, seconds later", probe.GoodKey, "after the cancelled code was released")
	}
}

const (
	// oldest is the maximum time that a further attempt waits: it waits as long as the first was old.
	oldest = 10 * time.Second
	// targetAge is the minimum age of what was made early, by the target's clock, if that clock can
	// be moved.
	targetAge = 30 * time.Second
)

// IsLastMoment reports whether such a hold is confirmed shortly before it expires.
func IsLastMoment(state EarlyState, party EarlyParty) bool {
	return state == LeftHeld && party == EarlyGuest
}

// grow waits until what was made is old enough. It also moves the target's clock where possible, if last is set to shortly
// before the hold expires. A hold with a short lifetime may have expired by then.
func (k *Kept) grow(ctx context.Context, p *Player, least time.Duration, last bool) *partner.Stop {
	if last && p.Clock.CanMove() && !k.Holdless() && k.Hold.Life > lifeShare*lastMoment {
		if err := p.Clock.MoveBeyond(ctx, k.Hold.Expires.Add(-lastMoment)); err != nil {
			return partner.NewStop("%v", err)
		}
		k.Age = time.Since(k.Hold.Answered)
		return nil
	}
	p.Calls.Wait(ctx, time.Until(k.made.Add(least)))
	age := targetAge
	if k.Hold.Life > 0 {
		age = min(age, k.Hold.Life/lifeShare)
	}
	if p.Clock.CanMove() {
		if err := p.Clock.MoveBeyond(ctx, k.target.Add(age)); err != nil {
			return partner.NewStop("%v", err)
		}
	}
	if k.Age = time.Since(k.Hold.Answered); ctx.Err() != nil {
		return p.Time.StopCause()
	}
	if k.Hold.IsHeld() && k.Hold.mayBeOver(p.Clock) {
		return partner.NotHere("the hold may have expired before it was checked again")
	}
	return nil
}

// sync pulls the catalog and the slots of the lifecycle's option, as other parts of the run did between
// the early and the late calls of the first attempt.
func (k *Kept) sync(ctx context.Context, p *Player) *partner.Stop {
	if stop := p.PullCatalog(ctx); stop != nil {
		return stop
	}
	_, stop := p.read.askFor(ctx, "slots of the next 60 days", p.windowOf(k.Offer))
	return stop
}

// PlayUnknownAgain releases an unknown code late in the run.
func PlayUnknownAgain(ctx context.Context, p *Player, _ int) *RepeatedCall {
	return playOnce(p, "release unknown, late", 0, func(h *RepeatedCall, _ string) {
		if p.Depth.Age() == 0 {
			h.Stop = partner.NewStop("a quick run makes no late calls")
		} else if h.Answer, h.Stop = p.Book.Release(ctx, "release an unknown code, late in the run", p.Account.UnknownCode(), probe.GoodKey); h.Stop == nil {
			h.addUnknown(h.Answer, "")
		}
	})
}

// LeaveOut plays nothing further in an option: what was played there is played again elsewhere on request, unless it has
// to be early in the run.
func (p *Player) LeaveOut(option string) {
	p.survey.leaveOut(option)
	for key, played := range p.memory {
		_, early := played.(*Kept)
		if of, ok := played.(interface{ OptionKey() string }); ok && !early && of.OptionKey() == option {
			delete(p.memory, key)
		}
	}
}
