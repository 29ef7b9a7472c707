package judge

import (
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// ReadSpecs returns the specs that judge the rules about reads again, with further pulls and
// windows: two answers about the same thing must agree.
func ReadSpecs() []Spec {
	pulls := func(r rule.Rule, judge func(*scenario.Pulls) Finding) Spec {
		return spec(r, judgeOnce(scenario.PlayPulls, judge))
	}
	same := func(same func(first, second []discover.Product) Finding) func(*scenario.Pulls) Finding {
		return func(all *scenario.Pulls) (f Finding) {
			for _, pull := range all.Full {
				f = f.or(func() Finding { return FromStop(pull.Stop) }).or(func() Finding {
					return same(all.First, pull.Products).WithEvidence(all.Pull, pull.Answer.Exchange)
				})
			}
			return f
		}
	}
	twins := func(alike func(first, second discover.Product) Finding) func(*scenario.Pulls) Finding {
		return func(all *scenario.Pulls) Finding {
			return same(eachTwin(alike))(all).or(func() Finding { return inChanges(all, eachTwin(alike)) })
		}
	}
	parts := func(r rule.Rule, judge func(scenario.Windows) Finding) Spec {
		return spec(r, judgeOnce(scenario.PlayParts, func(all *scenario.Parts) (f Finding) {
			for _, w := range slices.Concat(all.Days, all.Spans) {
				f = f.or(func() Finding { return FromStop(w.Stop) }).or(func() Finding { return judge(w) })
			}
			return f
		}))
	}
	specs := []Spec{
		pulls(rule.ProductPermanent, func(all *scenario.Pulls) Finding {
			return same(sameProducts)(all).or(func() Finding { return knownProducts(all) })
		}),
		pulls(rule.ProductUnique, func(all *scenario.Pulls) (f Finding) {
			for _, changes := range all.Changes {
				f = f.or(func() Finding { return FromStop(changes.Stop) }).or(func() Finding {
					return checkUniqueIDs(changes.Answer.Exchange, "changes since "+changes.Since.Format(time.RFC3339)+": products", ids(changes.Products))
				})
			}
			return f
		}),
		pulls(rule.OptionPermanent, twins(sameOptions)),
		pulls(rule.UnitPermanent, twins(sameUnits)),
		pulls(rule.ProbeStatus, func(all *scenario.Pulls) (f Finding) {
			for _, probe := range all.Probes {
				f = f.or(func() Finding { return expectRepeated(probe, Status(ok)) })
			}
			return f
		}),
		pulls(rule.UpdatedSince, func(all *scenario.Pulls) (f Finding) {
			for _, changes := range all.Changes {
				f = f.or(func() Finding { return updatedSince(changes.Catalog) }).or(func() Finding { return checkChangedProducts(all.First, changes) })
			}
			return f.or(func() Finding { return inChanges(all, eachTwin(sameTerms)) })
		}),
		parts(rule.SlotPermanent, func(w scenario.Windows) Finding { return KeepsIDs(w.Long, w.Part) }),
		parts(rule.WindowEnd, KeepsEnd),
		parts(rule.OneDay, ShowsSame),
	}
	return append(specs, FieldSpecs()...)
}

// knownProducts finds products in a pull of changes that no full pull shows, not even a later one:
// a product may be new.
func knownProducts(all *scenario.Pulls) Finding {
	known := ids(all.First)
	for _, pull := range all.Full {
		known = append(known, ids(pull.Products)...)
	}
	for _, changes := range all.Changes {
		later := slices.ContainsFunc(all.Full, func(pull scenario.Catalog) bool {
			return changes.Answer != nil && pull.Answer != nil && pull.Answer.StartedAt.After(changes.Answer.StartedAt)
		})
		if strange := plan.Subtract(ids(changes.Products), known); later && len(strange) > 0 {
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

// KeepsEnd finds a window whose last day lacks slots that another window shows for that day.
func KeepsEnd(w scenario.Windows) Finding {
	whole, end := w.Long.Window, discover.Window{From: w.Part.Window.To, To: w.Part.Window.To}
	if _, gone := w.OfPart(); len(gone) > 0 && len(gone) == len(slotsOn(w.Long, end, gone)) && w.Part.Window != end {
		return Breach("%s: expected the slots of its last day, %s, in the window from %s to %s, as in a longer one; %s is missing",
			w.Part.Question, end.To, w.Part.Window.From, w.Part.Window.To, plan.QuoteFew(gone)).WithEvidence(w.Long.Exchange, w.Part.Exchange)
	}
	if last := slotsOn(w.Part, discover.Window{From: whole.To, To: whole.To}, w.Beyond); len(last) > 0 && len(last) == len(w.Beyond) {
		return Breach("%s: expected the slots of its last day, %s, in the window from %s to %s, as in a shorter one; %s is missing",
			w.Long.Question, whole.To, whole.From, whole.To, plan.QuoteFew(last)).WithEvidence(w.Long.Exchange, w.Part.Exchange)
	}
	return Finding{}
}

// ShowsSame finds a slot that one window shows and an overlapping window lacks, or shows with another
// end or price.
func ShowsSame(w scenario.Windows) Finding {
	return ShowsDay(w.Long, w.Part).or(func() Finding {
		if len(w.Unlike) == 0 {
			return Finding{}
		}
		of := w.Unlike[0]
		return Breach("%s: expected slot %q with the same %s in the window from %s to %s as in the one from %s to %s, received another, twice in turn",
			w.Part.Question, of.SlotID, of.Field, w.Part.Window.From, w.Part.Window.To, w.Long.Window.From, w.Long.Window.To).WithEvidence(w.Long.Exchange, w.Part.Exchange)
	}).or(func() Finding {
		if len(w.Beyond) == 0 {
			return Finding{}
		}
		return Breach("%s: expected the slots that the window from %s to %s shows in the one from %s to %s too; %s is missing",
			w.Part.Question, w.Part.Window.From, w.Part.Window.To, w.Long.Window.From, w.Long.Window.To, plan.QuoteFew(w.Beyond)).WithEvidence(w.Long.Exchange, w.Part.Exchange)
	})
}

// slotsOn returns the given slots that start in a window.
func slotsOn(in scenario.SlotAnswer, window discover.Window, ids []string) (on []string) {
	for _, slot := range in.Slots {
		if slices.Contains(ids, slot.ID) && window.Contains(slot.Start, in.Product.Zone) {
			on = append(on, slot.ID)
		}
	}
	return on
}

// FieldSpecs returns the specs that judge the rules about fields again, with all answers read so
// far.
func FieldSpecs() []Spec {
	rules := []rule.Rule{
		rule.UnitFixedID, rule.SlotKnownUnit, rule.SlotUnique, rule.SlotPermanent, rule.OneDay, rule.SlotWindow, rule.SlotEndsLater,
		rule.SlotWithinCapacity, rule.SlotSoldOutEmpty, rule.SlotOpenHasSeats, rule.SlotFreesaleUncounted,
	}
	for _, endpoint := range partnerapi.Endpoints() {
		rules = append(rules, fieldrule.All(endpoint)...)
	}
	return specForEach(rules, func(rule.Rule) []Step { return []Step{fields()} })
}

// checkChangedProducts finds products that an incremental pull must not contain, or lacks. It judges only
// partners that leave out unchanged products, and only products with an updatedAt.
func checkChangedProducts(all []discover.Product, changes scenario.Changes) Finding {
	if len(changes.Products) >= len(all) || checkUniqueIDs(nil, "", ids(all)).Ends() {
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
	for _, product := range all {
		if at := product.UpdatedAt; !at.IsZero() && at.After(changes.Since.Add(time.Second)) && !answered[product.ID] {
			return Breach("product %q: expected it among what was modified after %s, as its updatedAt is %s, but it is missing", product.ID, since, at.Format(time.RFC3339Nano)).WithEvidence(changes.Answer.Exchange)
		}
	}
	return Finding{}
}
