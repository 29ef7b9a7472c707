package storefront

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// offers are what an activity sells: on which days, and at which leading prices. They are immutable.
// An activity with one price a day takes 8 bytes for each day, and 16 for each price.
type offers struct {
	prices []string // as from encodePrices; the first ones are the variations' own
	plain  int      // how many of the prices are the variations' own
	starts []start  // in the order of the days
}

// start is the last start on a day at a price.
type start struct {
	at    uint32 // in seconds since 1970
	day   uint16 // since 1970-01-01, in the product's zone
	price uint16 // its place in prices; unpriced: the variation has no unit
}

// The limits of what a start can hold. Dates after 2149 are not in the index.
const (
	lastDay  = math.MaxUint16 - 1
	unpriced = math.MaxUint16
)

func (o *offers) equal(other *offers) bool {
	return o.plain == other.plain && slices.Equal(o.prices, other.prices) && slices.Equal(o.starts, other.starts)
}

// during returns the starts from one day to another, both inclusive.
func (o *offers) during(from, to uint16) []start {
	byDay := func(s start, day uint16) int { return cmp.Compare(s.day, day) }
	first, _ := slices.BinarySearchFunc(o.starts, from, byDay)
	end, _ := slices.BinarySearchFunc(o.starts, uint32(to)+1, func(s start, day uint32) int { return cmp.Compare(uint32(s.day), day) })
	return o.starts[first:max(first, end)]
}

// offerReader builds the offers of many activities. Equal prices share memory.
type offerReader struct {
	read     map[uuid.UUID]*offers
	interned map[string]string

	activity uuid.UUID // whose offers are being read
	building offers
	amounts  [][]domain.Minor // of its prices
	slots    []Offer          // with their own prices, which come after those of the variations
}

func newOfferReader() *offerReader {
	return &offerReader{read: map[uuid.UUID]*offers{}, interned: map[string]string{}}
}

// add adds an offer. Those of an activity follow one another.
func (r *offerReader) add(o Offer) {
	if o.Activity != r.activity {
		r.finish()
		r.activity = o.Activity
	}
	r.price(leadingBases(o, nil))
	r.building.plain = len(r.building.prices)
	if len(o.Days) > 0 {
		r.slots = append(r.slots, o)
	}
}

// finish completes the last activity.
func (r *offerReader) finish() {
	for _, o := range r.slots {
		r.addStarts(o, r.price(leadingBases(o, o.Own)))
	}
	if r.activity != uuid.Nil {
		r.building.starts = slices.Clone(r.withoutDearer())
		r.read[r.activity] = new(r.building)
	}
	r.activity, r.building, r.amounts, r.slots = uuid.Nil, offers{}, nil, nil
}

func (r *offerReader) addStarts(o Offer, price uint16) {
	for i, day := range o.Days {
		if day < 0 || day > lastDay {
			continue
		}
		at := uint32(min(max(o.Starts[i], 0), math.MaxUint32))
		r.building.starts = append(r.building.starts, start{at, uint16(day), price})
	}
}

// price returns the place of a price, which it adds if it is new.
func (r *offerReader) price(amounts []domain.Minor) uint16 {
	if len(amounts) == 0 || len(r.building.prices) == unpriced {
		return unpriced
	}
	text := encodePrices(amounts)
	if at := slices.Index(r.building.prices, text); at >= 0 {
		return uint16(at)
	}
	if known, found := r.interned[text]; found {
		text = known
	} else {
		r.interned[text] = text
	}
	r.building.prices, r.amounts = append(r.building.prices, text), append(r.amounts, amounts)
	return uint16(len(r.building.prices) - 1)
}

// withoutDearer returns the starts in order, without those that cannot matter: another start of the
// day is not earlier and not dearer in any currency.
func (r *offerReader) withoutDearer() []start {
	slices.SortFunc(r.building.starts, func(a, b start) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(b.at, a.at), cmp.Compare(a.price, b.price))
	})
	var kept []start
	for _, s := range r.building.starts {
		at := len(kept)
		for at > 0 && kept[at-1].day == s.day {
			at--
		}
		needless := slices.ContainsFunc(kept[at:], func(k start) bool { return r.notDearer(k.price, s.price) })
		if needless {
			continue
		}
		kept = append(kept[:at], slices.DeleteFunc(kept[at:], func(k start) bool { return k.at == s.at && r.notDearer(s.price, k.price) })...)
		kept = append(kept, s)
	}
	return kept
}

func (r *offerReader) notDearer(one, other uint16) bool {
	if one == other || one == unpriced || other == unpriced {
		return one == other
	}
	return slices.EqualFunc(r.amounts[one], r.amounts[other], func(a, b domain.Minor) bool {
		return a.Currency == b.Currency && decimal.New(a.Amount, -int32(a.Precision)).LessThanOrEqual(decimal.New(b.Amount, -int32(b.Precision)))
	})
}

// leadingBases returns the partner's price that leads a calendar's prices: the group's, otherwise that
// of the unit in availability requests. A slot's own price takes precedence.
func leadingBases(o Offer, own []partnerapi.UnitPricing) []domain.Minor {
	if o.Group != nil {
		return []domain.Minor{majorAmount(o.Group.Amount, o.Group.Currency)}
	}
	asked := domain.AskedUnit(partnerapi.Option{Units: o.Units})
	for _, unit := range o.Units {
		if unit.ID == asked {
			return bases(unit, own)
		}
	}
	return nil
}

// encodePrices returns prices as a text, which takes less memory than a list.
func encodePrices(prices []domain.Minor) string {
	texts := make([]string, len(prices))
	for i, p := range prices {
		texts[i] = decimal.New(p.Amount, -int32(p.Precision)).String() + " " + string(p.Currency)
	}
	return strings.Join(texts, " ")
}

func decodePrices(text string) (prices []domain.Minor) {
	words := strings.Fields(text)
	for i := 0; i+1 < len(words); i += 2 {
		amount, _ := decimal.NewFromString(words[i]) // encodePrices wrote it
		prices = append(prices, majorAmount(amount, domain.Currency(words[i+1])))
	}
	return prices
}
