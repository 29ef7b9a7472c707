package judge

import (
	"partnerkit.dev/conformance/internal/explore"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/rule"
)

// TogetherSpecs returns the specs that judge rules again while several holds and bookings of one
// slot are live: none of them may change what becomes of another.
func TogetherSpecs() (specs []Spec) {
	for _, r := range []rule.Rule{
		rule.ReserveStatus, rule.ReserveAccepts, rule.ReserveRefusalMessage, rule.ReserveVacanciesOne, rule.ReserveVacanciesMany, rule.ReserveTooMany, rule.ReserveRefusalNoEffect, rule.ReserveCodeUnique,
		rule.ConfirmStatus, rule.ConfirmVacancies, rule.ConfirmRepeatBooking, rule.ConfirmRepeatVacancies, rule.ConfirmIDUnique,
		rule.ConfirmUnknown, rule.ConfirmReleased, rule.ConfirmReleasedNoEffect, rule.ConfirmCancelled, rule.ConfirmCancelledNoEffect, rule.ConfirmRefusalMessage,
		rule.ReleaseStatus, rule.ReleaseSuccess, rule.ReleaseRepeatSuccess, rule.ReleaseVacanciesOne, rule.ReleaseVacanciesMany, rule.ReleaseUnknown, rule.ReleaseRepeatStatus, rule.ReleaseRepeatVacancies,
		rule.ReleaseConfirmed, rule.ReleaseConfirmedKeeps, rule.ReleaseCancelled, rule.ReleaseCancelledVacancies,
		rule.CancelStatus, rule.CancelSuccess, rule.CancelRepeatSuccess, rule.CancelVacancies, rule.CancelUnknown, rule.CancelRepeatStatus, rule.CancelRepeatVacancies,
	} {
		specs = append(specs, spec(r, judgeOnce(explore.PlayTogether, func(t *explore.Together) Finding {
			if t.Broken == nil {
				return Finding{}
			}
			if owner, known := brokenBy(t.Act); !known || owner.ID != r.ID {
				return Finding{}
			}
			return Breach("with other holds or bookings of the slot, a lifecycle of %d steps fails at the last one, %s: %s", len(t.Broken.Steps), t.Does, t.Flaw).WithEvidence(t.Shown...)
		})))
	}
	return specs
}

// brokenBy returns the rule that a failed step of a lifecycle breaks.
func brokenBy(act explore.Act) (rule.Rule, bool) {
	answer, seats, id := rulesOfStep(act)
	switch {
	case act.ID:
		return id, id.ID != ""
	case act.Seats:
		return seats, seats.ID != ""
	case act.Body:
		body := bodyRule(act)
		return body, body.ID != ""
	default:
		return answer, answer.ID != ""
	}
}

// bodyRule returns the rule about the body of a step's answer.
func bodyRule(act explore.Act) rule.Rule {
	switch act.Does {
	case model.Reserve:
		return rule.ReserveRefusalMessage
	case model.Confirm, explore.ConfirmUnknown:
		return rule.ConfirmRefusalMessage
	case model.Release:
		if act.On == model.Held {
			return rule.ReleaseSuccess
		}
		return rule.ReleaseRepeatSuccess
	case model.Cancel:
		if act.On == model.Booked {
			return rule.CancelSuccess
		}
		return rule.CancelRepeatSuccess
	default:
		return rule.Rule{}
	}
}

// rulesOfStep returns the rules about a step's answer, about the seats after it, and about the id in
// its answer.
func rulesOfStep(act explore.Act) (answer, seats, id rule.Rule) {
	size := func(single, several rule.Rule) rule.Rule {
		if act.Guests > 1 {
			return several
		}
		return single
	}
	switch act.Does {
	case model.Reserve:
		if act.Accepted {
			return rule.ReserveTooMany, size(rule.ReserveVacanciesOne, rule.ReserveVacanciesMany), rule.ReserveCodeUnique
		}
		return rule.ReserveAccepts, rule.ReserveRefusalNoEffect, rule.ReserveCodeUnique
	case model.Confirm:
		switch act.On {
		case model.Held:
			return rule.ConfirmStatus, rule.ConfirmVacancies, rule.ConfirmIDUnique
		case model.Booked:
			return rule.ConfirmRepeatBooking, rule.ConfirmRepeatVacancies, rule.ConfirmRepeatBooking
		case model.Cancelled:
			return rule.ConfirmCancelled, rule.ConfirmCancelledNoEffect, rule.ConfirmIDUnique
		default:
			return rule.ConfirmReleased, rule.ConfirmReleasedNoEffect, rule.ConfirmIDUnique
		}
	case model.Release:
		switch act.On {
		case model.Held:
			return rule.ReleaseStatus, size(rule.ReleaseVacanciesOne, rule.ReleaseVacanciesMany), rule.Rule{}
		case model.Booked:
			return rule.ReleaseConfirmed, rule.ReleaseConfirmedKeeps, rule.Rule{}
		case model.Cancelled:
			return rule.ReleaseCancelled, rule.ReleaseCancelledVacancies, rule.Rule{}
		default:
			return rule.ReleaseRepeatStatus, rule.ReleaseRepeatVacancies, rule.Rule{}
		}
	case model.Cancel:
		if act.On == model.Booked {
			return rule.CancelStatus, rule.CancelVacancies, rule.Rule{}
		}
		return rule.CancelRepeatStatus, rule.CancelRepeatVacancies, rule.Rule{}
	case explore.ReleaseUnknown:
		return rule.ReleaseUnknown, rule.ReleaseUnknown, rule.Rule{}
	case explore.ConfirmUnknown:
		return rule.ConfirmUnknown, rule.ConfirmUnknown, rule.Rule{}
	case explore.CancelUnknown:
		return rule.CancelUnknown, rule.CancelUnknown, rule.Rule{}
	default:
		return rule.Rule{}, rule.Rule{}, rule.Rule{}
	}
}
