package judge

import (
	"slices"

	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
)

// MemorySpecs returns the specs that judge the rules about holds and bookings again, on some that
// were made early in the run: the passing of seconds must make no difference, for any party.
func MemorySpecs() (specs []Spec) {
	for _, party := range scenario.EarlyParties() {
		specs = append(specs, memorySpecs(party)...)
	}
	return append(specs,
		spec(rule.ReleaseUnknown, judgeOnce(scenario.PlayUnknownAgain, func(h *scenario.RepeatedCall) Finding { return expectRepeated(*h, Status(ok)) })))
}

func memorySpecs(party scenario.EarlyParty) []Spec {
	takes, gives := seatRules(party.Size())
	of := func(r rule.Rule, state scenario.EarlyState, judge func(*scenario.Kept) Finding) Spec {
		return spec(r, judgeOnce(scenario.PlayKept(state, party), judge))
	}
	seats := func(r rule.Rule, state scenario.EarlyState, move func(*scenario.Kept) Move) Spec {
		return spec(r, weighSeats(scenario.PlayKept(state, party), move))
	}
	refused := func(act func(*scenario.Kept) scenario.Act) func(*scenario.Kept) Finding {
		return func(k *scenario.Kept) Finding { return expectIfAnswered(act(k), Status(refusal)) }
	}
	wrongKey := func(k *scenario.Kept) Finding { return expectIfAnswered(k.WrongKey, Status(unauthorized)) }
	noKey := func(k *scenario.Kept) Finding { return expectIfAnswered(k.NoKey, Status(unauthorized)) }
	still := func(k *scenario.Kept, act scenario.Act) Move {
		return Move{before: k.Seen, after: act.After, stop: k.Stop, between: exchangesOf(act)}
	}
	return []Spec{
		of(rule.ConfirmWrongKey, scenario.LeftHeld, wrongKey),
		of(rule.ConfirmMissingKey, scenario.LeftHeld, noKey),
		of(rule.ReleaseWrongKey, scenario.LeftOpen, wrongKey),
		of(rule.ReleaseMissingKey, scenario.LeftOpen, noKey),
		of(rule.CancelWrongKey, scenario.SoonBooked, wrongKey),
		of(rule.CancelMissingKey, scenario.SoonBooked, noKey),
		of(rule.ConfirmStatus, scenario.LeftHeld, func(k *scenario.Kept) Finding { return requireFact(k.BookingID != "", k.Stop) }),
		spec(takes, appendSteps(seatsHeld, weighSeats(scenario.PlayKept(scenario.LeftHeld, party), func(k *scenario.Kept) Move {
			m := expectTaken(&k.Opening)
			m.via, m.after = append(m.via, m.after), k.Seen
			return m
		}))...),
		seats(rule.ConfirmVacancies, scenario.SoonBooked, func(k *scenario.Kept) Move {
			m := expectTaken(&k.Opening, k.Confirm)
			m.via, m.after = append(m.via, m.after), k.Seen
			return m
		}),
		of(rule.ReleaseStatus, scenario.LeftOpen, func(k *scenario.Kept) Finding { return requireFact(k.Release.Answer != nil, k.Stop) }),
		spec(gives, appendSteps(seatsHeld, weighSeats(scenario.PlayKept(scenario.LeftOpen, party), func(k *scenario.Kept) Move {
			m := expectReturned(&k.Opening, k.Release)
			m.via = []*scenario.Reading{joinReadings(k.Held, k.Seen)}
			return m
		}))...),
		of(rule.ReleaseRepeatStatus, scenario.SoonReleased, func(k *scenario.Kept) Finding { return expectIfAnswered(lastAct(k.ReleasesAgain), Status(ok)) }),
		seats(rule.ReleaseRepeatVacancies, scenario.SoonReleased, func(k *scenario.Kept) Move { return still(k, lastAct(k.ReleasesAgain)) }),
		of(rule.ConfirmReleased, scenario.SoonReleased, refused(func(k *scenario.Kept) scenario.Act { return k.ConfirmReleased })),
		of(rule.ConfirmRepeatBooking, scenario.SoonBooked, func(k *scenario.Kept) Finding {
			if k.Stop != nil && len(answers(k.Repeats)) == 0 {
				return Finding{}
			}
			return sameBooking(&k.Booking)
		}),
		seats(rule.ConfirmRepeatVacancies, scenario.SoonBooked, func(k *scenario.Kept) Move { return still(k, lastAct(k.Repeats)) }),
		of(rule.ReleaseConfirmed, scenario.SoonBooked, func(k *scenario.Kept) Finding { return expectIfAnswered(k.LateRelease, Status(ok)) }),
		seats(rule.ReleaseConfirmedKeeps, scenario.SoonBooked, func(k *scenario.Kept) Move {
			return Move{before: lastAct(k.Repeats).After, after: k.LateRelease.After, stop: k.Stop, between: exchangesOf(k.LateRelease)}
		}),
		of(rule.CancelStatus, scenario.SoonBooked, func(k *scenario.Kept) Finding { return requireFact(k.Cancel.Answer != nil, k.Stop) }),
		seats(rule.CancelVacancies, scenario.SoonBooked, func(k *scenario.Kept) Move {
			confirm := k.Confirm
			confirm.After = joinReadings(confirm.After, k.Seen)
			return cancelledSeats(&k.Opening, confirm, slices.Concat(k.Repeats, []scenario.Act{k.LateRelease, k.Cancel})...)
		}),
		of(rule.CancelRepeatStatus, scenario.SoonUndone, func(k *scenario.Kept) Finding { return expectIfAnswered(lastAct(k.CancelsAgain), Status(ok)) }),
		seats(rule.CancelRepeatVacancies, scenario.SoonUndone, func(k *scenario.Kept) Move { return still(k, lastAct(k.CancelsAgain)) }),
		of(rule.ConfirmCancelled, scenario.SoonUndone, refused(func(k *scenario.Kept) scenario.Act { return k.ConfirmCancelled })),
		of(rule.ReleaseCancelled, scenario.SoonUndone, func(k *scenario.Kept) Finding { return expectIfAnswered(k.ReleaseCancelled, Status(ok)) }),
	}
}

// joinReadings joins two readings of a slot between which only time passed. What changed in that time is
// not the effect of a call.
func joinReadings(early, late *scenario.Reading) *scenario.Reading {
	if early == nil || late == nil {
		return nil
	}
	joined := *late
	joined.First = early.First
	return &joined
}

// expectIfAnswered expects that the answer to an act, if there is one, passes a check.
func expectIfAnswered(act scenario.Act, right Check) Finding {
	if act.Answer == nil {
		return Finding{}
	}
	return Expect(act.Answer, right)
}
