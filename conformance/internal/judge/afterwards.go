package judge

import (
	"fmt"
	"slices"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/noise"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
)

// SlotFlaw returns what is wrong with the seats of a slot after everything was undone, in words; "" if nothing is. off is by
// how many seats it shows too many, or too few if it is negative.
func SlotFlaw(s scenario.SlotAfter) (off int64, flaw string) {
	held, sure := s.MostHeld()
	switch {
	case s.After > s.Before:
		off = s.After - s.Before
	case sure && s.After < s.Before-held:
		off = s.After - (s.Before - held)
	default:
		return 0, ""
	}
	return off, fmt.Sprintf("slot %q at %s of product %q, option %q: Expected %s left as before the run, received %d", s.AvailabilityID, s.Start, s.ProductID, s.OptionID, model.SeatsWord(s.Before), s.After)
}

// Afterwards judges the seats of all slots after everything was undone. It returns the broken rule: that about the last
// effect that the slots have in common. others: other customers were seen in the run.
func Afterwards(all []scenario.SlotAfter, others bool) (of rule.Rule, f Finding) {
	for _, sign := range []int64{1, -1} {
		var touched, untouched noise.Slots
		var wrong []scenario.SlotAfter
		var flaws []string
		for _, s := range all {
			off, flaw := SlotFlaw(s)
			differs := off*sign > 0
			switch own, sure := ownSeats(s); {
			case len(s.Entries) == 0 && s.Before == 0, !sure: // it could not be booked, or a rule of its own judges malformed reserves
			case own == 0, differs && off*sign > own*mostTimes: // the run cannot have caused that
				untouched.Compared++
				if differs {
					untouched.Differ++
				}
			default:
				if touched.Compared++; differs {
					touched.Differ++
					wrong, flaws = append(wrong, s), append(flaws, flaw)
				}
			}
		}
		if noise.ShowsBreach(touched, untouched, others) {
			f = problems(flaws)
			for _, s := range wrong {
				f = f.WithEvidence(s.Shown)
			}
			f.Message = fmt.Sprintf("after everything was undone, %d of %d slots do not show the seats that they had before the run: %s", len(wrong), touched.Compared, f.Message)
			return effectOf(wrong), f
		}
	}
	return rule.Rule{}, Finding{}
}

// mostTimes is how often at most the effect of a call on the seats is repeated by mistake.
const mostTimes = 3

// ownSeats returns the number of seats that the run's reserves of a slot were for. sure is false if it is unknown.
func ownSeats(s scenario.SlotAfter) (seats int64, sure bool) {
	for _, entry := range s.Entries {
		if len(entry.Units) == 0 {
			return 0, false
		}
		seats += entry.Guests()
	}
	return seats, true
}

// effectOf returns the rule about the effect that is wrong in some slots.
func effectOf(wrong []scenario.SlotAfter) rule.Rule {
	has := func(s scenario.SlotAfter, fits func(ledger.Entry) bool) bool {
		return slices.ContainsFunc(s.Entries, fits)
	}
	cancelled := func(e ledger.Entry) bool { return e.State == ledger.Undone && e.BookingID != "" }
	released := func(e ledger.Entry) bool { return e.State == ledger.Undone && e.BookingID == "" }
	lapsed := func(e ledger.Entry) bool { return e.Lapsed }
	switch {
	case !slices.ContainsFunc(wrong, func(s scenario.SlotAfter) bool { return !has(s, lapsed) }):
		return rule.ReleaseExpiredVacancies
	case slices.ContainsFunc(wrong, func(s scenario.SlotAfter) bool { return has(s, released) && !has(s, cancelled) }):
		return rule.ReleaseVacanciesOne
	case slices.ContainsFunc(wrong, func(s scenario.SlotAfter) bool { return has(s, cancelled) }):
		return rule.CancelVacancies
	default:
		return rule.ReserveRefusalNoEffect
	}
}
