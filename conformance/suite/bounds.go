package suite

import (
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/explore"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// The standing bounds of a run: no story comes near them, whatever the partner
// answers.
const (
	DefaultMaxHolds    = 500
	DefaultMaxBookings = 100
)

// Bounds say how far a run may go on a platform that is in use. The zero value
// leaves the run all that it needs.
type Bounds struct {
	ReadOnly    bool // nothing is held or booked: only the catalog and availability are judged
	MaxHolds    *int // made in all; nil: DefaultMaxHolds
	MaxBookings *int // made in all, by a partner that books a code once; nil: DefaultMaxBookings
	MaxRPS      int  // calls a second, those at the same time too; 0: no bound

	Products, Options []string // ids: only these are asked for availability and booked; nil: all
	From, To          string   // dates, both inclusive: no slot is asked for outside; "": today, and 60 days after it
}

// check says what is wrong with the bounds at now, or nil. The words name the
// flags that they are given by.
func (b Bounds) check(now time.Time, clockMoves bool) error {
	for _, count := range []struct {
		flag string
		n    *int
	}{{"--max-holds", b.MaxHolds}, {"--max-bookings", b.MaxBookings}} {
		if count.n != nil && *count.n < 0 {
			return fmt.Errorf("%s %d: want 0 or more", count.flag, *count.n)
		}
	}
	if b.MaxRPS < 0 {
		return fmt.Errorf("--max-rps %d: want 1 or more calls a second", b.MaxRPS)
	}
	for _, ids := range []struct {
		flag string
		list []string
	}{{"--product", b.Products}, {"--option", b.Options}} {
		if ids.list != nil && len(ids.list) == 0 || slices.Contains(ids.list, "") {
			return fmt.Errorf("%s names nothing: want ids as in the catalog, with commas between", ids.flag)
		}
	}
	return b.checkDates(now, clockMoves)
}

// checkDates checks the dates. It is not known yet where on earth the products
// are, nor what time it is there where the target has a clock of its own.
func (b Bounds) checkDates(now time.Time, clockMoves bool) error {
	for _, date := range []struct{ flag, text string }{{"--from", b.From}, {"--to", b.To}} {
		if date.text == "" {
			continue
		}
		if _, err := time.Parse(partnerapi.DateLayout, date.text); err != nil {
			return fmt.Errorf("%s %q: want a date such as %s", date.flag, date.text, now.Format(partnerapi.DateLayout))
		}
		west, east := time.FixedZone("", -12*3600), time.FixedZone("", 14*3600)
		first, last := discover.Lookahead(now, west).From, discover.Lookahead(now, east).To
		if !clockMoves && (date.text < first || date.text > last) {
			return fmt.Errorf("%s %s: want a date within today and the %d days after it", date.flag, date.text, partnerapi.LookaheadDays)
		}
	}
	if b.From != "" && b.To != "" && b.From > b.To {
		return fmt.Errorf("--from %s is after --to %s", b.From, b.To)
	}
	return nil
}

// maxHolds is how many holds may be made.
func (b Bounds) maxHolds() int { return orElse(b.MaxHolds, DefaultMaxHolds) }

// maxBookings is how many bookings may be made.
func (b Bounds) maxBookings() int { return orElse(b.MaxBookings, DefaultMaxBookings) }

func orElse(n *int, otherwise int) int {
	if n == nil {
		return otherwise
	}
	return *n
}

// forStories raises the standing bounds by what random lifecycles may hold and book,
// those by which one is shortened among them.
func (b Bounds) forStories(stories int) Bounds {
	if stories == 0 {
		return b
	}
	most := mostOfAStory * (stories + explore.MostTries)
	holds, bookings := b.maxHolds()+most, b.maxBookings()+most
	if b.MaxHolds == nil {
		b.MaxHolds = &holds
	}
	if b.MaxBookings == nil {
		b.MaxBookings = &bookings
	}
	return b
}

// mostOfAStory is how many holds, and bookings, a random lifecycle makes at the most,
// on average.
const mostOfAStory = 10

// narrow reports whether some of what the partner sells is left out.
func (b Bounds) narrow() bool {
	return b.Products != nil || b.Options != nil || b.From != "" || b.To != ""
}

// takes reports whether an option is among those to be asked for and booked.
func (b Bounds) takes(product, option string) bool {
	return (b.Products == nil || slices.Contains(b.Products, product)) && (b.Options == nil || slices.Contains(b.Options, option))
}

// window is what of the next 60 days is asked for, in that zone; false where it
// is nothing.
func (b Bounds) window(now time.Time, zone *time.Location) (discover.Window, bool) {
	window := discover.Lookahead(now, zone)
	window.From = max(window.From, b.From)
	if b.To != "" {
		window.To = min(window.To, b.To)
	}
	return window, window.From <= window.To
}

// unknown says which product or option that is named the catalog lacks, or "".
func (b Bounds) unknown(products []discover.Product) string {
	var sold, options []string
	for _, product := range products {
		sold = append(sold, product.ID)
		if b.Products == nil || slices.Contains(b.Products, product.ID) {
			options = append(options, optionIDs(product)...)
		}
	}
	if gone := without(b.Products, sold); len(gone) > 0 {
		return fmt.Sprintf("--product: the catalog has no %s; it has %s", few(gone), few(sold))
	}
	if gone := without(b.Options, options); len(gone) > 0 {
		return fmt.Sprintf("--option: there is no %s; there are %s", few(gone), few(options))
	}
	return ""
}

// asksFor returns what is to be asked of all that can be asked for.
func (s *session) asksFor(all []asked) []asked {
	some := slices.DeleteFunc(all, func(a asked) bool {
		_, any := s.config.Bounds.window(s.now(), a.product.Zone)
		return !any || !s.config.Bounds.takes(a.product.ID, a.option.ID)
	})
	if s.outside = s.config.Bounds.unknown(s.survey.products); s.outside == "" && len(some) == 0 && s.config.Bounds.narrow() {
		s.outside = "nothing is left to be asked for: no option that can be booked lies within --product, --option, --from and --to"
	}
	return some
}

const readOnly = "nothing was held or booked (--read-only)"

// leftOut says why a rule is not judged within the bounds, or "".
func (s *session) leftOut(r rule.Rule) string {
	explores := r.ID == rule.AvailabilityLifecycle.ID
	switch {
	case explores && s.config.Explore == 0:
		return "left out; --explore N plays random lifecycles"
	case s.config.Bounds.ReadOnly && (explores || writes(r.Endpoint)):
		return readOnly
	default:
		return ""
	}
}

// writes reports whether calls of an endpoint change something.
func writes(endpoint partnerapi.Endpoint) bool {
	return endpoint != partnerapi.Products && endpoint != partnerapi.Availability
}

// mayHold returns why no further hold may be made, or nil.
func (s *session) mayHold() *obstacle {
	if s.config.Bounds.ReadOnly {
		return outOfBounds(readOnly)
	}
	made := 0
	for _, entry := range s.ledger.Entries() {
		if entry.Code != "" || entry.State == ledger.Attempted || entry.State == ledger.Unheard {
			made++
		}
	}
	if most := s.config.Bounds.maxHolds(); made >= most {
		return outOfBounds("no more than %d holds may be made (--max-holds)", most)
	}
	return nil
}

// mayBook returns why a hold may not become a booking, or nil.
func (s *session) mayBook(h *hold) *obstacle {
	if most := s.config.Bounds.maxBookings(); h.entry.State == ledger.Held && s.bookings >= most {
		return outOfBounds("no more than %d bookings may be made (--max-bookings)", most)
	}
	return nil
}
