package report

import (
	"cmp"
	"slices"
	"strings"
)

// causes returns the causes in the order in which they are best fixed: first those that break a MUST
// rule, and of these first the ones for which most rules wait.
func causes(rules []RuleResult) []Cause {
	type demand struct {
		outcome            Outcome
		clause, everywhere string
	}
	all, index := []Cause{}, map[demand]int{}
	urgency := map[string]Outcome{} // by the id of a cause's first rule
	waiting := map[string]int{}     // by the id of the rule that they wait for
	for _, r := range rules {
		waiting[r.BlockedBy]++
	}
	for _, r := range rules {
		if r.Outcome != Failed && r.Outcome != Warned && waiting[r.ID] == 0 {
			continue
		}
		_, everywhere, _ := strings.Cut(r.ID, ".") // an id begins with its endpoint
		same := demand{r.Outcome, r.Clause, everywhere}
		at, known := index[same]
		if !known {
			at = len(all)
			index[same], urgency[r.ID] = at, r.Outcome
			all = append(all, Cause{})
		}
		all[at].Rules = append(all[at].Rules, r.ID)
		all[at].Waiting += waiting[r.ID]
	}
	slices.SortStableFunc(all, func(a, b Cause) int {
		order := Outcomes()
		return cmp.Or(cmp.Compare(slices.Index(order, urgency[a.Rules[0]]), slices.Index(order, urgency[b.Rules[0]])), cmp.Compare(b.Waiting, a.Waiting))
	})
	return all
}
