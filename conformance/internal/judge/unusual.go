package judge

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// unusualSpecs returns the specs that judge calls that are lawful but not what is tried first.
func unusualSpecs() []Spec {
	specs := []Spec{
		spec(rule.AvailabilityUnknownFields,
			judgeOnce(scenario.PlayOpenQuestion, func(q scenario.OpenQuestion) Finding { return attributeStop(rule.AvailabilityUnknownFields, q.Stop) }),
			judgeEach(perOption(scenario.PlayManyProducts, scenario.PlayOpenQuestionIn), func(q *scenario.OpenQuestion) Finding {
				return attributeStop(rule.AvailabilityUnknownFields, q.Stop)
			})),
	}
	for _, kind := range []struct {
		body             partner.Body
		reserve, confirm rule.Rule
	}{
		{partner.ForeignGuest, rule.ReserveAnyAlphabet, rule.ConfirmAnyAlphabet},
		{partner.UnnamedFields, rule.ReserveUnknownFields, rule.ConfirmUnknownFields},
	} {
		steps := func(done func(*scenario.UnusualBooking) bool) []Step {
			judge := func(b *scenario.UnusualBooking) Finding {
				return unusualReached(done(b), b.Stop, kind.reserve, kind.confirm)
			}
			return []Step{judgeOnce(scenario.PlayUnusual(kind.body), judge)}
		}
		specs = append(specs,
			spec(kind.reserve, appendSteps([]Step{held}, steps(func(b *scenario.UnusualBooking) bool { return b.Hold != nil })...)...),
			spec(kind.confirm, appendSteps(cancelled, steps(func(b *scenario.UnusualBooking) bool { return b.Confirmed })...)...))
	}
	return append(specs,
		spec(rule.ReleaseUnknownFields, held,
			judgeOnce(scenario.PlayOpenRelease, func(o *scenario.OpenRelease) Finding {
				return expectAnswer(o.Release, o.Stop, Status(ok), Succeed)
			})),
		spec(rule.CancelUnknownFields, appendSteps(cancelled,
			judgeOnce(scenario.PlayUnusual(partner.UnnamedFields), func(b *scenario.UnusualBooking) Finding {
				return unusualReached(b.Cancel != nil, b.Stop, rule.ReserveUnknownFields, rule.ConfirmUnknownFields).
					or(func() Finding { return Expect(b.Cancel, Status(ok), Succeed) })
			}))...),
	)
}

// unusualReached finds what stopped an unusual booking before a fact. A failure of its reserve or
// confirm breaks the rule about unusual requests of that kind.
func unusualReached(fact bool, stop *partner.Stop, reserve, confirm rule.Rule) Finding {
	switch {
	case fact:
		return Finding{}
	case stop != nil && stop.Form == partner.Unusual:
		return Finding{Outcome: report.Failed, Message: stop.Message, Cause: &confirm, Exchanges: stop.Exchanges}
	default:
		return attributeStop(reserve, partner.StopOrDefault(stop))
	}
}

func badInputSpecs() []Spec {
	return []Spec{
		spec(rule.ProductsBadInput, catalog, judgeOnce(scenario.PlayBadPulls, bears)),
		spec(rule.AvailabilityBadInput,
			judgeOnce(scenario.PlayBadQuestions, bears),
			judgeEach(perOption(scenario.PlayBadInputOptions, scenario.PlayBadWindows), func(o *scenario.MalformedRequests) Finding { return bearsAll(o.Sent) })),
		spec(rule.ReserveBadInput,
			judgeOnce(scenario.PlayBadReserves, func(b *scenario.BadReserves) Finding {
				return bearsAll(b.All()).or(func() Finding { return requireFact(b.Parties != nil, b.Stop) })
			}),
			judgeEach(perOption(scenario.PlayBadInputOptions, scenario.PlayBadParties), func(b *scenario.BadParties) Finding { return bearsAll(b.Parties) })),
		spec(rule.ReserveNobody,
			judgeOnce(scenario.PlayBadReserves, func(b *scenario.BadReserves) Finding { return partiesHoldNothing(&b.BadParties) }),
			judgeEach(perOption(scenario.PlayBadInputOptions, scenario.PlayBadParties), partiesHoldNothing)),
		spec(rule.ReserveBadInputEffect, badInputNoEffect()...),
		spec(rule.ConfirmBadInput, judgeOnce(scenario.PlayBadConfirms, bears)),
		spec(rule.ReleaseBadInput, judgeOnce(scenario.PlayBadReleases, bears)),
		spec(rule.CancelBadInput, cancellable, judgeOnce(scenario.PlayBadCancels, bears)),
	}
}

