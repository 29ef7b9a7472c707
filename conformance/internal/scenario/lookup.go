package scenario

import (
	"context"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/inbox"
	"partnerkit.dev/conformance/report"
)

// mostLookups is the number of notified slots that are looked up, because the run has not read them
// as they were notified.
const mostLookups = 10

// Lookup is a notification of a slot that can be booked, which the run has not read so, and what
// the partner's catalog and availability say of it now.
type Lookup struct {
	Notification *inbox.Webhook
	Product      bool           // the catalog has the product
	Option       bool           // and the option
	Known        *discover.Slot // the slot with that id; nil if availability does not have it
	Asked        bool           // availability was read for the day of the notification
	Shown        *report.Exchange
}

// lookUp looks up the slots of notifications, unless the survey had them. It takes the last
// notification about each slot. Slots that are sold out or closed may be left out of every answer,
// and slots outside the window cannot be requested, so neither is looked up.
func (p *Player) lookUp(ctx context.Context, received []*inbox.Webhook) (all []Lookup) {
	known := map[string]discover.Slot{} // by offer ids
	key := func(product, option, slot string) string { return product + "\x00" + option + "\x00" + slot }
	for _, offer := range PlaySurvey(ctx, p, 0).Offers {
		known[key(offer.Product.ID, offer.Option.ID, offer.Slot.ID)] = offer.Slot
	}
	last := map[string]*inbox.Webhook{}
	var order []string
	for _, w := range received {
		if w.Kind != inbox.Notify || !w.IsValid() {
			continue
		}
		id := key(w.ProductID, w.OptionID, w.Slot.ID)
		if last[id] == nil {
			order = append(order, id)
		}
		last[id] = w
	}
	var catalog *SecondPull
	for _, id := range order {
		w := last[id]
		slot, had := known[id]
		if !w.Slot.Status.IsBookable() || had && slot.Start.Equal(w.Slot.Start) {
			continue
		}
		if len(all) == mostLookups || ctx.Err() != nil {
			return all
		}
		if catalog == nil {
			pulled := p.read.pullAgain(ctx)
			catalog = &pulled
		}
		if catalog.Stop != nil {
			return all
		}
		look := p.read.lookUp(ctx, p.Clock.Now(), *catalog, w)
		if had && look.Known == nil {
			look.Known = &slot // it was moved to another day, by the notification alone
		}
		all = append(all, look)
	}
	return all
}

func (r *reader) lookUp(ctx context.Context, now time.Time, catalog SecondPull, w *inbox.Webhook) Lookup {
	look := Lookup{Notification: w, Shown: catalog.Exchange}
	for _, product := range catalog.Products {
		if product.ID != w.ProductID {
			continue
		}
		look.Product = true
		for _, option := range product.Options {
			if option.ID != w.OptionID {
				continue
			}
			look.Option = true
			if !discover.Lookahead(now, product.Zone).Contains(w.Slot.Start, product.Zone) {
				return look
			}
			answer, stop := r.askFor(ctx, "the slots of a notification's day", Question{product, option, discover.Day(w.Slot.Start, product.Zone)})
			if stop != nil {
				return look
			}
			look.Asked, look.Shown = true, answer.Exchange
			for _, slot := range answer.Slots {
				if slot.ID == w.Slot.ID {
					look.Known = &slot
				}
			}
			return look
		}
	}
	return look
}
