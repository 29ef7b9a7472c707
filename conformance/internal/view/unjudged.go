package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/plural"
)

// Unjudged is a group of rules that were not judged for the same reason.
type Unjudged struct {
	Outcome report.Outcome
	Reason  string
	Remedy  string // how to have them judged
	Waits   bool   // the rules that block them say more
	IDs     []string
}

// String returns how many MUST rules were not judged, why, and how to have them judged.
func (u Unjudged) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s: %s. %s", plural.Count(len(u.IDs), "rule"), strings.TrimSuffix(u.Reason, "."), u.Remedy))
}

// NotJudged returns the MUST rules that were not judged, by reason, the largest group of each
// outcome first. It leaves out rules that do not apply to the partner.
func NotJudged(rules []report.RuleResult) (groups []Unjudged) {
	order := []report.Outcome{report.Blocked, report.Inconclusive, report.Skipped}
	for _, r := range mustRules(rules) {
		if !slices.Contains(order, r.Outcome) {
			continue
		}
		group := Unjudged{Outcome: r.Outcome, Reason: r.Message, Remedy: r.Remedy}
		if r.BlockedBy != "" {
			group = Unjudged{Outcome: r.Outcome, Reason: "the rules that they need have not passed", Remedy: "See to those first.", Waits: true}
		}
		at := slices.IndexFunc(groups, func(g Unjudged) bool {
			return g.Outcome == group.Outcome && g.Reason == group.Reason && g.Remedy == group.Remedy
		})
		if at < 0 {
			at = len(groups)
			groups = append(groups, group)
		}
		groups[at].IDs = append(groups[at].IDs, r.ID)
	}
	slices.SortStableFunc(groups, func(a, b Unjudged) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Outcome), slices.Index(order, b.Outcome)), cmp.Compare(len(b.IDs), len(a.IDs)))
	})
	return groups
}

// WaitWords returns how many rules wait for a cause to be fixed, or "" if none does.
func WaitWords(c report.Cause) string {
	switch c.Waiting {
	case 0:
		return ""
	case 1:
		return "1 rule waits for it"
	}
	return plural.Count(c.Waiting, "rule") + " wait for it"
}

// MoreTime is the advice on how to judge the cases that a run had no time for.
const MoreTime = "Run with a longer --max-duration."

// MoreHolds is the advice on how to judge the cases for which a run had too few holds or bookings.
const MoreHolds = "Run with a higher --max-holds and --max-bookings."

// notJudgedWords returns how many MUST rules were not judged, or "" if all were.
func notJudgedWords(rules []report.RuleResult) string {
	n := 0
	for _, group := range NotJudged(rules) {
		n += len(group.IDs)
	}
	if n == 0 {
		return ""
	}
	return plural.Count(n, "MUST rule") + " not judged"
}

func mustRules(rules []report.RuleResult) []report.RuleResult {
	return slices.DeleteFunc(slices.Clone(rules), func(r report.RuleResult) bool { return r.Level != rule.Must })
}
