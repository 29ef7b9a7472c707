package platform

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// seed determines the initial state of every slot. A slot's draw depends only on the seed and the
// slot's identity, never on a shared stream. The result does not depend on the order in which slots
// are read.

type seed uint64

func (d seed) source(key slotKey) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(d)^key.option.Key, uint64(key.day)<<16|uint64(key.minute)))
}

// share spreads the slots of an option evenly over 0 to 99. Multiples of the golden ratio leave no
// large gap, so a status with a share of a few percent appears within weeks, whatever the seed.
// Independent random numbers might not produce it for months.
func (d seed) share(key slotKey) int {
	const (
		goldenRatio = 0x9E3779B97F4A7C15 // its fraction, times 2 to the 64
		mixer       = 0xBF58476D1CE4E5B9 // an odd number without a pattern
	)
	position := uint64(key.day)*uint64(len(key.option.Starts)) + uint64(slices.Index(key.option.Starts, key.minute))
	spread := position*goldenRatio + (uint64(d)^key.option.Key)*mixer
	return int((spread >> 32) * 100 >> 32)
}

// originalSlot computes the slot before any change to it.
func (d seed) originalSlot(key slotKey) slot {
	if key.option.FromCalendar() {
		return calendarSlot(key)
	}
	schedule, random := &key.option.Schedule, d.source(key)
	s := slot{counted: key.option.HasCount()}
	if schedule.Capacity.Max > 0 {
		s.capacity = drawBetween(random, schedule.Capacity.Min, schedule.Capacity.Max)
	}
	limitedAt := min(key.option.LimitedAt, s.capacity)
	switch share := d.share(key); {
	case share < schedule.SoldOut:
		s.counted = true // a slot without a limit can still be sold out
	case share < schedule.SoldOut+schedule.Closed:
		s.closed = true
		s.vacancies = s.capacity
	case share < schedule.SoldOut+schedule.Closed+schedule.Limited:
		s.vacancies = drawBetween(random, 1, limitedAt)
	default:
		s.vacancies = drawBetween(random, limitedAt+1, s.capacity)
	}
	s.elsewhere = s.capacity - s.vacancies
	return s
}

// calendarSlot returns the slot as defined by the option's calendar.
func calendarSlot(key slotKey) slot {
	moment := key.option.Moment(key.day, key.minute)
	if moment == nil { // it was sold before the calendar changed
		return slot{}
	}
	s := slot{counted: moment.Counted, closed: moment.Closed, capacity: moment.Capacity, vacancies: moment.Vacancies}
	s.elsewhere = s.capacity - s.vacancies
	return s
}

// drawBetween draws a number from low to high, or returns high if the range is empty.
func drawBetween(random *rand.Rand, low, high int) int {
	if low >= high {
		return high
	}
	return low + random.IntN(high-low+1)
}

// unitPricing returns the slot's own prices (AVL-6): nil if it has no prices, or a slice that may
// be empty.
func (d seed) unitPricing(key slotKey) []partnerapi.UnitPricing {
	if key.option.FromCalendar() {
		if moment := key.option.Moment(key.day, key.minute); moment != nil {
			return moment.Prices
		}
		return nil
	}
	style := key.option.Schedule.UnitPricing
	if style == catalog.PricingMixed {
		styles := []catalog.PricingStyle{catalog.PricingAbsent, catalog.PricingOwn, catalog.PricingEmpty}
		style = styles[d.source(key).IntN(len(styles))]
	}
	switch style {
	case catalog.PricingOwn:
		if day := key.date().Weekday(); day == time.Saturday || day == time.Sunday {
			return key.option.WeekendPrices
		}
		return key.option.Prices
	case catalog.PricingEmpty:
		return []partnerapi.UnitPricing{}
	default:
		return nil
	}
}

// issue returns a new code or booking id. Its running number makes it unique (RSV-4, CNF-2). Its
// hash of seed and number makes it look realistic.
func (l *lifecycle) issue(prefix string) string {
	l.stock.state.issued++
	number := l.stock.state.issued
	digest := l.stock.seed.digest("code", number)
	plain := fmt.Sprintf("%s-%s-%d", prefix, base32.StdEncoding.EncodeToString(digest[:5]), number)
	if l.stock.conduct.Load().Policy.Codes != catalog.AwkwardCodes {
		return plain
	}
	if number == dotsNumber {
		return ".."
	}
	shape := awkwardShapes[number%uint64(len(awkwardShapes))]
	return strings.Replace(shape, "*", plain, 1)
}

// dotsNumber is the number of the one awkward code that is "..".
const dotsNumber = 3

// awkwardShapes break clients that do not escape a code as one path segment (RSV-6). The * stands
// for the plain code.
var awkwardShapes = [...]string{
	"*/cancel",
	"a+b *",
	"100%2F*%",
	"Größe é 東京 *",
	"../*?x=1&y#z;",
	"*\"'\\<>",
}

// uuid returns the RFC 9562 UUID (version 8, with our own layout) for that number.
func (d seed) uuid(number uint64) string {
	id := d.digest("uuid", number)
	id[6] = id[6]&0x0F | 0x80
	id[8] = id[8]&0x3F | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16])
}

func (d seed) digest(purpose string, number uint64) [sha256.Size]byte {
	text := binary.BigEndian.AppendUint64([]byte(purpose), uint64(d))
	return sha256.Sum256(binary.BigEndian.AppendUint64(text, number))
}

// issueCode returns the code of a new hold. The code is new, unless a quirk reuses the code of an
// ended hold.
func (l *lifecycle) issueCode(h *storedHold) string {
	code := l.issue("R")
	if l.reuses(ReuseCodes, h, h.CreatedAt) {
		if used, ok := l.stock.state.lastEnded(func(ended *storedHold) bool { return ended.State != client.Held }); ok {
			return used.Code
		}
	}
	return code
}

// issueBookingID returns the id of a new booking. The id is new, unless a quirk reuses the id of a
// cancelled booking.
func (l *lifecycle) issueBookingID(h *storedHold, now time.Time) string {
	id := l.issue("B")
	if l.reuses(ReuseBookingIDs, h, now) {
		if used, ok := l.stock.state.lastEnded(func(ended *storedHold) bool {
			booking, ok := l.stock.state.bookings.Get(ended.BookingID)
			return ok && booking.State == client.Cancelled
		}); ok {
			return used.BookingID
		}
	}
	return id
}

func (l *lifecycle) reuses(what Reuse, h *storedHold, now time.Time) bool {
	return l.stock.firstQuirk(Case(what), h, now, func(q Quirk) bool { return q.Reuse == what }).Reuse == what
}
