package scenario

import (
	"context"
	"fmt"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	// fewSeats is the number of seats left in a slot before callers race for them.
	fewSeats = 2
	// moreCallers is the number of callers in excess of the seats in the first rounds; fewerCallers
	// is their number in the many rounds that follow.
	moreCallers, fewerCallers = 4, 2
	// firstRounds is the number of rounds that use moreCallers.
	firstRounds = 6
	// swappers is the number of callers that reserve while a hold is released.
	swappers = 3
)

// A race is repeated: each attempt is a round. Most rounds use the same slot until a result is
// unexpected there. Every fifth round uses a slot of another option, which shows faults of single
// products. The following functions vary the rounds of one race.
func groups(round int) bool         { return round%2 == 1 }
func isMixedRound(round int) bool   { return round%4 == 3 } // of groups
func isSwappedRound(round int) bool { return round%8 == 1 } // of groups
func withGuest(round int) bool      { return round%3 == 1 }
func withRead(round int) bool       { return round%3 == 2 }
func unlike4(round int) bool        { return round%4 == 3 }
func pairs(round int) bool          { return round%6 > 3 }
func families(round int) bool       { return round%12 > 9 } // of pairs

// Attempts contains concurrent reserves of one party each.
type Attempts []*Hold

// WonSeats returns the number of seats that the holds take.
func (all Attempts) WonSeats() (seats int64) {
	for _, won := range all.WonHolds() {
		seats += won.Guests
	}
	return seats
}

// Answers returns the answers to the reserves.
func (all Attempts) Answers() []*probe.Answer {
	answers := make([]*probe.Answer, len(all))
	for i, a := range all {
		answers[i] = a.Answer
	}
	return answers
}

// Holdless reports whether the holds keep no seats (RSV-8).
func (all Attempts) Holdless() bool { return slices.ContainsFunc(all, (*Hold).Holdless) }

// WonHolds returns the holds that were made.
func (all Attempts) WonHolds() (won []*Hold) {
	for _, a := range all {
		if a.WasWon() {
			won = append(won, a)
		}
	}
	return won
}

// LastSeats is a race for the last seats of a slot, followed by a race for the seat of a hold that
// is released twice at the same time.
type LastSeats struct {
	Opening
	Party int64   // number of guests of each caller
	Mixed bool    // the party has two guest types
	sold  []*Hold // holds that sell the slot down
	gone  int64   // seats that they took

	Opened   bool     // the slot was without a seat left earlier in the run
	Scarce   *Reading // before the race
	Attempts Attempts
	Full     *Reading

	Releases []*probe.Answer // of the first hold that was won; nil if this round released none
	Look     *Reading        // at the same time
	Swaps    Attempts        // at the same time
	Swapped  *Reading
}

// LeastRounds is how many rounds of a race are begun even if little time is left, because the partner may
// refuse calls of some with 429.
const LeastRounds = 3

// checkTimeLeft returns a stop if a race must not be run again because too little time is left.
func (p *Player) checkTimeLeft(round int) *partner.Stop {
	if round >= LeastRounds && p.Time.LateForMore() {
		return partner.NewStop("there was no time for another round of the race")
	}
	return nil
}

