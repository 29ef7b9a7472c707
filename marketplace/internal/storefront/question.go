package storefront

import (
	"encoding/binary"
	"math"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/domain"
)

// Filter selects a mode, which is required, and optionally more. Case is ignored in every alphabet,
// and an empty field matches everything.
type Filter struct {
	Mode     domain.Mode
	Query    string // each word must occur in the titles, texts, places, categories or tags, in any language
	Category string // the exact name of a category
	Country  string // the exact code or name
	City     string // the exact name

	// A slot on these dates can be booked, in the query's currency. Both are inclusive and midnights in UTC,
	// and stand for dates in the product's zone.
	DateFrom, DateTo time.Time
	// The price is at least and at most this, a decimal in the query's currency. It is the lowest that a
	// calendar shows: an adult's or the group's. With dates it is the lowest on these dates, otherwise
	// the lowest of the variations.
	MinPrice, MaxPrice string
}

// Sort is an order of the list. Activities that it does not distinguish are in the order of creation.
type Sort string

// The orders of the list.
const (
	ByCreation Sort = "created"   // the oldest first; also the order of ""
	ByPrice    Sort = "price"     // the lowest price first, as in Filter; activities without a price last
	ByTitle    Sort = "title"     // alphabetically, in the query's language
	ByNextDate Sort = "next_date" // the first bookable date first, from DateFrom if it is set; activities without one last
)

// Sorts lists the orders.
func Sorts() []string {
	return []string{string(ByCreation), string(ByPrice), string(ByTitle), string(ByNextDate)}
}

// question selects and orders activities. Equal questions have equal answers.
type question struct {
	Filter
	sort     Sort
	currency domain.Currency // "" if it does not matter, or for each activity's own
	language string          // "" if it does not matter
}

// normalize returns the canonical form of the filter: equivalent filters become equal.
func (f Filter) normalize() Filter {
	f.Query, f.Category, f.Country, f.City = strings.Join(strings.Fields(fold(f.Query)), " "), fold(f.Category), fold(f.Country), fold(f.City)
	return f
}

// question returns the question of the query, whose filter is normalized.
func (q Query) question() question {
	asked := question{Filter: q.Filter, sort: q.Sort}
	if asked.sort == "" {
		asked.sort = ByCreation
	}
	if asked.usesPrices() {
		asked.currency = q.Currency
	}
	if asked.sort == ByTitle {
		asked.language = strings.ToLower(q.Language)
	}
	return asked
}

// isPlain reports whether all activities of the mode are selected, in the order of creation.
func (q question) isPlain() bool {
	return q == question{Filter: Filter{Mode: q.Mode}, sort: ByCreation}
}

func (q question) hasDates() bool  { return !q.DateFrom.IsZero() || !q.DateTo.IsZero() }
func (q question) hasPrices() bool { return q.MinPrice != "" || q.MaxPrice != "" }

// usesStarts reports whether the answer depends on slots, and thus on the time.
func (q question) usesStarts() bool { return q.hasDates() || q.sort == ByNextDate }

// usesPrices reports whether the answer depends on prices. A slot without a price cannot be booked.
func (q question) usesPrices() bool { return q.usesStarts() || q.hasPrices() || q.sort == ByPrice }

// name returns a text that only equal questions have. Its cursors are bound to it.
func (q question) name() string {
	texts := []string{ListName, string(q.Mode), q.Query, q.Category, q.Country, q.City, dateText(q.DateFrom), dateText(q.DateTo), q.MinPrice, q.MaxPrice,
		string(q.sort), string(q.currency), q.language}
	return strings.Join(texts, separator)
}

func dateText(date time.Time) string {
	if date.IsZero() {
		return ""
	}
	return date.Format(time.DateOnly)
}

// asker decides for each activity whether and where a question's answer contains it.
type asker struct {
	question
	book       *priceBook
	now        int64  // in seconds since 1970
	first, end uint16 // the days of the dates
	min, max   price
	until      int64 // when the decisions so far may no longer hold
}

// forever is later than any start.
const forever = math.MaxInt64

