package catalog_test

import (
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/oddvalues"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// The conformance suite judges the same values: see its package traffic.
func TestTheMarketplaceTakesTheProductsAndSlotsThatTheContractAllows(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	for _, v := range oddvalues.All() {
		taken := 0
		switch v.Endpoint {
		case partnerapi.Products:
			read, err := catalog.Read(t.Context(), []byte(v.Answer))
			errtest.Check(t, err)
			taken = len(read.Products)
		case partnerapi.Availability:
			read, err := catalog.ReadSlots(t.Context(), []byte(v.Answer), catalog.Window{Zone: time.UTC, From: from, To: from.AddDate(0, 0, partnerapi.LookaheadDays)})
			errtest.Check(t, err)
			taken = len(read.Slots)
		default:
			continue
		}
		if (taken == 1) != v.Lawful {
			t.Errorf("%s: want lawful %t, got %d taken", v.Name, v.Lawful, taken)
		}
	}
}