// PlayLastSeats plays a round of LastSeats on a slot with few seats. All rounds use one option.
func PlayLastSeats(ctx context.Context, p *Player, round int) *LastSeats {
	return playOnce(p, "last seats", round, func(t *LastSeats, option string) {
		if t.Stop = p.checkTimeLeft(round); t.Stop != nil {
			return
		}
		t.Party = 1
		if groups(round) {
			t.Party = 2
		}
		site, suits, survey := "last seats", p.KeepsSeats, PlaySurvey(ctx, p, 0)
		if key, pass := p.sites.otherOption(survey, round, discover.Want{Now: p.Clock.Now(), Seats: 1, Counted: true, Suits: isSmallSlot}); key != "" {
			site, option = site+" "+key, key
			if last := lastStarts(survey.Offers, key); pass%2 == 1 && len(last) > 0 {
				site += " late"
				suits = func(o discover.Offer) bool { return last[o.Key()] && p.KeepsSeats(o) }
			}
		}
		var is bool
		if t.Offer, is = p.sites.suspect(round); !is {
			t.Offer, t.Stop = p.sites.choose(site, func() (offer discover.Offer, stop *partner.Stop) {
				for seats := int64(2); seats > 0; seats-- {
					if offer, stop = p.offer(ctx, discover.Want{Seats: seats, Counted: true, Fewest: true, OptionKey: option, Suits: suits}); stop == nil {
						break
					}
				}
				return offer, stop
			})
		}
		t.Party = t.Offer.Option.Fit(t.Party)
		lifecycle := p.continueLifecycle(ctx, &t.Opening)
		lifecycle.count("before reserve", &t.Before)
		lifecycle.step(func() *partner.Stop { return requireCount(&t.Offer, t.Before) })
		lifecycle.step(func() *partner.Stop { return t.sellDown(ctx, p) })
		lifecycle.step(func() *partner.Stop { return t.raceForAll(ctx, p, round) })
		if t.Party == 1 || isSwappedRound(round) {
			lifecycle.step(func() *partner.Stop { return t.swap(ctx, p) })
		}
		// Also after a stop: other tests need these seats.
		if stop := p.Book.giveAll(ctx, "release it", slices.Concat(t.sold, t.Attempts.WonHolds(), t.Swaps.WonHolds())); t.Stop == nil {
			t.Stop = stop
		}
	})
}

// sellDown leaves so few seats in the slot that there are more callers than seats.
func (t *LastSeats) sellDown(ctx context.Context, p *Player) (stop *partner.Stop) {
	few := min(max(fewSeats, t.Party), p.Calls.Callers()-1)
	t.Scarce = t.Before
	if t.Before.Last.Left > few {
		if t.sold, stop = p.Book.take(ctx, t.Offer, t.Before.Last.Left-few, "reserve %s, to leave "+model.SeatsWord(few)); stop == nil {
			t.gone = t.Before.Last.Left - few
			t.Scarce, stop = p.Seats.seats(ctx, t.Offer, "before the race")
		}
	}
	if t.Scarce != nil && t.Scarce.Last.Left < t.Party {
		t.Party = t.Offer.Option.Fit(1)
	}
	return stop
}

// MoreThanTheSlotHas reports whether the run would hold more seats than the slot's capacity if won
// seats were won in the race. Other customers cannot explain that.
func (t *LastSeats) MoreThanTheSlotHas(won int64) bool {
	capacity := t.Scarce.Last.Slot.Capacity
	return capacity != nil && t.gone+t.Scarce.Last.Left <= *capacity && t.gone+won > *capacity
}

func (t *LastSeats) raceForAll(ctx context.Context, p *Player, round int) (stop *partner.Stop) {
	callers, more := p.Calls.Callers(), int64(moreCallers)
	if round >= firstRounds {
		more = fewerCallers
	}
	left := t.Scarce.Last.Left
	t.Opened = p.Seats.HasBeenFull(t.Offer)
	if left < 1 || left >= callers {
		return partner.NotHere("other customers moved the seats of the slot with the fewest")
	}
	if stop = p.Calls.MaySend(ctx, partnerapi.Reserve); stop != nil {
		return stop
	}
	party := t.party(round)
	t.Mixed = len(party) > 1
	attempts, answers, stop := p.Book.attempts(ctx, t.Offer, party, int(min(callers, left/t.Party+more)))
	if stop != nil {
		return stop
	}
	t.Attempts = attempts
	if stop = partner.AnsweredAll(answers); stop != nil {
		return stop
	}
	if attempts.Holdless() {
		return partner.NotHere(KeepsNone)
	}
	if t.Mixed && len(attempts.WonHolds()) == 0 {
		return partner.NotHere("no party of two guest types was accepted") // a partner may refuse such parties
	}
	if away := partner.CountBusy(answers); t.Party*(int64(len(attempts))-away) <= left {
		return partner.TooFewMet(away, len(attempts))
	}
	t.Full, stop = p.Seats.seats(ctx, t.Offer, "after the race")
	return stop
}

// party returns the party of each caller in a round.
func (t *LastSeats) party(round int) []partnerapi.UnitQuantity {
	if t.Party == 2 && isMixedRound(round) {
		return twoTypes(t.Offer.Option)
	}
	return partner.Guests(t.Offer.Option, t.Party)
}

// wish is a party that wants a slot.
type wish struct {
	offer discover.Offer
	party []partnerapi.UnitQuantity
}

