package twin

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// product is a product of the twin, and the partner's version of it.
type product struct {
	sold    catalog.Product
	raw     any // the partner's version, without secrets
	asked   string
	options []option
	seen    string // its evidence
}

type option struct {
	id       string // in the twin
	asked    string // the partner's id in availability requests
	schedule catalog.Schedule
	seen     []string // sentences about its slots
}

// products learns the products from the last complete pull of the catalog. The first pull that was
// made to learn takes precedence.
func (l *learner) products() ([]product, error) {
	pulls := l.callsTo(partnerapi.Products, func(c *call) bool {
		return c.hasGoodKey() && c.succeeded2xx() && c.json && !c.AnswerCut && !c.URL.Query().Has("limit") && len(productsIn(c.answer)) > 0
	})
	var pull *call
	for _, c := range pulls {
		if pull == nil || c.live || !pull.live {
			if pull == nil || !pull.live { // the first pull that was made to learn
				pull = c
			}
		}
	}
	if pull == nil {
		return nil, ErrNothing
	}
	l.pull = pull
	l.wrapper = wrapperOf(pull.answer)
	var products []product
	ids := map[string]bool{}
	for i, raw := range productsIn(pull.answer) {
		raw = l.secrets.cleanJSON(raw)
		sold, err := lawfulProduct(raw, i)
		if err != nil {
			l.note("Product %d of the catalog is left out: %v.", i+1, err)
			continue
		}
		sold.ID = freeID(ids, sold.ID)
		p := product{sold: catalog.Product{Product: sold, Schedules: map[string]catalog.Schedule{}}, raw: raw, asked: text(field(raw, "id"))}
		p.seen = fmt.Sprintf("GET /products, %s", source(pull))
		shown, _ := field(raw, "options").([]any)
		for j := range sold.Options {
			o := option{id: sold.Options[j].ID}
			if j < len(shown) {
				o.asked = text(field(shown[j], "id"))
			}
			p.options = append(p.options, o)
		}
		products = append(products, p)
	}
	if len(products) == 0 {
		return nil, ErrNothing
	}
	l.patch = l.patchOf(products)
	return products, nil
}

// wrapperOf returns the field of an answer that contains the products.
func wrapperOf(answer any) string {
	object, _ := answer.(map[string]any)
	if _, lawful := object["products"].([]any); lawful {
		return "products"
	}
	for _, name := range slices.Sorted(maps.Keys(object)) { // not lawful, but partners do it
		if list, ok := object[name].([]any); ok && len(list) > 0 && words.MatchString(name) {
			return name
		}
	}
	return ""
}

// source returns a call's source and its time.
func source(c *call) string {
	from := "recorded"
	if c.live {
		from = "read from the partner"
	}
	return from + " on " + c.Started.UTC().Format("2006-01-02 15:04 UTC")
}

// freeID returns the id, with a number added if it is taken.
func freeID(taken map[string]bool, id string) string {
	for n := 2; taken[id]; n++ {
		id = fmt.Sprintf("%s-%d", id, n)
	}
	taken[id] = true
	return id
}

// defaults returns the value for a field that is missing or has an invalid form.
func defaults(name, pointer string) any {
	unique := strings.NewReplacer("/", "-").Replace(strings.TrimPrefix(pointer, "/"))
	switch name {
	case "id":
		if strings.Contains(pointer, "/units/") {
			return partnerapi.AdultUnitID
		}
		return "x-" + unique
	case "internalName":
		return "Name"
	case "locale":
		return "en"
	case "timeZone":
		return "UTC"
	case "instantConfirmation":
		return true
	case "availabilityType":
		return string(partnerapi.StartTime)
	case "type":
		return string(partnerapi.Adult)
	case "options":
		return []any{map[string]any{}}
	case "units":
		return []any{map[string]any{"id": partnerapi.AdultUnitID, "type": string(partnerapi.Adult)}}
	case "pricingFrom":
		return []any{map[string]any{}}
	case "original":
		return json.Number("0")
	case "currency":
		return "EUR"
	default:
		return nil
	}
}

// lawfulProduct returns a valid product that is as similar as possible to the partner's.
func lawfulProduct(raw any, n int) (sold partnerapi.Product, err error) {
	value := cloneValue(raw)
	if _, ok := value.(map[string]any); !ok {
		value = map[string]any{"id": fmt.Sprintf("x-%d", n)}
	}
	const rounds = 20 // one problem may hide another
	for range rounds {
		problems := schemas.ValidateValue(schemas.Product, value)
		if len(problems) == 0 {
			break
		}
		for _, problem := range problems {
			value = repairValue(value, problem)
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return sold, err
	}
	if problems := schemas.Decode(schemas.Product, text, &sold); len(problems) > 0 {
		return sold, fmt.Errorf("it cannot be sold: %s", problems[0])
	}
	if sold.InternalName == "" {
		sold.InternalName = "Name"
	}
	options := map[string]bool{}
	for i := range sold.Options {
		o := &sold.Options[i]
		o.ID, o.Restrictions = freeID(options, o.ID), o.Restrictions.Usable()
		if o.InternalName == "" {
			o.InternalName = "Name"
		}
		if len(o.Units) == 0 {
			o.Units = []partnerapi.Unit{{ID: partnerapi.AdultUnitID, InternalName: "Adult", Type: partnerapi.Adult, PricingFrom: []partnerapi.PricingEntry{{Currency: "EUR"}}}}
		}
		units := map[string]bool{}
		for j := range o.Units {
			if o.Units[j].InternalName == "" {
				o.Units[j].InternalName = "Name"
			}
			if units[o.Units[j].ID] {
				o.Units[j].Type = partnerapi.Student // its id is free
			}
			o.Units[j].ID = freeID(units, o.Units[j].ID)
		}
	}
	return sold, nil
}

// cloneValue returns a copy that can be changed without changing the original.
func cloneValue(value any) any {
	switch value := value.(type) {
	case []any:
		list := make([]any, len(value))
		for i := range value {
			list[i] = cloneValue(value[i])
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(value))
		for name := range value {
			object[name] = cloneValue(value[name])
		}
		return object
	}
	return value
}

// repairValue replaces the invalid value by its default, or removes a value without a default.
func repairValue(value any, problem schemas.Problem) any {
	pointer := problem.Pointer
	if pointer == "" {
		return value
	}
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	return set(value, parts, pointer)
}

func set(value any, parts []string, pointer string) any {
	name := strings.NewReplacer("~1", "/", "~0", "~").Replace(parts[0])
	switch inner := value.(type) {
	case map[string]any:
		if len(parts) > 1 {
			inner[name] = set(inner[name], parts[1:], pointer)
		} else if given := defaults(name, pointer); given != nil {
			inner[name] = given
		} else {
			delete(inner, name)
		}
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(inner) {
			break
		}
		if len(parts) > 1 {
			inner[i] = set(inner[i], parts[1:], pointer)
		} else {
			inner[i] = map[string]any{}
		}
	}
	return value
}
