package client_test

import (
	"testing"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

func TestSlotsAreListedAndChangedFromAfar(t *testing.T) {
	t.Parallel()
	b, ctx := start(t), t.Context()
	slots := ok[[]platform.SlotState](t)(b.Control.Slots.List(ctx, client.SlotQuery{Product: "tokyo-market", Option: "breakfast", From: "2026-07-10", Days: 2}))
	if len(slots) == 0 || slots[0].Start.Format(partnerapi.DateLayout) != "2026-07-10" || !slots[0].End.After(slots[0].Start) {
		t.Fatalf("want the slots of two days, got %+v", slots)
	}
	id := slots[0].AvailabilityID
	changed := ok[platform.SlotState](t)(b.Control.Slots.Set(ctx, "tokyo-market", "breakfast", id, client.SlotChange{Vacancies: new(0), Capacity: new(9)}))
	if changed.Status != partnerapi.StatusSoldOut || changed.Capacity != 9 || changed.Elsewhere != 9 {
		t.Fatalf("want it sold out elsewhere, got %+v", changed)
	}
	if first := ok[[]platform.SlotState](t)(b.Control.Slots.List(ctx, client.SlotQuery{})); first[0].ProductID != "lisbon-walk" {
		t.Fatalf("want the catalog's first option, got %+v", first[0])
	}
	if _, err := b.Control.Slots.Set(ctx, "tokyo-market", "breakfast", id, client.SlotChange{Status: new(partnerapi.SlotStatus("OPEN"))}); !client.IsStatus(err, 400) {
		t.Fatalf("want it refused, got %v", err)
	}
	if _, err := b.Control.Slots.List(ctx, client.SlotQuery{Product: "nothing"}); !client.IsStatus(err, 404) {
		t.Fatalf("want it refused, got %v", err)
	}
}
