package main_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/defects"
)

// missed are the defects that the suite does not catch yet, and why.
var missed = map[string]string{
	"oversold-under-load": "no rule reserves at the same time",
}

// Every defect is judged, and what the suite makes of it is printed as a table.
func TestEveryDefectFailsTheOneRuleThatItBreaks(t *testing.T) {
	t.Parallel()
	table := tableOf(t)
	for _, defect := range defects.Defects() {
		t.Run(defect.Name, func(t *testing.T) {
			t.Parallel()
			options, args := mockpartner.Options{Defects: []string{defect.Name}}, []string(nil)
			if late.MatchString(defect.Rule) {
				options.LimitScale, args = 0.04, []string{"--limit-scale", "0.04"}
			}
			_, url := startMock(t, options)
			r := judge(t, url, ofMock(url, args...)...)
			if why, open := missed[defect.Name]; open {
				table.add("missed", defect, why)
				if r.found(defect.Rule) {
					t.Errorf("want it missed, as the list says: take it off the list")
				}
				return
			}
			broken, _ := rule.Lookup(defect.Rule)
			failed, verdict, code := []string{defect.Rule}, report.Nonconformant, 1
			if broken.Level != rule.Must {
				failed, verdict, code = nil, report.Conformant, 0
				if !slices.Contains(r.outcomes(report.Warned), defect.Rule) {
					t.Errorf("want %s warned, got %v\n%s", defect.Rule, r.outcomes(report.Warned), r.said())
				}
			}
			if got := r.outcomes(report.Failed); !slices.Equal(got, failed) {
				table.add("wrong", defect, strings.Join(got, " "))
				t.Fatalf("want %v failed and nothing else, got %v\n%s", failed, got, r.said())
			}
			if r.code != code || r.result.Verdict != verdict {
				t.Errorf("want exit %d and %s, got exit %d and %s", code, verdict, r.code, r.result.Verdict)
			}
			if found := r.rule(t, defect.Rule); found.Message == "" || len(found.Exchanges) == 0 {
				t.Errorf("want a message and evidence, got %q and %d exchanges", found.Message, len(found.Exchanges))
			}
			table.add("caught", defect, "")
		})
	}
}

// late are the rules whose defects take as long as the limits, which are shortened.
var late = regexp.MustCompile(`\.(limit|aim)$`)

// found reports whether the rule failed, or warned.
func (r ran) found(id string) bool {
	return slices.Contains(append(r.outcomes(report.Failed), r.outcomes(report.Warned)...), id)
}

func TestEveryRuleIsBrokenByADefect(t *testing.T) {
	t.Parallel()
	// No partner that answers at all breaks the first; the second tells of a feature;
	// the third is a net below the rules of all fields that there are.
	free := []string{"products.reachable", "cancel.supported", "confirm.fields"}
	broken := map[string]bool{}
	for _, defect := range defects.Defects() {
		broken[defect.Rule] = true
		if _, ok := rule.Lookup(defect.Rule); !ok && missed[defect.Name] == "" {
			t.Errorf("defect %s: there is no rule %s", defect.Name, defect.Rule)
		}
	}
	for _, one := range rule.All() {
		if !broken[one.ID] && !slices.Contains(free, one.ID) {
			t.Errorf("want a defect that breaks %s", one.ID)
		}
	}
}

func TestNoVariantIsFlagged(t *testing.T) {
	t.Parallel()
	for _, variant := range defects.Variants() {
		t.Run(variant.Name, func(t *testing.T) {
			t.Parallel()
			mock, url := startMock(t, mockpartner.Options{Variants: []string{variant.Name}})
			args := ofMock(url)
			if variant.Name == "no-tickets" { // it is registered as one that leaves them to the marketplace
				args = []string{"--clock-url", url + "/_mock/clock"}
			}
			r := judge(t, url, args...)
			if flagged := append(r.outcomes(report.Failed), r.outcomes(report.Warned)...); len(flagged) > 0 || r.code != 0 {
				t.Errorf("want nothing flagged and exit 0, got %v and exit %d\n%s", flagged, r.code, r.said())
			}
			if open := append(r.outcomes(report.Inconclusive), r.outcomes(report.Blocked)...); len(open) > 0 {
				t.Errorf("want nothing left open, got %v\n%s", open, r.said())
			}
			leftAsItWas(t, mock)
		})
	}
}

// table is what became of the defects. It is printed when the test ends.
type table struct {
	mu    sync.Mutex
	lines map[string][]string // by outcome
}

func tableOf(t *testing.T) *table {
	made := &table{lines: map[string][]string{}}
	t.Cleanup(func() {
		for _, outcome := range slices.Sorted(maps.Keys(made.lines)) {
			lines := made.lines[outcome]
			slices.Sort(lines)
			t.Logf("%s: %d of %d defects\n%s", outcome, len(lines), len(defects.Defects()), strings.Join(lines, "\n"))
		}
	})
	return made
}

func (t *table) add(outcome string, d defects.Defect, remark string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines[outcome] = append(t.lines[outcome], strings.TrimRight(fmt.Sprintf("  %-48s %-36s %s", d.Name, d.Rule, remark), " "))
}
