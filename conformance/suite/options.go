package suite

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/report"
)

// options is what is wrong with the options that a rule was judged on, by rule id and option key; "" if nothing is. Those
// on which a rule held are in the coverage too.
type options map[string]map[string]string

// note records the options of a finding.
func (o options) note(id string, f judge.Finding) {
	for option, flaw := range f.Options {
		o.add(id, option, flaw)
	}
	if f.Outcome == report.Failed && f.On != nil {
		o.add(id, f.On.Offer.OptionKey(), f.Message)
	}
}

func (o options) add(id, option, flaw string) {
	if o[id] == nil {
		o[id] = map[string]string{}
	}
	if o[id][option] == "" {
		o[id][option] = flaw
	}
}

// partly returns the options on which a rule is broken, if it holds on others. A rule that also holds where it is broken
// does not depend on the option.
func (o options) partly(id string, judged coverage) (broken []string) {
	held := false
	for option, flaw := range o[id] {
		if flaw != "" {
			broken = append(broken, option)
		}
		held = held || flaw == ""
	}
	for option := range judged.covered[id][plan.Option] {
		if o[id][option] != "" {
			return nil
		}
		held = true
	}
	if !held {
		return nil
	}
	slices.Sort(broken)
	return broken
}

// isIndependent reports whether a rule is known to be broken on an option on which its cause holds.
func (o options) isIndependent(cause, broken string, judged coverage) bool {
	if o.partly(cause, judged) == nil {
		return false
	}
	for option, flaw := range o[broken] {
		on, tried := o[cause][option]
		if flaw != "" && on == "" && (tried || judged.covered[cause][plan.Option][option]) {
			return true
		}
	}
	return false
}

// tell completes the result of a broken rule with the options that it was judged on, if there were several.
func (o options) tell(one *report.RuleResult, judged coverage, words func(string) string) {
	all := maps.Clone(o[one.ID])
	broken := one.Outcome == report.Failed || one.Outcome == report.Warned || one.Outcome == report.Known
	if !broken || !slices.ContainsFunc(slices.Collect(maps.Values(all)), func(flaw string) bool { return flaw != "" }) {
		return
	}
	for option := range judged.covered[one.ID][plan.Option] {
		all[option] += "" // it held there, unless that is known better
	}
	if len(all) < 2 {
		return
	}
	for key, flaw := range all {
		product, option, _ := strings.Cut(key, "\x00")
		result := report.OptionResult{ProductID: words(product), OptionID: words(option), Outcome: report.Passed}
		if flaw != "" {
			result.Outcome, result.Message = one.Outcome, words(flaw)
		}
		one.Options = append(one.Options, result)
	}
	slices.SortFunc(one.Options, func(a, b report.OptionResult) int {
		return cmp.Or(cmp.Compare(a.ProductID, b.ProductID), cmp.Compare(a.OptionID, b.OptionID))
	})
	one.Message += fmt.Sprintf(" (in %d of the %d options that it was judged on)", len(one.BrokenOptions()), len(one.Options))
}
