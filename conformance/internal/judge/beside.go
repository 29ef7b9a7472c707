package judge

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
)

const (
	// Every second of these rounds makes two bookings.
	besideRounds, minBesideRounds = 3, 1
	ofBeside                      = "calls of two customers about their own holds of a slot"
)

// besideRound is a round in which something is wrong, played once more in turn; inTurn is nil if nothing is.
type besideRound struct {
	*scenario.Beside
	inTurn *scenario.Beside
}

func playBeside(ctx context.Context, p *scenario.Player, round int) besideRound {
	b := besideRound{Beside: scenario.PlayBeside(ctx, p, round)}
	if acts, _ := b.PlayedActs(); judgeActs(acts, nil).first() != nil {
		b.inTurn = b.InTurn(ctx, p, round)
	}
	return b
}

// first returns the first flaw that calls in turn do not show, and why that is unknown.
func (b besideRound) first(acts []scenario.PlayedAct) (*testimony, *partner.Stop) {
	if b.inTurn == nil {
		return nil, b.Stop
	}
	alone, stop := b.inTurn.PlayedActs()
	known := judgeActs(alone, nil)
	said := judgeActs(acts, func(of rule.Rule) bool { return known[of.ID].Flaw != "" }).first()
	if said != nil && stop != nil && known.first() == nil {
		return nil, stop
	}
	return said, b.Stop
}

// twoCustomers is the step that judges two holds of a slot, of two customers whose calls are made at the same time, by the rule
// about such calls.
func twoCustomers(of rule.Rule, share float64) Race {
	return raceStep(besideRounds, minBesideRounds, share, playBeside, func(b besideRound) Try {
		acts, _ := b.PlayedActs()
		said, stop := b.first(acts)
		switch {
		case said == nil && stop == nil:
			return Try{Of: ofBeside}
		case said == nil, raceOf(acts, said.at).ID != of.ID:
			return Try{Skip: true}
		}
		t := said.try(acts)
		t.Of, t.Cause, t.Off = ofBeside, nil, int64(cmp.Compare(said.Off, 0)) // how many seats are off differs from round to round
		t.Flaw = fmt.Sprintf("two customers held a slot, and called at the same time, each with their own code: %s", t.Flaw)
		if does := acts[said.at].Does; does != model.Look {
			t.Flaw = fmt.Sprintf("two customers held a slot, and called at the same time, each with their own code: %s %s: %s", does, nameOf(acts, said.at), said.Flaw)
		}
		return t
	})
}

// nameOf says whose call an act was.
func nameOf(acts []scenario.PlayedAct, at int) string {
	if acts[at].Hold == 0 {
		return "of the first"
	}
	return "of the second"
}

// raceOf returns the rule about the concurrent calls whose effect an act shows: a cancellation by itself shows on whose
// hold the codes of the two reserves work.
func raceOf(acts []scenario.PlayedAct, at int) rule.Rule {
	for _, act := range slices.Backward(acts[:at+1]) {
		switch act.Does {
		case model.Confirm:
			return rule.ConfirmRace
		case model.Release:
			return rule.ReleaseRace
		case model.Reserve, model.Cancel:
			return rule.ReserveRace
		}
	}
	return rule.ReserveRace
}
