package judge

import (
	"fmt"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/internal/journal"
)

// String tells the verdict to people: every breach with its exchanges, then what
// could not be judged.
func (v Verdict) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "The caller's side of the contract: %s, by %d exchanges.\n", v.Verdict, v.Exchanges)
	for _, rule := range v.Rules {
		if rule.Verdict == Broken {
			rule.write(&text)
		}
	}
	for _, note := range v.Notes {
		fmt.Fprintf(&text, "Note: %s.\n", note)
	}
	for _, rule := range v.Rules {
		if rule.Verdict == NotJudged {
			fmt.Fprintf(&text, "Not judged: %s (%s).\n", rule.ID, rule.Reason)
		}
	}
	return text.String()
}

func (j Judgement) write(text *strings.Builder) {
	fmt.Fprintf(text, "\n%s (%s, %s)\n  %s\n", j.Title, j.ID, j.Clause, j.Why)
	for _, finding := range j.Findings {
		fmt.Fprintf(text, "  - %s\n", finding.Message)
		for _, e := range finding.Exchanges {
			fmt.Fprintf(text, "      #%d %s %s %s -> %s\n", e.Number, e.At.UTC().Format(time.DateTime), e.Method, e.Target, came(e))
		}
		if finding.More > 0 {
			fmt.Fprintf(text, "      and %d more exchanges\n", finding.More)
		}
	}
	if j.More > 0 {
		fmt.Fprintf(text, "  and %d more of the kind\n", j.More)
	}
	text.WriteString("\n")
}

// came says what came back.
func came(e journal.Exchange) string {
	took := time.Duration(e.Duration).Round(time.Millisecond)
	switch {
	case e.LeftAfter != nil:
		return fmt.Sprintf("the caller left after %s", time.Duration(*e.LeftAfter).Round(time.Millisecond))
	case !e.Done:
		return "still under way"
	case !e.Delivered:
		return fmt.Sprintf("no whole answer, after %s", took)
	}
	return fmt.Sprintf("%d after %s", e.Status, took)
}
