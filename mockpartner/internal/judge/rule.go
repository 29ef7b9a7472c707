package judge

import "slices"

// Rule is one duty of the caller.
type Rule struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Clause string `json:"clause"` // of docs/contract.md
	Why    string `json:"why"`    // what goes wrong where it is broken
}

// check is a rule with what judges it.
type check struct {
	Rule
	without string // why it is not judged where the record has nothing of the kind
	run     func(*story, *bench)
}

// Rules lists every rule, in the order of a booking.
func Rules() []Rule {
	var list []Rule
	for _, rule := range rules() {
		list = append(list, rule.Rule)
	}
	return list
}

func rules() []check {
	return slices.Concat(formRules(), catalogRules(), availabilityRules(), reserveRules(), confirmRules(), releaseRules(), cancelRules(), patienceRules())
}

func (c check) judge(s *story) Judgement {
	b := &bench{}
	c.run(s, b)
	j := Judgement{Rule: c.Rule, Verdict: Kept, Judged: b.judged, Unjudged: b.unjudged, Findings: b.findings, More: b.more}
	switch {
	case len(b.findings) > 0:
		j.Verdict = Broken
	case b.judged == 0:
		j.Verdict, j.Reason = NotJudged, c.without
		if len(b.unjudged) > 0 {
			j.Reason = b.unjudged[0].Reason
		}
	}
	return j
}
