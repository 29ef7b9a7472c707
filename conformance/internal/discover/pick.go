package discover

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Slot is a slot of POST /availability, as far as it can be read.
type Slot struct {
	ID        string
	Start     time.Time // zero if it cannot be read
	End       time.Time // zero if it cannot be read
	StartText string
	Status    partnerapi.SlotStatus
	Vacancies *int64
	Capacity  *int64
	Prices    []SlotPrice
}

// SlotPrice is what a slot costs for a unit, in the smallest unit of the currency.
type SlotPrice struct {
	UnitID, Currency string
	UnitType         partnerapi.UnitType // "" if it has none
	Amount           int64
}

// ReadSlot reads a decoded slot leniently. What is missing or of the wrong type is left empty.
func ReadSlot(value any) Slot {
	object, _ := value.(map[string]any)
	slot := Slot{
		ID:        text(object, "id"),
		StartText: text(object, "localDateTimeStart"),
		Status:    partnerapi.SlotStatus(text(object, "status")),
		Vacancies: integer(object, "vacancies"),
		Capacity:  integer(object, "capacity"),
	}
	slot.Start, _ = partnerapi.ParseDateTime(slot.StartText)
	slot.End, _ = partnerapi.ParseDateTime(text(object, "localDateTimeEnd"))
	for _, price := range list(object, "unitPricing") {
		slot.Prices = append(slot.Prices, readPrice(price))
	}
	return slot
}

func readPrice(object map[string]any) SlotPrice {
	price := SlotPrice{
		UnitID: text(object, "unitId"), Currency: text(object, "currency"),
		UnitType: partnerapi.UnitType(cmp.Or(text(object, "unitType"), text(object, "type"))), // in this order (AVL-6)
	}
	for _, name := range []string{"original", "retail", "price"} { // AVL-6
		if amount := integer(object, name); amount != nil {
			price.Amount = *amount
			break
		}
	}
	return price
}

// Contradicts returns the field in which another answer about the slot differs, of those that a sale
// does not change: its end, its capacity, its prices, and whether it is closed. It returns "" if none
// differs. What an answer leaves out contradicts nothing.
func (s Slot) Contradicts(other Slot) string {
	if s.Status != "" && other.Status != "" && (s.Status == partnerapi.StatusClosed) != (other.Status == partnerapi.StatusClosed) {
		return "status"
	}
	if s.Capacity != nil && other.Capacity != nil && *s.Capacity != *other.Capacity {
		return "capacity"
	}
	if !s.End.IsZero() && !other.End.IsZero() && !s.End.Equal(other.End) {
		return "localDateTimeEnd"
	}
	for _, price := range s.Prices {
		if slices.ContainsFunc(other.Prices, func(p SlotPrice) bool {
			return p.UnitID == price.UnitID && (p.Currency != price.Currency || p.Amount != price.Amount)
		}) {
			return "unitPricing"
		}
	}
	return ""
}

// Seats is how many seats a slot has left, if they are counted.
type Seats struct {
	Counted bool
	Left    int64
}

// Seats returns the seats left in a slot of product (AVL-14).
func (s Slot) Seats(product Product) Seats {
	switch {
	case product.AllowFreesale, s.Status == partnerapi.StatusFreesale:
		return Seats{}
	case s.Vacancies != nil:
		return Seats{Counted: true, Left: *s.Vacancies}
	case s.Status == partnerapi.StatusSoldOut:
		return Seats{Counted: true}
	default:
		return Seats{}
	}
}

// Window is a range of dates in a product's zone, both inclusive.
type Window struct{ From, To string }

// Lookahead returns the window of a sync at now: today and the 60 days after it.
func Lookahead(now time.Time, zone *time.Location) Window {
	today := now.In(zone)
	return Window{today.Format(partnerapi.DateLayout), today.AddDate(0, 0, partnerapi.LookaheadDays).Format(partnerapi.DateLayout)}
}

// Day returns the window of the date on which t falls in zone.
func Day(t time.Time, zone *time.Location) Window {
	date := t.In(zone).Format(partnerapi.DateLayout)
	return Window{date, date}
}

// Contains reports whether t falls on a date of the window in zone (AVL-10).
func (w Window) Contains(t time.Time, zone *time.Location) bool {
	date := t.In(zone).Format(partnerapi.DateLayout)
	return w.From <= date && date <= w.To
}

// Dates lists the dates of the window; nil if its first date cannot be read.
func (w Window) Dates() []string {
	from, err := time.Parse(partnerapi.DateLayout, w.From)
	if err != nil {
		return nil
	}
	var dates []string
	for day := from; day.Format(partnerapi.DateLayout) <= w.To; day = day.AddDate(0, 0, 1) {
		dates = append(dates, day.Format(partnerapi.DateLayout))
	}
	return dates
}

// Offer is a slot with its option and product.
type Offer struct {
	Product Product
	Option  Option
	Slot    Slot
}

// Key identifies a slot even if its id is used for another slot later.
func (o Offer) Key() string { return o.OptionKey() + "\x00" + o.Slot.StartText + "\x00" + o.Slot.ID }

// OptionKey identifies the option by its product's id and its own.
func (o Offer) OptionKey() string { return o.Product.ID + "\x00" + o.Option.ID }

// CutOff is how far ahead a slot should start: a partner may stop selling a slot days before it begins, and show it all
// the same.
const CutOff = 3 * 24 * time.Hour

// late is the start of the second half of the 60 days, where breaches are easily missed.
const late = 30 * 24 * time.Hour

// Want is what an offer must have, and what is preferred.
type Want struct {
	Now       time.Time
	Seats     int64            // required: at least this many seats left, if they are counted
	Counted   bool             // preferred: seats are counted
	Room      int64            // preferred: this many seats left, so that further bookings can be seen
	Fewest    bool             // preferred: few seats rather than many
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
		return cmp.Or(cmp.Compare(a.penalty, b.penalty), cmp.Compare(a.moved, b.moved), cmp.Compare(a.few, b.few))
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
