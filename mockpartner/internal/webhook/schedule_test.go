package webhook_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
	"partnerkit.dev/schemas/partnerapi"
)

func schedule(entries ...script.Scheduled) func(*webhook.Config) {
	return func(c *webhook.Config) { c.Schedule = entries }
}

func (p partner) name(slot int) *script.SlotName {
	return &script.SlotName{Product: product, Option: option, ID: p.slots[slot].ID}
}

func TestSlotsChangeWhenTheClockGetsThere(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.tells(m, schedule(
		script.Scheduled{After: script.Span(30 * time.Minute), Slot: p.name(0), Set: &platform.SlotChange{Vacancies: new(1)}},
		script.Scheduled{At: &script.Instant{Time: noon.Add(10 * time.Minute)}, Slot: p.name(0), Set: &platform.SlotChange{Vacancies: new(2)}},
		script.Scheduled{After: script.Span(time.Hour), Slot: p.name(1), Set: &platform.SlotChange{Status: new(partnerapi.StatusClosed)}},
	))
	p.clock.Advance(9 * time.Minute)
	if slot, _ := p.FindSlot(product, option, p.slots[0].ID); *slot.Vacancies != 9 {
		t.Errorf("want nothing to have changed yet, got %d vacancies", *slot.Vacancies)
	}
	p.clock.Advance(25 * time.Minute)
	if slot, _ := p.FindSlot(product, option, p.slots[0].ID); *slot.Vacancies != 1 {
		t.Errorf("want the change at once, for whoever calls first, got %d vacancies", *slot.Vacancies)
	}
	p.ends(2)
	if got := fmt.Sprint(m.vacancies()); got != "[2 1]" {
		t.Errorf("want both told, in the order of their times, got %s", got)
	}
	p.clock.Advance(time.Hour)
	p.ends(3) // though nobody calls
	if got := m.told()[2].Status; got != partnerapi.StatusClosed {
		t.Errorf("want the slot closed, got %s", got)
	}
}

func TestTriggersAreSentByTheClock(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.tells(m, schedule(script.Scheduled{Every: script.Span(10 * time.Minute)}, script.Scheduled{At: &script.Instant{Time: noon.Add(25 * time.Minute)}}))
	p.clock.Advance(10 * time.Minute)
	p.ends(1)
	p.clock.Advance(9 * time.Minute)
	p.clock.Advance(time.Minute)
	p.ends(2)
	p.clock.Advance(5 * time.Minute)
	p.ends(3)
	p.clock.Advance(24 * time.Hour) // a leap over many is one
	deliveries := p.ends(4)
	for _, d := range deliveries {
		if d.Kind != script.Trigger || d.Cause != webhook.Scheduled {
			t.Errorf("want triggers of the schedule, got %+v", d)
		}
	}
	if n := len(m.seen()); n != 4 {
		t.Errorf("want four calls, got %d", n)
	}
}

// A clock that runs needs no call and no move.
func TestARunningClockGetsThereByItself(t *testing.T) {
	t.Parallel()
	m, p := open(t), runAt(t, clock.NewVirtual(nil))
	p.clock.Set(noon)
	p.tells(m, schedule(script.Scheduled{After: script.Span(20 * time.Millisecond), Slot: p.name(0), Set: &platform.SlotChange{Vacancies: new(1)}}))
	p.ends(1)
	if got := fmt.Sprint(m.vacancies()); got != "[1]" {
		t.Errorf("want the change told, got %s", got)
	}
}

// A scenario need not know the ids of slots, which have dates in them.
func TestASlotCanBeNamedByItsDay(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	gone := platform.SlotChange{Status: new(partnerapi.StatusSoldOut)}
	if err := p.SetSlot(product, option, p.slots[0].ID, gone); err != nil {
		t.Fatal(err)
	}
	want := slices.IndexFunc(p.slots[1:], func(s partnerapi.Slot) bool { return s.Status.Bookable() }) + 1
	ahead := func(days int) *script.SlotName {
		return &script.SlotName{Product: product, Option: option, FromDay: new(days)}
	}
	p.tells(m, schedule(
		script.Scheduled{After: script.Span(time.Minute), Slot: ahead(9), Set: &platform.SlotChange{Vacancies: new(1)}},
		script.Scheduled{After: script.Span(2 * time.Minute), Slot: ahead(30), Set: &platform.SlotChange{Vacancies: new(2)}},
	))
	p.clock.Advance(2 * time.Minute)
	p.ends(2)
	told := m.told()
	if got := told[0].AvailabilityID; got != p.slots[want].ID {
		t.Errorf("want the first slot that can be booked, %s, got %s", p.slots[want].ID, got)
	}
	if at := told[1].LocalDateTimeStart; at < "2026-07-31" || at > "2026-08-03" {
		t.Errorf("want the first that can be booked 30 days from today or later, got one of %s", at)
	}
}

func TestWhatIsPlannedForASlotThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	nowhere := &script.SlotName{Product: product, Option: option, ID: "nowhere"}
	err := p.sender.Configure(config(m, schedule(script.Scheduled{Every: script.Span(time.Hour)}, script.Scheduled{After: 1, Slot: nowhere, Set: &platform.SlotChange{Vacancies: new(1)}})))
	if err == nil || !strings.Contains(err.Error(), `schedule[1].slot: option "breakfast" has no slot "nowhere"`) {
		t.Errorf("want the entry named, got %v", err)
	}
}

func TestAPlannedChangeThatCannotBeMadeIsTold(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.reserve(p.slots[0].ID, 5)
	p.tells(m, schedule(
		script.Scheduled{After: script.Span(time.Minute), Slot: p.name(0), Set: &platform.SlotChange{Capacity: new(2)}},
		script.Scheduled{After: script.Span(time.Minute), Slot: p.name(1), Set: &platform.SlotChange{Vacancies: new(2)}},
	))
	p.clock.Advance(time.Minute)
	p.ends(1)
	if problems := p.sender.Status(webhook.Filter{}, 1).Problems; len(problems) != 1 || !strings.Contains(problems[0], p.slots[0].ID) {
		t.Errorf("want the slot named that could not be changed, got %q", problems)
	}
}

func TestAScheduleBeginsAgainWithARestart(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.tells(m, schedule(script.Scheduled{After: script.Span(time.Minute), Slot: p.name(0), Set: &platform.SlotChange{Vacancies: new(1)}}))
	p.clock.Advance(time.Minute)
	p.ends(1)
	p.set(p.slots[0].ID, 9)
	p.ends(2)
	p.sender.Restart()
	p.clock.Advance(time.Minute)
	p.ends(1)
	if got := fmt.Sprint(m.vacancies()); got != "[1 9 1]" {
		t.Errorf("want the change made again, got %s", got)
	}
}
