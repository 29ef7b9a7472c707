package suite

import (
	"testing"

	"partnerkit.dev/conformance/internal/plan"
)

func TestARuleIsBrokenApartFromItsCauseOnAnOptionWhereTheCauseHolds(t *testing.T) {
	t.Parallel()
	judged := coverage{covered: map[string]map[plan.Dimension]map[string]bool{"cause": {plan.Option: {"b": true, "c": true}}}}
	for name, test := range map[string]struct {
		broken map[string]string
		want   bool
	}{
		"on one where the cause is broken too": {map[string]string{"a": "flaw"}, false},
		"on one that the cause was not tried":  {map[string]string{"d": "flaw"}, false},
		"on one where the cause holds":         {map[string]string{"a": "flaw", "b": "flaw"}, true},
		"on one that is not known":             {nil, false},
		"it holds where the cause holds":       {map[string]string{"a": "flaw", "b": ""}, false},
	} {
		o := options{"cause": {"a": "flaw", "c": ""}, "broken": test.broken}
		if got := o.isIndependent("cause", "broken", judged); got != test.want {
			t.Errorf("%s: Expected %v, received %v", name, test.want, got)
		}
	}
	now := options{"cause": {"a": "flaw", "b": "flaw"}, "broken": {"c": "flaw"}}
	if now.isIndependent("cause", "broken", judged) {
		t.Error("Expected a cause that holds now and then on the same option to explain a breach on any")
	}
}
