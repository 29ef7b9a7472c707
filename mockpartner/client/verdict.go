package client

import (
	"fmt"
	"strings"
	"time"

	"partnerkit.dev/internal/callerrules"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/internal/safetext"
)

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
	callerrules.Rule
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
	Message   string     `json:"message"`
	Exchanges []Exchange `json:"exchanges"` // shortened: see Quote
	More      int        `json:"more,omitempty"`
}

// String renders the verdict as text: every breach with its exchanges, then what could not be
// judged.
func (v Verdict) String() string {
	var text strings.Builder
	switch v.Verdict {
	case Kept:
		text.WriteString("kept: the caller kept its side of the contract.\n")
	case Broken:
		text.WriteString("broken: the caller broke its side of the contract.\n")
	default:
		text.WriteString("nothing to judge: no call was made that a rule applies to.\n")
	}
	fmt.Fprintf(&text, "%s: %s broken, %d kept, %d not judged.\n",
		plural.Count(v.Exchanges, "exchange"), plural.Count(v.count(Broken), "rule"), v.count(Kept), v.count(NotJudged))
	for _, note := range v.Notes {
		fmt.Fprintf(&text, "Note: %s.\n", safetext.Line(note))
	}
	for _, rule := range v.Rules {
		if rule.Verdict == Broken {
			rule.write(&text)
		}
	}
	if v.count(NotJudged) > 0 {
		text.WriteString("\nNot judged:\n")
	}
	for _, rule := range v.Rules {
		if rule.Verdict == NotJudged {
			fmt.Fprintf(&text, "  %-27s %s\n", safetext.Line(rule.ID), safetext.Line(rule.Reason))
		}
	}
	return safetext.Lines(text.String())
}

func (v Verdict) count(outcome Outcome) (n int) {
	for _, rule := range v.Rules {
		if rule.Verdict == outcome {
			n++
		}
	}
	return n
}

func (j Judgement) write(text *strings.Builder) {
	fmt.Fprintf(text, "\nBroken: %s (%s, %s)\n  %s\n", safetext.Line(j.Title), safetext.Line(j.ID), safetext.Line(j.Clause), safetext.Line(j.Why))
	for _, finding := range j.Findings {
		fmt.Fprintf(text, "  - %s\n", safetext.Line(finding.Message))
		for _, e := range finding.Exchanges {
			fmt.Fprintf(text, "      #%d %s %s %s -> %s\n", e.Number, e.At.UTC().Format(time.DateTime), safetext.Line(e.Method), safetext.Line(e.Target), outcomeWords(e))
		}
		if finding.More > 0 {
			fmt.Fprintf(text, "      and %s\n", plural.Count(finding.More, "more exchange"))
		}
	}
	if j.More > 0 {
		fmt.Fprintf(text, "  and %s like these\n", plural.Count(j.More, "more breach", "more breaches"))
	}
}

func outcomeWords(e Exchange) string {
	took := time.Duration(e.Duration).Round(time.Millisecond)
	switch {
	case e.LeftAfter != nil:
		return fmt.Sprintf("the caller left after %s", time.Duration(*e.LeftAfter).Round(time.Millisecond))
	case !e.Done:
		return "still in progress"
	case !e.Delivered:
		return fmt.Sprintf("no complete answer, after %s", took)
	}
	return fmt.Sprintf("%d after %s", e.Status, took)
}