// attempts sends concurrent reserves of several callers with the same wish, like reserveTogether.
func (b *Booker) attempts(ctx context.Context, offer discover.Offer, party []partnerapi.UnitQuantity, callers int, others ...probe.Call) (Attempts, []*probe.Answer, *partner.Stop) {
	return b.reserveTogether(ctx, slices.Repeat([]wish{{offer, party}}, callers), others...)
}

// reserveTogether sends concurrent reserves, together with other calls; the answers of the other calls follow those of
// the reserves. Each reserve is in the ledger before it is sent, and its outcome is recorded before anything else happens.
func (b *Booker) reserveTogether(ctx context.Context, wishes []wish, others ...probe.Call) (Attempts, []*probe.Answer, *partner.Stop) {
	callers := len(wishes)
	calls, attempts := make([]probe.Call, 0, callers+len(others)), make(Attempts, callers)
	for i, w := range wishes {
		entry, stop := b.account.attempt(w.offer, w.party)
		if stop != nil {
			for _, a := range attempts[:i] { // these are not sent
				b.account.recordReserve(a.entry, nil)
			}
			return nil, nil, stop
		}
		attempts[i] = &Hold{entry: entry, Guests: discover.GuestsIn(w.party)}
		purpose := fmt.Sprintf("reserve %s, at the same time as others (%d of %d)", model.SeatsWord(discover.GuestsIn(w.party)), i+1, callers)
		calls = append(calls, partner.Reserve(purpose, entry, true, probe.GoodKey))
	}
	answers := b.calls.SendTogether(ctx, append(calls, others...), func(i int, answer *probe.Answer) {
		if i < callers {
			b.account.recordAttempt(attempts[i], answer)
		}
	})
	for _, won := range attempts.WonHolds() {
		b.ReadExpiry(won)
	}
	return attempts, answers, nil
}

func (t *LastSeats) swap(ctx context.Context, p *Player) *partner.Stop {
	won := t.Attempts.WonHolds()
	if len(won) == 0 {
		return partner.NotHere("other customers got the last seats of the slot")
	}
	if stop := p.Calls.MaySend(ctx, partnerapi.Reserve, partnerapi.Release); stop != nil {
		return stop
	}
	release := partner.Release("release a hold, at the same time as others", won[0].Code, true, probe.GoodKey)
	q := questionAbout(t.Offer)
	const when = "while others reserve and release"
	look := partner.Availability("seats left "+when, q.request(), probe.GoodKey)
	swaps, answers, stop := p.Book.attempts(ctx, t.Offer, partner.Guests(t.Offer.Option, 1), int(min(p.Calls.Callers(), swappers)), release, release, look)
	if stop != nil {
		return stop
	}
	t.Swaps = swaps
	releases := answers[len(swaps) : len(swaps)+2]
	p.Account.Settle(releases[0], won[0])
	if stop := partner.AnsweredAll(answers); stop != nil {
		return stop
	}
	if stop := partner.MetAll(nil, answers[len(swaps):]); stop != nil {
		return stop
	}
	slots, stop := p.read.readSlots(ctx, q, answers[len(answers)-1])
	if t.Look, stop = p.Seats.reading(t.Offer, when, slots, stop); stop != nil {
		return stop
	}
	t.Releases = releases
	t.Swapped, stop = p.Seats.seats(ctx, t.Offer, "after it")
	return stop
}

// Apart is two concurrent reserves of different slots while the catalog and availability are read.
type Apart struct {
	Opening
	Other       discover.Offer
	OtherBefore *Reading
	Guests      Attempts // one of each slot
	After       *Reading
	OtherAfter  *Reading
	Together    bool // the two slots share seats
}

// isOff reports whether a slot has fewer seats left than its own hold took.
func (a *Apart) isOff() bool {
	if a.OtherAfter == nil {
		return false
	}
	return a.After.First.Left < a.Before.Last.Left-a.Guests[:1].WonSeats() || a.OtherAfter.First.Left < a.OtherBefore.Last.Left-a.Guests[1:].WonSeats()
}

