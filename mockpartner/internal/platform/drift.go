package platform

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// driftMark parts what an id was from what it has become.
const driftMark = "~"

// quirky returns the quirks that change how ids or lists are shown.
func (p *Platform) quirky() (quirks []Quirk) {
	for _, q := range p.conduct.Load().Quirks {
		if q.Drift != "" || q.Shuffle {
			quirks = append(quirks, q)
		}
	}
	return quirks
}

// known returns the id as the catalog has it.
func (p *Platform) known(what Drift, id string) string {
	if !slices.ContainsFunc(p.quirky(), func(q Quirk) bool { return q.Drift == what }) {
		return id
	}
	if at := strings.LastIndex(id, driftMark); at >= 0 {
		if _, err := strconv.ParseUint(id[at+len(driftMark):], 10, 64); err == nil {
			return id[:at]
		}
	}
	return id
}

func (p *Platform) drifted(id string) string {
	return fmt.Sprintf("%s%s%d", id, driftMark, p.turn.Load())
}

// Listing returns the body of GET /products. Callers must not change the bytes.
func (p *Platform) Listing(f catalog.Filter) ([]byte, error) {
	quirks := p.quirky()
	if len(quirks) == 0 {
		return p.Catalog().Listing(f), nil
	}
	p.turn.Add(1)
	products := []partnerapi.Product{}
	for _, indexed := range p.Catalog().Select(f) {
		product := indexed.Product
		product.Options = slices.Clone(product.Options)
		for _, q := range quirks {
			if p.withinProduct(q, indexed) {
				p.disturb(&product, q, indexed)
			}
		}
		products = append(products, product)
	}
	if slices.ContainsFunc(quirks, func(q Quirk) bool { return q.Shuffle && q.Product == "" }) {
		p.shuffle(len(products), func(i, j int) { products[i], products[j] = products[j], products[i] })
	}
	return catalog.Render(products)
}

// disturb shows a product as the quirk has it.
func (p *Platform) disturb(product *partnerapi.Product, q Quirk, indexed *catalog.IndexedProduct) {
	switch {
	case q.Drift == DriftProducts:
		product.ID = p.drifted(product.ID)
	case q.Drift == DriftOptions:
		for i := range product.Options {
			if option, ok := indexed.Option(product.Options[i].ID); ok && p.within(q, option) {
				product.Options[i].ID = p.drifted(option.ID)
			}
		}
	case q.Shuffle:
		options := product.Options
		p.shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
		for i := range options {
			units := slices.Clone(options[i].Units)
			p.shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
			options[i].Units = units
		}
	}
}

// disorder shows a window in another order where a quirk wants it, and keeps what
// will be shown otherwise next time from being remembered. The platform is locked.
func (p *Platform) disorder(w *Window, now time.Time) {
	quirks := p.quirky()
	if len(quirks) == 0 {
		return
	}
	w.Stamp.until = w.Stamp.from
	p.turn.Add(1)
	if slices.ContainsFunc(quirks, func(q Quirk) bool {
		return q.Shuffle && p.concerns(q, slotKey{option: w.Stamp.option, day: 1 << 40}, now)
	}) {
		p.shuffle(len(w.Slots), func(i, j int) { w.Slots[i], w.Slots[j] = w.Slots[j], w.Slots[i] })
	}
}

// shownID is the slot's id as it is shown.
func (p *Platform) shownID(key slotKey, now time.Time) string {
	for _, q := range p.conduct.Load().Quirks {
		if q.Drift == DriftSlots && p.concerns(q, key, now) {
			return p.drifted(key.id())
		}
	}
	return key.id()
}

// keyOf finds the slot of that id, and false where the option has none.
func (p *Platform) keyOf(option *catalog.IndexedOption, id string) (slotKey, bool) {
	return keyOf(option, p.known(DriftSlots, id))
}

// shuffle draws another order from the seed with every turn.
func (p *Platform) shuffle(n int, swap func(i, j int)) {
	rand.New(rand.NewPCG(p.seed, p.turn.Load())).Shuffle(n, swap)
}
