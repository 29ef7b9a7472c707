package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/conformance/internal/discover"
)

// Scope is what of a partner's offer a run asks for and books.
type Scope struct {
	Products, Options []string // ids; nil: all
	From, To          string   // dates, both inclusive; "": today, and 60 days after it
}

// Narrow reports whether some of what the partner sells is left out.
func (s Scope) Narrow() bool {
	return s.Products != nil || s.Options != nil || s.From != "" || s.To != ""
}

// Takes reports whether an option is among those to be asked for and booked.
func (s Scope) Takes(product, option string) bool {
	return (s.Products == nil || slices.Contains(s.Products, product)) && (s.Options == nil || slices.Contains(s.Options, option))
}

// Window is what of the next 60 days is asked for, in that zone; false where it
// is nothing.
func (s Scope) Window(now time.Time, zone *time.Location) (discover.Window, bool) {
	window := discover.Lookahead(now, zone)
	window.From = max(window.From, s.From)
	if s.To != "" {
		window.To = min(window.To, s.To)
	}
	return window, window.From <= window.To
}

// Unknown says which product or option that is named the catalog lacks, or "".
func (s Scope) Unknown(products []discover.Product) string {
	var sold, options []string
	for _, product := range products {
		sold = append(sold, product.ID)
		if s.Products == nil || slices.Contains(s.Products, product.ID) {
			for _, option := range product.Options {
				options = append(options, option.ID)
			}
		}
	}
	if gone := Without(s.Products, sold); len(gone) > 0 {
		return fmt.Sprintf("--product: the catalog has no %s; it has %s", Few(gone), Few(sold))
	}
	if gone := Without(s.Options, options); len(gone) > 0 {
		return fmt.Sprintf("--option: there is no %s; there are %s", Few(gone), Few(options))
	}
	return ""
}

// Without returns the elements of a that are not in b.
func Without(a, b []string) []string {
	in := map[string]bool{}
	for _, id := range b {
		in[id] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(id string) bool { return in[id] })
}

// Few quotes the first ids of a list.
func Few(list []string) string {
	const most = 3
	quoted := make([]string, 0, most)
	for _, id := range list[:min(len(list), most)] {
		quoted = append(quoted, fmt.Sprintf("%q", id))
	}
	if len(list) > most {
		quoted = append(quoted, fmt.Sprintf("%d more", len(list)-most))
	}
	return strings.Join(quoted, ", ")
}
