package console

import (
	"cmp"
	"slices"

	"partnerkit.dev/mockpartner/internal/judge"
)

// callerPanel shows whether the sandbox's callers followed the contract. They are judged only on
// request, because that reads the complete journal.
type callerPanel struct {
	Judged  bool
	Href    string                     // shows or hides the judgement
	Verdict judge.Verdict              // broken rules first, then those not judged
	Broken  int                        // number of broken rules
	Kept    int                        // number of kept rules
	Base    string                     // of the sandbox, for the equivalent command
	HrefOf  func(number uint64) string // links to an exchange
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