// PlayApart plays a round of Apart.
func PlayApart(ctx context.Context, p *Player, round int) *Apart {
	return playOnce(p, "apart", round, func(a *Apart, option string) {
		if a.Stop = p.checkTimeLeft(round); a.Stop != nil {
			return
		}
		find := func(skip string) func() (discover.Offer, *partner.Stop) {
			return func() (discover.Offer, *partner.Stop) {
				return p.offer(ctx, discover.Want{Seats: 1, Room: 3, Counted: true, Suits: func(o discover.Offer) bool {
					return o.Key() != skip && o.OptionKey() != skip && p.KeepsSeats(o)
				}})
			}
		}
		a.Offer, a.Stop = p.sites.choose("apart", find(""))
		t := p.continueLifecycle(ctx, &a.Opening)
		t.step(func() (stop *partner.Stop) {
			avoid := a.Offer.OptionKey()
			if groups(round) {
				avoid = a.Offer.Key() // another slot, possibly of the same option
			}
			if a.Other, stop = p.sites.choose("apart from "+avoid, find(avoid)); stop != nil && !groups(round) {
				a.Other, stop = p.sites.choose("apart from "+a.Offer.Key(), find(a.Offer.Key()))
			}
			return stop
		})
		t.count("before reserve", &a.Before)
		t.step(func() *partner.Stop { return requireCount(&a.Offer, a.Before) })
		t.step(func() (stop *partner.Stop) {
			if a.OtherBefore, stop = p.Seats.seats(ctx, a.Other, "before reserve"); stop == nil {
				stop = requireCount(&a.Other, a.OtherBefore)
			}
			return stop
		})
		t.step(func() *partner.Stop { return a.race(ctx, p) })
		if stop := p.Book.giveAll(ctx, "release it", a.Guests.WonHolds()); a.Stop == nil {
			a.Stop = stop
		}
		if a.Stop == nil && a.isOff() {
			a.Together = p.MovesWith(ctx, a.Offer, a.Other) || p.MovesWith(ctx, a.Other, a.Offer)
		}
	})
}

// refusesAlone reports whether a party that was refused is refused by itself too, after the race: a partner may limit
// parties.
func (p *Player) refusesAlone(ctx context.Context, attempts Attempts) bool {
	for _, a := range attempts {
		if a.WasWon() || !TurnedDown(a.Answer) {
			continue
		}
		at, found := p.offerOf(a.entry.Slot)
		if !found {
			continue
		}
		if answer, stop := p.Book.reserveAnyway(ctx, "reserve alone what was refused at the same time as others", at, a.entry.Units, true); stop == nil && TurnedDown(answer) {
			return true
		}
	}
	return false
}

// offerOf returns the offer of a slot of the survey.
func (p *Player) offerOf(slot ledger.Slot) (discover.Offer, bool) {
	at := slices.IndexFunc(p.survey.Offers, func(o discover.Offer) bool { return ledger.SlotOf(o) == slot })
	if at < 0 {
		return discover.Offer{}, false
	}
	return p.survey.Offers[at], true
}

func (a *Apart) race(ctx context.Context, p *Player) *partner.Stop {
	if stop := p.Calls.MaySend(ctx, partnerapi.Reserve); stop != nil {
		return stop
	}
	guests, answers, stop := p.Book.reserveTogether(ctx, []wish{{a.Offer, partner.Guests(a.Offer.Option, 1)}, {a.Other, partner.Guests(a.Other.Option, 1)}},
		partner.Products("pull the catalog, while two slots are reserved", nil, probe.GoodKey),
		partner.Availability("slots, while two of them are reserved", questionAbout(a.Offer).request(), probe.GoodKey))
	if stop != nil {
		return stop
	}
	a.Guests = guests
	if stop := partner.MetAll(answers, answers); stop != nil {
		return stop
	}
	if a.Guests.Holdless() {
		return partner.NotHere(KeepsNone)
	}
	if p.refusesAlone(ctx, a.Guests) {
		return partner.NotHere("the slot refuses such a party alone too")
	}
	if catalog := p.read.readCatalog(ctx, answers[2], nil); catalog.Stop != nil {
		return catalog.Stop
	}
	if _, stop := p.read.readSlots(ctx, questionAbout(a.Offer), answers[3]); stop != nil {
		return stop
	}
	if a.After, stop = p.Seats.seats(ctx, a.Offer, "after both"); stop != nil {
		return stop
	}
	a.OtherAfter, stop = p.Seats.seats(ctx, a.Other, "after both")
	return stop
}
