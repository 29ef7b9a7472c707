package platform

import (
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// Window is the answer to an availability request.
type Window struct {
	Slots []partnerapi.Slot // by start; never nil
	Stamp Stamp
}

// Stamp says how long a Window stays valid: until a slot of the option changes, or the sale of one
// of its slots ends.
type Stamp struct {
	platform    *Platform
	option      *catalog.IndexedOption
	version     uint64
	restored    uint64
	from, until time.Time
}

// Availability returns the option's slots in the window (AVL-3). Its error is a *Refusal:
// UnknownID, or BadRequest for an invalid window.
func (p *Platform) Availability(r partnerapi.AvailabilityRequest) (Window, error) {
	now := p.life.enter()
	defer p.life.mu.Unlock()
	option, err := p.stock.option(r.ProductID, r.OptionID)
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
	p.life.countWindow(option, int(dayNumber(last)-dayNumber(first)+1), now)
	window := Window{
		Slots: make([]partnerapi.Slot, 0, len(option.Starts)*int(dayNumber(last)-dayNumber(first)+1)),
		Stamp: Stamp{platform: p, option: option, version: p.stock.versions[option], restored: p.stock.restored, from: now, until: now.AddDate(100, 0, 0)},
	}
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		for _, minute := range option.Starts {
			p.stock.show(&window, slotKey{option: option, day: dayNumber(day), minute: minute}, now)
		}
	}
	p.stock.disorder(&window, now)
	if p.stock.conduct.Load().counts { // with counting quirks, the next call may get a different answer
		window.Stamp.until = window.Stamp.from
	}
	return window, nil
}

func windowOf(r partnerapi.AvailabilityRequest) (first, last time.Time, err error) {
	first, err = parseDate(r.LocalDateStart)
	if err != nil {
		return first, last, refuse(BadRequest, "localDateStart: expected a date such as 2026-07-01, received %q", r.LocalDateStart)
	}
	last, err = parseDate(r.LocalDateEnd)
	if err != nil {
		return first, last, refuse(BadRequest, "localDateEnd: expected a date such as 2026-07-01, received %q", r.LocalDateEnd)
	}
	if last.Before(first) {
		return first, last, refuse(BadRequest, "localDateEnd: the window ends on %s, before it starts on %s", r.LocalDateEnd, r.LocalDateStart)
	}
	if days := dayNumber(last) - dayNumber(first) + 1; days > MaxWindowDays {
		return first, last, refuse(BadRequest, "localDateEnd: the window has %d days; request at most %d at a time", days, MaxWindowDays)
	}
	return first, last, nil
}

func (inv *inventory) show(w *Window, key slotKey, now time.Time) {
	when, ok := key.span()
	if !ok {
		return
	}
	if ends := key.saleEnds(when); ends.After(now) && ends.Before(w.Stamp.until) {
		w.Stamp.until = ends
	}
	w.Slots = append(w.Slots, inv.showSlot(key, inv.limited(key, inv.slot(key)), when, now))
}

// IsFresh reports whether the stamped answer is still the current one.
func (s Stamp) IsFresh() bool {
	now := s.platform.life.enter()
	defer s.platform.life.mu.Unlock()
	stock := s.platform.stock
	return stock.versions[s.option] == s.version && stock.restored == s.restored && !now.Before(s.from) && now.Before(s.until)
}
