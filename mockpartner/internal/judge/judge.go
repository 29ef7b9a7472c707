// Package judge tells whether the marketplace that calls a mock partner kept its
// own side of the contract. It reads what the journal holds, beside the catalog
// and the clock, and judges it rule by rule (Rules): how calls are formed, what
// has to come before what, what may not be sent twice, and what must be sent
// again until it succeeds.
//
// What cannot be judged is never taken for kept: it is named, with the reason.
// Where the record leaves it open who is to blame, the caller is not.
package judge

import (
	"fmt"
	"slices"
)

// Judge judges the caller by every rule.
func Judge(c Case) Verdict {
	story := tell(c)
	verdict := Verdict{
		Verdict:   NothingToJudge,
		Now:       c.Now.UTC(),
		Exchanges: len(c.Exchanges),
		Cleared:   c.Cleared,
		Dropped:   c.Dropped,
		Notes:     []string{},
	}
	died := 0
	for _, call := range story.calls {
		if !call.Done {
			verdict.UnderWay++
		}
		if !call.died.IsZero() {
			died++
		}
	}
	verdict.Notes = verdict.notes(died)
	for _, rule := range rules() {
		judgement := rule.judge(story)
		verdict.Rules = append(verdict.Rules, judgement)
		switch {
		case judgement.Verdict == Broken:
			verdict.Verdict = Broken
		case judgement.Verdict == Kept && verdict.Verdict == NothingToJudge:
			verdict.Verdict = Kept
		}
	}
	return verdict
}

func (v Verdict) notes(died int) []string {
	notes := []string{}
	note := func(n int, format string) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf(format, n))
		}
	}
	note(int(v.Cleared), "the journal was emptied of its first %d exchanges: what they say is not judged")
	note(int(v.Dropped), "the journal dropped %d exchanges to make room for newer ones: what they say is not judged")
	note(v.UnderWay, "%d exchanges are still under way")
	note(died, "%d exchanges count as unanswered: their callers died, as was testified")
	return notes
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
