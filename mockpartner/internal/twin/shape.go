package twin

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"partnerkit.dev/schemas/partnerapi"
)

// A shape is the form of a slot's field: whether it is present, and its kind. The mock has one
// shape for each field. The partner may have another one.

// utc begins a jq program that writes a date-time of the mock in UTC. Each of the forms below
// completes it.
const utc = `((.[:19] + "Z" | fromdate) - (if .[-6:-5] == "-" then -1 else 1 end) * ((.[-5:-3] | tonumber) * 3600 + (.[-2:] | tonumber) * 60) | todate | `

// timeForms are the forms of date-times that the mock does not write, each with the jq that
// produces it.
var timeForms = []struct {
	form *regexp.Regexp
	jq   string
}{
	{regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`), `.[:19]`},
	{regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d$`), `.[:16]`},
	{regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$`), `.[:19] | sub("T"; " ")`},
	{regexp.MustCompile(`^[^.]*T\d\d:\d\d[+-]\d\d:\d\d$`), `.[:16] + .[-6:]`},
	{regexp.MustCompile(`^[^.]*T\d\d:\d\dZ$`), utc + `.[:16] + "Z")`},
	{regexp.MustCompile(`^[^.]*T\d\d:\d\d:\d\dZ$`), utc + `.)`},
	{regexp.MustCompile(`\.\d+Z$`), utc + `.[:19] + ".000Z")`},
	{regexp.MustCompile(`\.\d+\+00:00$`), utc + `.[:19] + ".000+00:00")`},
	{regexp.MustCompile(`\.\d+[+-]\d\d:\d\d$`), `.[:19] + ".000" + .[-6:]`},
}

// shapes learns, for one option, how its slots differ from the mock's. It returns jq statements for
// one slot.
func (l *learner) shapes(p *product, o *option, list []any) (steps []string) {
	for _, name := range []string{"localDateTimeStart", "localDateTimeEnd"} {
		steps = append(steps, l.usualShape(list, name, func(raw any) string { return timeShape(name, raw) })...)
	}
	counted := !o.schedule.Freesale && !p.sold.AllowFreesale && !o.schedule.HideVacancies
	for _, name := range []string{"vacancies", "capacity"} {
		steps = append(steps, l.usualShape(list, name, func(raw any) string { return seatsShape(name, raw, counted) })...)
	}
	steps = append(steps, l.usualShape(list, "status", func(raw any) string {
		status, isText := field(raw, "status").(string)
		switch {
		case !isText:
			return kindChange("status", raw, "text")
		case status != "" && !slices.Contains(partnerapi.SlotStatuses(), partnerapi.SlotStatus(status)):
			if partnerapi.SlotStatus(strings.ToUpper(status)) != "" && slices.Contains(partnerapi.SlotStatuses(), partnerapi.SlotStatus(strings.ToUpper(status))) {
				return ".status |= ascii_downcase"
			}
			return ".status = " + quote(l.word(status, "OTHER"))
		}
		vacancies, capacity := readSeats(field(raw, "vacancies")), readSeats(field(raw, "capacity"))
		_, isNumber := field(raw, "capacity").(json.Number) // what is a text cannot be added to
		switch {
		case vacancies == nil || !counted:
		case status == string(partnerapi.StatusAvailable) && *vacancies == 0:
			return ".status = \"AVAILABLE\" | .vacancies = 0"
		case status == string(partnerapi.StatusSoldOut) && *vacancies > 0:
			return fmt.Sprintf(".vacancies = %d", *vacancies)
		case isNumber && capacity != nil && *vacancies > *capacity:
			return fmt.Sprintf(".vacancies = .capacity + %d", *vacancies-*capacity)
		}
		return ""
	})...)
	steps = append(steps, l.usualShape(list, "localDateTimeEnd", func(raw any) string {
		start, end := text(field(raw, "localDateTimeStart")), text(field(raw, "localDateTimeEnd"))
		if start != "" && start == end {
			return ".localDateTimeEnd = .localDateTimeStart"
		}
		return ""
	})...)
	steps = append(steps, l.usualShape(list, "id", func(raw any) string { return kindChange("id", raw, "text") })...)
	steps = append(steps, l.usualShape(list, "unitPricing", func(raw any) string { return l.priceShape(raw) })...)
	return steps
}

// usualShape returns the differing shape of more than half of the slots, or the rare ones.
func (l *learner) usualShape(list []any, name string, shape func(raw any) string) []string {
	var all []string
	for _, raw := range list {
		all = append(all, shape(raw))
	}
	most, times := majority(all)
	if times*2 > len(all) {
		if most == "" {
			return l.rareShapes(list, all)
		}
		return []string{most}
	}
	return l.rareShapes(list, all)
}

// rareShapes returns the shapes of the slots of only one status, and notes that of only the last slot of
// a list.
func (l *learner) rareShapes(list []any, shapes []string) (steps []string) {
	byStatus := map[string][]string{}
	for i, raw := range list {
		status := text(field(raw, "status"))
		byStatus[status] = append(byStatus[status], shapes[i])
	}
	for _, status := range partnerapi.SlotStatuses() {
		if most, times := majority(byStatus[string(status)]); most != "" && times*2 > len(byStatus[string(status)]) {
			steps = append(steps, `if .status == "`+string(status)+`" then (`+most+`) else . end`)
			for i, raw := range list {
				if text(field(raw, "status")) == string(status) {
					shapes[i] = ""
				}
			}
		}
	}
	if last := len(shapes) - 1; last > 0 && shapes[last] != "" && !slices.ContainsFunc(shapes[:last], func(shape string) bool { return shape != "" }) {
		l.ofLast = append(l.ofLast, shapes[last])
	}
	return steps
}

func timeShape(name string, raw any) string {
	value, isText := field(raw, name).(string)
	if !isText {
		return kindChange(name, raw, "text")
	}
	for _, one := range timeForms {
		if one.form.MatchString(value) {
			return "." + name + " |= (" + one.jq + ")"
		}
	}
	if _, err := partnerapi.ParseDateTime(value); err != nil {
		return "." + name + ` = "soon"`
	}
	return ""
}

func seatsShape(name string, raw any, counted bool) string {
	object, _ := raw.(map[string]any)
	value, there := object[name]
	soldOut := text(object["status"]) == string(partnerapi.StatusSoldOut) // the mock always counts these
	switch value := value.(type) {
	case nil:
		switch {
		case there && counted:
			return "." + name + " = null"
		case there:
			return "." + name + " //= null"
		case counted || soldOut:
			return "del(." + name + ")"
		}
	case json.Number:
		switch n, err := value.Float64(); {
		case err == nil && n < 0:
			return "." + name + " = -1"
		case err == nil && n != float64(int(n)):
			return "." + name + " = 1.5"
		case err == nil && !counted && !soldOut && text(object["status"]) != string(partnerapi.StatusClosed):
			return "." + name + " = " + value.String()
		}
	case string:
		return "." + name + " |= tostring"
	default:
		return kindChange(name, raw, "number")
	}
	return ""
}

// priceShape returns how the list of a slot's own prices differs from the mock's.
func (l *learner) priceShape(raw any) string {
	object, _ := raw.(map[string]any)
	value, there := object["unitPricing"]
	list, isList := value.([]any)
	switch {
	case there && value == nil:
		return ".unitPricing //= null"
	case !there:
		return ""
	case !isList:
		return kindChange("unitPricing", raw, "array")
	case len(list) == 0:
		return ""
	}
	var steps []string
	first, _ := list[0].(map[string]any)
	if first == nil {
		return ".unitPricing = [1]"
	}
	for _, name := range []string{"unitId", "currency"} {
		if change := kindChange(name, first, "text"); change != "" {
			steps = append(steps, change)
		}
	}
	if currency := text(first["currency"]); currency != "" && (len(currency) != 3 || strings.ToUpper(currency) != currency) {
		steps = append(steps, ".currency = "+quote(l.word(currency, "?")))
	}
	for _, name := range []string{"price", "retail"} {
		if _, given := first[name]; given && first["original"] == nil {
			steps = append(steps, "."+name+" = .original")
			break
		}
	}
	switch {
	case first["original"] == nil:
		steps = append(steps, "del(.original)")
	default:
		if change := kindChange("original", first, "number"); change != "" {
			steps = append(steps, ".original |= tostring")
		}
	}
	if precision, given := first["currencyPrecision"]; given {
		if change := kindChange("currencyPrecision", map[string]any{"currencyPrecision": precision}, "number"); change != "" {
			steps = append(steps, change)
		}
	}
	if given, ok := first["type"]; ok && first["unitType"] == nil && given != nil {
		steps = append(steps, ".type = .unitType | del(.unitType)")
	} else if kind, isText := first["unitType"].(string); isText && !slices.Contains(partnerapi.UnitTypes(), partnerapi.UnitType(kind)) {
		steps = append(steps, ".unitType = "+quote(l.word(kind, "OTHER")))
	}
	if len(steps) == 0 {
		return ""
	}
	return "if .unitPricing then .unitPricing |= map(" + strings.Join(steps, " | ") + ") else . end"
}

// slotFaults learns how the slots of all options, or of some, differ from the mock's.
func (l *learner) slotFaults(products []product) (found []shapeFault, everywhere string) {
	programs := map[string]int{}
	options := 0
	var each []shapeFault
	for i := range products {
		p := &products[i]

		for j := range p.options {
			o := &p.options[j]
			list, wrapper := l.newestSlots(p, o)
			if len(list) == 0 {
				continue
			}
			options++
			program := ""
			l.ofLast = nil
			if steps := l.shapes(p, o, list); len(steps) > 0 {
				program = "map(" + strings.Join(steps, " | ") + ")"
			}
			if len(l.ofLast) > 0 { // only for the last slot of an answer
				program = strings.TrimPrefix(program+" | if length > 1 then .[-1] |= ("+strings.Join(l.ofLast, " | ")+") else . end", " | ")
			}
			if wrapper != "" {
				program = strings.TrimPrefix(program+" | {"+jqName(wrapper)+": .}", " | ")
			}
			programs[program]++
			each = append(each, shapeFault{p.sold.ID, o.id, program})
		}
	}
	most, times := "", 0
	for program, n := range programs {
		if n > times || n == times && program < most {
			most, times = program, n
		}
	}
	for _, one := range each {
		if one.program != most {
			found = append(found, one)
		}
	}
	return found, most
}

// shapeFault is the program that turns one option's slots into the partner's.
type shapeFault struct{ product, option, program string }

// newestSlots returns the slots of an option from its longest list of slots, and of several such lists
// the newest.
func (l *learner) newestSlots(p *product, o *option) (list []any, wrapper string) {
	for _, c := range l.callsTo(partnerapi.Availability, func(c *call) bool {
		return c.hasGoodKey() && c.succeeded2xx() && text(field(c.request, "productId")) == p.asked && text(field(c.request, "optionId")) == o.asked
	}) {
		if slots, _ := slotList(c); len(slots) >= len(list) && len(slots) > 0 {
			list = slots
			wrapper = ""
			if _, isObject := c.answer.(map[string]any); isObject && c.json {
				wrapper = wrapperOf(c.answer)
			}
		}
	}
	return list, wrapper
}
