package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// pullSpecs returns the specs of the rules about the catalog that need more than its first pull.
func pullSpecs() []Spec {
	second := func(r rule.Rule, same func(first, second []discover.Product) Finding) Spec {
		return spec(r, catalog, judgeOnce(scenario.PlaySurvey, func(v *scenario.Survey) Finding {
			return FromStop(v.Second.Stop).or(func() Finding {
				return same(v.Products, v.Second.Products).WithEvidence(v.Pull, v.Second.Exchange)
			})
		}))
	}
	return []Spec{
		second(rule.ProductPermanent, sameProducts),
		second(rule.OptionPermanent, eachTwin(sameOptions)),
		second(rule.UnitPermanent, eachTwin(sameUnits)),
		spec(rule.ProbeStatus, catalog, expectStatuses(scenario.PlayPull("health probe", scenario.ProbeQuery(), probe.GoodKey), ok)),
		spec(rule.UpdatedSince, catalog, judgeOnce(scenario.PlayUpdatedSince, updatedSince)),
	}
}

// ProbeFinding returns what the answer to a health probe shows. Its content is not judged.
func ProbeFinding(answer *probe.Answer) RuleFinding {
	return RuleFinding{rule.ProbeStatus, Expect(answer, Status(ok))}
}

// ChangesFinding returns what an incremental pull shows by itself.
func ChangesFinding(c scenario.Catalog) RuleFinding {
	return RuleFinding{rule.UpdatedSince, updatedSince(c)}
}

// furtherPullSpecs returns the specs that judge the rules about the catalog again, with pulls late in the run.
func furtherPullSpecs() []Spec {
	pulls := func(r rule.Rule, judge func(*scenario.Pulls) Finding) Spec {
		return spec(r, judgeOnce(scenario.PlayPulls, judge))
	}
	twins := func(r rule.Rule, alike func(first, second discover.Product) Finding) Spec {
		return pulls(r, func(all *scenario.Pulls) Finding {
			return likeFirst(all, eachTwin(alike)).or(func() Finding { return inChanges(all, eachTwin(alike)) })
		})
	}
	return []Spec{
		pulls(rule.ProductPermanent, func(all *scenario.Pulls) Finding {
			return likeFirst(all, sameProducts).or(func() Finding { return knownProducts(all) })
		}),
		pulls(rule.ProductUnique, func(all *scenario.Pulls) Finding {
			return firstFinding(all.Changes, func(changes scenario.Changes) Finding {
				return FromStop(changes.Stop).or(func() Finding {
					return checkUniqueIDs(changes.Answer.Exchange, "changes since "+changes.Since.Format(time.RFC3339)+": products", productIDs(changes.Products))
				})
			})
		}),
		twins(rule.OptionPermanent, sameOptions),
		twins(rule.UnitPermanent, sameUnits),
		pulls(rule.ProbeStatus, func(all *scenario.Pulls) Finding {
			return firstFinding(all.Probes, func(h scenario.RepeatedCall) Finding { return expectRepeated(h, Status(ok)) })
		}),
		pulls(rule.UpdatedSince, func(all *scenario.Pulls) Finding {
			return firstFinding(all.Changes, func(changes scenario.Changes) Finding {
				return updatedSince(changes.Catalog).or(func() Finding { return checkChangedProducts(all, changes) })
			}).or(func() Finding { return inChanges(all, eachTwin(sameTerms)) })
		}),
	}
}

// likeFirst compares each full pull of the catalog with the first one.
func likeFirst(all *scenario.Pulls, same func(first, second []discover.Product) Finding) Finding {
	return firstFinding(all.Full, func(pull scenario.Catalog) Finding {
		return FromStop(pull.Stop).or(func() Finding {
			return same(all.First, pull.Products).WithEvidence(all.Pull, pull.Answer.Exchange)
		})
	})
}

func sameProducts(first, second []discover.Product) Finding {
	return compareIDs("products", productIDs(first), productIDs(second))
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
	if first.ZoneKnown && second.ZoneKnown && first.Zone.String() != second.Zone.String() {
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

// knownProducts finds products in a pull of changes that no full pull shows, not even a later one:
// a product may be new.
func knownProducts(all *scenario.Pulls) Finding {
	known := productIDs(all.First)
	for _, pull := range all.Full {
		known = append(known, productIDs(pull.Products)...)
	}
	for _, changes := range all.Changes {
		later := slices.ContainsFunc(all.Full, func(pull scenario.Catalog) bool {
			return changes.Answer != nil && pull.Answer != nil && pull.Answer.StartedAt.After(changes.Answer.StartedAt)
		})
		if strange := plan.Subtract(productIDs(changes.Products), known); later && len(strange) > 0 {
			return Breach("changes since %s: expected products that a pull of the catalog shows too, received %s",
				changes.Since.Format(time.RFC3339), plan.QuoteFew(strange)).WithEvidence(all.Pull, changes.Answer.Exchange)
		}
	}
	return Finding{}
}

// inChanges finds a product in a pull of changes that differs from those of all full pulls, also of
// the later ones: a product may have changed.
func inChanges(all *scenario.Pulls, same func(first, second []discover.Product) Finding) Finding {
	for _, changes := range all.Changes {
		found := same(all.First, changes.Products)
		alike := slices.ContainsFunc(all.Full, func(pull scenario.Catalog) bool {
			return pull.Stop == nil && !same(pull.Products, changes.Products).Ends()
		})
		if found.Ends() && !alike {
			return found.WithEvidence(all.Pull, changes.Answer.Exchange)
		}
	}
	return Finding{}
}

// checkChangedProducts finds products that an incremental pull must not contain, or lacks. It judges only
// partners that leave out unchanged products, and only products with an updatedAt. A product that a full
// pull lacks may be gone, or have another id, which another rule judges.
func checkChangedProducts(all *scenario.Pulls, changes scenario.Changes) Finding {
	if len(changes.Products) >= len(all.First) || checkUniqueIDs(nil, "", productIDs(all.First)).Ends() {
		return Finding{}
	}
	since := changes.Since.Format(time.RFC3339Nano)
	answered := map[string]bool{}
	for _, product := range changes.Products {
		answered[product.ID] = true
		if at := product.UpdatedAt; !at.IsZero() && !at.After(changes.Since) {
			return Breach("product %q: expected only what was modified after %s, received one with updatedAt %s", product.ID, since, at.Format(time.RFC3339Nano)).WithEvidence(changes.Answer.Exchange)
		}
	}
	for _, product := range all.First {
		at, gone := product.UpdatedAt, slices.ContainsFunc(all.Full, func(pull scenario.Catalog) bool {
			return pull.Stop == nil && !slices.Contains(productIDs(pull.Products), product.ID)
		})
		if !gone && !at.IsZero() && at.After(changes.Since.Add(time.Second)) && !answered[product.ID] {
			return Breach("product %q: expected it among what was modified after %s, as its updatedAt is %s, but it is missing", product.ID, since, at.Format(time.RFC3339Nano)).WithEvidence(changes.Answer.Exchange)
		}
	}
	return Finding{}
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

func productIDs(products []discover.Product) []string {
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
