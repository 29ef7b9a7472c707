package scenario

import (
	"context"
	"fmt"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/undo"
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
func groups(round int) bool    { return round%2 == 1 }
func mixed(round int) bool     { return round%4 == 3 } // of groups
func swapped(round int) bool   { return round%8 == 1 } // of groups
func withGuest(round int) bool { return round%3 == 1 }
func withRead(round int) bool  { return round%3 == 2 }
func unlike4(round int) bool   { return round%4 == 3 }
func pairs(round int) bool     { return round%6 > 3 }

const (
	// roamEvery is the interval of the rounds on another option's slot.
	roamEvery = 5
	// mostRoamed is the maximum number of other options that the rounds use.
	mostRoamed = 12
	// roomiest is the maximum number of seats that a slot on another option may have for a race.
	roomiest = 12
)

// roams returns the other option that a round uses, or "" for the usual slot. After an unexpected
// result, all further rounds use the option where it occurred.
func (p *Player) roams(ctx context.Context, round int, want discover.Want) string {
	if p.Seats.suspect != "" {
		return p.Seats.suspect
	}
	if round%roamEvery != roamEvery-1 {
		return ""
	}
	var keys []string
	want.Now = p.Clock.Now()
	for _, offer := range discover.Pick(PlaySurvey(ctx, p, 0).Offers, want) {
		if key := offer.OptionKey(); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if keys = plan.Spread(keys, mostRoamed); len(keys) == 0 {
		return ""
	}
	return keys[round/roamEvery%len(keys)]
}

// small reports whether a slot can be sold down with one or two holds.
func small(o discover.Offer) bool {
	return o.Slot.Vacancies != nil && *o.Slot.Vacancies <= roomiest
}

// site returns the slot of the race of that name; find chooses it. After an unexpected result a new
// slot is chosen.
func (p *Player) site(name string, find func() (discover.Offer, *Stop)) (discover.Offer, *Stop) {
	if known, ok := p.sites[name]; ok && !p.Seats.again {
		return known, nil
	}
	offer, stop := find()
	if stop == nil {
		p.sites[name] = offer
	}
	return offer, stop
}

// Attempts contains concurrent reserves of one party each.
type Attempts []*Hold

func (h *Hold) Won() bool { return h.Code != "" }

func (all Attempts) Answers() []*probe.Answer {
	answers := make([]*probe.Answer, len(all))
	for i, a := range all {
		answers[i] = a.Answer
	}
	return answers
}

func (all Attempts) Won() (won []*Hold) {
	for _, a := range all {
		if a.Won() {
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

	Scarce   *Reading // before the race
	Attempts Attempts
	Full     *Reading

	Releases []*probe.Answer // of the first hold that was won; nil if this round released none
	Look     *Reading        // at the same time
	Swaps    Attempts        // at the same time
	Swapped  *Reading
}

// another returns a stop if a race must not be run again for want of time.
func (p *Player) another(round int) *Stop {
	if round > 0 && p.Time.LateForMore() {
		return Missing("there was no time for another round of the race")
	}
	return nil
}

// PlayLastSeats plays a round of LastSeats on a slot with few seats. All rounds use one option.
func PlayLastSeats(ctx context.Context, p *Player, round int) *LastSeats {
	return played(p, "last seats", round, func(t *LastSeats, option string) {
		if t.Stop = p.another(round); t.Stop != nil {
			return
		}
		t.Party = 1
		if groups(round) {
			t.Party = 2
		}
		site := "last seats"
		if key := p.roams(ctx, round, discover.Want{Seats: 1, Counted: true, Suits: small}); key != "" {
			site, option = site+" "+key, key
		}
		t.Offer, t.Stop = p.site(site, func() (offer discover.Offer, stop *Stop) {
			for seats := int64(2); seats > 0; seats-- {
				if offer, stop = p.offer(ctx, discover.Want{Seats: seats, Counted: true, Fewest: true, OptionKey: option}); stop == nil {
					break
				}
			}
			return offer, stop
		})
		story := p.continueStory(ctx, &t.Opening)
		story.count("before reserve", &t.Before)
		story.step(func() *Stop { return countable(&t.Offer, t.Before) })
		story.step(func() *Stop { return t.sellDown(ctx, p) })
		story.step(func() *Stop { return t.raceForAll(ctx, p, round) })
		if t.Party == 1 || swapped(round) {
			story.step(func() *Stop { return t.swap(ctx, p) })
		}
		// Also after a stop: other tests need these seats.
		if stop := p.Book.giveAll(ctx, "release it", slices.Concat(t.sold, t.Attempts.Won(), t.Swaps.Won())); t.Stop == nil {
			t.Stop = stop
		}
	})
}

// sellDown leaves so few seats in the slot that there are more callers than seats.
func (t *LastSeats) sellDown(ctx context.Context, p *Player) (stop *Stop) {
	few := min(fewSeats, p.calls.callers()-1)
	t.Scarce = t.Before
	if t.Before.Last.Left > few {
		if t.sold, stop = p.Book.take(ctx, t.Offer, t.Before.Last.Left-few, "reserve %s, to leave "+model.SeatsWord(few)); stop == nil {
			t.gone = t.Before.Last.Left - few
			t.Scarce, stop = p.Seats.seats(ctx, t.Offer, "before the race")
		}
	}
	if t.Scarce != nil && t.Scarce.Last.Left < t.Party {
		t.Party = 1
	}
	return stop
}

// MoreThanTheSlotHas reports whether the run would hold more seats than the slot's capacity if won
// seats were won in the race. Other customers cannot explain that.
func (t *LastSeats) MoreThanTheSlotHas(won int64) bool {
	capacity := t.Scarce.Last.Slot.Capacity
	return capacity != nil && t.gone+t.Scarce.Last.Left <= *capacity && t.gone+won > *capacity
}

func (t *LastSeats) raceForAll(ctx context.Context, p *Player, round int) (stop *Stop) {
	callers, more := p.calls.callers(), int64(moreCallers)
	if round >= firstRounds {
		more = fewerCallers
	}
	left := t.Scarce.Last.Left
	if left < 1 || left >= callers {
		return NotHere("other customers moved the seats of the slot with the fewest")
	}
	if stop = p.calls.maySend(ctx, partnerapi.Reserve); stop != nil {
		return stop
	}
	party := t.party(round)
	t.Mixed = len(party) > 1
	attempts, answers, stop := p.Book.attempts(ctx, t.Offer, party, int(min(callers, left/t.Party+more)))
	if stop != nil {
		return stop
	}
	t.Attempts = attempts
	if stop = answeredAll(answers); stop != nil {
		return stop
	}
	if t.Mixed && len(attempts.Won()) == 0 {
		return NotHere("no party of two guest types was accepted") // a partner may refuse such parties
	}
	if away := turnedAway(answers); t.Party*(int64(len(attempts))-away) <= left {
		return tooFewMet(away, len(attempts))
	}
	t.Full, stop = p.Seats.seats(ctx, t.Offer, "after the race")
	return stop
}

// party returns the party of each caller in a round.
func (t *LastSeats) party(round int) []partnerapi.UnitQuantity {
	if companion, ok := t.Offer.Option.Companion(); ok && t.Party == 2 && mixed(round) {
		return []partnerapi.UnitQuantity{{ID: t.Offer.Option.Lead(), Quantity: 1}, {ID: companion, Quantity: 1}}
	}
	return Guests(t.Offer.Option, t.Party)
}

// attempts sends concurrent reserves of one party each, together with other calls; the answers of
// the other calls follow those of the reserves. Each reserve is in the ledger before it is sent,
// and its outcome is recorded before anything else happens.
func (b *Booker) attempts(ctx context.Context, offer discover.Offer, party []partnerapi.UnitQuantity, callers int, others ...probe.Call) (Attempts, []*probe.Answer, *Stop) {
	calls, attempts := make([]probe.Call, 0, callers+len(others)), make(Attempts, callers)
	guests := int64(0)
	for _, unit := range party {
		guests += int64(unit.Quantity)
	}
	for i := range callers {
		entry, stop := b.attempt(offer, party)
		if stop != nil {
			for _, a := range attempts[:i] { // these are not sent
				b.calls.Ledger.Record(a.entry, func(e *ledger.Entry) { recordReserve(e, nil) })
			}
			return nil, nil, stop
		}
		attempts[i] = &Hold{entry: entry}
		purpose := fmt.Sprintf("reserve %s, at the same time as others (%d of %d)", model.SeatsWord(guests), i+1, callers)
		calls = append(calls, reserveCall(purpose, entry, true, probe.GoodKey))
	}
	answers := b.calls.together(ctx, append(calls, others...), func(i int, answer *probe.Answer) {
		if i < callers {
			b.heard(attempts[i], answer)
		}
	})
	return attempts, answers, nil
}

// heard records the outcome of an attempt.
func (b *Booker) heard(attempt *Hold, answer *probe.Answer) {
	b.calls.Ledger.Record(attempt.entry, func(e *ledger.Entry) { recordReserve(e, answer) })
	attempt.Answer = answer
	if attempt.Held() {
		attempt.Code = attempt.entry.Code
	}
}

func (t *LastSeats) swap(ctx context.Context, p *Player) *Stop {
	won := t.Attempts.Won()
	if len(won) == 0 {
		return NotHere("other customers got the last seats of the slot")
	}
	if stop := p.calls.maySend(ctx, partnerapi.Reserve, partnerapi.Release); stop != nil {
		return stop
	}
	release := releaseCall("release a hold, at the same time as others", won[0].Code, true, probe.GoodKey)
	q := questionAbout(t.Offer)
	const when = "while others reserve and release"
	look := availabilityCall("seats left "+when, q, probe.GoodKey)
	swaps, answers, stop := p.Book.attempts(ctx, t.Offer, Guests(t.Offer.Option, 1), int(min(p.calls.callers(), swappers)), release, release, look)
	if stop != nil {
		return stop
	}
	t.Swaps = swaps
	releases := answers[len(swaps) : len(swaps)+2]
	p.Book.Settle(releases[0], won[0])
	if stop := answeredAll(answers); stop != nil {
		return stop
	}
	if stop := metAll(nil, answers[len(swaps):]); stop != nil {
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

// Twice is a hold with two concurrent calls about it, and then two concurrent calls about its
// booking.
type Twice struct {
	Opening
	Confirms  []*probe.Answer
	Release   *probe.Answer // at the same time; nil if there was a second confirm instead
	Confirmed *Reading

	Cancels   []*probe.Answer
	Again     *probe.Answer // a confirm of the code, at the same time; nil if there was none
	Guests    Attempts      // reserves at the same time
	Cancelled *Reading
}

// PlayTwice plays a round of Twice. It makes a booking, so the partner must accept cancellations.
func PlayTwice(ctx context.Context, p *Player, round int) *Twice {
	return played(p, "twice", round, func(b *Twice, option string) {
		if b.Stop = p.another(round); b.Stop != nil {
			return
		}
		site := "twice"
		if key := p.roams(ctx, round, discover.Want{Seats: 1, Counted: true}); key != "" {
			site, option = site+" "+key, key
		}
		want := seat("reserve, for calls about the hold at the same time", option)
		if pairs(round) {
			site, want.Seats, want.party = site+" for 2", 2, leads(2)
		}
		if known, ok := p.sites[site]; ok && !p.Seats.again {
			b.Opening = p.tryOpen(ctx, want, known)
		} else {
			b.Opening = p.open(ctx, want)
		}
		if b.Stop == nil {
			p.sites[site] = b.Offer
		} else {
			delete(p.sites, site)
		}
		t := p.continueStory(ctx, &b.Opening)
		t.step(func() *Stop { return b.confirm(ctx, p, round) })
		t.step(func() *Stop { return b.cancel(ctx, p, round) })
		if stop := p.Book.giveAll(ctx, "release it", b.Guests.Won()); b.Stop == nil {
			b.Stop = stop
		}
	})
}

func (b *Twice) confirm(ctx context.Context, p *Player, round int) *Stop {
	if stop := p.calls.maySend(ctx, partnerapi.Confirm); stop != nil {
		return stop
	}
	settle, stop := p.Book.confirming(b.Hold)
	if stop != nil {
		return stop
	}
	var calls []probe.Call
	if unlike4(round) {
		calls = []probe.Call{
			confirmCall("confirm the hold, while it is released", b.Hold, true, probe.GoodKey),
			releaseCall("release the hold, while it is confirmed", b.Hold.Code, true, probe.GoodKey),
		}
	} else {
		confirm := confirmCall("confirm the hold, twice at the same time", b.Hold, true, probe.GoodKey)
		calls = []probe.Call{confirm, confirm}
	}
	answers := p.calls.together(ctx, calls, func(int, *probe.Answer) {})
	confirms := answers
	if unlike4(round) {
		confirms, b.Release = answers[:1], answers[1]
	}
	settle(confirms...)
	if b.Release != nil {
		p.Book.Settle(b.Release, b.Hold)
	}
	if stop = metAll(answers, answers); stop != nil {
		return stop
	}
	b.Confirmed, stop = p.Seats.seats(ctx, b.Offer, "after these")
	b.Confirms = confirms
	return stop
}

func (b *Twice) cancel(ctx context.Context, p *Player, round int) (stop *Stop) {
	id := b.Hold.BookingID()
	switch {
	case id == "" && b.Release != nil:
		return nil // the release came first
	case id == "":
		return Missing("neither of two confirms at the same time brought a booking")
	}
	if stop = p.calls.maySend(ctx, partnerapi.Cancel); stop != nil {
		return stop
	}
	cancel := cancelCall("cancel the booking, twice at the same time", id, true, probe.GoodKey)
	others := []probe.Call{cancel, cancel}
	settle := func(...*probe.Answer) {}
	if withRead(round) {
		if settle, stop = p.Book.confirming(b.Hold); stop != nil {
			return stop
		}
		others = append(others, confirmCall("confirm the booked code again, while the booking is cancelled", b.Hold, true, probe.GoodKey))
	}
	guests := 0
	if withGuest(round) && p.calls.maySend(ctx, partnerapi.Reserve) == nil {
		guests = 1
	}
	attempts, answers, stop := p.Book.attempts(ctx, b.Offer, Guests(b.Offer.Option, 1), guests, others...)
	if stop != nil {
		return stop
	}
	b.Guests = attempts
	cancels := answers[guests : guests+2]
	if withRead(round) {
		again := answers[guests+2]
		settle(again)
		b.Again = again
	}
	if undo.Done(cancels[0]) {
		p.Book.Settle(cancels[1], b.Hold)
	}
	if stop = metAll(answers, answers); stop != nil {
		return stop
	}
	b.Cancelled, stop = p.Seats.seats(ctx, b.Offer, "after the cancellations")
	b.Cancels = cancels
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
}

// PlayApart plays a round of Apart.
func PlayApart(ctx context.Context, p *Player, round int) *Apart {
	return played(p, "apart", round, func(a *Apart, option string) {
		if a.Stop = p.another(round); a.Stop != nil {
			return
		}
		find := func(skip string) func() (discover.Offer, *Stop) {
			return func() (discover.Offer, *Stop) {
				return p.offer(ctx, discover.Want{Seats: 1, Room: 3, Counted: true, Suits: func(o discover.Offer) bool { return o.Key() != skip && o.OptionKey() != skip }})
			}
		}
		a.Offer, a.Stop = p.site("apart", find(""))
		t := p.continueStory(ctx, &a.Opening)
		t.step(func() (stop *Stop) {
			avoid := a.Offer.OptionKey()
			if groups(round) {
				avoid = a.Offer.Key() // another slot, possibly of the same option
			}
			if a.Other, stop = p.site("apart from "+avoid, find(avoid)); stop != nil && !groups(round) {
				a.Other, stop = p.site("apart from "+a.Offer.Key(), find(a.Offer.Key()))
			}
			return stop
		})
		t.count("before reserve", &a.Before)
		t.step(func() *Stop { return countable(&a.Offer, a.Before) })
		t.step(func() (stop *Stop) {
			if a.OtherBefore, stop = p.Seats.seats(ctx, a.Other, "before reserve"); stop == nil {
				stop = countable(&a.Other, a.OtherBefore)
			}
			return stop
		})
		t.step(func() *Stop { return a.race(ctx, p) })
		if stop := p.Book.giveAll(ctx, "release it", a.Guests.Won()); a.Stop == nil {
			a.Stop = stop
		}
	})
}

func (a *Apart) race(ctx context.Context, p *Player) *Stop {
	if stop := p.calls.maySend(ctx, partnerapi.Reserve); stop != nil {
		return stop
	}
	second, stop := p.Book.attempt(a.Other, Guests(a.Other.Option, 1))
	if stop != nil {
		return stop
	}
	other := &Hold{entry: second}
	const purpose = "reserve 1 seat, while another slot is reserved"
	calls := []probe.Call{
		reserveCall(purpose, second, true, probe.GoodKey),
		productsCall("pull the catalog, while two slots are reserved", nil, probe.GoodKey),
		availabilityCall("slots, while two of them are reserved", questionAbout(a.Offer), probe.GoodKey),
	}
	first, answers, stop := p.Book.attempts(ctx, a.Offer, Guests(a.Offer.Option, 1), 1, calls...)
	if stop != nil {
		p.Ledger.Record(second, func(e *ledger.Entry) { recordReserve(e, nil) })
		return stop
	}
	p.Book.heard(other, answers[1])
	a.Guests = Attempts{first[0], other}
	if stop := metAll(answers, answers); stop != nil {
		return stop
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
