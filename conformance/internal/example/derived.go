package example

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// resource is what an endpoint's answer consists of.
type resource struct {
	endpoint partnerapi.Endpoint
	schema   string
	more     map[string]any // fields that the schema's example lacks, by pointer
}

func resources() []resource {
	return []resource{
		{partnerapi.Products, schemas.Product, map[string]any{
			"/options/0/units/0/pricingFrom/0/retail": 2250, "/title": "Old town walk",
		}},
		{partnerapi.Availability, schemas.Slot, map[string]any{"/unitPricing/0/currencyPrecision": 2, "/unitPricing/0/retail": 2500}},
		{partnerapi.Reserve, schemas.ReserveAnswer, nil},
		{partnerapi.Confirm, schemas.ConfirmAnswerWithTickets, map[string]any{"/productId": "city-walk", "/contact": map[string]any{"fullName": "Ana Sousa"}}},
	}
}

// derivedExample is an example whose right and wrong value are distinguished by a schema.
type derivedExample struct {
	Example
	schema       string
	right, wrong any
}

// derived returns the examples of the rules about fields, by id.
var derived = sync.OnceValue(func() map[string]derivedExample {
	all := map[string]derivedExample{}
	for _, r := range resources() {
		right := r.example()
		for _, pointer := range pointers(right, "") {
			for _, bad := range mistakes(valueAt(right, pointer)) {
				wrong := replaceAt(right, strings.Split(pointer, "/")[1:], bad)
				problems := schemas.ValidateValue(r.schema, wrong)
				if len(problems) != 1 {
					continue
				}
				owner := fieldrule.Owner(r.endpoint, problems[0])
				if _, known := all[owner.ID]; owner.ID == "" || known {
					continue
				}
				parent := pointer[:strings.LastIndex(pointer, "/")]
				where := calls[r.endpoint]
				if parent != "" {
					where += ", in " + strings.TrimPrefix(parent, "/")
				}
				all[owner.ID] = derivedExample{
					Example: pair(Step{where, 200, marshalText(valueAt(right, parent)), ""}, Step{where, 200, marshalText(valueAt(wrong, parent)), ""}),
					schema:  r.schema, right: right, wrong: wrong,
				}
			}
		}
	}
	return all
})

// mistakes returns wrong values for a right one, the most instructive first.
func mistakes(good any) []any {
	all := []any{missing, nil, "", "x", -1, 22.5, true, []any{}}
	switch good.(type) {
	case float64, int:
		return append([]any{22.5, "2250"}, all...)
	default:
		return all
	}
}

// example returns the schema's own example, with more fields.
func (r resource) example() any {
	source, err := schemas.Source(r.schema)
	var schema struct{ Examples []any }
	if err == nil {
		err = json.Unmarshal(source, &schema)
	}
	if err != nil || len(schema.Examples) == 0 {
		panic(fmt.Sprintf("the schema %s has no example: %v", r.schema, err)) // the schemas are part of the program
	}
	value := schema.Examples[0]
	for pointer, more := range r.more {
		value = replaceAt(value, strings.Split(pointer, "/")[1:], more)
	}
	return value
}

// missing represents a field that is left out.
var missing = new(any)

// replaceAt returns a copy of a value with the value at path replaced.
func replaceAt(value any, path []string, to any) any {
	if len(path) == 0 {
		return to
	}
	switch value := value.(type) {
	case map[string]any:
		copied := maps.Clone(value)
		if next := replaceAt(copied[path[0]], path[1:], to); next == any(missing) {
			delete(copied, path[0])
		} else {
			copied[path[0]] = next
		}
		return copied
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i >= len(value) {
			return value
		}
		copied := slices.Clone(value)
		if next := replaceAt(copied[i], path[1:], to); next == any(missing) {
			copied = slices.Delete(copied, i, i+1)
		} else {
			copied[i] = next
		}
		return copied
	default:
		return value
	}
}

// pointers returns the pointers of all values below a value, shallow ones first.
func pointers(value any, above string) (all []string) {
	var below []string
	visit := func(name string, value any) {
		all = append(all, above+"/"+name)
		below = append(below, pointers(value, above+"/"+name)...)
	}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			visit(name, value[name])
		}
	case []any:
		for i, one := range value {
			visit(strconv.Itoa(i), one)
		}
	}
	return append(all, below...)
}

func valueAt(value any, pointer string) any {
	for _, name := range strings.Split(pointer, "/")[1:] {
		switch within := value.(type) {
		case map[string]any:
			value = within[name]
		case []any:
			if i, err := strconv.Atoi(name); err == nil && i < len(within) {
				value = within[i]
			}
		}
	}
	return value
}
