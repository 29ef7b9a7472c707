package platform

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// driftMark separates an original id from the suffix that drift adds.
const driftMark = "~"

// drawingQuirks returns the quirks that change how ids or lists are shown.
func (c *Conduct) drawingQuirks() (quirks []Quirk) {
	for _, q := range c.Quirks {
		if q.Drift != "" || q.Shuffle {
			quirks = append(quirks, q)
		}
	}
	return quirks
}

func (inv *inventory) undriftID(what Drift, id string) string {
	if !slices.ContainsFunc(inv.conduct.Load().drawingQuirks(), func(q Quirk) bool { return q.Drift == what }) {
		return id
	}
	if at := strings.LastIndex(id, driftMark); at >= 0 {
		if _, err := strconv.ParseUint(id[at+len(driftMark):], 10, 64); err == nil {
			return id[:at]
		}
	}
	return id
}

func (inv *inventory) driftID(id string) string {
	return fmt.Sprintf("%s%s%d", id, driftMark, inv.turn.Load())
}

// Listing returns the body of GET /products. Callers must not change the bytes.
func (p *Platform) Listing(f catalog.Filter) ([]byte, error) {
	p.life.countPull()
	quirks := p.stock.conduct.Load().drawingQuirks()
	if len(quirks) == 0 {
		return p.Catalog().Listing(f), nil
	}
	p.stock.turn.Add(1)
	products := []partnerapi.Product{}
	for _, indexed := range p.Catalog().Select(f) {
		product := indexed.Product
		product.Options = slices.Clone(product.Options)
		for _, q := range quirks {
			if q.withinProduct(p.Catalog(), indexed) {
				p.stock.disturb(&product, q, indexed)
			}
		}
		products = append(products, product)
	}
	if slices.ContainsFunc(quirks, func(q Quirk) bool { return q.Shuffle && q.Product == "" }) {
		p.stock.shuffle(len(products), func(i, j int) { products[i], products[j] = products[j], products[i] })
	}
	return catalog.Render(products)
}

func (inv *inventory) disturb(product *partnerapi.Product, q Quirk, indexed *catalog.IndexedProduct) {
	if q.Drift != DriftSlots {
		q.applied.Store(true)
	}
	switch {
	case q.Drift == DriftProducts:
		product.ID = inv.driftID(product.ID)
	case q.Drift == DriftOptions:
		for i := range product.Options {
			if option, ok := indexed.Option(product.Options[i].ID); ok && q.appliesTo(inv.catalog(), option) {
				product.Options[i].ID = inv.driftID(option.ID)
			}
		}
	case q.Shuffle:
		options := product.Options
		inv.shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
		for i := range options {
			units := slices.Clone(options[i].Units)
			inv.shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
			options[i].Units = units
		}
	}
}

// disorder shuffles a window if a quirk requires it. It also expires the window's stamp, because
// the next answer will differ. The platform is locked.
func (inv *inventory) disorder(w *Window, now time.Time) {
	quirks := inv.conduct.Load().drawingQuirks()
	if len(quirks) == 0 {
		return
	}
	w.Stamp.until = w.Stamp.from
	inv.turn.Add(1)
	if slices.ContainsFunc(quirks, func(q Quirk) bool {
		return q.Shuffle && inv.concerns(q, slotKey{option: w.Stamp.option, day: 1 << 40}, now)
	}) {
		inv.shuffle(len(w.Slots), func(i, j int) { w.Slots[i], w.Slots[j] = w.Slots[j], w.Slots[i] })
	}
}

func (inv *inventory) shownID(key slotKey, now time.Time) string {
	for _, q := range inv.conduct.Load().Quirks {
		if q.Drift == DriftSlots && inv.concerns(q, key, now) && q.decides(inv.seed, describeHold(inv, &storedHold{slot: key}, now), int(inv.turn.Load())) {
			return inv.driftID(key.id())
		}
	}
	return key.id()
}

// keyOf finds the slot with that id, and reports whether the option has it.
func (inv *inventory) keyOf(option *catalog.IndexedOption, id string) (slotKey, bool) {
	return keyOf(option, inv.undriftID(DriftSlots, id))
}

// shuffle permutes with a new order for every turn, drawn from the seed.
func (inv *inventory) shuffle(n int, swap func(i, j int)) {
	rand.New(rand.NewPCG(uint64(inv.seed), inv.turn.Load())).Shuffle(n, swap)
}

// option finds an option in the catalog. While the platform is locked, the returned option stays
// the current one.
func (inv *inventory) option(productID, optionID string) (*catalog.IndexedOption, error) {
	product, ok := inv.catalog().Product(inv.undriftID(DriftProducts, productID))
	if !ok {
		return nil, refuse(UnknownID, "there is no product %q", productID)
	}
	option, ok := product.Option(inv.undriftID(DriftOptions, optionID))
	if !ok {
		return nil, refuse(UnknownID, "product %q has no option %q", productID, optionID)
	}
	return option, nil
}

func (inv *inventory) find(productID, optionID, availabilityID string) (slotKey, error) {
	option, err := inv.option(productID, optionID)
	if err != nil {
		return slotKey{}, err
	}
	key, ok := inv.keyOf(option, availabilityID)
	if !ok {
		return slotKey{}, refuse(UnknownID, "option %q has no slot %q: request availability again", optionID, availabilityID)
	}
	return key, nil
}

func (inv *inventory) showSlot(key slotKey, s slot, when span, now time.Time) partnerapi.Slot {
	shown := partnerapi.Slot{
		ID:                 inv.shownID(key, now),
		LocalDateTimeStart: partnerapi.FormatDateTime(when.start),
		LocalDateTimeEnd:   partnerapi.FormatDateTime(when.end),
		Status:             s.status(key, when, now),
		UnitPricing:        inv.seed.unitPricing(key),
	}
	if s.counted && !key.option.Schedule.HideVacancies {
		shown.Vacancies, shown.Capacity = new(max(s.vacancies, 0)), new(s.capacity)
	}
	return shown
}
