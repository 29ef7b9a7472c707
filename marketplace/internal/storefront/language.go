package storefront

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"partnerkit.dev/marketplace/internal/domain"
)

// lookUp returns the translation for a language range by RFC 4647 lookup: pt-PT matches pt-PT,
// otherwise pt, and never pt-BR. A range also matches longer tags: pt may match any pt-*. "" stands
// for the base fields, which are in the partner's locale.
func lookUp(wanted, locale string, translations map[string]domain.Object) string {
	tags := slices.Sorted(maps.Keys(translations))
	find := func(fits func(tag string) bool) (name string, found bool) {
		if at := slices.IndexFunc(tags, fits); at >= 0 {
			return tags[at], true
		}
		return "", fits(locale)
	}
	for rest := wanted; rest != ""; rest = truncateTag(rest) {
		if name, found := find(func(tag string) bool { return strings.EqualFold(tag, rest) }); found {
			return name
		}
		if rest != wanted {
			continue
		}
		begins := func(tag string) bool {
			return len(tag) > len(rest) && tag[len(rest)] == '-' && strings.EqualFold(tag[:len(rest)], rest)
		}
		if begins(locale) {
			return ""
		}
		if name, found := find(begins); found {
			return name
		}
	}
	return ""
}

// truncateTag removes the last subtag of a language range, and a single-character subtag that would
// then be last (RFC 4647, 3.4).
func truncateTag(tag string) string {
	for {
		at := max(strings.LastIndexByte(tag, '-'), 0)
		if tag = tag[:at]; at < 2 || tag[at-2] != '-' {
			return tag
		}
	}
}

// translate replaces an activity's texts by a translation.
func (a *activity) translate(texts domain.Object) {
	for field, into := range map[string]*string{
		"activity_title": &a.Title, "main_promo_title": &a.MainPromoTitle, "short_description": &a.ShortDescription,
		"description": &a.Description, "address": &a.Address,
	} {
		put(texts, field, into)
	}
	var variations map[string]domain.Object
	_ = json.Unmarshal(texts["variations"], &variations) // texts of another type are ignored
	for i := range a.Variations {
		a.Variations[i].translate(variations[a.Variations[i].ID.String()])
	}
}

func (v *variation) translate(texts domain.Object) {
	for field, into := range map[string]*string{
		"title": &v.Title, "description": &v.Description, "cancellation_policy": &v.Cancellation, "cut_off_time": &v.CutOffTime, "notes": &v.Notes,
	} {
		put(texts, field, into)
	}
	if text := texts["itinerary"]; text != nil {
		var steps domain.List[domain.Step]
		if json.Unmarshal(text, &steps) == nil && len(steps) > 0 {
			v.Itinerary = steps
		}
	}
	if text := texts["includes"]; text != nil {
		translated := v.Includes
		if json.Unmarshal(text, &translated) == nil {
			v.Includes = translated
		}
	}
}

// put replaces a text by its translation, if there is one.
func put(texts domain.Object, field string, into *string) {
	var text string
	if json.Unmarshal(texts[field], &text) == nil && text != "" {
		*into = text
	}
}
