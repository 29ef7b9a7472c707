package judge

import (
	"fmt"
	"net/http"
	"slices"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/scenario"
)

// badInputSpecs judge what comes of calls that the marketplace never sends.
func badInputSpecs() []Spec {
	return []Spec{
		spec(rule.ProductsBadInput, catalog, once(scenario.PlayBadPulls, bears)),
		spec(rule.AvailabilityBadInput, once(scenario.PlayBadQuestions, bears)),
		spec(rule.ReserveBadInput, once(scenario.PlayBadReserves, func(b *scenario.BadReserves) Finding {
			return bearsAll(slices.Concat(b.Bodies, b.Parties)).or(func() Finding { return reached(b.Parties != nil, b.Stop) })
		})),
		spec(rule.ReserveNobody, once(scenario.PlayBadReserves, holdsNobody)),
		spec(rule.ReserveBadInputEffect,
			once(scenario.PlayRecord, func(scenario.Record) Finding { return unless(rule.ReserveNobody) }),
			counted(scenario.PlayBadReserves, func(b *scenario.BadReserves) Move {
				m := Move{before: b.Before, after: b.After, stop: b.Stop}
				for _, odd := range slices.Concat(b.Parties, b.Bodies) {
					m.between = append(m.between, odd.Answer.Exchange)
				}
				return m
			})),
		spec(rule.ConfirmBadInput, once(scenario.PlayBadConfirms, bears)),
		spec(rule.ReleaseBadInput, once(scenario.PlayBadReleases, bears)),
		spec(rule.CancelBadInput, cancellable, once(scenario.PlayBadCancels, bears)),
	}
}

func bears(o scenario.Oddities) Finding {
	return Stopped(o.Stop).or(func() Finding { return bearsAll(o.Sent) })
}

// bearsAll judges that every piece of nonsense was refused or ignored: no answer is a
// 5xx, and none is missing. One that is larger than what is read is an answer.
func bearsAll(all []scenario.Odd) Finding {
	var wrong []string
	var shown []*probe.Exchange
	for _, odd := range all {
		failed := odd.Answer.Failure != nil && odd.Answer.Failure.Kind != probe.TooLarge
		if failed || odd.Answer.Response.Status >= http.StatusInternalServerError {
			wrong = append(wrong, fmt.Sprintf("%s: want a 4xx, or nothing done, got %s", odd.What, odd.Answer.Words()))
			shown = append(shown, odd.Answer.Exchange)
		}
	}
	return problems(wrong, shown...)
}

// holdsNobody finds holds for parties that there cannot be.
func holdsNobody(b *scenario.BadReserves) Finding {
	var wrong []string
	var shown []*probe.Exchange
	for _, odd := range b.Parties {
		if odd.Held {
			wrong = append(wrong, odd.What+": want it refused, got a hold")
			shown = append(shown, odd.Answer.Exchange)
		}
	}
	if t := (Move{before: b.Before, after: b.After}).try(); len(wrong) > 0 && t.Flaw != "" {
		wrong = append(wrong, t.Flaw)
		shown = append(shown, t.Shown...)
	}
	return problems(wrong, shown...).or(func() Finding { return reached(b.Parties != nil, b.Stop) })
}
