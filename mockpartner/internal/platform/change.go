package platform

import (
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// Change is a change that callers can see: of the catalog, or of one slot as Availability shows it.
type Change struct {
	Cause client.Cause
	At    time.Time // by the platform's clock
	// The slot before and after; empty if the catalog changed.
	ProductID, OptionID string
	Before, After       partnerapi.Slot
	// Problem is why a planned change failed; Before and After are empty then.
	Problem error
}

// Observe sets the one observer, which receives every change in order; nil removes it. The observer
// is called while the platform is locked: it must return immediately and must not call the
// platform.
func (p *Platform) Observe(observer func(Change)) {
	p.life.mu.Lock()
	defer p.life.mu.Unlock()
	p.stock.observe = observer
}

func (inv *inventory) announce(c Change) {
	if inv.observe != nil {
		c.At = inv.now()
		inv.observe(c)
	}
}

// announceSlot reports a slot to the observer if callers see it differently from before.
func (inv *inventory) announceSlot(cause client.Cause, key slotKey, before, after slot) {
	if inv.observe == nil || before == after || !sells(inv.catalog(), key.option) {
		return
	}
	when, _ := key.span()
	now := inv.now()
	was, is := inv.showSlot(key, before, when, now), inv.showSlot(key, after, when, now)
	if was.Status == is.Status && equalPointers(was.Vacancies, is.Vacancies) && equalPointers(was.Capacity, is.Capacity) {
		return
	}
	inv.announce(Change{
		Cause:     cause,
		ProductID: key.option.Product.ID,
		OptionID:  key.option.ID,
		Before:    was,
		After:     is,
	})
}

// sells reports whether the option is part of the current catalog.
func sells(sold *catalog.Index, option *catalog.IndexedOption) bool {
	product, ok := sold.Product(option.Product.ID)
	if !ok {
		return false
	}
	now, ok := product.Option(option.ID)
	return ok && now == option
}

func equalPointers(a, b *int) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// FindSlot returns a slot as Availability shows it now. Its error is a *Refusal: UnknownID.
func (p *Platform) FindSlot(productID, optionID, availabilityID string) (partnerapi.Slot, error) {
	now := p.life.enter()
	defer p.life.mu.Unlock()
	key, err := p.stock.find(productID, optionID, availabilityID)
	if err != nil {
		return partnerapi.Slot{}, err
	}
	when, _ := key.span()
	return p.stock.showSlot(key, p.stock.limited(key, p.stock.slot(key)), when, now), nil
}
