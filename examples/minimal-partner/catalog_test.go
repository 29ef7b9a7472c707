package main

import (
	"testing"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

func TestAWindowWithoutSlotsIsAnEmptyArray(t *testing.T) { // AVL-3; the schema refuses null
	t.Parallel()
	p := start(t)
	for name, window := range map[string][2]string{
		"the weekday that is closed":     {"2026-03-02", "2026-03-02"},
		"the past":                       {"2025-01-01", "2025-12-31"},
		"beyond what is on sale":         {"2027-01-01", "9999-12-31"},
		"the first day of the calendar":  {"0001-01-01", "0001-01-01"},
		"the day after the last on sale": {"2026-05-31", "2026-05-31"},
	} {
		if slots := p.slots("shared-boat", window[0], window[1]); len(slots) != 0 {
			t.Errorf("%s: want no slots, got %d from %s on", name, len(slots), slots[0].ID)
		}
	}
}

func TestALongWindowIsCutToWhatIsOnSale(t *testing.T) {
	t.Parallel()
	p := start(t)
	slots := p.slots("small-boat", "0001-01-01", "9999-12-31")
	// 91 days from a Sunday to a Saturday contain 13 Mondays.
	if len(slots) != 78 {
		t.Errorf("want a slot for each of 78 open days, got %d", len(slots))
	}
}

func TestAStartThatHasPassedIsSoldNoMore(t *testing.T) {
	t.Parallel()
	p := start(t)
	today := "2026-03-01"
	if slots := p.slots("shared-boat", today, today); len(slots) != 3 {
		t.Fatalf("at 8 in the morning: want 3 starts, got %d", len(slots))
	}
	p.advance(2 * time.Hour) // 10:00, when the first boat departs
	slots := p.slots("shared-boat", today, today)
	if len(slots) != 2 {
		t.Errorf("when the first boat has left: want 2 starts, got %d", len(slots))
	}
	request := boatFor(1)
	request.OptionID, request.AvailabilityID = "shared-boat", "shared-boat-2026-03-01-1000"
	p.wantRefused(partnerapi.ReservePath, request)
}

func TestStatusFollowsTheSeatsThatAreLeft(t *testing.T) { // AVL-9, AVL-13
	t.Parallel()
	p := start(t)
	for _, step := range []struct {
		left int
		want partnerapi.SlotStatus
	}{{4, partnerapi.StatusAvailable}, {3, partnerapi.StatusAvailable}, {2, partnerapi.StatusAvailable}, {1, partnerapi.StatusLimited}, {0, partnerapi.StatusSoldOut}} {
		if slot := p.boat(); *slot.Vacancies != step.left || slot.Status != step.want {
			t.Errorf("want %s with %d left, got %s with %d", step.want, step.left, slot.Status, *slot.Vacancies)
		}
		if step.left > 0 {
			p.reserve(boatFor(1))
		}
	}
}
