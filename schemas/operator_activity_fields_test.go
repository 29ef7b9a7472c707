package schemas_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"partnerkit.dev/schemas"
)

func ofLength(letters int) string { return strconv.Quote(strings.Repeat("ã", letters)) }

// edited is a text that an operator sets, of at most so many letters.
func (f fields) edited(most int) fields {
	return f.lawful(`""`, `"naïve \"quoted\" 東京"`, ofLength(most)).not("type", `7`, `["x"]`).not("maxLength", ofLength(most+1)).not("pattern", `"a\u0000b"`, `"\u001b[2J"`)
}

func (f fields) editedTitle() fields {
	return f.lawful(`"x"`, ofLength(300)).not("type", `7`).not("maxLength", ofLength(301)).not("minLength", `""`).not("pattern", `" "`, `"a\u0000"`, `"a\nb"`)
}

func (f fields) editedLines() fields {
	return f.lawful(`[]`, `["Walking tours"]`).not("type", `{}`, `"x"`).notBelow("/0", "type", `[7]`).notBelow("/0", "type", `[null]`).
		notBelow("/0", "minLength", `[""]`).notBelow("/0", "maxLength", `[`+ofLength(201)+`]`).not("maxItems", `[`+strings.Repeat(`"x",`, 100)+`"x"]`)
}

func (f fields) image() fields {
	return f.lawful(`"https://images.example.com/a%20b.jpg?w=1"`).not("type", `7`).
		not("pattern", `"javascript:alert(1)"`, `"ftp://h/x"`, `"https:///x"`).not("format", `""`, `"images.example.com/a.jpg"`, `"https://h/%zz"`).
		not("maxLength", `"https://h/`+strings.Repeat("x", 2000)+`"`)
}

func (f fields) between(least, most string, beyond ...string) fields {
	f = f.lawful(least, most).not("type", `"1"`, `true`)
	for _, value := range beyond {
		keyword := "maximum"
		if strings.HasPrefix(value, "-") {
			keyword = "minimum"
		}
		f = f.not(keyword, value)
	}
	return f
}

func (f fields) part(lawful string) fields {
	return f.lawful(`{}`, lawful).object().notBelow("/unknown", "additionalProperties", `{"unknown": 1}`)
}

func operatorActivityFields() fields {
	const schema = schemas.ActivityChangeRequest
	fields := slices.Concat(
		may(schema, "/activity_title").editedTitle(),
		may(schema, "/status").lawful(`"Active"`, `"Inactive"`).not("enum", `"active"`, `""`).not("type", `true`),
		may(schema, "/activity_type").part(`{"name": null}`),
		may(schema, "/activity_type/name", "/location/country/id", "/location/country/name", "/location/city", "/location/region",
			"/partner_details/partner_category").edited(200),
		may(schema, "/main_promo_title").edited(300),
		may(schema, "/short_description", "/address").edited(2000),
		may(schema, "/description").edited(20000).lawful(`"two\nlines"`),
		may(schema, "/one_time_activity").flag(),
		may(schema, "/admin_price_percentage").between(`-100`, `1000`, `-100.01`, `1000.01`),
		may(schema, "/admin_discount_percentage").between(`0`, `100`, `-0.01`, `100.01`),
		may(schema, "/location").part(`{"country": null}`),
		may(schema, "/location/country").part(`{"id": "PT"}`),
		may(schema, "/categories", "/tags").editedLines(),
		may(schema, "/media").lawful(`[]`).list().notBelow("/0/imageUrl", "required", `[{}]`),
		must(schema, "/media/0/imageUrl").image(),
		may(schema, "/partner_details").part(`{"companyDetails": null}`).notBelow("/name", "additionalProperties", `{"name": "Another"}`),
		may(schema, "/partner_details/companyDetails").lawful(`{}`, `{"anything": [1, {"deep": null}]}`).object(),
		may(schema, "/partner_details/profileImage").image(),
		may(schema, "/translation").lawful(`{}`, `{"de": null}`, `{"pt-BR": {"activity_title": ""}}`, `{"de": {"mood": ["ruhig"], "variations": {"any": {"title": "Morgen"}}}}`).object().
			notBelow("/en_US", "format", `{"en_US": {}}`).notBelow("/xx-unknown-x", "format", `{"xx-unknown-x": {}}`).
			notBelow("/de", "type", `{"de": "Spaziergang"}`).notBelow("/de/activity_title", "type", `{"de": {"activity_title": 7}}`),
		anything(schema, "/variations").lawful(`[]`).not("type", `7`, `null`).notBelow("/0", "type", `[7]`).notBelow("/0/_id", "required", `[{}]`),
		must(schema, "/variations/0/_id").lawful(`"0197c3a0-5c1e-7d5a-9d55-3f1f6f0c2b12"`).not("type", `7`).not("pattern", `""`, `"17"`, `"0197C3A0-5C1E-7D5A-9D55-3F1F6F0C2B12"`),
	)
	return slices.Concat(fields, variationChangeFields())
}

