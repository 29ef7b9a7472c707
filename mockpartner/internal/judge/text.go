package judge

import (
	"fmt"
	"strings"
	"time"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/mockpartner/internal/journal"
)

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
		fmt.Fprintf(&text, "Note: %s.\n", note)
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
			fmt.Fprintf(&text, "  %-27s %s\n", rule.ID, rule.Reason)
		}
	}
	return text.String()
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
	fmt.Fprintf(text, "\nBroken: %s (%s, %s)\n  %s\n", j.Title, j.ID, j.Clause, j.Why)
	for _, finding := range j.Findings {
		fmt.Fprintf(text, "  - %s\n", finding.Message)
		for _, e := range finding.Exchanges {
			fmt.Fprintf(text, "      #%d %s %s %s -> %s\n", e.Number, e.At.UTC().Format(time.DateTime), e.Method, e.Target, outcomeWords(e))
		}
		if finding.More > 0 {
			fmt.Fprintf(text, "      and %s\n", plural.Count(finding.More, "more exchange"))
		}
	}
	if j.More > 0 {
		fmt.Fprintf(text, "  and %s like these\n", plural.Count(j.More, "more breach", "more breaches"))
	}
}

func outcomeWords(e journal.Exchange) string {
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
