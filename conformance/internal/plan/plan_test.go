package plan

import (
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/rule"
)

func TestWithoutFilterAndNamesEveryRuleIsJudged(t *testing.T) {
	t.Parallel()
	chosen, err := Choose("", nil)
	if all := len(rule.All()); err != nil || len(chosen.Judged) != all || len(chosen.Run) != all {
		t.Errorf("want all %d rules judged and run, got %d and %d, %v", all, len(chosen.Judged), len(chosen.Run), err)
	}
}

func TestRulesNeededByANamedRuleAreRunButNotJudged(t *testing.T) {
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

func TestAFilterAndRuleNamesBothApply(t *testing.T) {
	t.Parallel()
	chosen, err := Choose("reserve && MUST", []string{rule.ReserveCode.ID, rule.ReserveExpiresWindow.ID, rule.ConfirmLimit.ID})
	if err != nil || len(chosen.Judged) != 1 || !chosen.Judged[rule.ReserveCode.ID] {
		t.Errorf("want only %s, which both have, got %v, %v", rule.ReserveCode.ID, chosen.Judged, err)
	}
}

func TestAnEmptyChoiceIsRefusedWithAnExample(t *testing.T) {
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
		"a filter and other names":   {"confirm", []string{"reserve.status"}, "matches none of the named rules"},
	} {
		if _, err := Choose(wrong.filter, wrong.ids); err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%s: want %q, got %v", name, wrong.want, err)
		}
	}
}

func TestASampleIsSpreadAndBeginsWithTheLast(t *testing.T) {
	t.Parallel()
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, test := range []struct {
		of   []int
		n    int
		want []int
	}{
		{all, 1, []int{9}}, {all, 2, []int{9, 0}}, {all, 5, []int{9, 0, 2, 4, 6}},
		{all, 10, []int{9, 0, 1, 2, 3, 4, 5, 6, 7, 8}}, {all, 100, []int{9, 0, 1, 2, 3, 4, 5, 6, 7, 8}},
		{all, 0, nil}, {all, -1, nil}, {nil, 3, nil}, {[]int{7}, 3, []int{7}},
	} {
		if got := Spread(test.of, test.n); !slices.Equal(got, test.want) {
			t.Errorf("%d of %v: want %v, got %v", test.n, test.of, test.want, got)
		}
	}
}

func TestCandidatesAreOfAsManyOptionsAsPossible(t *testing.T) {
	t.Parallel()
	var candidates []discover.Offer
	for _, option := range []string{"a", "a", "a", "b", "b", "c"} {
		candidates = append(candidates, discover.Offer{Option: discover.Option{ID: option}})
	}
	for n, want := range map[int]string{0: "", 3: "aaa", 4: "abaa", 6: "abcaa"} {
		got := ""
		for _, offer := range Candidates(candidates[:n]) {
			got += offer.Option.ID
		}
		if got != want {
			t.Errorf("of %d offers: want those of the options %s, got %s", n, want, got)
		}
	}
}

func TestTheEndsOfSlotsComeFirst(t *testing.T) {
	t.Parallel()
	slots := make([]discover.Offer, 7)
	for i := range slots {
		slots[6-i].Slot.Start = time.Date(2026, 6, 1+i, 9, 0, 0, 0, time.UTC)
	}
	days := func(offers []discover.Offer) (days []int) {
		for _, o := range offers {
			days = append(days, o.Slot.Start.Day())
		}
		return days
	}
	for turn, want := range [][]int{{1, 7, 4, 2, 3, 5, 6}, {7, 4, 1, 2, 3, 5, 6}, {4, 1, 7, 2, 3, 5, 6}, {1, 7, 4, 2, 3, 5, 6}} {
		if got := days(EndsFirst(slots, turn)); !slices.Equal(got, want) {
			t.Errorf("turn %d: Expected the days %v, received %v", turn, want, got)
		}
	}
	if got := days(EndsFirst(slots[:2], 1)); !slices.Equal(got, []int{7, 6}) {
		t.Errorf("Expected two slots as they were, received %v", got)
	}
}

func TestOptionsAndProductsWithABookableSlotAreChosenEvenly(t *testing.T) {
	t.Parallel()
	offer := func(product, option string) discover.Offer {
		return discover.Offer{Product: discover.Product{ID: product}, Option: discover.Option{ID: option}}
	}
	all := []discover.Offer{
		offer("boat", "day"), offer("boat", "day"), offer("boat", "night"), offer("boat", "private"),
		offer("walk", "short"), offer("tour", "bus"), offer("tour", "bike"),
	}
	bookable := []discover.Offer{all[6], all[2], all[1], all[5], all[4]} // no private boat
	keys := func(offers ...discover.Offer) (keys []string) {
		for _, o := range offers {
			keys = append(keys, o.OptionKey())
		}
		return keys
	}
	for _, chosen := range []struct {
		name      string
		got, want []string
	}{
		{"options", BookableOptions(bookable, all, 9), keys(all[6], all[0], all[2], all[4], all[5])},
		{"two options", BookableOptions(bookable, all, 2), keys(all[6], all[0])},
		{"no option", BookableOptions(bookable, all, 0), nil},
		{"products", BookableProducts(bookable, all, 9), keys(all[6], all[2], all[4])},
		{"two products", BookableProducts(bookable, all, 2), keys(all[6], all[2])},
	} {
		if !slices.Equal(chosen.got, chosen.want) {
			t.Errorf("%s: expected %q, received %q", chosen.name, chosen.want, chosen.got)
		}
	}
}