var badInputRules = map[partnerapi.Endpoint]rule.Rule{
	partnerapi.Products:     rule.ProductsBadInput,
	partnerapi.Availability: rule.AvailabilityBadInput,
	partnerapi.Reserve:      rule.ReserveBadInput,
	partnerapi.Confirm:      rule.ConfirmBadInput,
	partnerapi.Release:      rule.ReleaseBadInput,
	partnerapi.Cancel:       rule.CancelBadInput,
}

// BadInputFinding judges the answer to an invalid request, which a partner may refuse or ignore.
func BadInputFinding(answer *probe.Answer) RuleFinding {
	f := RuleFinding{Rule: badInputRules[answer.Endpoint]}
	if answer.Response.Status >= http.StatusInternalServerError {
		f.Finding = Breach("Expected a 4xx to an invalid request, or nothing done, received %s", answer.Words()).WithEvidence(answer.Exchange)
	}
	return f
}

// IsAboutBadInput reports whether a rule is about input that the marketplace never sends.
func IsAboutBadInput(r rule.Rule) bool {
	return slices.ContainsFunc(badInputSpecs(), func(s Spec) bool { return s.Rule.ID == r.ID })
}

func bears(o scenario.MalformedRequests) Finding {
	return FromStop(o.Stop).or(func() Finding { return bearsAll(o.Sent) })
}

// bearsAll judges that every malformed request was refused or ignored: no answer is missing or a
// 5xx. An answer that is too large to read counts as an answer.
func bearsAll(all []scenario.MalformedRequest) Finding {
	var wrong []string
	var shown []*report.Exchange
	for _, odd := range all {
		failed := odd.Answer.Failure != nil && odd.Answer.Failure.Kind != report.TooLarge
		if failed || odd.Answer.Response.Status >= http.StatusInternalServerError {
			wrong = append(wrong, fmt.Sprintf("%s: expected a 4xx, or nothing done, received %s", odd.What, odd.Answer.Words()))
			shown = append(shown, odd.Answer.Exchange)
		} else if odd.Silent > 0 {
			wrong = append(wrong, fmt.Sprintf("%s: expected other calls to be answered as before, received no answer for %s", odd.What, odd.Silent.Round(time.Second)))
			shown = append(shown, odd.Answer.Exchange)
		}
	}
	return problems(wrong, shown...)
}

func badInputNoEffect() []Step {
	unchanged := func(before, after *scenario.Reading, stop *partner.Stop, sent []scenario.MalformedRequest) Try {
		m := Move{before: before, after: after, stop: stop}
		for _, odd := range sent {
			m.between = append(m.between, odd.Answer.Exchange)
		}
		return m.try()
	}
	ofParties := func(b *scenario.BadParties) Try { return unchanged(b.Before, b.After, b.Stop, b.Parties) }
	ofAll := weighTries(scenario.PlayBadReserves, func(b *scenario.BadReserves) Try {
		if t := ofParties(&b.BadParties); t.Flaw != "" || b.Bodies == nil {
			return t
		}
		return unchanged(b.After, b.AfterBodies, b.Stop, b.Bodies)
	})
	ofAll.Seats = true
	return []Step{
		judgeOnce(scenario.PlayRecord, func(scenario.Record) Finding { return suspectRules(rule.ReserveNobody) }),
		ofAll,
		Tries{Plays: triesOf(perOption(scenario.PlayBadInputOptions, scenario.PlayBadParties), ofParties), Need: Optional},
	}
}

func partiesHoldNothing(b *scenario.BadParties) Finding {
	var wrong []string
	var shown []*report.Exchange
	for _, odd := range b.Parties {
		if odd.Held {
			wrong = append(wrong, odd.What+": expected a refusal, received a hold")
			shown = append(shown, odd.Answer.Exchange)
		}
	}
	if t := (Move{before: b.Before, after: b.After}).try(); len(wrong) > 0 && t.Flaw != "" {
		wrong = append(wrong, t.Flaw)
		shown = append(shown, t.Shown...)
	}
	return problems(wrong, shown...).or(func() Finding { return requireFact(b.Parties != nil, b.Stop) })
}
