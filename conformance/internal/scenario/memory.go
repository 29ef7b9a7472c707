package scenario

import (
	"context"
	"fmt"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// Fate is what is made of a hold early in the run, to be looked at again late in it.
type Fate string

const (
	LeftHeld     Fate = "held"      // and confirmed late
	LeftOpen     Fate = "open"      // held, and released late
	SoonReleased Fate = "released"  // and released and confirmed again late
	SoonBooked   Fate = "booked"    // and confirmed again, released and cancelled late
	SoonUndone   Fate = "cancelled" // and cancelled, confirmed and released again late
)

func Fates() []Fate { return []Fate{LeftHeld, LeftOpen, SoonReleased, SoonBooked, SoonUndone} }

// Kept is a hold, or the booking that became of it, that was made early in the run and is
// looked at again late in it. What is done late is in the acts of a booking and of a hold.
type Kept struct {
	Booking
	Release         Act
	ReleasesAgain   []Act
	ConfirmReleased Act
	Seen            *Reading // late, before anything is done
	Age             time.Duration

	made   time.Time // by this machine's clock
	target time.Time // by the target's
}

func (k *Kept) Instances() []plan.Instance {
	if k.Seen == nil {
		return nil
	}
	return []plan.Instance{{plan.Delay: "seconds later", plan.Product: k.Offer.Product.ID, plan.Option: k.OptionKey()}}
}

// leastKeptSlots is how many slots an option has that a hold is kept on: few would be
// missing where other tests need them.
const leastKeptSlots = 8

// KeepSome makes the holds and bookings that are looked at again late in the run.
func KeepSome(ctx context.Context, p *Player) {
	if p.Depth.Age() == 0 || p.ReadOnly {
		return
	}
	if first := PlayBooking(ctx, p, 0); first.Stop != nil && !first.Stop.OnlyMissing() {
		return
	}
	if p.affordable(partnerapi.Reserve, keyShare) < len(Fates()) {
		return // at a slow partner the time is better spent
	}
	p.keeps = true
	for _, fate := range Fates() {
		keep(ctx, p, fate, 0)
	}
}

func keep(ctx context.Context, p *Player, fate Fate, attempt int) *Kept {
	return played(p, "keep "+string(fate), attempt, func(k *Kept, option string) {
		if p.Book.traits.NoCancel && fate != LeftOpen && fate != SoonReleased {
			k.Stop = Missing("the partner takes no cancellations")
			return
		}
		want := seat(fmt.Sprintf("reserve 1 seat, to be looked at again later: %s", fate), option)
		want.Suits = roomy(PlaySurvey(ctx, p, 0).Offers)
		t := p.begin(ctx, &k.Opening, want)
		switch fate {
		case SoonReleased:
			t.give("release the hold", true, &k.Release, "after release")
		case SoonBooked:
			t.book("confirm the hold", true, &k.Confirm, &k.BookingID, "after confirm")
		case SoonUndone:
			t.book("confirm the hold", true, &k.Confirm, &k.BookingID, "after confirm")
			t.undo("cancel the booking", k.BookingID, true, &k.Cancel, "after the cancellation")
		}
		k.made, k.target = time.Now(), p.Clock.Now()
	})
}

// roomy suits the slots of options that have several.
func roomy(offers []discover.Offer) func(discover.Offer) bool {
	slots := map[string]int{}
	for _, offer := range offers {
		if offer.Slot.Status.Bookable() {
			slots[offer.OptionKey()]++
		}
	}
	return func(o discover.Offer) bool {
		seats := o.Slot.Seats(o.Product)
		return slots[o.OptionKey()] >= leastKeptSlots && (!seats.Counted || seats.Left > 1)
	}
}

// PlayKept looks again at what was made early, and does late what has to make no
// difference then. A further attempt is made and looked at with a wait between.
func PlayKept(fate Fate) func(context.Context, *Player, int) *Kept {
	return func(ctx context.Context, p *Player, attempt int) *Kept {
		return played(p, "kept "+string(fate), attempt, func(k *Kept, _ string) {
			if !p.keeps {
				k.Stop = Missing("nothing was made early in the run, to be looked at again")
				return
			}
			*k = *keep(ctx, p, fate, attempt)
			t := p.tell(ctx, &k.Opening)
			t.step(func() *Stop { return k.grow(ctx, p) })
			t.count("seconds later", &k.Seen)
			k.late(t, fate)
		})
	}
}

func (k *Kept) late(t telling, fate Fate) {
	again := func(acts *[]Act, play func(*Act)) {
		*acts = make([]Act, 1)
		play(&(*acts)[0])
	}
	switch fate {
	case LeftHeld:
		t.book("confirm the hold seconds later", true, &k.Confirm, &k.BookingID, "after the late confirm")
		t.undo("cancel the booking", k.BookingID, true, &k.Cancel, "after the cancellation")
	case LeftOpen:
		t.give("release the hold seconds later", true, &k.Release, "after the late release")
	case SoonReleased:
		again(&k.ReleasesAgain, func(a *Act) {
			t.release("release the same code again, seconds later", probe.GoodKey, a, "after another release, seconds later")
		})
		t.confirm("confirm the released code, seconds later", probe.GoodKey, &k.ConfirmReleased, "after the released code was confirmed")
	case SoonBooked:
		again(&k.Repeats, func(a *Act) {
			t.confirm("confirm the same code again, seconds later", probe.GoodKey, a, "after another confirm, seconds later")
		})
		t.release("release the confirmed code, seconds later", probe.GoodKey, &k.LateRelease, "after the confirmed code was released")
		t.undo("cancel the booking, seconds later", k.BookingID, true, &k.Cancel, "after the late cancellation")
	case SoonUndone:
		again(&k.CancelsAgain, func(a *Act) {
			t.cancel("cancel the booking again, seconds later", k.BookingID, probe.GoodKey, a, "after another cancellation, seconds later")
		})
		t.confirm("confirm the cancelled booking's code, seconds later", probe.GoodKey, &k.ConfirmCancelled, "after the cancelled code was confirmed")
		t.release("release the cancelled booking's code, seconds later", probe.GoodKey, &k.ReleaseCancelled, "after the cancelled code was released")
	}
}

const (
	// targetAge is how old what was made early is by the target's clock at least, where
	// that can be moved.
	targetAge = 30 * time.Second
	// lifeShare of a hold's life may be gone when it is looked at again.
	lifeShare = 3
)

// grow waits until what was made is old enough. Where the target's clock can be moved, it
// is older by that clock. A hold that ends soon may have ended.
func (k *Kept) grow(ctx context.Context, p *Player) *Stop {
	wait(ctx, time.Until(k.made.Add(p.Depth.Age())))
	age := targetAge
	if k.Hold.Life > 0 {
		age = min(age, k.Hold.Life/lifeShare)
	}
	if p.Clock.Movable() {
		if err := p.Clock.MoveBeyond(ctx, k.target.Add(age)); err != nil {
			return Missing("%v", err)
		}
	}
	if k.Age = time.Since(k.Hold.Answered); ctx.Err() != nil {
		return p.Time.out()
	}
	if live, _ := k.Hold.ends(); k.Hold.Held() && !k.Hold.Expires.IsZero() && p.Clock.Now().After(live) {
		return NotHere("the hold may have expired before it was looked at again")
	}
	return nil
}

// PlayUnknownAgain releases an unknown code late in the run.
func PlayUnknownAgain(ctx context.Context, p *Player, _ int) *Heard {
	return played(p, "release unknown, late", 0, func(h *Heard, _ string) {
		h.Answer, h.Stop = p.Book.Release(ctx, "release an unknown code, late in the run", p.Book.UnknownCode(), probe.GoodKey)
	})
}
