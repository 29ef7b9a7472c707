package scenario

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
)

const (
	// expiringHolds is the number of holds that expire together. An unexpected result can then be
	// measured again without a second wait.
	expiringHolds = 3
	// waitedCases is the number of cases that are also held when the run waits for expiry. At a
	// partner in use, these seats are withheld from customers meanwhile.
	waitedCases = 6
	// leastApart is the shortest interval between two looks at a slot while the run waits for its
	// hold to expire.
	leastApart = time.Second
)

// Expiring is a hold that is not confirmed before it expires.
type Expiring struct {
	Opening
	Ending *Reading // shortly before it expires; nil where the run could not read the slot then
	looked *Reading // the last one while the run waited
}

func playExpiring(ctx context.Context, p *Player, attempt int) *Expiring {
	return playOnce(p, p.lifecycleName("expiring"), attempt, func(e *Expiring, option string) {
		want := seat("reserve, and let the hold expire", option)
		want.Suits = func(o discover.Offer) bool { return p.KeepsSeats(o) && p.Account.holdsNone(o) }
		p.begin(ctx, &e.Opening, want).step(func() *partner.Stop {
			if e.Holdless() {
				return partner.NotHere(KeepsNone)
			}
			return nil
		})
	})
}

// ExpiringCases lists the cases whose holds are left to expire.
type ExpiringCases struct{ Held []plan.Case }

// PlayExpiringCases makes all these holds before the first one expires.
func PlayExpiringCases(ctx context.Context, p *Player, _ int) *ExpiringCases {
	return playOnce(p, "expiring cases", 0, func(all *ExpiringCases, _ string) {
		most := p.Depth.MaxExpiringCases()
		if p.waits() {
			most = min(most, waitedCases)
		}
		if p.Seats.SharesSeats() {
			return // their holds would take seats of each other
		}
		cases := plan.ByParty(plan.WithDistinctSlots(p.cases(ctx, p.Depth.Cases())))
		cases = cases[:min(len(cases), most)]
		for i := range cases {
			if ctx.Err() != nil || p.Time.LateForMore() || !p.Account.Plenty(ExpiryShare, 1) {
				break
			}
			if !p.Account.holdsNone(cases[i].Offer) {
				continue // seats of another hold would come back too
			}
			cases[i].Number = i + 1 // the later ones are read long after they expired
			if e := playExpiring(ctx, p.OnCase(&cases[i]), 0); e.Stop == nil && !e.Hold.Expires.IsZero() {
				all.Held = append(all.Held, cases[i])
			}
		}
	})
}

// Expiry is a hold that expires, and the calls about it afterwards.
type Expiry struct {
	Expiring
	Expired *Reading // after expiresAt, before anything is sent
}

// PlayExpiry lets a hold expire, then confirms and releases it.
func PlayExpiry(ctx context.Context, p *Player, attempt int) *Expiry {
	return playOnce(p, p.lifecycleName("expiry"), attempt, func(e *Expiry, _ string) {
		e.Expiring = *playExpiring(ctx, p, attempt)
		t := p.continueLifecycle(ctx, &e.Opening)
		if e.Ending != nil {
			e.addReading(e.Ending)
		} else if e.Stop == nil && e.Hold.nearsEnd(ctx, p) {
			t.count(ending, &e.Ending)
		}
		t.step(func() *partner.Stop { return e.Hold.outlive(ctx, p) })
		t.step(func() *partner.Stop { e.addExpiry(); return nil })
		t.count("after the hold expired", &e.Expired)
		t.confirmEnded("confirm the expired code", "after the expired code was confirmed")
		if released := t.releaseEnded("release the expired code", "after the expired code was released"); released != nil && released.HasStatus(http.StatusOK) {
			p.Account.recordUndone(e.Hold) // the partner says that it released it: nothing is left to undo
		}
	})
}

// ending is when the seats of a hold that is about to expire are counted.
const ending = "shortly before the hold expires"

// nearsEnd moves the target's clock to shortly before the hold expires. It reports whether that is the time there: a
// clock that was moved further for another hold does not go back, and a short hold leaves no time for it.
func (h *Hold) nearsEnd(ctx context.Context, p *Player) bool {
	if !p.Clock.CanMove() || h.Life <= lifeShare*lastMoment || p.Clock.MoveBeyond(ctx, h.Expires.Add(-lastMoment)) != nil {
		return false
	}
	return p.Clock.Now().Before(h.Expires.Add(-greatestMargin))
}

// outlive lets a hold expire: it moves the target's clock, or checks that the run has waited.
func (h *Hold) outlive(ctx context.Context, p *Player) *partner.Stop {
	if p.waits() {
		switch _, over := h.ends(); {
		case ctx.Err() != nil:
			return p.Time.StopCause()
		case time.Now().Before(over):
			return partner.NewStop("no further hold was waited for").WithRemedy("Run with --include-slow, or with a longer --max-duration.")
		default:
			return nil
		}
	}
	over := h.Expires
	if p.on != nil && p.on.Number > p.Depth.MaxExpiringCases()/2 {
		over = over.Add(h.Life) // half of the cases are read long after they expired
	}
	if err := p.Clock.MoveBeyond(ctx, over); err != nil {
		return partner.NewStop("%v", err)
	}
	return nil
}

// Means is the way in which a run can let a hold expire.
type Means struct {
	ClockErr error         // why the target's clock cannot be used
	Moves    bool          // the target's clock is moved
	Waits    bool          // the run waits
	Life     time.Duration // of the partner's holds; 0 if unknown
}

