package judge

import (
	"fmt"
	"net/http"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/internal/plural"
)

// badLimits finds limits of a party that cannot be read, or that no party can keep.
func badLimits(option discover.Option) []string {
	if option.Limits.Flaw == "" {
		return nil
	}
	return []string{".restrictions: " + option.Limits.Flaw}
}

// limitSteps returns the steps of a rule about the limits of a party that options declare.
func limitSteps(wrong func(*scenario.LimitedOption) limitFlaws) []Step {
	return []Step{
		held,
		judgeOnce(scenario.PlaySurvey, func(v *scenario.Survey) Finding {
			if !v.DeclaresLimits() {
				return notApplicable("no option declares the parties that it takes")
			}
			return Finding{}
		}),
		judgeOnce(scenario.PlayLimitedOptions, func(all []*scenario.LimitedOption) Finding { return limitsKept(all, wrong) }),
	}
}

// limitFlaws is what the parties of one option show.
type limitFlaws struct {
	flaws  []string
	judged bool // everything that the option declares was tried
}

func limitsKept(all []*scenario.LimitedOption, wrong func(*scenario.LimitedOption) limitFlaws) Finding {
	found := Finding{Options: map[string]string{}}
	open := Doubt("no slot can be booked of an option that declares the parties that it takes").withRemedy("Offer a slot of such an option in the next 60 days.")
	var flaws []string
	complete := false
	for _, l := range all {
		shown := wrong(l)
		switch {
		case len(shown.flaws) > 0:
			for _, tried := range append(l.Within[:len(l.Within):len(l.Within)], l.Outside...) {
				found.Exchanges = append(found.Exchanges, tried.Answer.Exchange)
			}
			flaws = append(flaws, shown.flaws...)
			found.Options[l.OptionKey()] = shown.flaws[0]
		case shown.judged:
			complete = true
			found.Options[l.OptionKey()] = ""
		case l.Scarce:
			open = Doubt("%s", l.Untried).withRemedy("Offer a slot with more seats.")
		case l.Untried != "":
			open = Doubt("%s", l.Untried)
		case l.Stop != nil:
			open = FromStop(l.Stop)
		default:
			open = Doubt("product %q, option %q: the answers do not show whether the option takes parties at the limits that it declares", l.Offer.Product.ID, l.Offer.Option.ID)
		}
	}
	if len(flaws) > 0 {
		breach := problems(flaws, found.Exchanges...)
		breach.Options = found.Options
		return breach
	}
	if complete {
		return Finding{Options: found.Options}
	}
	return open
}

// outsideLimits finds parties outside the declared limits that are not refused.
func outsideLimits(l *scenario.LimitedOption) (shown limitFlaws) {
	limits := l.Offer.Option.Limits
	for _, tried := range l.Outside {
		if !tried.Answer.HasStatus(http.StatusBadRequest) {
			shown.flaws = append(shown.flaws, limitFlaw(l, "a refusal with 400 of "+plural.Count(int(tried.Guests), "guest"), tried))
		}
	}
	shown.judged = l.Stop == nil && len(l.Outside) > 0 && (limits.Max == 0 || l.Outside[len(l.Outside)-1].Guests > limits.Max)
	return shown
}

// withinLimits finds a party within the declared limits that is refused where another is held: its size is the reason.
func withinLimits(l *scenario.LimitedOption) (shown limitFlaws) {
	var refused []scenario.TriedParty
	taken := 0
	for _, tried := range l.Within {
		switch {
		case tried.Answer.HasStatus(http.StatusOK, http.StatusCreated):
			taken++
		case tried.Answer.HasStatus(http.StatusBadRequest) && !tried.Taken:
			refused = append(refused, tried)
		}
	}
	if taken > 0 {
		for _, tried := range refused {
			shown.flaws = append(shown.flaws, limitFlaw(l, "a hold for "+plural.Count(int(tried.Guests), "guest"), tried))
		}
	}
	shown.judged = l.Stop == nil && l.Untried == "" && taken == len(l.Within)
	return shown
}

func limitFlaw(l *scenario.LimitedOption, expected string, tried scenario.TriedParty) string {
	return fmt.Sprintf("product %q, option %q: Expected %s, as the option declares %s, received %s",
		l.Offer.Product.ID, l.Offer.Option.ID, expected, limitWords(l.Offer.Option.Limits), tried.Answer.Words())
}

func limitWords(limits discover.Limits) string {
	switch {
	case limits.Max == 0:
		return fmt.Sprintf("parties of at least %d", limits.Min)
	case limits.Min <= 1:
		return fmt.Sprintf("parties of at most %d", limits.Max)
	default:
		return fmt.Sprintf("parties of %d to %d", limits.Min, limits.Max)
	}
}
