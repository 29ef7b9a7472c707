package suite

import (
	"cmp"
	"context"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// afterwardsTime is how long the seats are read at most after everything was undone.
const afterwardsTime = 20 * time.Second

// readAfterwards reads the seats of the slots that the run has touched once more, after everything was undone: an answer
// of 200 to release or cancel alone does not show that the seats are back. A run that was stopped does not wait for it.
func (r *run) readAfterwards() {
	if r.player.Time.WasInterrupted() {
		return
	}
	defer r.survive()
	ctx, cancel := context.WithTimeout(context.Background(), afterwardsTime)
	defer cancel()
	began := time.Now()
	all := scenario.ReadSlotsAfter(ctx, r.player)
	words := r.client.Redactor().Words
	for _, s := range all {
		if len(s.Entries) == 0 {
			continue
		}
		held, _ := s.MostHeld()
		off, _ := judge.SlotFlaw(s)
		r.slots = append(r.slots, report.SlotSeats{
			ProductID: words(s.ProductID), OptionID: words(s.OptionID), AvailabilityID: words(s.AvailabilityID), Start: words(s.Start),
			Before: s.Before, After: s.After, AtMostHeld: held, Differs: off != 0,
		})
	}
	slices.SortFunc(r.slots, func(a, b report.SlotSeats) int {
		return cmp.Or(cmp.Compare(a.ProductID, b.ProductID), cmp.Compare(a.OptionID, b.OptionID), cmp.Compare(a.Start, b.Start), cmp.Compare(a.AvailabilityID, b.AvailabilityID))
	})
	if r.player.Calls.Sparing {
		return // too few slots were read to tell other customers from a breach
	}
	if of, f := judge.Afterwards(all, r.player.Seats.OthersSeen()); f.Outcome == report.Failed && r.mayBreak(of) && !r.explainsSeats() {
		r.declare(&breach{Finding: f, rule: of, took: time.Since(began)}, "")
	}
}

// explainsSeats reports whether a broken rule explains that seats are not as before: it is about seats, or a MUST about
// holds and bookings.
func (r *run) explainsSeats() bool {
	return slices.ContainsFunc(rule.All(), func(of rule.Rule) bool {
		return r.outcome(of.ID) == judge.Weight(of) &&
			(judge.AboutSeats(of) || of.ID == rule.AvailabilityLifecycle.ID || of.Level == rule.Must && slices.Contains(partnerapi.Endpoints()[2:], of.Endpoint))
	})
}
