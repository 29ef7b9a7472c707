package platform

import "time"

// maxReuseSearch bounds how far back a used id is looked for.
const maxReuseSearch = 100

// issueCode returns the code of a new hold: one that was never used, unless a
// quirk gives that of an ended hold out again.
func (p *Platform) issueCode(h *Hold) string {
	code := p.issue("R")
	if p.reuses(ReuseCodes, h.slot, h.CreatedAt) {
		if used, ok := p.lastEnded(func(ended *Hold) bool { return ended.State != Held }); ok {
			return used.Code
		}
	}
	return code
}

// issueBookingID returns the id of a new booking: one that was never used, unless
// a quirk gives that of a cancelled booking out again.
func (p *Platform) issueBookingID(h *Hold, now time.Time) string {
	id := p.issue("B")
	if p.reuses(ReuseBookingIDs, h.slot, now) {
		if used, ok := p.lastEnded(func(ended *Hold) bool {
			booking, ok := p.state.bookings.Get(ended.BookingID)
			return ok && booking.State == Cancelled
		}); ok {
			return used.BookingID
		}
	}
	return id
}

// lastEnded returns the hold that ended last among those that fit.
func (p *Platform) lastEnded(fits func(*Hold) bool) (last *Hold, found bool) {
	looked := 0
	p.state.ended.Reverse(func(_ uint64, code string) bool {
		hold, ok := p.state.holds.Get(code)
		if ok && fits(hold) {
			last, found = hold, true
		}
		looked++
		return !found && looked < maxReuseSearch
	})
	return last, found
}
