package plan_test

import (
	"testing"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/schemas/partnerapi"
)

func TestNoSimplerCaseHasAnEmptyParty(t *testing.T) {
	t.Parallel()
	infants := plan.Case{
		Offer:   discover.Offer{Option: discover.Option{Units: []discover.Unit{{ID: "unit-adult", Type: partnerapi.Adult}, {ID: "unit-infant", Type: partnerapi.Infant}}}},
		Units:   []partnerapi.UnitQuantity{{ID: "unit-infant", Quantity: 2}},
		Infants: 2,
	}
	for _, simpler := range infants.SimplerCases() {
		if simpler.Guests() < 1 {
			t.Errorf("want guests in each, got %s", simpler.String())
		}
	}
}
