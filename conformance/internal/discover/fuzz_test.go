package discover_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
)

// FuzzProducts reads any bytes as a catalog: nothing panics, and what is cut out
// of it is JSON.
func FuzzProducts(f *testing.F) {
	f.Add([]byte(`{"products": [{"id": "a", "timeZone": "Asia/Kathmandu", "options": [{"id": "b", "units": [{"id": "unit-adult"}]}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		elements, err := discover.Products(raw)
		if err != nil {
			return
		}
		for _, element := range elements {
			value, err := discover.DecodeElement(element)
			if err != nil || !json.Valid(element) || !bytes.Contains(raw, element) {
				t.Fatalf("want parts of the catalog that are JSON, got %q of %q, %v", element, raw, err)
			}
			product := discover.ReadProduct(value)
			if product.Zone == nil {
				t.Fatalf("want a zone in any case, got none of %q", element)
			}
			for _, option := range product.Options {
				lead := option.Lead()
				if companion, ok := option.Companion(); ok && companion == lead {
					t.Fatalf("want a companion other than the lead, got %q twice", lead)
				}
				option.FixedIDs()
			}
		}
	})
}

// FuzzSlots reads any bytes as the slots of a day: nothing panics, and whatever
// is picked can be booked.
func FuzzSlots(f *testing.F) {
	f.Add([]byte(`[{"id": "s", "localDateTimeStart": "2026-07-05T09:00:00Z", "status": "AVAILABLE", "vacancies": 12.0}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		elements, err := discover.Elements(raw)
		if err != nil {
			return
		}
		var offers []discover.Offer
		for _, element := range elements {
			value, err := discover.DecodeElement(element)
			if err != nil {
				t.Fatalf("want parts of the answer that are JSON, got %q, %v", element, err)
			}
			offer := slotIn(0, "")
			offer.Slot = discover.ReadSlot(value)
			offers = append(offers, offer)
			discover.Day(offer.Slot.Start, time.UTC).Contains(offer.Slot.End, time.UTC)
		}
		for _, offer := range discover.Pick(offers, discover.Want{Now: now, Late: true, Fewest: true, Seats: 1}) {
			if left := offer.Slot.Seats(offer.Product); offer.Slot.ID == "" || left.Counted && left.Left < 1 {
				t.Fatalf("want offers that can be booked, got %+v", offer.Slot)
			}
		}
	})
}
