package twin

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"partnerkit.dev/internal/plural"
)

// change is one place where the partner's product differs from the mock's.
type change struct {
	product string // its id in the twin
	path    []any  // names and numbers, within the product
	value   any
	gone    bool // the partner has no such field
}

// patchOf learns how to turn the mock's products into the partner's, as a jq program. It is empty
// if they are equal.
func (l *learner) patchOf(products []product) string {
	var all []change
	places := map[string]int{} // number of objects, by the form of their path
	for _, p := range products {
		text, err := json.Marshal(p.sold.Product)
		if err != nil {
			continue
		}
		sold, _ := decode(text)
		countPlaces(places, sold, "")
		changes := differences(nil, sold, p.raw)
		for i := range changes {
			changes[i].product = p.sold.ID
		}
		all = append(all, changes...)
	}
	alike := map[string][]change{}
	for _, c := range all {
		alike[c.form()+c.effect()] = append(alike[c.form()+c.effect()], c)
	}
	var steps, last []string
	for _, key := range slices.Sorted(maps.Keys(alike)) {
		list := alike[key]
		to := &steps
		if list[0].path[len(list[0].path)-1] == "id" { // the other steps find their product by its id
			to = &last
		}
		form := list[0].form()
		if parent := form[:strings.LastIndex(form, ".")]; len(list) == places[parent] && len(products) > 1 {
			*to = append(*to, list[0].write(".[]"+form))
			continue
		}
		for _, c := range list {
			*to = append(*to, c.write(fmt.Sprintf("(.[] | select(.id == %s) | %s)", quote(c.product), strings.TrimPrefix(c.place(), "|"))))
		}
	}
	steps = append(steps, last...)
	const most = 500
	if len(steps) > most {
		l.note("%s of the catalog differ from what the partner shows: there are too many to write down.", plural.Count(len(steps)-most, "field"))
		steps = steps[:most]
	}
	return strings.Join(steps, " | ")
}

// countPlaces counts the objects of a value by the form of their path.
func countPlaces(places map[string]int, value any, form string) {
	switch value := value.(type) {
	case map[string]any:
		places[form]++
		for name, inner := range value {
			countPlaces(places, inner, form+"."+name)
		}
	case []any:
		for _, inner := range value {
			countPlaces(places, inner, form+"[]")
		}
	}
}

// differences returns the changes that turn one value into the other.
func differences(path []any, is, wanted any) (all []change) {
	at := func(step any) []any { return append(slices.Clone(path), step) }
	switch is := is.(type) {
	case map[string]any:
		wanted, ok := wanted.(map[string]any)
		if !ok {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(is)) {
			if inner, there := wanted[name]; there {
				all = append(all, differences(at(name), is[name], inner)...)
			} else {
				all = append(all, change{path: at(name), gone: true})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(wanted)) {
			if _, there := is[name]; !there {
				all = append(all, change{path: at(name), value: wanted[name]})
			}
		}
		return all
	case []any:
		wanted, ok := wanted.([]any)
		if !ok || len(wanted) != len(is) {
			break
		}
		for i := range is {
			all = append(all, differences(at(i), is[i], wanted[i])...)
		}
		return all
	}
	if sameValue(is, wanted) || len(path) == 0 {
		return nil
	}
	return []change{{path: path, value: wanted}}
}

// sameValue compares numbers by their value, everything else as JSON.
func sameValue(a, b any) bool {
	x, isNumber := a.(json.Number)
	y, too := b.(json.Number)
	if isNumber && too {
		first, _ := x.Float64()
		second, _ := y.Float64()
		return first == second
	}
	one, _ := json.Marshal(a)
	other, _ := json.Marshal(b)
	return string(one) == string(other)
}

// form returns the path with [] in place of each number.
func (c change) form() string {
	var form strings.Builder
	for _, step := range c.path {
		if name, ok := step.(string); ok {
			form.WriteString("." + jqName(name))
		} else {
			form.WriteString("[]")
		}
	}
	return form.String()
}

// place returns the path in jq syntax.
func (c change) place() string {
	var place strings.Builder
	for _, step := range c.path {
		if name, ok := step.(string); ok {
			place.WriteString("." + jqName(name))
		} else {
			fmt.Fprintf(&place, "[%d]", step)
		}
	}
	return place.String()
}

// jqName returns a field's name in jq syntax.
func jqName(name string) string {
	if words.MatchString(name) && !strings.Contains(name, "-") {
		return name
	}
	return quote(name)
}

func (c change) effect() string {
	if c.gone {
		return " gone"
	}
	text, _ := json.Marshal(c.value)
	return string(text)
}

func (c change) write(place string) string {
	if c.gone {
		return "del(" + place + ")"
	}
	text, err := json.Marshal(c.value)
	if err != nil {
		return "."
	}
	return place + " = " + string(text)
}
