package console

import (
	"slices"
	"strconv"

	"partnerkit.dev/internal/plural"
)

// fewListed is how many entries a list shows until more are asked for.
const fewListed = 6

// more is the end of a list: a link that shows more of it, or fewer.
type more struct {
	ID    string
	Href  string
	Label string // empty if the list is complete and short
}

// limit returns how many entries of a list are shown: a few, or the most if all are asked for.
func (c chosen) limit(list string, few, most int) int {
	if slices.Contains(c.all, list) {
		return most
	}
	return min(few, most)
}

// more returns the end of a list of which some of so many entries are shown.
func (c chosen) more(list string, shown, total int) more {
	m := more{ID: list + "-more"}
	i := slices.Index(c.all, list)
	switch {
	case i >= 0:
		c.all = slices.Delete(slices.Clone(c.all), i, i+1)
		m.Label = "Show fewer"
	case shown < total:
		c.all = append(slices.Clone(c.all), list)
		m.Label = "Show more: " + strconv.Itoa(shown) + " of " + plural.Thousands(total) + " are listed"
	}
	m.Href = c.href()
	return m
}
