package scenario

import (
	"context"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
)

// SlotAfter is how many seats a slot had left before the first hold of the run, and has after the last undo.
type SlotAfter struct {
	ledger.Slot
	Before, After int64
	Entries       []ledger.Entry   // of the run's reserves for the slot; nil: it sent none
	Shown         *report.Exchange // the answer after the last undo
}

// MostHeld returns the maximum number of seats that are lawfully missing: those of holds and bookings that could not be
// undone. sure is false if that number is unknown.
func (s SlotAfter) MostHeld() (seats int64, sure bool) {
	for _, entry := range s.Entries {
		if entry.MayHold() {
			if len(entry.Units) == 0 {
				return 0, false
			}
			seats += entry.Guests()
		}
	}
	return seats, true
}

// ReadSlotsAfter reads the seats of every option again in which the run has sent a reserve, after everything was undone;
// in a run that makes few calls, only where seats were given back since they were read last. It returns the slots with
// counted seats of the answers that came.
func ReadSlotsAfter(ctx context.Context, p *Player) (all []SlotAfter) {
	if p.survey == nil {
		return nil
	}
	entries := map[ledger.Slot][]ledger.Entry{}
	for _, entry := range p.Ledger.Entries() {
		entries[entry.Slot] = append(entries[entry.Slot], entry)
	}
	var asked []SlotAnswer
	var questions []Question
	for _, before := range p.survey.Answers {
		switch last, known := lastReadings(p, before, entries); {
		case len(last) > 0 && known && p.Calls.Sparing:
			all = append(all, last...)
		case len(last) > 0:
			asked, questions = append(asked, before), append(questions, before.Question)
		}
	}
	p.askAll(ctx, "seats after everything was undone", questions, func(i int, answer *probe.Answer, stop *partner.Stop) {
		if now, stop := p.read.readAsked(ctx, questions[i], answer, stop); stop == nil { // otherwise they are not known
			all = append(all, slotsAfter(p, asked[i], now, entries)...)
		}
	})
	return all
}

// slotsAfter returns the slots with counted seats of an answer from before the first reserve, and their seats now.
func slotsAfter(p *Player, before, now SlotAnswer, entries map[ledger.Slot][]ledger.Entry) (all []SlotAfter) {
	far := p.Clock.Now().Add(discover.CutOff)
	times, timesNow := timesShown(before.Slots), timesShown(now.Slots)
	for _, offer := range before.offers() {
		if id := offer.Slot.ID; times[id] > 1 || timesNow[id] > 1 {
			continue // which of the slots with this id it is, is unknown
		}
		seats := offer.Slot.Seats(offer.Product)
		found, shown := find(now.Slots, offer.Slot)
		left := found.Seats(offer.Product)
		if !seats.Counted || shown && !left.Counted || !shown && offer.Slot.Start.Before(far) {
			continue
		}
		look := Look{Slot: found, Exchange: now.Exchange}
		look.show(p.Calls.Client.Redactor().Redact)
		at := ledger.SlotOf(offer)
		all = append(all, SlotAfter{Slot: at, Before: seats.Left, After: left.Left, Entries: entries[at], Shown: look.Shown})
	}
	return all
}

// timesShown returns how often each id occurs.
func timesShown(slots []discover.Slot) map[string]int {
	times := map[string]int{}
	for _, slot := range slots {
		times[slot.ID]++
	}
	return times
}

// lastReadings is the same for the slots with reserves, as they were read last in the run. known is false if one of them
// was not read since its seats were given back.
func lastReadings(p *Player, before SlotAnswer, entries map[ledger.Slot][]ledger.Entry) (all []SlotAfter, known bool) {
	known = true
	for _, offer := range before.offers() {
		at, seats, last := ledger.SlotOf(offer), offer.Slot.Seats(offer.Product), p.Seats.last[offer.Key()]
		if entries[at] == nil || !seats.Counted {
			continue
		}
		after := SlotAfter{Slot: at, Before: seats.Left, Entries: entries[at]}
		if known = known && last != nil && last.Counted && last.isLaterThan(entries[at]); known {
			after.After, after.Shown = last.Last.Left, last.Last.Shown
		}
		all = append(all, after)
	}
	return all, known
}

func (r *Reading) isLaterThan(all []ledger.Entry) bool {
	return !slices.ContainsFunc(all, func(e ledger.Entry) bool { return e.Changed.After(r.Last.Exchange.StartedAt) })
}
