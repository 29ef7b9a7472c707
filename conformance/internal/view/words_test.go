package view

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
)

func TestDurationsAreWrittenWithThePrecisionThatAReaderCanUse(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second:             "0 ms",
		0:                        "0 ms",
		400 * time.Microsecond:   "<1 ms",
		212 * time.Millisecond:   "212 ms",
		time.Second:              "1 s",
		1420 * time.Millisecond:  "1.42 s",
		6200 * time.Millisecond:  "6.2 s",
		12 * time.Second:         "12 s",
		18420 * time.Millisecond: "18.4 s",
		125 * time.Second:        "2 min 5 s",
	} {
		if got := duration(d); got != want {
			t.Errorf("duration(%d ns) = %q, want %q", d, got, want)
		}
	}
}

func TestSizesAreWrittenForPeople(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 1536: "1.5 KiB", 14_000_000: "13.4 MiB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestShortenCutsBetweenCharactersAndSaysHowMuchIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"short", 5, "short"},
		{"longer", 5, "longe … (1 more bytes)"},
		{"aé", 2, "a … (2 more bytes)"},
		{"\x80\x80\x80", 2, " … (3 more bytes)"},
	} {
		if got := shorten(c.text, c.limit); got != c.want {
			t.Errorf("shorten(%q, %d) = %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}

func TestTheBadgeSaysTheVerdictAndHowManyRulesHold(t *testing.T) {
	t.Parallel()
	rules := func(passed, warned, failed, skipped int) (all []report.RuleResult) {
		for outcome, n := range map[report.Outcome]int{report.Passed: passed, report.Warned: warned, report.Failed: failed, report.Skipped: skipped} {
			for range n {
				all = append(all, report.RuleResult{Outcome: outcome})
			}
		}
		return all
	}
	for want, r := range map[string]*report.Result{
		"conformant 180/180":                        {Verdict: report.Conformant, Rules: rules(180, 0, 0, 0)},
		"conformant 170/172":                        {Verdict: report.Conformant, Rules: rules(170, 2, 0, 8)},
		"not conformant 170/174":                    {Verdict: report.Nonconformant, Rules: rules(170, 2, 2, 6)},
		"conformant except for known failures 9/10": {Verdict: report.Conformant, Rules: append(rules(9, 0, 0, 0), report.RuleResult{Outcome: report.Known})},
		"not judged":                                {Verdict: report.Incomplete, Rules: rules(1, 0, 0, 179)},
		"partial 3/3":                               {Verdict: report.Partial, Rules: rules(3, 0, 0, 177)},
		"not measured: limits scaled":               {Verdict: report.Conformant, Rules: rules(180, 0, 0, 0), LimitScale: 0.1},
	} {
		content := render(t, drawBadge, r)
		if err := xml.Unmarshal(content, new(struct{})); err != nil {
			t.Fatalf("the badge is no XML: %v", err)
		}
		if !strings.Contains(string(content), `aria-label="partner contract: `+want+`"`) || !strings.Contains(string(content), ">"+want+"</text>") {
			t.Errorf("the badge does not say %q:\n%s", want, content)
		}
	}
}
