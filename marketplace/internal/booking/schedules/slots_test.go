package schedules

import (
	"slices"
	"time"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// slotRow is a stored slot.
type slotRow struct {
	domain.Slot
	changed time.Time // by a booking; zero before the first change
}

// age returns when the row last changed.
func (r *slotRow) age() time.Time {
	if r.changed.After(r.SentAt) {
		return r.changed
	}
	return r.SentAt
}

// keep stores the partner's answer about a slot. The database is locked.
func (d *database) keep(f booking.Fresh) {
	if asked := d.slots[f.Asked]; f.Gone && asked != nil && asked.Status != partnerapi.StatusClosed && !asked.age().After(f.At) {
		asked.Status, asked.SentAt = partnerapi.StatusClosed, f.At
	}
	if f.Slot == nil {
		return
	}
	known := d.slots[f.Slot.ID]
	if known != nil && known.age().After(f.At) {
		return
	}
	if known == nil {
		known = &slotRow{}
		d.slots[f.Slot.ID] = known
	}
	known.Slot, known.SentAt = *f.Slot, f.At
}

func (d *database) keepFresh(f booking.Fresh) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keep(f)
	return nil
}

// count adds the seats that a change takes or returns. The database is locked.
func (d *database) count(b domain.Booking, c *booking.SeatsChange) {
	s := d.slots[b.AvailabilityID]
	if c == nil || s == nil || s.Vacancies == nil || s.SentAt.After(c.At) {
		return
	}
	before, left := *s.Vacancies, *s.Vacancies+c.Free
	if s.Capacity != nil {
		left = min(left, max(before, *s.Capacity))
	}
	left = max(left, 0)
	switch {
	case left == 0 && (s.Status == partnerapi.StatusAvailable || s.Status == partnerapi.StatusLimited):
		s.Status = partnerapi.StatusSoldOut
	case left > 0 && before == 0 && s.Status == partnerapi.StatusSoldOut:
		s.Status = partnerapi.StatusLimited
	}
	if s.Vacancies = &left; c.At.After(s.changed) {
		s.changed = c.At
	}
}

// storedSlots is the slot of the workloads, as resellers read it.
func (d *database) storedSlots() []any {
	d.mu.Lock()
	defer d.mu.Unlock()
	var rows []slotRow
	for _, s := range d.slots {
		rows = append(rows, *s)
	}
	slices.SortFunc(rows, func(a, b slotRow) int { return a.Start.Compare(b.Start) })
	shown := []any{}
	for _, s := range rows {
		shown = append(shown, shownSlot(s.Slot, s.age()))
	}
	return shown
}

func shownSlot(s domain.Slot, age time.Time) any {
	return []any{s.ID, s.Start.UnixMicro(), s.Status, s.Vacancies, s.Capacity, age.UnixMicro()}
}
