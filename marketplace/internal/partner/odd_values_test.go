package partner_test

import (
	"testing"

	"partnerkit.dev/internal/oddvalues"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// The conformance suite judges the same values: see its package traffic.
func TestTheMarketplaceTakesTheHoldsAndBookingsThatTheContractAllows(t *testing.T) {
	t.Parallel()
	for _, v := range oddvalues.All() {
		if v.Endpoint != partnerapi.Reserve && v.Endpoint != partnerapi.Confirm {
			continue
		}
		if why := partner.CheckAnswer(t.Context(), v.Endpoint, []byte(v.Answer)); (why == "") != v.Lawful {
			t.Errorf("%s: want lawful %t, got %q", v.Name, v.Lawful, why)
		}
	}
}
