package twin

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/schemas/partnerapi"
)

// learnedFault is one line of the scenario, and its evidence.
type learnedFault struct{ line, why string }

// faults learns where the partner's answers differ from the mock's.
func (l *learner) faults(s *tracker, products []product, quirks []quirk, c conduct) (found []learnedFault) {
	special, usual := l.slotFaults(products)
	l.slotPatch = usual
	for _, one := range special {
		if one.program == "" {
			one.program = "."
		}
		found = append(found, learnedFault{
			fmt.Sprintf("{match: {endpoint: availability, credential: good, product: %s, option: %s}, answered: 2xx, jq: '%s'}", scalar(one.product), scalar(one.option), strings.ReplaceAll(one.program, "'", "''")),
			"slots of this option differ from those of most options",
		})
	}
	found = append(found, strangerFaults(s)...)
	found = append(found, l.nonsense()...)
	for _, one := range situations(s, l.history) {
		forms := map[form][]holdCall{}
		for _, m := range one.calls {
			if m.Status != 0 && m.Status != http.StatusTooManyRequests {
				f := l.formOf(one, m)
				forms[f] = append(forms[f], m)
			}
		}
		if len(forms) == 0 {
			continue
		}
		ordered := slices.SortedFunc(maps.Keys(forms), func(a, b form) int {
			return cmp.Or(len(forms[b])-len(forms[a]), a.compare(b))
		})
		most := ordered[0]
		// If a less common form is the mock's own, the calls with the most common form may have a
		// feature in common.
		for _, other := range ordered[1:] {
			if l.actions(one, other, quirks, c) != "" {
				continue
			}
			if f, ok := l.learnSpecialForm(one, most, other, forms[most], forms[other]); ok {
				found = append(found, f)
				most = other
			}
			break
		}
		for _, rare := range ordered[1:] {
			if rare == most {
				continue
			}
			if f, ok := l.learnSpecialForm(one, rare, most, forms[rare], forms[most]); ok {
				found = append(found, f)
			}
		}
		actions := l.actions(one, most, quirks, c)
		if actions == "" {
			continue
		}
		found = append(found, learnedFault{
			fmt.Sprintf("{match: {%s}, %s}", strings.Join(append([]string{"endpoint: " + string(one.endpoint)}, one.match...), ", "), actions),
			fmt.Sprintf("%s: seen in %s of %d", one.about, plural.Count(len(forms[most]), "answer"), len(one.calls)),
		})
	}
	return append(found, l.wrongLimits()...)
}

// actions returns the actions of a fault that make the mock answer in that form. It returns "" if
// the mock does so already.
func (l *learner) actions(s *situation, f form, quirks []quirk, c conduct) string {
	ok := f.status >= 200 && f.status < 300
	switch {
	case s.due == http.StatusUnauthorized && ok:
		return "admit: true"
	case s.due == http.StatusUnauthorized && f.status == s.due, s.due == 400 && ok: // a quirk does that
		return ""
	case s.due == 400 && f.status == 400 && f.kind == "message":
		return ""
	case s.about == "cancel" && f.status == 404 && slices.ContainsFunc(c.policy, func(p learnedLine) bool { return p.line == "noCancel: true" }):
		return ""
	case !ok:
		when := ""
		if s.due == http.StatusOK && l.acted[s.calls[0].on] > 0 {
			when = "when: after, "
		}
		body := "body: {message: The partner refuses this.}"
		if f.kind != "message" {
			body = `body: {error: refused}`
		}
		return fmt.Sprintf("%sstatus: %d, %s", when, f.status, body)
	}
	var parts []string
	if f.status != http.StatusOK {
		parts = append(parts, fmt.Sprintf("set_status: %d", f.status))
	}
	if f.media != "" {
		if f.media == "none" {
			parts = append(parts, "headers: {remove: [Content-Type]}")
		} else if clean := l.secrets.redactText(f.media); clean == f.media {
			parts = append(parts, "headers: {set: {Content-Type: "+quote(f.media)+"}}")
		}
	}
	if program := l.bodyOf(s, f); program != "" {
		parts = append(parts, "jq: '"+strings.ReplaceAll(program, "'", "''")+"'")
	}
	switch {
	case f.kind == "nothing":
		return fmt.Sprintf("answered: 2xx, when: after, status: %d, body: ''", f.status)
	case f.kind == "text" && s.list:
		parts = append(parts, `replace: {find: '[\]}]\s*$', with: ''}`)
	case f.kind == "text":
		parts = append(parts, `replace: {find: '^\{', with: '<'}`)
	case s.list:
	case f.kind == "array":
		parts = append(parts, `jq: '[.]'`)
	case f.fields != "":
		parts = append(parts, "jq: '"+strings.ReplaceAll(f.fields, "'", "''")+"'")
	}
	if len(parts) == 0 {
		return ""
	}
	return "answered: 2xx, " + strings.Join(parts, ", ")
}

