package selftest_test

import (
	"testing"

	"partnerkit.dev/conformance/internal/selftest"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/mockpartner"
)

func TestEveryDeepDefectNamesARule(t *testing.T) {
	t.Parallel()
	for _, d := range mockpartner.DeepDefects() {
		if _, err := rule.Find(d.Rule); err != nil {
			t.Errorf("deep defect %s: there is no rule %s", d.Name, d.Rule)
		}
	}
}

func TestADeepDefectIsCountedByItsDimension(t *testing.T) {
	t.Parallel()
	matrix, _ := try(t, selftest.Case{
		Kind: selftest.Deep, Name: "tried", Dimension: "product", Rule: "reserve.code", Options: mockpartner.Options{Defects: []string{"hold-without-code"}},
		Flags: []string{"--max-holds", "30"},
	})
	if len(matrix.Deep) != 1 || len(matrix.Depth) != 1 || matrix.Depth[0] != (selftest.Depth{Dimension: "product", Defects: 1, Killed: 1}) {
		t.Errorf("want one killed by product, got %+v and %+v", matrix.Deep, matrix.Depth)
	}
}
