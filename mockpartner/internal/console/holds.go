package console

import (
	"slices"
	"time"

	"partnerkit.dev/mockpartner/client"
)

// maxListed is how many entries of a list are shown at most.
const maxListed = 50

// holdsPanel lists the live holds, the next to expire first, and the holds that ended last.
type holdsPanel struct {
	Live, Ended           []holdView
	LiveCount, EndedCount int
	MoreLive, MoreEnded   more
}

type holdView struct {
	client.Hold
	Left string // until it expires
	Slot string // links to the slot
}

// Millis returns the expiry in Unix milliseconds, for the script.
func (h holdView) Millis() int64 { return h.ExpiresAt.UnixMilli() }

func (b *builder) holds() holdsPanel {
	var panel holdsPanel
	var live, ended []client.Hold
	for _, h := range b.inside.Holds {
		if h.State == client.Held {
			live = append(live, h)
		} else {
			ended = append(ended, h)
		}
	}
	panel.LiveCount, panel.EndedCount = len(live), len(ended)
	slices.SortStableFunc(live, func(a, b client.Hold) int { return a.ExpiresAt.Compare(b.ExpiresAt) })
	slices.SortStableFunc(ended, func(a, b client.Hold) int { return endOf(a).Compare(endOf(b)) })
	panel.Live = b.holdViews(live[:min(len(live), b.choice.limit("holds", fewListed, maxListed))])
	panel.Ended = b.holdViews(newestMatching(ended, b.choice.limit("ended", fewListed, maxListed), matchAll))
	panel.MoreLive = b.choice.more("holds", len(panel.Live), len(live))
	panel.MoreEnded = b.choice.more("ended", len(panel.Ended), len(ended))
	return panel
}

// endOf returns when a hold ended. Without an end it returns the hold's creation time.
func endOf(h client.Hold) time.Time {
	if h.EndedAt.IsZero() {
		return h.CreatedAt
	}
	return h.EndedAt
}

func (b *builder) holdViews(holds []client.Hold) []holdView {
	views := []holdView{}
	for _, h := range holds {
		views = append(views, holdView{h, span(h.ExpiresAt.Sub(b.inside.Now)), b.slotHref(h.ProductID, h.OptionID, h.AvailabilityID)})
	}
	return views
}

type bookingsPanel struct {
	Newest       []bookingView
	Count, Stand int // all bookings; those not cancelled
	More         more
}

type bookingView struct {
	client.Booking
	Slot string
}

func (b *builder) bookings() bookingsPanel {
	panel := bookingsPanel{Count: len(b.inside.Bookings)}
	for _, booking := range b.inside.Bookings {
		if booking.State == client.Booked {
			panel.Stand++
		}
	}
	panel.Newest = b.bookingViews(newestMatching(b.inside.Bookings, b.choice.limit("bookings", fewListed, maxListed), matchAll))
	panel.More = b.choice.more("bookings", len(panel.Newest), panel.Count)
	return panel
}

func (b *builder) bookingViews(bookings []client.Booking) []bookingView {
	views := []bookingView{}
	for _, booking := range bookings {
		views = append(views, bookingView{booking, b.slotHref(booking.ProductID, booking.OptionID, booking.AvailabilityID)})
	}
	return views
}

// slotHref links to a slot, in the grid that begins on its day.
func (b *builder) slotHref(product, option, id string) string {
	to := b.choice
	to.product, to.option = product, option
	slot, err := b.box.Platform().Slot(product, option, id)
	if err == nil {
		to = to.withFrom(slot.Start)
	}
	return to.withSlot(id).href()
}
