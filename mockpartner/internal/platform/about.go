package platform

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/client"
)

// calls counts the callers' requests, so that a quirk can compare two points in time.
type calls struct {
	pulls, windows, looks, reserves, confirms, releases, cancels int
}

// longWindow is the number of days from which a window counts as part of a catalog sync.
const longWindow = 31

func (c calls) subtract(before calls) map[string]any {
	return map[string]any{
		"pulls": c.pulls - before.pulls, "windows": c.windows - before.windows, "looks": c.looks - before.looks,
		"reserves": c.reserves - before.reserves, "confirms": c.confirms - before.confirms,
		"releases": c.releases - before.releases, "cancels": c.cancels - before.cancels,
	}
}

// maxCases limits the number of holds and slots whose cases are counted.
const maxCases = 100_000

// caseCounts counts how often the cases of quirks have occurred.
type caseCounts map[string]int

// count counts a case and returns how often it has occurred, for this hold in its state, or for this slot, and in total.
func (seen *caseCounts) count(c Case, h *storedHold) (nth, count int) {
	of := string(c) + "\x00" + string(h.State) + "\x00" + cmp.Or(h.Code, h.AvailabilityID)
	if *seen == nil || len(*seen) > maxCases {
		*seen = caseCounts{}
	}
	(*seen)[of]++
	(*seen)[string(c)]++
	return (*seen)[of], (*seen)[string(c)]
}

// DescribeSubject describes the subject of a request in the form that conditions of quirks see. The subject
// is the hold with that code, or else the requested slot and party.
func DescribeSubject(p *Platform, code string, asked client.Order) map[string]any {
	now := p.life.enter()
	defer p.life.mu.Unlock()
	if hold, ok := p.stock.state.holds.Get(code); ok {
		return describeHold(p.stock, hold, now)
	}
	hold := &storedHold{Hold: client.Hold{Order: asked}}
	if key, err := p.stock.find(asked.ProductID, asked.OptionID, asked.AvailabilityID); err == nil {
		hold.slot = key
		hold.Seats, _ = guests(key.option, asked.Units)
	}
	return describeHold(p.stock, hold, now)
}

// describeHold describes a hold, its slot, party and booking, in the form that a scenario's jq programs
// see. A hold without a code is a request for one.
func describeHold(inv *inventory, h *storedHold, now time.Time) map[string]any {
	seen := map[string]any{"slot": nil, "party": nil, "hold": nil, "booking": nil, "since": inv.calls.subtract(h.made)}
	if h.slot.option != nil {
		seen["slot"] = aboutSlot(inv, h.slot, now)
	}
	if len(h.Units) > 0 {
		seen["party"] = aboutParty(h)
	}
	if h.Code == "" {
		return seen
	}
	guest := ""
	if h.Contact != nil {
		guest = h.Contact.FullName
	}
	seen["hold"] = map[string]any{
		"guest": guest,
		"code":  h.Code, "state": strings.ToLower(string(h.State)), "age": seconds(now.Sub(h.CreatedAt)), "number": int(h.number),
		"contact": h.Contact != nil, "reference": h.ResellerReference != "", "left": seconds(h.ExpiresAt.Sub(now)), "ended": secondsSince(h.EndedAt, now),
	}
	if booking, ok := inv.state.bookings.Get(h.BookingID); ok {
		seen["booking"] = map[string]any{
			"id": booking.ID, "state": strings.ToLower(string(booking.State)), "age": seconds(now.Sub(booking.ConfirmedAt)), "number": int(booking.number),
			"ended": secondsSince(booking.CancelledAt, now),
		}
	}
	return seen
}

func aboutSlot(inv *inventory, key slotKey, now time.Time) map[string]any {
	when, _ := key.span()
	s, products := inv.limited(key, inv.slot(key)), inv.catalog().Products
	seen := map[string]any{
		"product": key.option.Product.ID, "option": key.option.ID, "id": key.id(),
		"products": len(products), "options": len(key.option.Product.Options),
		"day":     int(key.day - localDay(now, key.option.Product.Location)),
		"weekday": key.date().Weekday().String(), "date": key.date().Format(time.DateOnly),
		"start": when.start.Format("15:04"), "position": slices.Index(key.option.Starts, key.minute), "starts": len(key.option.Starts),
		"status": string(s.status(key, when, now)), "capacity": s.capacity, "vacancies": nil,
	}
	if s.counted {
		seen["vacancies"] = s.vacancies
	}
	return seen
}

func aboutParty(h *storedHold) map[string]any {
	units := []any{}
	for _, unit := range h.Units {
		units = append(units, map[string]any{"id": unit.ID, "quantity": unit.Quantity})
	}
	return map[string]any{"guests": guestsOf(h.Units), "types": len(h.Units), "seats": h.Seats, "units": units}
}

func seconds(d time.Duration) float64 { return d.Seconds() }

// secondsSince returns the seconds since at, or nil if at is zero.
func secondsSince(at, now time.Time) any {
	if at.IsZero() {
		return nil
	}
	return seconds(now.Sub(at))
}
