package platform

import (
	"time"
)

// settle ends every hold whose time is over, at its own expiresAt (REL-7), and
// makes the planned changes whose time has come.
func (p *Platform) settle(now time.Time) {
	p.settleLate(now)
	for {
		next, ok := p.state.expiring.Min()
		if !ok || next.ExpiresAt.After(now) {
			p.settlePlanned(now)
			return
		}
		p.settlePlanned(next.ExpiresAt)
		quirk := p.on(OnExpiry, next.slot, next.ExpiresAt)
		if quirk.Does == Nothing {
			p.state.expiring.Delete(next)
			continue
		}
		p.endHold(next, Expired, quirk, next.ExpiresAt)
	}
}

// expiresBefore is the order in which holds expire.
func expiresBefore(a, b *Hold) bool {
	if a.ExpiresAt.Equal(b.ExpiresAt) {
		return a.number < b.number
	}
	return a.ExpiresAt.Before(b.ExpiresAt)
}

// remember puts a hold that is over in line to be forgotten.
func (p *Platform) remember(code string) {
	p.state.endings++
	p.state.ended.Set(p.state.endings, code)
}

// makeRoom keeps the number of remembered holds below its bound.
func (p *Platform) makeRoom() error {
	if p.state.holds.Len() < p.most {
		return nil
	}
	for {
		_, code, ok := p.state.ended.PopMin()
		if !ok {
			return refuse(Full, "all %d holds and bookings that this partner can keep are in use: release or cancel some", p.most)
		}
		// A code that was given out again may be a live hold's by now.
		hold, ok := p.state.holds.Get(code)
		if !ok || hold.State == Held {
			continue
		}
		p.state.holds.Delete(code)
		p.state.bookings.Delete(hold.BookingID)
		p.state.ledger.forget(hold.Code, hold.BookingID)
		return nil
	}
}
