package platform

import (
	"slices"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
)

// countWindow counts a request for a window of that many days, and applies OnWindow quirks to a long one.
func (l *lifecycle) countWindow(option *catalog.IndexedOption, days int, now time.Time) {
	if days < longWindow {
		l.stock.calls.looks++
		return
	}
	l.stock.calls.windows++
	l.moveSeats(OnWindow, now, func(key slotKey) bool { return key.option == option })
}

// countPull counts a pull of the catalog, and applies OnPull quirks.
func (l *lifecycle) countPull() {
	if !l.stock.conduct.Load().counts {
		return
	}
	now := l.enter()
	defer l.mu.Unlock()
	l.stock.calls.pulls++
	l.moveSeats(OnPull, now, func(slotKey) bool { return true })
}

// moveSeats moves the seats of the live holds and bookings of the selected slots, as quirks define.
func (l *lifecycle) moveSeats(c Case, now time.Time, of func(slotKey) bool) {
	if !slices.ContainsFunc(l.stock.conduct.Load().Quirks, func(q Quirk) bool { return q.On == c }) {
		return
	}
	live := l.stock.state.expiring.Items()
	for _, booking := range l.stock.state.bookings.all() {
		if booking.State == client.Booked {
			live = append(live, holdOf(booking))
		}
	}
	for _, h := range live {
		if of(h.slot) {
			l.stock.move(l.stock.quirkFor(c, h, now), h, 0, now)
		}
	}
}
