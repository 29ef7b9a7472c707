package main

import (
	"reflect"
	"testing"
	"time"

	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func TestEveryOptionOfTheCatalogHasSlotsThatKeepTheContract(t *testing.T) {
	t.Parallel()
	p := start(t)
	seen := map[string]bool{}
	for _, product := range p.catalog() {
		zone, err := time.LoadLocation(product.TimeZone)
		if err != nil {
			t.Fatal(err)
		}
		for _, option := range product.Options {
			var slots []partnerapi.Slot
			p.call("POST", "/availability", window(product.ID, option.ID, "2026-03-01", "2026-04-30"), 200, schemas.AvailabilityAnswer, &slots)
			if len(slots) == 0 {
				t.Errorf("%s: want slots in the 60 days ahead, got none", option.ID)
			}
			for _, slot := range slots {
				if seen[slot.ID] {
					t.Errorf("two slots share the id %s (AVL-8)", slot.ID)
				}
				seen[slot.ID] = true
				start, end := dateTime(t, slot.LocalDateTimeStart), dateTime(t, slot.LocalDateTimeEnd)
				if !end.After(start) {
					t.Errorf("%s ends at %s, not after its start (AVL-11)", slot.ID, end)
				}
				// Across the change to summer time too: the clock of the place is what counts.
				if hour := start.In(zone).Hour(); hour < 10 || hour > 17 {
					t.Errorf("%s starts at %s, in no opening hour of %s", slot.ID, start, zone)
				}
				if *slot.Vacancies != *slot.Capacity || slot.Status != partnerapi.StatusAvailable {
					t.Errorf("%s: want a whole free slot, got %s with %d of %d", slot.ID, slot.Status, *slot.Vacancies, *slot.Capacity)
				}
			}
		}
	}
}

func dateTime(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := partnerapi.ParseDateTime(text)
	if err != nil {
		t.Error(err)
	}
	return at
}

func TestAWindowIncludesItsFirstAndItsLastDay(t *testing.T) { // AVL-10
	t.Parallel()
	p := start(t)
	slots := p.slots("small-boat", "2026-03-03", "2026-03-05")
	var starts []string
	for _, slot := range slots {
		starts = append(starts, slot.LocalDateTimeStart[:len("2026-03-03")])
	}
	if want := []string{"2026-03-03", "2026-03-04", "2026-03-05"}; !reflect.DeepEqual(starts, want) {
		t.Errorf("want starts on %v, got %v", want, starts)
	}
}

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
	// 91 days from Sunday to a Saturday hold 13 Mondays.
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
	p.advance(2 * time.Hour) // 10:00, when the first boat leaves
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
