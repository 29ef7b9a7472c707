package console

import (
	"cmp"
	"slices"

	"partnerkit.dev/mockpartner/client"
)

// callerPanel shows whether the sandbox's callers followed the contract. They are judged only on
// request, because that reads the complete journal.
type callerPanel struct {
	Judged  bool
	Href    string                     // shows or hides the judgement
	Verdict client.Verdict             // broken rules first, then those not judged
	Broken  int                        // number of broken rules
	Kept    int                        // number of kept rules
	More    more                       // at the end of the rules
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
			case client.Broken:
				panel.Broken++
			case client.Kept:
				panel.Kept++
			}
		}
		rank := func(j client.Judgement) int {
			return slices.Index([]client.Outcome{client.Broken, client.NotJudged, client.Kept}, j.Verdict)
		}
		slices.SortStableFunc(panel.Verdict.Rules, func(a, b client.Judgement) int { return cmp.Compare(rank(a), rank(b)) })
		rules := panel.Verdict.Rules
		panel.Verdict.Rules = rules[:min(len(rules), b.choice.limit("rules", max(panel.Broken, fewListed), len(rules)))]
		panel.More = b.choice.more("rules", len(panel.Verdict.Rules), len(rules))
	}
	return panel
}
