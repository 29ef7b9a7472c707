package judge

import (
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
)

// unusualSpecs judge calls that are lawful, and not what is tried first.
func unusualSpecs() []Spec {
	specs := []Spec{
		spec(rule.AvailabilityUnknownFields, once(scenario.PlayOpenQuestion, func(stop *scenario.Stop) Finding {
			return blamed(rule.AvailabilityUnknownFields, stop)
		})),
	}
	for _, unusual := range []struct {
		play             play[*scenario.UnusualBooking]
		reserve, confirm rule.Rule
	}{
		{scenario.PlayForeignGuest, rule.ReserveAnyAlphabet, rule.ConfirmAnyAlphabet},
		{scenario.PlayUnnamedFields, rule.ReserveUnknownFields, rule.ConfirmUnknownFields},
	} {
		specs = append(specs,
			spec(unusual.reserve, held, once(unusual.play, func(b *scenario.UnusualBooking) Finding {
				return unusualReached(b.Hold != nil, b.Stop, unusual.reserve, unusual.confirm)
			})),
			spec(unusual.confirm, with(cancelled, once(unusual.play, func(b *scenario.UnusualBooking) Finding {
				return unusualReached(b.Confirmed, b.Stop, unusual.reserve, unusual.confirm)
			}))...))
	}
	return append(specs,
		spec(rule.ReleaseUnknownFields, held, once(scenario.PlayOpenRelease, func(o *scenario.OpenRelease) Finding {
			return after(o.Release, o.Stop, nil, status(ok), succeed)
		})),
		spec(rule.CancelUnknownFields, with(cancelled, once(scenario.PlayUnnamedFields, func(b *scenario.UnusualBooking) Finding {
			return unusualReached(b.Cancel != nil, b.Stop, rule.ReserveUnknownFields, rule.ConfirmUnknownFields).
				or(func() Finding { return expect(b.Cancel, status(ok), succeed) })
		}))...),
	)
}

// unusualReached finds what stopped an unusual booking before a fact: what goes wrong
// with its reserve or its confirm breaks the rules about these.
func unusualReached(fact bool, stop *scenario.Stop, reserve, confirm rule.Rule) Finding {
	switch {
	case fact:
		return Finding{}
	case stop != nil && stop.Form == scenario.Unusual:
		return Finding{Outcome: report.Failed, Message: stop.Message, Cause: &confirm, Exchanges: stop.Exchanges}
	default:
		return blamed(reserve, scenario.Unplayed(stop))
	}
}
