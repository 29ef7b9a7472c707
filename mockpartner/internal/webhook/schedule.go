package webhook

import (
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/script"
)

// plan returns the changes of slots in a schedule that starts now.
func (s *Sender) plan(schedule []script.Scheduled) ([]platform.PlannedChange, error) {
	now := s.clock.Now()
	var plan []platform.PlannedChange
	for i, entry := range schedule {
		if entry.Slot == nil {
			continue
		}
		id, err := s.slot(*entry.Slot)
		if err != nil {
			return nil, fmt.Errorf("schedule[%d].slot: %w", i, err)
		}
		plan = append(plan, platform.PlannedChange{
			At:             momentOf(entry, now),
			ProductID:      entry.Slot.Product,
			OptionID:       entry.Slot.Option,
			AvailabilityID: id,
			Change:         *entry.Set,
		})
	}
	return plan, nil
}

func (s *Sender) slot(named script.SlotName) (id string, err error) {
	if named.FromDay == nil {
		_, err := s.platform.FindSlot(named.Product, named.Option, named.ID)
		return named.ID, err
	}
	slots, err := s.platform.Calendar(named.Product, named.Option, time.Time{}, platform.MaxCalendarDays)
	if err != nil {
		return "", err
	}
	for _, slot := range slots {
		year, month, day := s.clock.Now().In(slot.Start.Location()).Date()
		first := time.Date(year, month, day+*named.FromDay, 0, 0, 0, 0, slot.Start.Location())
		if slot.Status.IsBookable() && !slot.Start.Before(first) {
			return slot.AvailabilityID, nil
		}
	}
	return "", fmt.Errorf("from_day: none that can be booked from day %d to day %d", *named.FromDay, platform.MaxCalendarDays-1)
}

func momentOf(entry script.Scheduled, now time.Time) time.Time {
	if entry.At != nil {
		return entry.At.Time
	}
	return now.Add(time.Duration(entry.After))
}

// timer is a trigger that is sent by the clock.
type timer struct {
	next  time.Time
	every time.Duration // 0 means once
	done  bool
}

func timersOf(schedule []script.Scheduled, now time.Time) (timers []timer) {
	for _, entry := range schedule {
		switch {
		case entry.Slot != nil:
		case entry.Every != 0:
			timers = append(timers, timer{next: now.Add(time.Duration(entry.Every)), every: time.Duration(entry.Every)})
		default:
			timers = append(timers, timer{next: momentOf(entry, now)})
		}
	}
	return timers
}

// passes reports whether the timer is due, and sets its next time. If the clock skips several
// times, the timer is due once. If the clock is moved back, the timer waits for at most its period.
func (t *timer) passes(now time.Time) bool {
	if t.every > 0 && t.next.Sub(now) > t.every {
		t.next = now.Add(t.every)
	}
	if t.done || t.next.After(now) {
		return false
	}
	if t.every == 0 {
		t.done = true
		return true
	}
	t.next = t.next.Add((now.Sub(t.next)/t.every + 1) * t.every)
	return true
}

// tick does what is due by the clock, and returns how long the worker may sleep until the next
// event.
func (s *Sender) tick() time.Duration {
	reading := s.clock.Read()
	next, pending := s.platform.Next()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.timers {
		timer := &s.timers[i]
		if timer.passes(reading.At) {
			s.enter(trigger(Scheduled, reading.At))
		}
		if !timer.done && (!pending || timer.next.Before(next)) {
			next, pending = timer.next, true
		}
	}
	switch {
	case reading.Frozen:
		return forever
	case pending:
		return min(max(next.Sub(reading.At), 0), maxNap)
	case slices.Contains(s.config.On, client.BookingChange):
		return maxNap // new pending events are not always signalled
	default:
		return forever
	}
}
