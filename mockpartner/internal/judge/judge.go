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
	"partnerkit.dev/mockpartner/internal/journal"
)

// Judge judges the caller by every rule.
func Judge(c Case) Verdict {
	history := newHistory(c)
	verdict := Verdict{
		Verdict:   NothingToJudge,
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
	verdict.Notes = verdict.notes(died)
	for _, rule := range rules {
		judgement := rule.judge(history)
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

func (c check) judge(s *history) Judgement {
	b := &tally{}
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

// Outcome is the outcome of a rule or of a verdict.
type Outcome string

// These are the outcomes. A rule is Kept, Broken or NotJudged, a complete verdict Kept, Broken or
// NothingToJudge.
const (
	Kept           Outcome = "kept"
	Broken         Outcome = "broken"
	NotJudged      Outcome = "not judged"
	NothingToJudge Outcome = "nothing to judge"
)

// Verdict is the judgement of a caller by all rules. It is Kept if no rule is broken and at least
// one could be judged.
type Verdict struct {
	Verdict   Outcome   `json:"verdict"`
	Now       time.Time `json:"now"`       // by the sandbox's clock
	Exchanges int       `json:"exchanges"` // number of exchanges in the record
	UnderWay  int       `json:"underWay"`  // number of them without a complete answer yet
	Cleared   uint64    `json:"cleared"`   // number removed when the journal was emptied
	Dropped   uint64    `json:"dropped"`   // number dropped to make room
	// Notes say what the verdict does not cover.
	Notes []string    `json:"notes"`
	Rules []Judgement `json:"rules"` // all rules, in the order of Rules
}

// Judgement is the judgement of a caller by one rule.
type Judgement struct {
	Rule
	Verdict Outcome `json:"verdict"`
	// Reason says why a rule is not judged.
	Reason   string     `json:"reason,omitempty"`
	Judged   int        `json:"judged"`             // number of calls or holds on which it was judged
	Unjudged []Unjudged `json:"unjudged,omitempty"` // those on which it could not be judged
	Findings []Finding  `json:"findings,omitempty"`
	More     int        `json:"more,omitempty"` // number of findings that are not shown
}

// Unjudged are calls or holds on which a rule could not be judged.
type Unjudged struct {
	Count  int    `json:"count"`
	Reason string `json:"reason"`
}

// Finding is one breach, with the exchanges that show it.
type Finding struct {
	Message   string             `json:"message"`
	Exchanges []journal.Exchange `json:"exchanges"` // shortened: see Quote
	More      int                `json:"more,omitempty"`
}
