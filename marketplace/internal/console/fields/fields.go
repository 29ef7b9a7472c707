// Package fields contains the fields of an activity that operators edit in a form: how each is
// written as text, and how the form's changes become a merge patch.
package fields

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Field is a field of an activity or a variation that operators can change.
type Field struct {
	Path  string // the API's name
	Label string
	Kind  string // text, area, list (a line each), pictures (a line each), pairs (a line each), json, number, whole, flag, remove or choice
	Hint  string
	Rows  int
}

// Group is a section of a form.
type Group struct {
	Title    string
	Fields   []Field
	Language string // of a translation; "" for other groups
	Others   string // names of the translation's fields that the form does not have
}

// Activity has the fields of an activity.
var Activity = []Group{
	{Title: "Sale", Fields: []Field{
		{"status", "Status", "choice", "Inactive removes it from the list, whatever the partner says.", 0},
		{"admin_price_percentage", "Surcharge, percent", "number", "From -100 to 1000. Empty: no surcharge.", 0},
		{"admin_discount_percentage", "Discount, percent", "number", "From 0 to 100. Empty: no discount.", 0},
	}},
	{Title: "Texts", Fields: []Field{
		{"activity_title", "Title", "text", "Empty: the partner's own name.", 0},
		{"main_promo_title", "Promotion", "text", "", 0},
		{"short_description", "Short description", "area", "", 2},
		{"description", "Description", "area", "", 6},
		{"activity_type.name", "Kind of activity", "text", "", 0},
		{"categories", "Categories", "list", "One a line.", 3},
		{"tags", "Tags", "list", "One a line.", 3},
		{"media", "Pictures", "pictures", "One https address a line.", 3},
		{"one_time_activity", "It takes place only once", "flag", "", 0},
	}},
	{Title: "Place", Fields: []Field{
		{"address", "Address", "text", "", 0},
		{"location.city", "City", "text", "", 0},
		{"location.region", "Region", "text", "", 0},
		{"location.country.id", "Country's code", "text", "For example PT.", 0},
		{"location.country.name", "Country's name", "text", "", 0},
	}},
	{Title: "Partner", Fields: []Field{
		{"partner_details.partner_category", "The partner's category", "text", "", 0},
		{"partner_details.profileImage", "The partner's picture", "text", "An https address.", 0},
		{"partner_details.companyDetails", "The partner's company", "json", "A JSON object.", 4},
	}},
}

// Variation has the fields of a variation.
var Variation = []Group{
	{Title: "Sale", Fields: []Field{
		{"title", "Title", "text", "Empty: the partner's own name.", 0},
		{"sort", "Position in the list", "whole", "Smallest first.", 0},
		{"pricing.group_price", "Group price", "number", "The price for a complete group, in the major unit, before percentages and fee. Empty: each guest pays the partner's price.", 0},
		{"pricing.currency", "Currency of the group price", "text", "Empty: the activity's own.", 0},
		{"max_no_booking", "Guests in one booking", "whole", "Maximum. 0 means no limit.", 0},
	}},
	{Title: "Texts", Fields: []Field{
		{"description", "Description", "area", "", 4},
		{"language", "Languages", "list", "One a line, such as en or pt-BR.", 3},
		{"duration.days", "Duration, days", "number", "", 0},
		{"duration.hours", "And hours", "number", "", 0},
		{"cut_off_time", "Cut-off", "text", "The booking deadline, as text.", 0},
		{"itinerary", "Itinerary", "pairs", "One stop a line: its title, a vertical bar, and its description, such as Old market | We taste cheese.", 4},
		{"tourGuides", "Guides", "pairs", "One a line: the guide's id, a vertical bar, and the name, such as g-17 | Ana.", 2},
		{"media.imageUrl", "Picture", "text", "An https address.", 0},
		{"notes", "Notes", "area", "", 3},
	}},
	{Title: "What is included", Fields: []Field{
		{"includes.including", "Included", "list", "One a line.", 3},
		{"includes.excluding", "Not included", "list", "One a line.", 3},
		{"includes.food", "Food", "list", "One a line.", 2},
		{"includes.drinks", "Drinks", "list", "One a line.", 2},
		{"includes.transportation_methods", "Transport", "list", "One a line.", 2},
	}},
	{Title: "Pickup", Fields: []Field{
		{"pickup.type", "Kind of pickup", "text", "", 0},
		{"pickup.pick_up_address.address", "Fetched at", "text", "", 0},
		{"pickup.pick_up_address.lat", "Latitude there", "number", "", 0},
		{"pickup.pick_up_address.lng", "Longitude there", "number", "", 0},
		{"pickup.drop_off_address.address", "Brought to", "text", "", 0},
		{"pickup.drop_off_address.lat", "Latitude there", "number", "", 0},
		{"pickup.drop_off_address.lng", "Longitude there", "number", "", 0},
	}},
}

