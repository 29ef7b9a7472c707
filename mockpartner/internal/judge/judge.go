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
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/journal"
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
	for _, rule := range rules {
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
	for _, rule := range rules {
		list = append(list, rule.Rule)
	}
	return list
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

// Case is what a verdict is based on. Its testimony may excuse what looks like a breach.
type Case struct {
	journal.Record
	Catalog *catalog.Index
	// Form is the Authorization header that callers are to send, without the
	// key, such as "Bearer <key>".
	Form string
	Now  time.Time // by the sandbox's clock
	Real time.Time // in real time
}

// Outcome says how a caller stands.
type Outcome string

// The outcomes. A rule is Kept, Broken or NotJudged, a whole verdict Kept,
// Broken or NothingToJudge.
const (
	Kept           Outcome = "kept"
	Broken         Outcome = "broken"
	NotJudged      Outcome = "not judged"
	NothingToJudge Outcome = "nothing to judge"
)

// Verdict is how a caller stands by all rules. It is Kept when no rule is broken
// and one at least could be judged.
type Verdict struct {
	Verdict   Outcome   `json:"verdict"`
	Now       time.Time `json:"now"`       // by the sandbox's clock
	Exchanges int       `json:"exchanges"` // how many were looked at
	UnderWay  int       `json:"underWay"`  // of those, the ones without their whole answer yet
	Cleared   uint64    `json:"cleared"`   // how many the journal was emptied of
	Dropped   uint64    `json:"dropped"`   // how many it had to make room for others
	// Notes say what keeps the verdict from being about everything.
	Notes []string    `json:"notes"`
	Rules []Judgement `json:"rules"` // all rules, in the order of Rules
}

// Judgement is how a caller stands by one rule.
type Judgement struct {
	Rule
	Verdict Outcome `json:"verdict"`
	// Reason says why a rule is not judged.
	Reason   string     `json:"reason,omitempty"`
	Judged   int        `json:"judged"`             // on how many calls or holds it was judged
	Unjudged []Unjudged `json:"unjudged,omitempty"` // on which it could not be
	Findings []Finding  `json:"findings,omitempty"`
	More     int        `json:"more,omitempty"` // how many findings are not shown
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