// bodyOf returns the jq that turns the mock's body into the partner's, or "" if they are equal.
func (l *learner) bodyOf(s *situation, f form) string {
	var steps []string
	if s.endpoint == partnerapi.Products && s.due == http.StatusOK {
		if l.patch != "" {
			steps = append(steps, l.patch)
		}
		if f.kind == "object" && l.wrapper != "" {
			steps = append(steps, "{"+jqName(l.wrapper)+": .}")
		}
	}
	if s.endpoint == partnerapi.Availability && s.due == http.StatusOK && l.slotPatch != "" {
		steps = append(steps, l.slotPatch)
	}
	if f.kind == "null" {
		steps = []string{"null"}
	}
	return strings.Join(steps, " | ")
}

// callFeature is a property that may distinguish some calls from the others of their situation.
type callFeature struct {
	match string
	has   func(holdCall) bool
}

// learnSpecialForm learns what the calls with a rare form have in common.
func (l *learner) learnSpecialForm(s *situation, rare, most form, few, many []holdCall) (f learnedFault, ok bool) {
	guests := func(m holdCall) (n int) {
		for _, unit := range unitsOf(m.request) {
			n += unit.Quantity
		}
		return n
	}
	smallest := guests(few[0])
	for _, m := range few {
		smallest = min(smallest, guests(m))
	}
	features := []callFeature{
		{unknownFields(s.endpoint), func(m holdCall) bool { return hasUnknownFields(m.call) }},
		{"no_body: true", func(m holdCall) bool { return len(m.Body) == 0 }},
		{`body: ".contact == null"`, func(m holdCall) bool { return field(m.request, "contact") == nil }},
		{`body: 'has("resellerReference") | not'`, func(m holdCall) bool { return field(m.request, "resellerReference") == nil }},
		{`body: '[.units[]?.id] | index("unit-adult") == null'`, func(m holdCall) bool {
			return !slices.ContainsFunc(unitsOf(m.request), func(u partnerapi.UnitQuantity) bool { return u.ID == partnerapi.AdultUnitID })
		}},
		{fmt.Sprintf(`body: "([.units[]?.quantity] | add // 0) >= %d"`, smallest), func(m holdCall) bool { return guests(m) >= smallest }},
		{`body: '[.. | strings | explode[] | . > 65535] | any'`, func(m holdCall) bool {
			return strings.ContainsFunc(string(m.Body), func(r rune) bool { return r > 0xffff })
		}},
	}
	if m := few[0]; m.request != nil && text(field(m.request, "productId")) != "" {
		product, option := text(field(m.request, "productId")), text(field(m.request, "optionId"))
		if l.secrets.redactText(product+option) == product+option {
			features = append(features, callFeature{fmt.Sprintf("product: %s, option: %s", scalar(product), scalar(option)), func(m holdCall) bool {
				return text(field(m.request, "productId")) == product && text(field(m.request, "optionId")) == option
			}})
		}
	}
	for _, one := range features {
		if one.match == "" || slices.ContainsFunc(many, one.has) || slices.ContainsFunc(few, func(m holdCall) bool { return !one.has(m) }) {
			continue
		}
		actions := l.actions(s, rare, nil, conduct{})
		if actions == "" {
			return f, false
		}
		match := append([]string{"endpoint: " + string(s.endpoint)}, s.match...)
		return learnedFault{
			fmt.Sprintf("{match: {%s, %s}, %s}", strings.Join(match, ", "), one.match, actions),
			fmt.Sprintf("%s: seen in %s of %d that have this in common", s.about, plural.Count(len(few), "answer"), len(s.calls)),
		}, true
	}
	return f, false
}
