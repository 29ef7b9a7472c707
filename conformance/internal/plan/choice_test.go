package plan

import (
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/rule"
)

func TestWithoutFilterAndNamesEveryRuleIsJudged(t *testing.T) {
	t.Parallel()
	chosen, err := Choose("", nil)
	if all := len(rule.All()); err != nil || len(chosen.Judged) != all || len(chosen.Run) != all {
		t.Errorf("want all %d rules judged and run, got %d and %d, %v", all, len(chosen.Judged), len(chosen.Run), err)
	}
}

func TestWhatANamedRuleNeedsIsRunAndNotJudged(t *testing.T) {
	t.Parallel()
	chosen, err := Choose("", []string{rule.ReleaseVacanciesMany.ID})
	if err != nil || len(chosen.Judged) != 1 || !chosen.Judged[rule.ReleaseVacanciesMany.ID] {
		t.Fatalf("want the named rule judged, got %v, %v", chosen.Judged, err)
	}
	for _, r := range rule.All() {
		needed := r.ID == rule.ReleaseVacanciesMany.ID || rule.BuildsOn(rule.ReleaseVacanciesMany, r.ID)
		if chosen.Run[r.ID] != needed {
			t.Errorf("%s: want it run: %t, got %t", r.ID, needed, chosen.Run[r.ID])
		}
	}
}

func TestAFilterAndNamesHoldTogether(t *testing.T) {
	t.Parallel()
	chosen, err := Choose("reserve && MUST", []string{rule.ReserveCode.ID, rule.ReserveExpiresWindow.ID, rule.ConfirmLimit.ID})
	if err != nil || len(chosen.Judged) != 1 || !chosen.Judged[rule.ReserveCode.ID] {
		t.Errorf("want only %s, which both have, got %v, %v", rule.ReserveCode.ID, chosen.Judged, err)
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
		if _, err := Choose(wrong.filter, wrong.ids); err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%s: want %q, got %v", name, wrong.want, err)
		}
	}
}
