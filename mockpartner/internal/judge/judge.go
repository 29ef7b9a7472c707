// Package judge determines whether the marketplace that calls a mock partner kept its own side of
// the contract. It reads the journal, the catalog and the clock, and judges them rule by rule
// (Rules). The rules cover the form of calls, their order, calls that must not be repeated, and
// calls that must be repeated until they succeed.
//
// What cannot be judged never counts as kept: the verdict names it, with the reason. If the record
// does not show who is at fault, the caller is not blamed.
package judge

import (
	"fmt"
	"time"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/journal"
)

// Judge judges the caller by every rule.
func Judge(c Case) client.Verdict {
	history := newHistory(c)
	verdict := client.Verdict{
		Verdict:   client.NothingToJudge,
		Now:       c.Now.UTC(),
		Exchanges: len(c.Exchanges),
		Cleared:   c.Cleared,
		Dropped:   c.Dropped,
		Notes:     []string{},
	}
	died := 0
	for _, call := range history.calls {
		if !call.Done {
			verdict.UnderWay++
		}
		if !call.died.IsZero() {
			died++
		}
	}
	verdict.Notes = notesOn(verdict, died)
	for _, rule := range rules {
		judgement := rule.judge(history)
		verdict.Rules = append(verdict.Rules, judgement)
		switch {
		case judgement.Verdict == client.Broken:
			verdict.Verdict = client.Broken
		case judgement.Verdict == client.Kept && verdict.Verdict == client.NothingToJudge:
			verdict.Verdict = client.Kept
		}
	}
	return verdict
}

func notesOn(v client.Verdict, died int) []string {
	notes := []string{}
	note := func(n int, format string) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf(format, plural.Count(n, "exchange")))
		}
	}
	note(int(v.Cleared), "the journal was emptied of its first %s: they are not judged")
	note(int(v.Dropped), "the journal dropped %s to make room for newer ones: they are not judged")
	note(v.UnderWay, "%s still in progress")
	note(died, "%s counted as unanswered: a test reported that their callers died")
	return notes
}

// Rules lists every rule, in the order of a booking.
func Rules() []Rule {
	var list []Rule
	for _, rule := range rules {
		list = append(list, rule.Rule)
	}
	return list
}

func (c check) judge(s *history) client.Judgement {
	b := &tally{}
	c.run(s, b)
	j := client.Judgement{Rule: c.Rule, Verdict: client.Kept, Judged: b.judged, Unjudged: b.unjudged, Findings: b.findings, More: b.more}
	switch {
	case len(b.findings) > 0:
		j.Verdict = client.Broken
	case b.judged == 0:
		j.Verdict, j.Reason = client.NotJudged, c.without
		if len(b.unjudged) > 0 {
			j.Reason = b.unjudged[0].Reason
		}
	}
	return j
}

// Case is the basis of a verdict. Its testimony may excuse an apparent breach.
type Case struct {
	journal.Record
	Catalog *catalog.Index
	// Form is the required Authorization header of callers, without the key, such as "Bearer
	// <key>".
	Form string
	Now  time.Time // by the sandbox's clock
	Real time.Time // in real time
}
