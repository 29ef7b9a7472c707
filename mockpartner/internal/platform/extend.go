package platform

import (
	"time"

	"partnerkit.dev/mockpartner/client"
)

// Extend makes a live hold last for this time from now on, at most as long as a new one. Its error is
// a *Refusal: NoLiveHold.
func (p *Platform) Extend(code string, by time.Duration, observe Observe) (client.Hold, error) {
	now := p.life.enter()
	defer p.life.mu.Unlock()
	hold, ok := p.stock.state.holds.Get(code)
	if !ok || hold.State != client.Held {
		return client.Hold{}, refuse(NoLiveHold, "There is no live reservation with the code %q.", code)
	}
	defer p.life.look(now, observe, slotKey{}, code).end()
	p.stock.state.expiring.Delete(hold)
	extended := *hold
	extended.ExpiresAt = now.Add(min(by, p.stock.conduct.Load().HoldFor)).Truncate(time.Second).In(hold.ExpiresAt.Location())
	p.stock.state.holds.Set(code, &extended)
	p.stock.state.expiring.Set(&extended)
	return extended.Hold, nil
}