func (q question) ask(book *priceBook, now time.Time) *asker {
	a := &asker{question: q, book: book, now: now.Unix(), end: lastDay, min: math.MinInt64 + 1, max: math.MaxInt64, until: forever}
	if !q.DateFrom.IsZero() {
		a.first = dayOf(q.DateFrom)
	}
	if !q.DateTo.IsZero() {
		a.end = dayOf(q.DateTo)
	}
	if q.MinPrice != "" {
		a.min = smallestUnits(limitOf(q.MinPrice).RoundCeil(q.currency.Decimals()), q.currency)
	}
	if q.MaxPrice != "" {
		a.max = smallestUnits(limitOf(q.MaxPrice).RoundFloor(q.currency.Decimals()), q.currency)
	}
	return a
}

func limitOf(text string) decimal.Decimal {
	limit, _ := decimal.NewFromString(text) // the caller has checked it
	return limit
}

// dayOf returns a date's day since 1970, as far as the index reaches.
func dayOf(date time.Time) uint16 {
	return uint16(min(max(date.Unix()/(24*60*60), 0), lastDay))
}

// place returns the text by which the answer is ordered, and whether it contains the activity.
func (a *asker) place(e *entry) (key string, taken bool) {
	if e.mode != a.Mode || !a.names(e.listing) {
		return "", false
	}
	lowest, next := noPrice, uint16(lastDay+1)
	if a.usesStarts() {
		var bookable bool
		if lowest, next, bookable = a.bookable(e); !bookable && a.hasDates() {
			return "", false
		}
	}
	if !a.hasDates() && (a.hasPrices() || a.sort == ByPrice) {
		lowest = noPrice
		for _, base := range e.offers.prices[:e.offers.plain] {
			lowest = cheaper(lowest, a.price(e, base))
		}
	}
	if a.hasPrices() && (lowest == noPrice || lowest < a.min || lowest > a.max) {
		return "", false
	}
	switch a.sort {
	case ByPrice:
		key = lowest.key()
	case ByTitle:
		key = e.titleIn(a.language)
	case ByNextDate:
		key = string(binary.BigEndian.AppendUint16(nil, next))
	}
	return key, true
}

// names reports whether the activity has the words and names of the filter.
func (a *asker) names(l *listing) bool {
	for _, asked := range [...]struct{ kind, text string }{{category, a.Category}, {country, a.Country}, {city, a.City}} {
		if asked.text != "" && !strings.Contains(l.facets, facet(asked.kind, asked.text)) {
			return false
		}
	}
	for word := range strings.FieldsSeq(a.Query) {
		if !strings.Contains(l.words, word) {
			return false
		}
	}
	return true
}

// bookable returns the lowest price and the first day of the slots on the dates, and whether any of
// them can be booked.
func (a *asker) bookable(e *entry) (lowest price, next uint16, bookable bool) {
	lowest, next = noPrice, lastDay+1
	starts := e.offers.during(a.first, a.end)
	wantsLowest := a.hasPrices() || a.sort == ByPrice
	for i, s := range starts {
		if a.sort != ByNextDate && !wantsLowest {
			s = starts[len(starts)-1-i] // the last one first: it counts for the longest time
		}
		if int64(s.at) <= a.now {
			continue
		}
		if s.price != unpriced {
			found := a.price(e, e.offers.prices[s.price])
			if found == noPrice {
				continue
			}
			lowest = cheaper(lowest, found)
		}
		next, bookable = min(next, s.day), true
		a.until = min(a.until, int64(s.at))
		if !wantsLowest {
			break
		}
	}
	return lowest, next, bookable
}

func (a *asker) price(e *entry, base string) price {
	currency := a.currency
	if currency == "" {
		currency = e.currency
		if a.sort == ByPrice {
			currency = a.book.terms.Rates.Base // so that they can be compared
		}
	}
	return a.book.find(base, e.listing, currency)
}

func cheaper(one, other price) price {
	if one == noPrice || other != noPrice && other < one {
		return other
	}
	return one
}
