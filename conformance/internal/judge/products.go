package judge

import (
	"fmt"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// pullLaws are the rules that one pull of the catalog decides.
var pullLaws = []struct {
	rule  rule.Rule
	judge func(*scenario.Survey) Finding
}{
	{rule.ProductUnique, uniqueProducts}, {rule.OptionUnique, uniqueOptions}, {rule.UnitUnique, uniqueUnits},
	{rule.AdultUnit, eachOption(withoutAdult)}, {rule.CurrencyDecimals, eachUnit(oddDecimals)}, {rule.AgeRange, eachUnit(noAge)},
	{rule.OptionPartyLimits, eachOption(badLimits)},
}

// PullFindings returns what a complete pull of the catalog shows by itself. Breaches of the rules about fields are
// recorded while it is read.
func PullFindings(v *scenario.Survey) (all []RuleFinding) {
	for _, r := range fieldrule.All(partnerapi.Products) {
		all = append(all, RuleFinding{Rule: r})
	}
	for _, law := range pullLaws {
		all = append(all, RuleFinding{law.rule, law.judge(v)})
	}
	return all
}

func productSpecs() []Spec {
	specs := specForEach(append(firstCall[:len(firstCall):len(firstCall)], usualForm(partnerapi.Products)...), catalog)
	specs = append(specs, specForEach(fieldrule.All(partnerapi.Products), catalog, Recorded{})...)
	for _, law := range pullLaws {
		specs = append(specs, spec(law.rule, catalog, judgeOnce(scenario.PlaySurvey, law.judge)))
	}
	specs = append(specs, pullSpecs()...)
	for _, refused := range []struct {
		rule rule.Rule
		play scenarioFunc[scenario.RepeatedCall]
	}{
		{rule.ProductsWrongKey, scenario.PlayPull("pull with a wrong key", nil, probe.WrongKey)},
		{rule.ProductsMissingKey, scenario.PlayPull("pull without a key", nil, probe.NoKey)},
		{rule.ProbeWrongKey, scenario.PlayPull("health probe with a wrong key", scenario.ProbeQuery(), probe.WrongKey)},
		{rule.ProbeMissingKey, scenario.PlayPull("health probe without a key", scenario.ProbeQuery(), probe.NoKey)},
	} {
		specs = append(specs, spec(refused.rule, catalog, expectStatuses(refused.play, unauthorized)))
	}
	return specs
}

func uniqueProducts(v *scenario.Survey) Finding {
	return checkUniqueIDs(v.Pull, "products", productIDs(v.Products))
}

func uniqueOptions(v *scenario.Survey) (f Finding) {
	for i, product := range v.Products {
		f = f.or(func() Finding {
			return checkUniqueIDs(v.Pull, fmt.Sprintf("products[%d].options", i), optionIDs(product))
		})
	}
	return f
}

func uniqueUnits(v *scenario.Survey) (f Finding) {
	for i, product := range v.Products {
		for j, option := range product.Options {
			f = f.or(func() Finding {
				return checkUniqueIDs(v.Pull, fmt.Sprintf("products[%d].options[%d].units", i, j), unitIDs(option))
			})
		}
	}
	return f
}

// eachOption finds the flaws that wrong returns for the options, each with its place.
func eachOption(wrong func(discover.Option) []string) func(*scenario.Survey) Finding {
	return func(v *scenario.Survey) Finding {
		var all []string
		for i, product := range v.Products {
			for j, option := range product.Options {
				for _, flaw := range wrong(option) {
					all = append(all, fmt.Sprintf("products[%d].options[%d]%s", i, j, flaw))
				}
			}
		}
		return problems(all[:min(len(all), mostFindings)], v.Pull)
	}
}

func eachUnit(wrong func(discover.Unit) string) func(*scenario.Survey) Finding {
	return eachOption(func(option discover.Option) (flaws []string) {
		for k, unit := range option.Units {
			if flaw := wrong(unit); flaw != "" {
				flaws = append(flaws, fmt.Sprintf(".units[%d]: %s", k, flaw))
			}
		}
		return flaws
	})
}

func oddDecimals(unit discover.Unit) string {
	for i, price := range unit.Prices {
		if want := partnerapi.CurrencyDecimals(price.Currency); price.Precision != int64(want) {
			return fmt.Sprintf("pricingFrom[%d]: expected a precision of %d for %s, received %d", i, want, price.Currency, price.Precision)
		}
	}
	return ""
}

func noAge(unit discover.Unit) string {
	if unit.MinAge != nil && unit.MaxAge != nil && *unit.MinAge > *unit.MaxAge {
		return fmt.Sprintf("restrictions: expected minAge at most maxAge, %d, received %d", *unit.MaxAge, *unit.MinAge)
	}
	return ""
}

func withoutAdult(option discover.Option) []string {
	if slices.ContainsFunc(option.Units, func(u discover.Unit) bool { return u.ID == partnerapi.AdultUnitID }) {
		return nil
	}
	return []string{fmt.Sprintf(": expected a unit %q, received %q", partnerapi.AdultUnitID, unitIDs(option))}
}
