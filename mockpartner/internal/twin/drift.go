package twin

import (
	"fmt"
	"slices"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// drifts learns which ids change with every call. Products and options are identified by their
// place in the catalog, slots by their start.
func (l *learner) drifts(products []product) (found []quirk) {
	pulls := l.callsTo(partnerapi.Products, func(c *call) bool {
		return c.hasGoodKey() && c.succeeded2xx() && c.json && !c.AnswerCut && c.URL.RawQuery == "" && len(productsIn(c.answer)) == len(products)
	})
	for i := range products {
		p := &products[i]
		if hasDrifted(pulls, i) {
			found = append(found, quirk{platform.Quirk{Drift: platform.DriftProducts, Product: p.sold.ID}, "its id changed with every pull"})
		}
		for j := range p.options {
			if hasDrifted(pulls, i, j) {
				found = append(found, quirk{platform.Quirk{Drift: platform.DriftOptions, Product: p.sold.ID, Option: p.options[j].id}, "its id changed with every pull"})
			}
		}
	}
	return append(found, l.slotDrifts(products)...)
}

// hasDrifted reports whether the product or option at that place had a different id in each pull, but
// the same name.
func hasDrifted(pulls []*call, place ...int) bool {
	ids, names := map[string]bool{}, map[string]bool{}
	for _, c := range pulls {
		one := productsIn(c.answer)[place[0]]
		if len(place) > 1 {
			options, _ := field(one, "options").([]any)
			if place[1] >= len(options) {
				return false
			}
			one = options[place[1]]
		}
		ids[text(field(one, "id"))], names[text(field(one, "internalName"))] = true, true
	}
	return len(pulls) > 1 && len(ids) == len(pulls) && len(names) == 1
}

// slotDrifts learns which options have slots whose ids change with every call.
func (l *learner) slotDrifts(products []product) (found []quirk) {
	options := 0
	for _, p := range products {
		for _, o := range p.options {
			ids, changed, stayed, fromDay := map[string]string{}, 0, 0, -1
			for _, c := range l.callsTo(partnerapi.Availability, func(c *call) bool {
				return c.hasGoodKey() && c.succeeded2xx() && text(field(c.request, "productId")) == p.asked && text(field(c.request, "optionId")) == o.asked
			}) {
				list, _ := slotList(c)
				for _, raw := range list {
					start, id := text(field(raw, "localDateTimeStart")), text(field(raw, "id"))
					switch before, seen := ids[start]; {
					case seen && before == id:
						stayed++
					case seen:
						changed++
						if at, ok := readTime(start, zoneOf(p.raw)); ok {
							if days := int(at.Sub(clockOf(c)).Hours() / 24); fromDay < 0 || days < fromDay {
								fromDay = days
							}
						}
					}
					ids[start] = id
				}
			}
			if changed+stayed > 0 {
				options++
			}
			if changed == 0 {
				continue
			}
			q := platform.Quirk{Drift: platform.DriftSlots, Product: p.sold.ID, Option: o.id}
			if stayed > 0 && fromDay > 0 {
				q.FromDay = fromDay
			}
			found = append(found, quirk{q, fmt.Sprintf("%s had another id in a later call", plural.Count(changed, "slot"))})
		}
	}
	if len(found) == options && options > 0 && !slices.ContainsFunc(found, func(q quirk) bool { return q.FromDay > 0 }) {
		return []quirk{{platform.Quirk{Drift: platform.DriftSlots}, "slots had new ids in every call"}}
	}
	return found
}