func variationChangeFields() fields {
	const (
		schema   = schemas.ActivityChangeRequest
		above    = "/variations/0"
		includes = above + "/includes"
		pickUp   = above + "/pickup/pick_up_address"
		dropOff  = above + "/pickup/drop_off_address"
	)
	return slices.Concat(
		may(schema, above+"/title").editedTitle(),
		anything(schema, above+"/sort").lawful(`0`, `1000000`).not("type", `null`, `1.5`).not("minimum", `-1`).not("maximum", `1000001`),
		may(schema, above+"/language").lawful(`[]`, `["en", "pt-BR"]`).not("type", `"en"`).notBelow("/0", "format", `["en_US"]`).notBelow("/0", "type", `[null]`),
		may(schema, above+"/description", above+"/itinerary/0/description", above+"/notes").edited(20000),
		may(schema, above+"/pricing").part(`{"group_price": null}`),
		may(schema, above+"/pricing/group_price").between(`0`, `1000000000`, `-0.01`, `1000000000.01`).lawful(`0.0001`).not("multipleOf", `0.00001`),
		may(schema, above+"/pricing/currency").lawful(`"EUR"`).not("type", `978`).not("format", `"eur"`, `"EURO"`),
		may(schema, above+"/max_no_booking").between(`0`, `100000`, `-1`, `100001`).not("type", `1.5`),
		may(schema, above+"/duration").part(`{"hours": 1}`),
		may(schema, above+"/duration/hours", above+"/duration/days").between(`0`, `2.5`, `-1`, `10000.5`),
		may(schema, above+"/itinerary", above+"/tourGuides").lawful(`[]`, `[{}]`).list(),
		may(schema, above+"/itinerary/0/title", above+"/cut_off_time").edited(300),
		may(schema, includes).part(`{"food": []}`),
		may(schema, above+"/media").part(`{"imageUrl": null}`),
		may(schema, above+"/media/imageUrl").image(),
		may(schema, above+"/tourGuides/0/tour_guide_id", above+"/tourGuides/0/name", above+"/pickup/type").edited(200),
		may(schema, above+"/pickup").part(`{"type": "hotel"}`),
		may(schema, includes+"/transportation_methods", includes+"/food", includes+"/drinks", includes+"/including", includes+"/excluding").editedLines(),
		may(schema, pickUp, dropOff).part(`{"lat": 0}`),
		may(schema, pickUp+"/address", dropOff+"/address").edited(2000),
		may(schema, pickUp+"/lat", dropOff+"/lat").between(`-90`, `90`, `-90.1`, `90.1`),
		may(schema, pickUp+"/lng", dropOff+"/lng").between(`-180`, `180`, `-180.1`, `180.1`),
	)
}

func TestUnknownFieldsAreNamedWithTheKnownOnes(t *testing.T) {
	t.Parallel()
	expect(t, schemas.ActivityChangeRequest, `{"location": {"town": "Lisbon"}, "translation": {"en_US": {}}}`,
		"location.town: unknown field; expected one of city, country, region",
		`translation.en_US: expected a language such as en or pt-BR, received "en_US"`)
}