// PlayMeans returns how the run can let a hold expire.
func PlayMeans(ctx context.Context, p *Player, _ int) Means {
	m := Means{ClockErr: p.Clock.Err, Moves: p.Clock.CanMove()}
	if h := PlayBooking(ctx, p, 0).Hold; h != nil && !h.Expires.IsZero() {
		m.Life = h.Life
	}
	m.Waits = p.waits()
	return m
}

// waits reports whether the run itself waits for holds to expire: if it was asked to, or if they are short.
func (p *Player) waits() bool {
	return (p.IncludeSlow || p.Book.traits.brief) && !p.Clock.CanMove() && p.Clock.Err == nil
}

// PlayUnexpirable returns the first hold if the run waits for expiry and this hold is not worth waiting
// for: it lives too long, or the partner keeps no seats for holds. Otherwise it returns nil.
func PlayUnexpirable(ctx context.Context, p *Player, _ int) *Hold {
	if h := PlayBooking(ctx, p, 0).Hold; p.waits() && !h.EndsInTime() {
		return h
	}
	return nil
}

// PlayExpireEarly makes the holds to be expired at the start of a run if they outlive the run's
// time limit; all other rules are judged meanwhile. Shorter holds are made at the end of the run:
// they would return their seats in the middle of another lifecycle.
func PlayExpireEarly(ctx context.Context, p *Player, _ int) *Booking {
	b := PlayBooking(ctx, p, 0)
	if p.waits() && b.Hold.Life > p.Time.MaxDuration() && b.Hold.EndsInTime() && p.Expiry {
		beginExpiring(ctx, p)
	}
	return b
}

type expiries []*Expiring

// beginExpiring makes the holds that are left to expire and returns their lifecycles.
func beginExpiring(ctx context.Context, p *Player) (begun expiries) {
	for attempt := range expiringHolds {
		if attempt > 0 && p.Seats.SharesSeats() {
			break
		}
		e := playExpiring(ctx, p, attempt)
		if e.Stop != nil || e.Hold.Expires.IsZero() {
			break
		}
		begun = append(begun, e)
	}
	if len(begun) == 0 {
		return nil
	}
	for _, held := range PlayExpiringCases(ctx, p, 0).Held {
		begun = append(begun, playExpiring(ctx, p.OnCase(&held), 0))
	}
	return begun
}

// AwaitExpiry waits until these holds have expired, and counts the seats shortly before. It returns
// immediately when the run is asked to stop.
func AwaitExpiry(ctx context.Context, p *Player, waiting func(until time.Time)) {
	if !p.waits() {
		return
	}
	begun := expiringWithin(ctx, p)
	if len(begun) == 0 {
		return
	}
	live, over := begun[0].Hold.ends()
	for _, e := range begun[1:] {
		l, o := e.Hold.ends()
		if l.Before(live) {
			live = l
		}
		if o.After(over) {
			over = o
		}
	}
	if !p.IncludeSlow {
		// A run that was not asked to wait does so within its own time.
		if !p.Time.HasUntil(over) {
			return
		}
		began := time.Now()
		defer func() { p.Time.Lengthen(time.Until(began)) }()
	}
	waiting(over)
	if time.Now().Before(live) {
		begun.watch(ctx, p, live)
	}
	p.Time.Sleep(ctx, over)
}

// expiringWithin returns the lifecycles to wait for. It returns nil if a hold shows that waiting would
// be useless.
func expiringWithin(ctx context.Context, p *Player) expiries {
	ctx, cancel := p.Time.WithDeadline(ctx)
	defer cancel()
	if b := PlayBooking(ctx, p, 0); b.Hold == nil || !b.Hold.EndsInTime() {
		return nil
	}
	begun := beginExpiring(ctx, p)
	if ctx.Err() != nil {
		return nil // there is no time left to judge the result
	}
	return begun
}

// watch counts the seats of the awaited slots repeatedly, the last time shortly before the holds
// expire. Expiry takes long, so only these counts show how likely it is that other customers change
// the seats meanwhile.
func (begun expiries) watch(ctx context.Context, p *Player, live time.Time) {
	begun.look(ctx, p)
	apart := max(time.Until(live)/mostLooks, leastApart)
	for next := time.Now().Add(apart); next.Before(live) && p.Time.Sleep(ctx, next); next = time.Now().Add(apart) {
		begun.look(ctx, p)
	}
	if p.Time.Sleep(ctx, live) {
		for i, read := range begun.look(ctx, p) {
			begun[i].Ending = read
		}
	}
}

// look counts the seats of the awaited slots, and returns nil for each that could not be read. It extends the run by the
// time that it takes.
func (begun expiries) look(ctx context.Context, p *Player) []*Reading {
	began := time.Now()
	ctx, cancel := p.Time.WithDeadline(ctx)
	defer cancel()
	reads := make([]*Reading, len(begun))
	for i, e := range begun {
		read, stop := p.Seats.Look(ctx, e.Offer, ending)
		if stop != nil {
			continue
		}
		if e.looked != nil {
			p.Seats.recordLook(e.looked, read)
		}
		e.looked, reads[i] = read, read
	}
	p.Time.Lengthen(time.Since(began))
	return reads
}

// lifecycleName returns a lifecycle name that includes the case, if there is one.
func (p *Player) lifecycleName(name string) string {
	if p.on == nil {
		return name
	}
	return fmt.Sprintf("%s of %s", name, p.on)
}
