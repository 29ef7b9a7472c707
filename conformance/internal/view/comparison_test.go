package view

import (
	"encoding/json"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
)

// pair returns two equal reports in which every rule passed.
func pair(t *testing.T) (old, new *report.Result) {
	t.Helper()
	made := func() *report.Result {
		r := sampleResult(t)
		for i := range r.Rules {
			r.Rules[i].Outcome, r.Rules[i].Message = report.Passed, ""
		}
		return r
	}
	return made(), made()
}

func TestAComparisonIsSummedUpInASentence(t *testing.T) {
	t.Parallel()
	old, new := pair(t)
	if c := report.Compare(old, new); len(Sections(c))+len(c.Remarks) > 0 || c.Regressed() || CompareWords(c) != "0 broke, 0 still broken, 0 fixed" {
		t.Errorf("want nothing told of equal reports, got %q", CompareWords(c))
	}
	new.Rules, old.Rules = new.Rules[1:], old.Rules[:len(old.Rules)-1]
	new.Latency = []report.Latency{old.Latency[0]}
	new.Latency[0].P95MS += 1501
	c := report.Compare(old, new)
	if want := "0 broke, 0 still broken, 0 fixed, 1 new rule, 1 rule gone, 1 endpoint slower"; CompareWords(c) != want {
		t.Errorf("want %q, got %q", want, CompareWords(c))
	}
	if !strings.HasSuffix(SlowerWords(c.Slower[0]), ", before 1.63 s; limit 15 s") {
		t.Errorf("want the times told, got %q", SlowerWords(c.Slower[0]))
	}
}

func TestAComparisonIsWrittenForPullRequestsAndPrograms(t *testing.T) {
	t.Parallel()
	for name, hostile := range hostileTexts() {
		old, new := pair(t)
		broken := ruleOf(t, new, rule.ReserveLimit.ID)
		broken.Outcome, broken.Message, new.Target.BaseURL = report.Failed, hostile, hostile
		c := report.Compare(old, new)
		page := string(CompareMarkdown(c))
		if !strings.HasPrefix(page, "## 1 broke, 0 still broken, 0 fixed") || !strings.Contains(page, "| MUST | passed, now failed | ") {
			t.Errorf("%s: want the breach told, got\n%.2000s", name, page)
		}
		doc := rendered(t, []byte(page))
		if stray := append(tags(doc, "script"), append(tags(doc, "img"), tags(doc, "a")...)...); len(stray) > 0 || len(tags(doc, "td")) != 4 {
			t.Errorf("%s: want a partner's words as text in a row of four, got\n%.2000s", name, page)
		}
		for _, line := range strings.Split(page, "\n") {
			if strings.HasPrefix(line, "| ") && len(line) > 8*longestCell {
				t.Errorf("%s: want short rows, got one of %d bytes", name, len(line))
			}
		}
		text, err := json.Marshal(c)
		if err != nil || !strings.Contains(string(text), `"broke":[{"id":"reserve.limit"`) || !strings.Contains(string(text), `"fixed":[]`) {
			t.Errorf("%s: want the lists as JSON, none of them null, got %.300s, %v", name, text, err)
		}
	}
}
