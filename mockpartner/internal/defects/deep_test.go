package defects_test

import (
	"testing"

	"partnerkit.dev/mockpartner/internal/defects"
)

func TestEveryDeepDefectNamesOneRuleAndWhatItDiffersIn(t *testing.T) {
	t.Parallel()
	names, dimensions := map[string]bool{}, map[string]int{}
	for _, d := range defects.Defects.All() {
		names[d.Name] = true
	}
	for _, d := range defects.Deep.All() {
		if d.Rule == "" || d.Mistake == "" || d.Looks == "" || d.Name == "" {
			t.Errorf("want name, rule, mistake and looks, got %+v", d)
		}
		if names[d.Name] {
			t.Errorf("want one defect of the name %s", d.Name)
		}
		names[d.Name] = true
		dimensions[d.Dimension]++
	}
	for dimension, n := range dimensions {
		if n < 10 {
			t.Errorf("want at least 10 deep defects that differ in %s, got %d", dimension, n)
		}
	}
	if n := len(defects.Deep.All()); n < 170 {
		t.Errorf("want at least 170 deep defects, got %d", n)
	}
}
