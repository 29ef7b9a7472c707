package storefront

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// entry is an activity in the list. It is immutable: a changed activity gets a new entry. Pages show
// its listing only, so other slots do not invalidate them.
type entry struct {
	*listing
	offers *offers
}

// listing is the index's data of an activity without its offers. It is immutable.
type listing struct {
	id       uuid.UUID
	mode     domain.Mode
	created  int64             // in microseconds, the database's precision
	facets   string            // compared by the filters for places and categories
	words    string            // searched by q
	title    string            // as from titleKeys
	titles   map[string]string // the same by language; "" is the title in the base fields
	locale   string            // of the base fields
	currency domain.Currency   // the activity's own
	percent  string            // its markup and discount
}

// compare reports whether the activity precedes another one in the order of creation.
func (l *listing) compare(other *listing) int {
	if order := cmp.Compare(l.created, other.created); order != 0 {
		return order
	}
	return bytes.Compare(l.id[:], other.id[:])
}

func (e *entry) compare(other *entry) int { return e.listing.compare(other.listing) }

func newListing(r Row, keys *titleKeys) *listing {
	l := &listing{
		id: r.ID, mode: r.Mode, created: r.CreatedAt.UnixMicro(), facets: facetsOf(r), words: wordsOf(r), title: keys.key(r.Title),
		locale: r.Locale, currency: r.Currency, percent: encodePercentages(r.Markup, r.Discount),
	}
	for language, title := range r.Titles {
		if l.titles == nil {
			l.titles = make(map[string]string, len(r.Titles))
		}
		l.titles[language] = keys.key(title)
	}
	return l
}

// snapshot is the list at one time. It is immutable.
type snapshot struct {
	version uint64
	changed time.Time                // when the last change was heard of, by the machine's clock, as a standby's age is measured
	entries []*entry                 // in the order of creation
	byMode  map[domain.Mode][]*entry // the same entries by mode
	changes []change                 // the last ones, in order
	since   uint64                   // the version before these changes
	book    *priceBook
}

// change replaces an entry.
type change struct {
	version       uint64 // the first version with it
	before, after *entry // nil: it was not listed, or is no longer
}

// mostChanges is how many changes a snapshot keeps, with which selections are brought up to date. After
// more it is faster to select again.
const mostChanges = 256

// reset replaces the whole list.
func (s *snapshot) reset(rows []Row, sells map[uuid.UUID]*offers) {
	s.entries, s.changes, s.since = make([]*entry, 0, len(rows)), nil, s.version
	keys := newTitleKeys()
	for _, row := range rows {
		s.entries = append(s.entries, &entry{newListing(row, keys), offersIn(sells, row.ID)})
	}
	s.split()
}

// split sorts the entries by mode.
func (s *snapshot) split() {
	s.byMode = map[domain.Mode][]*entry{}
	for _, e := range s.entries {
		s.byMode[e.mode] = append(s.byMode[e.mode], e)
	}
}

var nothing = &offers{}

func offersIn(sells map[uuid.UUID]*offers, id uuid.UUID) *offers {
	if found := sells[id]; found != nil {
		return found
	}
	return nothing
}

// merge replaces the entries of the changed activities by these rows, which are in the order of
// creation. A changed activity without a row is removed. It reports whether the list has changed.
func (s *snapshot) merge(rows []Row, sells map[uuid.UUID]*offers, of Change) bool {
	gone := make(map[uuid.UUID]bool, len(of.Activities))
	for _, id := range of.Activities {
		gone[id] = true
	}
	onlySlots := make(map[uuid.UUID]bool, len(of.Slots))
	for _, id := range of.Slots {
		onlySlots[id] = !gone[id] && len(of.Integrations) == 0
	}
	merged, rest := make([]*entry, 0, len(s.entries)+len(rows)), s.entries
	var changes []change
	keys := newTitleKeys()
	for _, row := range rows {
		delete(gone, row.ID)
		fresh := &entry{&listing{id: row.ID, created: row.CreatedAt.UnixMicro()}, offersIn(sells, row.ID)}
		at, known := slices.BinarySearchFunc(rest, fresh, (*entry).compare)
		merged = append(merged, rest[:at]...)
		rest = rest[at:]
		var before *entry
		if known {
			before, rest = rest[0], rest[1:]
		}
		switch {
		case !row.Listed:
			fresh = nil
		case known && onlySlots[row.ID] && before.offers.equal(fresh.offers):
			fresh = before
		case known && onlySlots[row.ID]:
			fresh.listing = before.listing
		default:
			fresh.listing = newListing(row, keys)
		}
		if fresh != nil {
			merged = append(merged, fresh)
		}
		if fresh != before {
			changes = append(changes, change{s.version, before, fresh})
		}
	}
	merged = append(merged, rest...)
	if len(gone) > 0 {
		merged = slices.DeleteFunc(merged, func(e *entry) bool {
			if gone[e.id] {
				changes = append(changes, change{s.version, e, nil})
			}
			return gone[e.id]
		})
	}
	if len(changes) == 0 {
		return false
	}
	s.entries = merged
	s.split()
	s.changes = append(s.changes, changes...) // older snapshots end before these
	if old := len(s.changes) - mostChanges; old > 0 {
		s.since, s.changes = s.changes[old-1].version, s.changes[old:]
	}
	return true
}

// changesAfter returns the changes after a version, and false if they are no longer known.
func (s *snapshot) changesAfter(version uint64) ([]change, bool) {
	if version < s.since {
		return nil, false
	}
	at, _ := slices.BinarySearchFunc(s.changes, version+1, func(c change, first uint64) int { return cmp.Compare(c.version, first) })
	return s.changes[at:], true
}

// fold converts to lower case, and replaces separators by spaces.
func fold(text string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), separator, " "))
}

// The kinds of facets. Each is between separators, before its text.
const (
	separator = "\x1f"
	category  = "c"
	country   = "n"
	city      = "t"
)

func facet(kind, text string) string { return separator + kind + fold(text) + separator }

func facetsOf(r Row) string {
	var all strings.Builder
	for _, name := range r.Categories {
		all.WriteString(facet(category, name))
	}
	all.WriteString(facet(country, r.CountryID) + facet(country, r.Country) + facet(city, r.City))
	return all.String()
}

// mostWords limits the words of an activity, in bytes. The longest texts come last and are cut.
const mostWords = 8 << 10

func wordsOf(r Row) string {
	texts := slices.Concat([]string{r.Title, r.PromoTitle, r.City, r.Region, r.Country}, r.VariationTitles, r.Categories, r.Tags, slices.Sorted(maps.Values(r.Titles)),
		[]string{r.ShortDescription, r.Address, r.Description}, r.TranslatedTexts)
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	words := fold(strings.Join(texts, "\n"))
	return strings.Clone(words[:min(len(words), mostWords)])
}
