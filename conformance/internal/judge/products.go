package judge

import (
	"fmt"
	"slices"
	"strings"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

var catalog = judgeOnce(scenario.PlaySurvey, func(v *scenario.Survey) Finding { return FromStop(v.Stop) })

func productSpecs() []Spec {
	of := func(r rule.Rule, judge func(*scenario.Survey) Finding) Spec {
		return spec(r, catalog, judgeOnce(scenario.PlaySurvey, judge))
	}
	specs := specForEach([]rule.Rule{rule.Reachable, rule.KeyAccepted, rule.ProductsStatus, rule.ProductsJSON, rule.ProductsShape},
		func(rule.Rule) []Step { return []Step{catalog} })
	specs = append(specs, specForEach(append(fieldrule.All(partnerapi.Products), rule.UnitFixedID), func(rule.Rule) []Step { return []Step{catalog, fields()} })...)
	specs = append(specs,
		of(rule.ProductUnique, uniqueProducts),
		of(rule.OptionUnique, uniqueOptions),
		of(rule.UnitUnique, uniqueUnits),
		of(rule.ProductPermanent, samePulls(sameProducts)),
		of(rule.OptionPermanent, samePulls(eachTwin(sameOptions))),
		of(rule.UnitPermanent, samePulls(eachTwin(sameUnits))),
		spec(rule.ProbeStatus, catalog, expectStatuses(scenario.PlayPull("health probe", scenario.ProbeQuery(), probe.GoodKey), ok)),
		spec(rule.UpdatedSince, catalog, judgeOnce(scenario.PlayUpdatedSince, updatedSince)),
		of(rule.AdultUnit, eachOption(withoutAdult)),
		of(rule.CurrencyDecimals, eachUnit(oddDecimals)),
		of(rule.AgeRange, eachUnit(noAge)),
	)
	for _, refused := range []struct {
		rule rule.Rule
		play play[scenario.RepeatedCall]
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

// InCatalog are the rules that one pull of the catalog decides, with their judges.
var InCatalog = []struct {
	Rule  rule.Rule
	Judge func(*scenario.Survey) Finding
}{
	{rule.ProductUnique, uniqueProducts}, {rule.OptionUnique, uniqueOptions}, {rule.UnitUnique, uniqueUnits},
	{rule.AdultUnit, eachOption(withoutAdult)}, {rule.CurrencyDecimals, eachUnit(oddDecimals)}, {rule.AgeRange, eachUnit(noAge)},
}

func expectStatuses(play play[scenario.RepeatedCall], statuses []int) Step {
	return judgeOnce(play, func(h scenario.RepeatedCall) Finding { return expectRepeated(h, Status(statuses)) })
}

func updatedSince(c scenario.Catalog) Finding {
	if c.Answer == nil {
		return FromStop(c.Stop)
	}
	return Expect(c.Answer, Status(ok)).or(func() Finding {
		switch stop := FromStop(c.Stop); {
		case stop.Cause != nil:
			return Breach("%s", c.Stop.Message)
		case stop.Ends():
			return stop
		case c.Misfit != "":
			return Breach("%s", c.Misfit)
		default:
			return Finding{}
		}
	})
}

func uniqueProducts(v *scenario.Survey) Finding {
	return checkUniqueIDs(v.Pull, "products", ids(v.Products))
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

// checkUniqueIDs finds an id that occurs twice in a list. Missing ids are judged by another rule.
func checkUniqueIDs(in *report.Exchange, place string, list []string) Finding {
	first := map[string]int{}
	for i, id := range list {
		if before, seen := first[id]; seen && id != "" {
			return Breach("%s[%d].id: expected a unique id, received that of %s[%d], %q", place, i, place, before, id).WithEvidence(in)
		}
		first[id] = i
	}
	return Finding{}
}

// samePulls compares two pulls of the catalog.
func samePulls(same func(first, second []discover.Product) Finding) func(*scenario.Survey) Finding {
	return func(v *scenario.Survey) Finding {
		return FromStop(v.Second.Stop).or(func() Finding {
			return same(v.Products, v.Second.Products).WithEvidence(v.Pull, v.Second.Exchange)
		})
	}
}

func sameProducts(first, second []discover.Product) Finding {
	return compareIDs("products", ids(first), ids(second))
}

// eachTwin compares every product of the first pull with the same product of the second.
func eachTwin(same func(first, second discover.Product) Finding) func(first, second []discover.Product) Finding {
	return func(first, second []discover.Product) (f Finding) {
		again := map[string]discover.Product{}
		for _, product := range second {
			again[product.ID] = product
		}
		for _, product := range first {
			if twin, ok := again[product.ID]; ok {
				f = f.or(func() Finding { return same(product, twin) })
			}
		}
		return f
	}
}

func sameOptions(first, second discover.Product) Finding {
	return compareIDs(fmt.Sprintf("options of product %q", first.ID), optionIDs(first), optionIDs(second))
}

func sameUnits(first, second discover.Product) (f Finding) {
	for _, option := range first.Options {
		twin := slices.IndexFunc(second.Options, func(o discover.Option) bool { return o.ID == option.ID })
		if twin >= 0 {
			f = f.or(func() Finding {
				return compareIDs(fmt.Sprintf("units of product %q, option %q", first.ID, option.ID), unitIDs(option), unitIDs(second.Options[twin]))
			})
		}
	}
	return f
}

// sameTerms finds how the time zone, a guest type or a currency of a product differs.
func sameTerms(first, second discover.Product) Finding {
	if first.Zone.String() != second.Zone.String() {
		return Breach("product %q: expected the time zone of a full pull, %s, received %s", first.ID, first.Zone, second.Zone)
	}
	for _, option := range first.Options {
		for _, twin := range second.Options {
			for _, unit := range option.Units {
				if other := twin.Unit(unit.ID); twin.ID == option.ID && other.ID == unit.ID && terms(unit) != terms(other) {
					return Breach("product %q, option %q, unit %q: expected the type and currencies of a full pull, %s, received %s",
						first.ID, option.ID, unit.ID, terms(unit), terms(other))
				}
			}
		}
	}
	return Finding{}
}

// terms returns the type and the currencies of a unit, in an order that does not depend on its own.
func terms(unit discover.Unit) string {
	var currencies []string
	for _, price := range unit.Prices {
		currencies = append(currencies, price.Currency)
	}
	slices.Sort(currencies)
	return strings.Join(append([]string{string(unit.Type)}, slices.Compact(currencies)...), " ")
}

// compareIDs finds how two lists of ids differ, in any order.
func compareIDs(place string, first, second []string) Finding {
	gone, came := plan.Subtract(first, second), plan.Subtract(second, first)
	switch {
	case len(gone) > 0 && len(came) > 0:
		return Breach("%s: expected the ids of the pull before, received %s in place of %s", place, plan.QuoteFew(came), plan.QuoteFew(gone))
	case len(gone) > 0:
		return Breach("%s: expected the ids of the pull before, %s is missing", place, plan.QuoteFew(gone))
	case len(came) > 0:
		return Breach("%s: expected the ids of the pull before, %s is new", place, plan.QuoteFew(came))
	default:
		return Finding{}
	}
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

func ids(products []discover.Product) []string {
	return list(products, func(p discover.Product) string { return p.ID })
}

func optionIDs(product discover.Product) []string {
	return list(product.Options, func(o discover.Option) string { return o.ID })
}

func unitIDs(option discover.Option) []string {
	return list(option.Units, func(u discover.Unit) string { return u.ID })
}

func list[T, V any](of []T, value func(T) V) []V {
	all := make([]V, len(of))
	for i, one := range of {
		all[i] = value(one)
	}
	return all
}
