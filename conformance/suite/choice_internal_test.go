package suite

import (
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/rule"
)

func TestWithoutFilterAndNamesEveryRuleIsJudged(t *testing.T) {
	t.Parallel()
	chosen, err := newChoice("", nil)
	if all := len(rule.All()); err != nil || len(chosen.judged) != all || len(chosen.run) != all {
		t.Errorf("want all %d rules judged and run, got %d and %d, %v", all, len(chosen.judged), len(chosen.run), err)
	}
}

func TestWhatANamedRuleNeedsIsRunAndNotJudged(t *testing.T) {
	t.Parallel()
	chosen, err := newChoice("", []string{rule.ReleaseVacanciesMany.ID})
	if err != nil || len(chosen.judged) != 1 || !chosen.judged[rule.ReleaseVacanciesMany.ID] {
		t.Fatalf("want the named rule judged, got %v, %v", chosen.judged, err)
	}
	for _, r := range rule.All() {
		needed := r.ID == rule.ReleaseVacanciesMany.ID || rule.BuildsOn(rule.ReleaseVacanciesMany, r.ID)
		if chosen.run[r.ID] != needed {
			t.Errorf("%s: want it run: %t, got %t", r.ID, needed, chosen.run[r.ID])
		}
	}
}

func TestAFilterAndNamesHoldTogether(t *testing.T) {
	t.Parallel()
	config := Config{LabelFilter: "reserve && MUST", Rules: []string{rule.ReserveCode.ID, rule.ReserveExpiresWindow.ID, rule.ConfirmLimit.ID}}
	if judged := config.Judged(); !slices.Equal(judged, []string{rule.ReserveCode.ID}) {
		t.Errorf("want only %s, which both have, got %v", rule.ReserveCode.ID, judged)
	}
}

func TestAChoiceOfNothingIsRefusedWithTheWayOut(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]struct {
		filter string
		ids    []string
		want   string
	}{
		"a mistyped rule":            {"", []string{"reserve.status", "reserve.vacancies.on"}, `no rule "reserve.vacancies.on" (did you mean reserve.vacancies.one`},
		"no names":                   {"", []string{}, "no rule is named"},
		"a filter that breaks off":   {"reserve &&", nil, "cannot be read"},
		"a filter that fits nothing": {"nothing", nil, "fits no rule"},
		"a filter and other names":   {"confirm", []string{"reserve.status"}, "fits none of the rules that are named"},
	} {
		if _, err := newChoice(wrong.filter, wrong.ids); err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%s: want %q, got %v", name, wrong.want, err)
		}
	}
}