// Object is a JSON object with numbers as written.
type Object map[string]any

// At returns the value at a path; nil if it is absent.
func (o Object) At(path string) any {
	var here any = map[string]any(o)
	for _, name := range strings.Split(path, ".") {
		inner, _ := here.(map[string]any)
		here = inner[name]
	}
	return here
}

// put sets the value at a path.
func (o Object) put(path string, value any) {
	here, names := map[string]any(o), strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		inner, ok := here[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			here[name] = inner
		}
		here = inner
	}
	here[names[len(names)-1]] = value
}

// Text returns a value as the form shows it.
func (f Field) Text(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case []any:
		if f.Kind == "json" {
			break
		}
		if f.Kind == "pairs" {
			if lines, ok := pairLines(pairNames[f.Path], value); ok {
				return lines
			}
			break // as JSON, which keeps everything
		}
		var lines []string
		for _, item := range value {
			if picture, ok := item.(map[string]any); ok {
				item = picture["imageUrl"]
			}
			lines = append(lines, fmt.Sprint(item))
		}
		return strings.Join(lines, "\n")
	case map[string]any:
	default:
		return fmt.Sprint(value)
	}
	if written, err := json.MarshalIndent(value, "", "  "); err == nil && string(written) != "{}" && string(written) != "[]" {
		return string(written)
	}
	return ""
}

// value parses a form's text; nil clears the field. The error is for people.
func (f Field) value(text string) (any, error) {
	if f.Kind == "flag" {
		return text == "true", nil
	}
	if text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")); text == "" {
		if f.Path == "sort" { // null does not clear it
			return 0, nil
		}
		return nil, nil
	}
	switch f.Kind {
	case "list", "pictures":
		list := []any{}
		for line := range strings.SplitSeq(text, "\n") {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if f.Kind == "pictures" {
				list = append(list, map[string]any{"imageUrl": line})
				continue
			}
			list = append(list, line)
		}
		return list, nil
	case "pairs":
		if !strings.HasPrefix(text, "[") {
			return pairsOf(pairNames[f.Path], text), nil
		}
		return parseJSON(text)
	case "json":
		return parseJSON(text)
	case "number", "whole":
		if number := json.Number(text); json.Valid([]byte(text)) && strings.Trim(text, "-+.eE0123456789") == "" {
			return number, nil
		}
		return nil, fmt.Errorf("expected a number such as 12.5")
	}
	return text, nil
}

func parseJSON(text string) (value any, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return nil, fmt.Errorf("expected JSON, or nothing")
	}
	return value, nil
}

// Change returns the difference between the form as shown and as sent, as a merge patch. It omits
// unchanged fields, so that it does not undo others' edits.
func Change(groups []Group, given url.Values) (patch Object, wrong []string) {
	patch = Object{}
	for _, g := range groups {
		for _, k := range g.Fields {
			was, text := strings.ReplaceAll(given.Get("was:"+k.Path), "\r\n", "\n"), strings.ReplaceAll(given.Get(k.Path), "\r\n", "\n")
			if was == text || k.Kind == "flag" && (was == "true") == (text == "true") {
				continue
			}
			if k.Kind == "remove" {
				patch.put(k.Path, nil)
				continue
			}
			value, err := k.value(text)
			if err != nil {
				wrong = append(wrong, k.Path+": "+err.Error())
				continue
			}
			if before, err := k.value(was); k.Kind == "json" && err == nil {
				value = difference(before, value)
			}
			patch.put(k.Path, value)
		}
	}
	return patch, wrong
}

// difference returns the merge patch from one value to another.
func difference(before, after any) any {
	from, ok := before.(map[string]any)
	to, both := after.(map[string]any)
	if !ok || !both {
		return after
	}
	patch := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if _, kept := to[name]; !kept {
			patch[name] = nil
		}
	}
	for name, value := range to {
		patch[name] = difference(from[name], value)
	}
	return patch
}
