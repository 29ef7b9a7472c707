package storefront

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"partnerkit.dev/marketplace/internal/domain"
)

// lookUp returns the translation for a language range by RFC 4647 lookup: pt-PT matches pt-PT,
// otherwise pt, and never pt-BR. A range also matches longer tags: pt may match any pt-*. "" stands
// for the base fields, which are in the partner's locale.
func lookUp[T any](wanted, locale string, translations map[string]T) string {
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

// translate replaces an activity's fields by a translation.
func (a *activity) translate(texts domain.Object) {
	name := a.PartnerDetails.Name
	for field, into := range map[string]any{
		"activity_title": &a.Title, "main_promo_title": &a.MainPromoTitle, "short_description": &a.ShortDescription, "description": &a.Description,
		"address": &a.Address, "activity_type": &a.ActivityType, "location": &a.Location, "categories": &a.Categories, "tags": &a.Tags,
		"media": &a.Media, "partner_details": &a.PartnerDetails,
	} {
		put(texts, field, into)
	}
	a.PartnerDetails.Name = name
	var variations map[string]domain.Object
	_ = json.Unmarshal(texts["variations"], &variations) // texts of another type are ignored
	for i := range a.Variations {
		a.Variations[i].translate(variations[a.Variations[i].ID.String()])
	}
}

func (v *variation) translate(texts domain.Object) {
	for field, into := range map[string]any{
		"title": &v.Title, "description": &v.Description, "cancellation_policy": &v.Cancellation, "cut_off_time": &v.CutOffTime, "notes": &v.Notes,
		"itinerary": &v.Itinerary, "includes": &v.Includes, "media": &v.Media, "tourGuides": &v.TourGuides, "pickup": &v.Pickup,
	} {
		put(texts, field, into)
	}
}

// put merges a field's translation, if there is one, into the field that into points to. A
// translation of another type is ignored.
func put(texts domain.Object, field string, into any) {
	if texts[field] == nil {
		return
	}
	own, err := json.Marshal(into)
	if err != nil {
		return
	}
	merged, err := json.Marshal(mergeTexts(decode(own), decode(texts[field])))
	fresh := reflect.New(reflect.TypeOf(into).Elem()) // the activity's own lists stay as they are
	if err == nil && json.Unmarshal(merged, fresh.Interface()) == nil {
		reflect.ValueOf(into).Elem().Set(fresh.Elem())
	}
}

// decode decodes JSON with exact numbers; nil if it is invalid.
func decode(text json.RawMessage) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	_ = decoder.Decode(&value) // leaves nil
	return value
}

// mergeTexts returns a value with its translation: an object by field, anything else as a whole. A
// translation that is empty or of another type is ignored.
func mergeTexts(own, translated any) any {
	switch with := translated.(type) {
	case map[string]any:
		fields, is := own.(map[string]any)
		if !is {
			return own
		}
		for name, value := range with {
			if known, has := fields[name]; has {
				value = mergeTexts(known, value)
			}
			fields[name] = value
		}
		return fields
	case []any:
		if _, is := own.([]any); is && len(with) > 0 {
			return with
		}
	default:
		if translated != "" && reflect.TypeOf(own) == reflect.TypeOf(translated) {
			return translated
		}
	}
	return own
}
