package traffic

import (
	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// Breach is a rule that the calls so far break.
type Breach struct {
	Rule    rule.Rule
	Times   int    // how often it was broken
	Message string // of the last time
	Shown   []report.Exchange
}

// Breaches returns the broken rules, in the order of judging. A rule that another broken rule blocks
// is not among them. More calls may follow.
func (j *Judge) Breaches() (all []Breach) {
	verdicts := judge.NewVerdicts(j.keys.Words)
	seen := j.settle(verdicts)
	for _, r := range rule.All() {
		v := verdicts.Get(r.ID)
		if v == nil || v.Outcome != judge.Weight(r) {
			continue
		}
		last := seen[r.ID]
		for i, x := range last.shown {
			last.shown[i] = j.keys.CleanExchange(x)
		}
		all = append(all, Breach{r, last.times, j.keys.Words(last.message), last.shown})
	}
	return all
}
