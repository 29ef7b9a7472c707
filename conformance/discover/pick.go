package discover

import (
	"cmp"
	"slices"
	"time"
)

// Offer is a slot that may be tested with, and where it was found.
type Offer struct {
	Product Product
	Option  Option
	Slot    Slot
}

// Key tells one physical slot from another, whatever becomes of its id.
func (o Offer) Key() string { return o.OptionKey() + "\x00" + o.Slot.StartText + "\x00" + o.Slot.ID }

// OptionKey tells one option from another.
func (o Offer) OptionKey() string { return o.Product.ID + "\x00" + o.Option.ID }

// comfortable is how far ahead a slot should start, so that no booking cut-off
// of the partner's stands in the way.
const comfortable = 3 * 24 * time.Hour

// late is the second half of the 60 days: breaches hide where nobody looks.
const late = 30 * 24 * time.Hour

// Want says what an offer has to be good for, and what is liked.
type Want struct {
	Now       time.Time
	Seats     int64            // at least as many seats left, where they are counted
	Counted   bool             // liked: seats are counted
	Room      int64            // liked: so many seats left, that some more can be seen to go
	Fewest    bool             // liked: few seats rather than many
	Late      bool             // liked: in the second half of the window, and from the catalog's end
	OptionKey string           // not "": of this option only
	Used      map[string]bool  // liked less: offers whose Key was used already
	Moved     map[string]int   // liked less: offers by whose Key others were seen to move seats, and how often
	Suits     func(Offer) bool // nil: any
}

// Pick returns the offers that can be booked and fit want, the best first.
// Offers are in the catalog's order.
func Pick(offers []Offer, want Want) []Offer {
	var fitting []Offer
	for _, offer := range offers {
		if fits(offer, want) {
			fitting = append(fitting, offer)
		}
	}
	if want.Late {
		slices.Reverse(fitting)
	}
	slices.SortStableFunc(fitting, func(a, b Offer) int {
		if c := cmp.Compare(penalty(a, want), penalty(b, want)); c != 0 {
			return c
		}
		if c := cmp.Compare(want.Moved[a.Key()], want.Moved[b.Key()]); len(want.Moved) > 0 && c != 0 {
			return c
		}
		if want.Fewest {
			return cmp.Compare(a.Slot.Seats(a.Product).Left, b.Slot.Seats(b.Product).Left)
		}
		return 0
	})
	return fitting
}

func fits(offer Offer, want Want) bool {
	seats := offer.Slot.Seats(offer.Product)
	return offer.Slot.ID != "" && !offer.Slot.Start.IsZero() && offer.Slot.Status.Bookable() &&
		offer.Option.Lead() != "" && offer.Slot.Start.After(want.Now) &&
		(!seats.Counted || seats.Left >= max(1, want.Seats)) &&
		(want.OptionKey == "" || want.OptionKey == offer.OptionKey()) &&
		(want.Suits == nil || want.Suits(offer))
}

// penalty adds up what is not liked about an offer, the gravest first.
func penalty(offer Offer, want Want) int {
	ahead := offer.Slot.Start.Sub(want.Now)
	seats := offer.Slot.Seats(offer.Product)
	grave := 0
	for _, disliked := range []bool{
		want.Counted && !seats.Counted,
		want.Used[offer.Key()],
		seats.Counted && seats.Left < want.Room,
		ahead < comfortable,
		want.Late && ahead < late,
	} {
		grave *= 2
		if disliked {
			grave++
		}
	}
	return grave
}
