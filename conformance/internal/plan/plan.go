// Package plan decides what a run tests: which rules, which options and dates, and which slots a
// scenario tries in which order.
//
// Nothing here sends a request.
package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/rule"
)

// Spread returns at most n elements of all, evenly spread, including the last. The last comes
// first, so that it is covered even if time runs out.
func Spread[T any](all []T, n int) []T {
	if len(all) == 0 || n < 1 {
		return nil
	}
	n = min(n, len(all))
	chosen := []T{all[len(all)-1]}
	for i := range n - 1 {
		chosen = append(chosen, all[i*len(all)/n])
	}
	return chosen
}

// EndsFirst returns slots by their start, except that the first, last and middle slots come before
// the others. turn selects which of these three comes first.
func EndsFirst(slots []discover.Offer, turn int) []discover.Offer {
	if len(slots) < 3 {
		return slots
	}
	slots = slices.SortedStableFunc(slices.Values(slots), func(a, b discover.Offer) int { return a.Slot.Start.Compare(b.Slot.Start) })
	last, middle := len(slots)-1, len(slots)/2
	ends := []discover.Offer{slots[0], slots[last], slots[middle]}
	turn %= len(ends)
	return slices.Concat(ends[turn:], ends[:turn], slots[1:middle], slots[middle+1:last])
}

// mostCandidates is the maximum number of slots that a scenario tries before it gives up.
const mostCandidates = 5

// Candidates returns the few offers that a scenario tries, the best first, of as many options as
// possible: an option that refuses one slot may refuse all.
func Candidates(offers []discover.Offer) []discover.Offer {
	var chosen, rest []discover.Offer
	seen := map[string]bool{}
	for i := 0; i < len(offers) && len(chosen) < mostCandidates; i++ { // of thousands, few are copied
		switch key := offers[i].OptionKey(); {
		case !seen[key]:
			seen[key] = true
			chosen = append(chosen, offers[i])
		case len(rest) < mostCandidates:
			rest = append(rest, offers[i])
		}
	}
	chosen = append(chosen, rest...)
	return chosen[:min(mostCandidates, len(chosen))]
}

// BookableOptions returns the keys of the options that have a slot among the fitting offers: no more than most,
// evenly spread. all is in catalog order.
func BookableOptions(fitting, all []discover.Offer, most int) []string {
	var keys []string
	for _, offer := range bookableOffers(fitting, all) {
		keys = append(keys, offer.OptionKey())
	}
	return Spread(keys, most)
}

// BookableProducts returns the key of the last such option of each product: no more than most, evenly
// spread.
func BookableProducts(fitting, all []discover.Offer, most int) []string {
	var keys []string
	product := ""
	for _, offer := range bookableOffers(fitting, all) {
		if len(keys) > 0 && offer.Product.ID == product {
			keys = keys[:len(keys)-1]
		}
		keys, product = append(keys, offer.OptionKey()), offer.Product.ID
	}
	return Spread(keys, most)
}

// bookableOffers returns an offer of each option that has one among the fitting offers, in the order of all.
func bookableOffers(fitting, all []discover.Offer) (offers []discover.Offer) {
	wanted := map[string]bool{}
	for _, offer := range fitting {
		wanted[offer.OptionKey()] = true
	}
	for _, offer := range all {
		if key := offer.OptionKey(); wanted[key] {
			delete(wanted, key)
			offers = append(offers, offer)
		}
	}
	return offers
}

// Scope is the part of a partner's offer that a run reads slots of and books.
type Scope struct {
	Products, Options []string // ids; nil: all
	From, To          string   // dates, both inclusive; "": today, and 60 days after it
}

// Narrow reports whether the scope is less than the whole offer.
func (s Scope) Narrow() bool {
	return s.Products != nil || s.Options != nil || s.From != "" || s.To != ""
}

// Takes reports whether the scope contains the option of the product, by their ids.
func (s Scope) Takes(product, option string) bool {
	return (s.Products == nil || slices.Contains(s.Products, product)) && (s.Options == nil || slices.Contains(s.Options, option))
}

// Window returns the part of the next 60 days that is requested, in that zone; false if it is
// empty.
func (s Scope) Window(now time.Time, zone *time.Location) (discover.Window, bool) {
	window := discover.Lookahead(now, zone)
	window.From = max(window.From, s.From)
	if s.To != "" {
		window.To = min(window.To, s.To)
	}
	return window, window.From <= window.To
}

// CheckKnown returns an error message if the catalog lacks a named product or option, or "".
func (s Scope) CheckKnown(products []discover.Product) string {
	var sold, options []string
	for _, product := range products {
		sold = append(sold, product.ID)
		if s.Products == nil || slices.Contains(s.Products, product.ID) {
			for _, option := range product.Options {
				options = append(options, option.ID)
			}
		}
	}
	if gone := Subtract(s.Products, sold); len(gone) > 0 {
		return fmt.Sprintf("--product: the catalog has no %s; it has %s", QuoteFew(gone), QuoteFew(sold))
	}
	if gone := Subtract(s.Options, options); len(gone) > 0 {
		return fmt.Sprintf("--option: there is no %s; there are %s", QuoteFew(gone), QuoteFew(options))
	}
	return ""
}

// Subtract returns the elements of a that are not in b.
func Subtract(a, b []string) []string {
	in := map[string]bool{}
	for _, id := range b {
		in[id] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(id string) bool { return in[id] })
}

// QuoteFew lists the first three elements, quoted, and how many more there are.
func QuoteFew(list []string) string {
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

// Choice lists the rules of a run, by id: the judged ones, and the ones that run, which are the
// judged ones and the rules that they need.
type Choice struct{ Judged, Run map[string]bool }

// Choose returns the rules that filter selects, among those with the ids, or among all if ids is
// nil. Its error names what cannot be parsed or matches nothing.
func Choose(filter string, ids []string) (Choice, error) {
	fits, err := types.ParseLabelFilter(filter)
	if err != nil {
		return Choice{}, fmt.Errorf("the label filter %q cannot be read: expected names joined by && and ||, such as 'reserve && MUST'", filter)
	}
	for _, id := range ids {
		if _, err := rule.Find(id); err != nil {
			return Choice{}, err
		}
	}
	chosen := Choice{Judged: map[string]bool{}, Run: map[string]bool{}}
	for _, r := range rule.All() {
		if fits(Labels(r)) && (ids == nil || slices.Contains(ids, r.ID)) {
			chosen.Judged[r.ID] = true
			chosen.include(r)
		}
	}
	switch {
	case len(chosen.Judged) > 0:
		return chosen, nil
	case ids == nil:
		return Choice{}, fmt.Errorf("the label filter %q fits no rule: expected ids as 'conformance rules' lists them, endpoints such as reserve, or MUST, SHOULD and MAY", filter)
	case len(ids) == 0:
		return Choice{}, errors.New("no rule is named: expected ids as 'conformance rules' lists them")
	default:
		return Choice{}, fmt.Errorf("the label filter %q matches none of the named rules", filter)
	}
}

func (c Choice) include(r rule.Rule) {
	if c.Run[r.ID] {
		return
	}
	c.Run[r.ID] = true
	for _, needed := range r.Needed() {
		c.include(needed)
	}
}

// Labels returns the labels by which a rule is filtered: its id, level and endpoint.
func Labels(r rule.Rule) []string { return []string{r.ID, string(r.Level), string(r.Endpoint)} }
