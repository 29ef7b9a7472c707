package discover

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Offer is a slot with its option and product.
type Offer struct {
	Product Product
	Option  Option
	Slot    Slot
}

// Key identifies a slot even if its id is used for another slot later.
func (o Offer) Key() string { return o.OptionKey() + "\x00" + o.Slot.StartText + "\x00" + o.Slot.ID }

// OptionKey identifies the option by its product's id and its own.
func (o Offer) OptionKey() string { return OptionKey(o.Product, o.Option) }

// OptionKey identifies an option by its product's id and its own.
func OptionKey(product Product, option Option) string { return product.ID + "\x00" + option.ID }

// ByOption returns the offers of each option, in the order of the first offer of each.
func ByOption(offers []Offer) (options [][]Offer) {
	place := map[string]int{}
	for _, offer := range offers {
		i, known := place[offer.OptionKey()]
		if !known {
			i = len(options)
			place[offer.OptionKey()], options = i, append(options, nil)
		}
		options[i] = append(options[i], offer)
	}
	return options
}

// CutOff is how far ahead a slot should start: a partner may stop selling a slot days before it begins, and show it all
// the same.
const CutOff = 3 * 24 * time.Hour

// late is the start of the second half of the 60 days, where breaches are easily missed.
const late = 30 * 24 * time.Hour

// mostGuests is the size of the largest party that is reserved because an option declares that it takes no smaller one.
const mostGuests = 100

// Want is what an offer must have, and what is preferred.
type Want struct {
	Now       time.Time
	Seats     int64            // required: at least this many seats left, if they are counted
	Counted   bool             // preferred: seats are counted
	Room      int64            // preferred: this many seats left, so that further bookings can be seen
	Fewest    bool             // preferred: few seats rather than many
	Near      time.Time        // preferred of equals: close to this time; zero: any
	Late      bool             // preferred: in the second half of the window, and from the end of the catalog
	OptionKey string           // required if not "": the offer's OptionKey
	Used      map[string]bool  // avoided: offers whose Key was already used
	Moved     map[string]int   // avoided: by Key, how often others were seen to change the offer's seats
	Suits     func(Offer) bool // required; nil: any
}

// Pick returns the offers that can be booked and fit want, the best first. offers is in catalog
// order.
func Pick(offers []Offer, want Want) []Offer {
	var fitting []ranked
	for i := range offers {
		if misfit(&offers[i], want) == "" {
			fitting = append(fitting, rank(&offers[i], want))
		}
	}
	if want.Late {
		slices.Reverse(fitting)
	}
	slices.SortStableFunc(fitting, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.penalty, b.penalty), cmp.Compare(a.moved, b.moved), cmp.Compare(a.few, b.few), cmp.Compare(a.away, b.away))
	})
	picked := make([]Offer, len(fitting))
	for i, one := range fitting {
		picked[i] = *one.Offer
	}
	return picked
}

// ranked is an offer with the values that it is sorted by; the first difference decides.
type ranked struct {
	*Offer
	penalty, moved int
	few            int64
	away           time.Duration
}

// rank computes these values once for each offer, because a sort compares it many times.
func rank(offer *Offer, want Want) ranked {
	key := ""
	if len(want.Used)+len(want.Moved) > 0 {
		key = offer.Key()
	}
	r := ranked{Offer: offer, penalty: penalty(offer, key, want), moved: want.Moved[key]}
	if want.Fewest {
		r.few = offer.Slot.Seats(offer.Product).Left
	}
	if !want.Near.IsZero() {
		r.away = offer.Slot.Start.Sub(want.Near).Abs()
	}
	return r
}

// misfit returns why an offer does not fit, or "".
func misfit(offer *Offer, want Want) string {
	seats, needed := offer.Slot.Seats(offer.Product), max(1, want.Seats, offer.Option.Least)
	switch {
	case offer.Slot.ID == "":
		return "without an id"
	case offer.Slot.Start.IsZero():
		return "without a readable start"
	case !offer.Slot.Start.After(want.Now):
		return "in the past"
	case !offer.Slot.Status.IsBookable():
		return cmp.Or(string(offer.Slot.Status), "without a status")
	case offer.Option.Lead() == "":
		return "of an option without units"
	case offer.Option.Least > mostGuests:
		return "for parties of " + strconv.FormatInt(offer.Option.Least, 10) + " or more"
	case seats.Counted && seats.Left < needed:
		return "with fewer than " + strconv.FormatInt(needed, 10) + " vacancies"
	case want.OptionKey != "" && want.OptionKey != offer.OptionKey():
		return "of another option"
	case want.Suits != nil && !want.Suits(*offer):
		return "unsuited to the test"
	default:
		return ""
	}
}

// WhyNone returns why no offer fits: what was found instead, the most frequent first.
func WhyNone(offers []Offer, want Want) string {
	if len(offers) == 0 {
		return "availability returned no slots for the next 60 days"
	}
	times := map[string]int{}
	for i := range offers {
		times[misfit(&offers[i], want)]++
	}
	reasons := slices.SortedFunc(maps.Keys(times), func(a, b string) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b))
	})
	for i, reason := range reasons {
		reasons[i] = fmt.Sprintf("%d %s", times[reason], reason)
	}
	return fmt.Sprintf("no slot in the next 60 days can be booked: availability returned %s", strings.Join(reasons, ", "))
}

// penalty adds up what should be avoided about an offer, the most important first.
func penalty(offer *Offer, key string, want Want) int {
	ahead := offer.Slot.Start.Sub(want.Now)
	seats := offer.Slot.Seats(offer.Product)
	score := 0
	for _, disliked := range []bool{
		want.Counted && !seats.Counted,
		ahead < CutOff,
		want.Used[key],
		seats.Counted && seats.Left < want.Room,
		want.Late && ahead < late,
	} {
		score *= 2
		if disliked {
			score++
		}
	}
	return score
}
