package console

import "partnerkit.dev/mockpartner/internal/judge"

// callerPanel is how the sandbox's callers stand by the contract. It is judged
// only when it is asked for: the whole journal is read for it.
type callerPanel struct {
	Judged  bool
	Href    string // asks for it, or for it no more
	Verdict judge.Verdict
	Rules   []ruleView // the broken ones first, then those that are not judged
	Broken  int
}

type ruleView struct {
	judge.Judgement
	Class string
	Shown []findingView
}

type findingView struct {
	judge.Finding
	Exchanges []exchangeLink
}

type exchangeLink struct {
	Number uint64
	Href   string
}

func (b *builder) caller() callerPanel {
	asked := b.choice
	asked.judged = !asked.judged
	panel := callerPanel{Judged: b.choice.judged, Href: asked.href()}
	if !panel.Judged {
		return panel
	}
	panel.Verdict = b.box.Verdict()
	for _, outcome := range []judge.Outcome{judge.Broken, judge.NotJudged, judge.Kept} {
		for _, j := range panel.Verdict.Rules {
			if j.Verdict == outcome {
				panel.Rules = append(panel.Rules, b.rule(j))
			}
		}
		if outcome == judge.Broken {
			panel.Broken = len(panel.Rules)
		}
	}
	return panel
}

func (b *builder) rule(j judge.Judgement) ruleView {
	view := ruleView{Judgement: j, Class: "open"}
	switch j.Verdict {
	case judge.Kept:
		view.Class = "good"
	case judge.Broken:
		view.Class = "failed"
	}
	for _, f := range j.Findings {
		finding := findingView{Finding: f}
		for _, e := range f.Exchanges {
			finding.Exchanges = append(finding.Exchanges, exchangeLink{e.Number, b.choice.withExchange(e.Number).href()})
		}
		view.Shown = append(view.Shown, finding)
	}
	return view
}
