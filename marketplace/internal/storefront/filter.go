package storefront

import (
	"slices"
	"strings"
)

// Filter narrows the list. Capitals do not count, in any alphabet; an empty field takes
// everything.
type Filter struct {
	Query    string // each of its words is a part of the activity's titles, texts, places, categories or tags
	Category string // one of its categories, whole
	Country  string // its country's code or name, whole
	City     string // its city, whole
}

// normal is the filter as it is compared: two that take the same are equal.
func (f Filter) normal() Filter {
	return Filter{
		Query: strings.Join(strings.Fields(fold(f.Query)), " "), Category: fold(f.Category), Country: fold(f.Country), City: fold(f.City),
	}
}

// fold makes capitals small, and what would part one text from the next a space.
func fold(text string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), separator, " "))
}

// The kinds of facets. Each stands between separators, before its text.
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

// mostWords bounds what is kept of an activity's words, in bytes.
const mostWords = 2 << 10

func wordsOf(r Row) string {
	texts := append([]string{r.Title, r.PromoTitle, r.ShortDescription, r.City, r.Region, r.Country}, r.Categories...)
	texts = append(append(texts, r.Tags...), r.TranslatedTitles...)
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	words := fold(strings.Join(texts, "\n"))
	return strings.Clone(words[:min(len(words), mostWords)])
}

// takes reports whether the activity is one of the filter's, which is normal.
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
