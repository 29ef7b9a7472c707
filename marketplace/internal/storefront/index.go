package storefront

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// entry is an activity in the list. It is immutable: a changed activity gets a new entry, which
// invalidates the pages that contain the old one.
type entry struct {
	id      uuid.UUID
	mode    domain.Mode
	created int64  // in microseconds, the database's precision
	facets  string // compared by all filters except q
	words   string // searched by q
}

// compare reports whether the entry precedes another one in the list.
func (e *entry) compare(other *entry) int {
	if order := cmp.Compare(e.created, other.created); order != 0 {
		return order
	}
	return bytes.Compare(e.id[:], other.id[:])
}

func newEntry(r Row) *entry {
	return &entry{id: r.ID, mode: r.Mode, created: r.CreatedAt.UnixMicro(), facets: facetsOf(r), words: wordsOf(r)}
}

// snapshot is the list at one time. It is immutable.
type snapshot struct {
	version uint64
	entries []*entry                 // in the order of the list
	byMode  map[domain.Mode][]*entry // the same entries by mode
	terms   *domain.Terms
}

// split returns the entries by mode, in order.
func split(entries []*entry) map[domain.Mode][]*entry {
	byMode := map[domain.Mode][]*entry{}
	for _, e := range entries {
		byMode[e.mode] = append(byMode[e.mode], e)
	}
	return byMode
}

// newEntries returns the entries of all rows, which are in the list's order.
func newEntries(rows []Row) []*entry {
	entries := make([]*entry, 0, len(rows))
	for _, row := range rows {
		if row.Listed {
			entries = append(entries, newEntry(row))
		}
	}
	return entries
}

// merge replaces the entries of the requested activities by these rows, which are in the list's
// order. A requested activity without a row is removed.
func merge(entries []*entry, rows []Row, asked []uuid.UUID) []*entry {
	gone := make(map[uuid.UUID]bool, len(asked))
	for _, id := range asked {
		gone[id] = true
	}
	for _, row := range rows {
		delete(gone, row.ID)
	}
	merged := make([]*entry, 0, len(entries)+len(rows))
	for _, row := range rows {
		fresh := newEntry(row)
		at, known := slices.BinarySearchFunc(entries, fresh, (*entry).compare)
		merged = append(merged, entries[:at]...)
		if row.Listed {
			merged = append(merged, fresh)
		}
		if known {
			at++
		}
		entries = entries[at:]
	}
	merged = append(merged, entries...)
	if len(gone) > 0 {
		merged = slices.DeleteFunc(merged, func(e *entry) bool { return gone[e.id] })
	}
	return merged
}

// Filter selects a mode, which is required, and optionally more. Case is ignored in every alphabet,
// and an empty field matches everything.
type Filter struct {
	Mode     domain.Mode
	Query    string // each word must occur in the titles, texts, places, categories or tags, in any language
	Category string // the exact name of a category
	Country  string // the exact code or name
	City     string // the exact name
}

// normalize returns the canonical form of the filter: equivalent filters become equal.
func (f Filter) normalize() Filter {
	return Filter{
		Mode: f.Mode, Query: strings.Join(strings.Fields(fold(f.Query)), " "), Category: fold(f.Category), Country: fold(f.Country), City: fold(f.City),
	}
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
	texts := slices.Concat([]string{r.Title, r.PromoTitle, r.City, r.Region, r.Country}, r.Categories, r.Tags, r.TranslatedTitles,
		[]string{r.ShortDescription, r.Address, r.Description}, r.TranslatedTexts)
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	words := fold(strings.Join(texts, "\n"))
	return strings.Clone(words[:min(len(words), mostWords)])
}

// takes reports whether the activity matches the filter, which is normalized.
func (f Filter) takes(e *entry) bool {
	for _, asked := range [...]struct{ kind, text string }{{category, f.Category}, {country, f.Country}, {city, f.City}} {
		if asked.text != "" && !strings.Contains(e.facets, facet(asked.kind, asked.text)) {
			return false
		}
	}
	for word := range strings.FieldsSeq(f.Query) {
		if !strings.Contains(e.words, word) {
			return false
		}
	}
	return true
}
