package console

import (
	"cmp"
	"slices"

	"partnerkit.dev/mockpartner/internal/judge"
)

// callerPanel is how the sandbox's callers stand by the contract. It is judged
// only when it is asked for: the whole journal is read for it.
type callerPanel struct {
	Judged  bool
	Href    string                     // asks for it, or for it no more
	Verdict judge.Verdict              // the broken rules first, then those that are not judged
	Broken  int                        // how many rules are
	Kept    int                        // how many rules are
	Base    string                     // of the sandbox, for the command that does the same
	HrefOf  func(number uint64) string // leads to an exchange
}

func (b *builder) caller() callerPanel {
	asked := b.choice
	asked.judged = !asked.judged
	panel := callerPanel{
		Judged: b.choice.judged, Href: asked.href(), Base: b.base(),
		HrefOf: func(number uint64) string { return b.choice.withExchange(number).href() },
	}
	if panel.Judged {
		panel.Verdict = b.box.Verdict()
		for _, rule := range panel.Verdict.Rules {
			switch rule.Verdict {
			case judge.Broken:
				panel.Broken++
			case judge.Kept:
				panel.Kept++
			}
		}
		rank := func(j judge.Judgement) int {
			return slices.Index([]judge.Outcome{judge.Broken, judge.NotJudged, judge.Kept}, j.Verdict)
		}
		slices.SortStableFunc(panel.Verdict.Rules, func(a, b judge.Judgement) int { return cmp.Compare(rank(a), rank(b)) })
	}
	return panel
}
