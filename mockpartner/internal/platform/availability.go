package platform

import (
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// MaxWindowDays is the longest window that can be asked for, in days.
const MaxWindowDays = 366

// Window is the answer to an availability request.
type Window struct {
	Slots []partnerapi.Slot // by start; never nil
	Stamp Stamp
}

// Stamp tells for how long a Window holds: until a slot of the option changes,
// or the sale of one of its slots ends. See Fresh.
type Stamp struct {
	option      *catalog.IndexedOption
	version     uint64
	restored    uint64
	from, until time.Time
}

// Availability returns the option's slots in the window (AVL-3). Its error is a
// *Refusal: UnknownID, or BadRequest for a window that cannot be.
func (p *Platform) Availability(r partnerapi.AvailabilityRequest) (Window, error) {
	now := p.enter()
	defer p.mu.Unlock()
	option, err := p.option(r.ProductID, r.OptionID)
	if err != nil {
		return Window{}, err
	}
	first, last, err := windowOf(r)
	if err != nil {
		return Window{}, err
	}
	if _, err := guests(option, r.Units); err != nil {
		return Window{}, err
	}
	window := Window{
		Slots: make([]partnerapi.Slot, 0, len(option.Starts)*int(dayNumber(last)-dayNumber(first)+1)),
		Stamp: Stamp{option: option, version: p.versions[option], restored: p.restored, from: now, until: now.AddDate(100, 0, 0)},
	}
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		for _, minute := range option.Starts {
			p.show(&window, slotKey{option: option, day: dayNumber(day), minute: minute}, now)
		}
	}
	p.disorder(&window, now)
	return window, nil
}

func windowOf(r partnerapi.AvailabilityRequest) (first, last time.Time, err error) {
	first, err = parseDate(r.LocalDateStart)
	if err != nil {
		return first, last, refuse(BadRequest, "localDateStart: want a date such as 2026-07-01, got %q", r.LocalDateStart)
	}
	last, err = parseDate(r.LocalDateEnd)
	if err != nil {
		return first, last, refuse(BadRequest, "localDateEnd: want a date such as 2026-07-01, got %q", r.LocalDateEnd)
	}
	if last.Before(first) {
		return first, last, refuse(BadRequest, "localDateEnd: the window ends on %s, before it starts on %s", r.LocalDateEnd, r.LocalDateStart)
	}
	if days := dayNumber(last) - dayNumber(first) + 1; days > MaxWindowDays {
		return first, last, refuse(BadRequest, "localDateEnd: the window has %d days; ask for at most %d at a time", days, MaxWindowDays)
	}
	return first, last, nil
}

// show adds the slot to the window, if there is one.
func (p *Platform) show(w *Window, key slotKey, now time.Time) {
	when, ok := key.span()
	if !ok {
		return
	}
	if ends := key.saleEnds(when); ends.After(now) && ends.Before(w.Stamp.until) {
		w.Stamp.until = ends
	}
	w.Slots = append(w.Slots, p.shown(key, p.slot(key), when, now))
}

// shown is how a slot is shown.
func (p *Platform) shown(key slotKey, s slot, when span, now time.Time) partnerapi.Slot {
	shown := partnerapi.Slot{
		ID:                 p.shownID(key, now),
		LocalDateTimeStart: partnerapi.FormatDateTime(when.start),
		LocalDateTimeEnd:   partnerapi.FormatDateTime(when.end),
		Status:             s.status(key, when, now),
		UnitPricing:        p.unitPricing(key),
	}
	if s.counted && !key.option.Schedule.HideVacancies {
		shown.Vacancies, shown.Capacity = new(max(s.vacancies, 0)), new(s.capacity)
	}
	return shown
}

// Fresh reports whether the answer that bears the stamp would be given again.
func (p *Platform) Fresh(s Stamp) bool {
	now := p.enter()
	defer p.mu.Unlock()
	return p.versions[s.option] == s.version && p.restored == s.restored && !now.Before(s.from) && now.Before(s.until)
}
