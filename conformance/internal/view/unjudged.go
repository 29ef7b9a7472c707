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
	Cause   string // id of the failed rule that blocks them; "" if none does
	IDs     []string
}

// String returns how many MUST rules were not judged, why, and how to have them judged.
func (u Unjudged) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s: %s. %s", plural.Count(len(u.IDs), "rule"), strings.TrimSuffix(u.Reason, "."), u.Remedy))
}

// NotJudged returns the MUST rules that were not judged, by reason, the largest group of each
// outcome first. It leaves out rules that do not apply to the partner.
func NotJudged(rules []report.RuleResult) []Unjudged { return groupUnjudged(mustRules(rules)) }

func groupUnjudged(rules []report.RuleResult) (groups []Unjudged) {
	order := []report.Outcome{report.Blocked, report.Inconclusive, report.Skipped}
	for _, r := range rules {
		if !slices.Contains(order, r.Outcome) {
			continue
		}
		at := slices.IndexFunc(groups, func(g Unjudged) bool {
			return g.Outcome == r.Outcome && g.Reason == r.Message && g.Remedy == r.Remedy
		})
		if at < 0 {
			at = len(groups)
			groups = append(groups, Unjudged{Outcome: r.Outcome, Reason: r.Message, Remedy: r.Remedy, Cause: r.BlockedBy})
		}
		groups[at].IDs = append(groups[at].IDs, r.ID)
	}
	slices.SortStableFunc(groups, func(a, b Unjudged) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Outcome), slices.Index(order, b.Outcome)), cmp.Compare(len(b.IDs), len(a.IDs)))
	})
	return groups
}

// Causes returns the rules that block others, with the number of rules that each blocks. The rule
// with the most comes first.
func Causes(rules []report.RuleResult) (causes []Cause) {
	for _, group := range groupUnjudged(rules) {
		if group.Cause == "" {
			continue
		}
		at := slices.IndexFunc(rules, func(r report.RuleResult) bool { return r.ID == group.Cause })
		if at >= 0 {
			causes = append(causes, Cause{RuleResult: rules[at], Waiting: len(group.IDs)})
		}
	}
	return causes
}

// Cause is a rule whose failure keeps others from being judged.
type Cause struct {
	report.RuleResult
	Waiting int
}

// WaitWords returns how many rules a cause blocks, in words.
func (c Cause) WaitWords() string {
	if c.Waiting == 1 {
		return "1 rule waits for it"
	}
	return fmt.Sprintf("%s wait for it", plural.Count(c.Waiting, "rule"))
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
