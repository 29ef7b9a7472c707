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
func (f field) edited(most int) field {
	return f.lawful(`""`, `"naïve \"quoted\" 東京"`, ofLength(most)).not("type", `7`, `["x"]`).not("maxLength", ofLength(most+1)).not("pattern", `"a\u0000b"`, `"\u001b[2J"`)
}

func (f field) editedTitle() field {
	return f.lawful(`"x"`, ofLength(300)).not("type", `7`).not("maxLength", ofLength(301)).not("minLength", `""`).not("pattern", `" "`, `"a\u0000"`, `"a\nb"`)
}

func (f field) editedLines() field {
	return f.lawful(`[]`, `["Walking tours"]`).not("type", `{}`, `"x"`).notBelow("/0", "type", `[7]`).notBelow("/0", "type", `[null]`).
		notBelow("/0", "minLength", `[""]`).notBelow("/0", "maxLength", `[`+ofLength(201)+`]`).not("maxItems", `[`+strings.Repeat(`"x",`, 100)+`"x"]`)
}

func (f field) image() field {
	return f.lawful(`"https://images.example.com/a%20b.jpg?w=1"`).not("type", `7`).
		not("pattern", `"javascript:alert(1)"`, `"ftp://h/x"`, `"https:///x"`).not("format", `""`, `"images.example.com/a.jpg"`, `"https://h/%zz"`).
		not("maxLength", `"https://h/`+strings.Repeat("x", 2000)+`"`)
}

func (f field) between(least, most string, beyond ...string) field {
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

func (f field) part(lawful string) field {
	return f.lawful(`{}`, lawful).object().notBelow("/unknown", "additionalProperties", `{"unknown": 1}`)
}

func operatorActivityFields() []field {
	const schema = schemas.ActivityChangeRequest
	fields := []field{
		may(schema, "/activity_title").editedTitle(),
		may(schema, "/status").lawful(`"Active"`, `"Inactive"`).not("enum", `"active"`, `""`).not("type", `true`),
		may(schema, "/activity_type").part(`{"name": null}`),
		may(schema, "/activity_type/name").edited(200),
		may(schema, "/main_promo_title").edited(300),
		may(schema, "/short_description").edited(2000),
		may(schema, "/description").edited(20000).lawful(`"two\nlines"`),
		may(schema, "/address").edited(2000),
		may(schema, "/one_time_activity").flag(),
		may(schema, "/admin_price_percentage").between(`-100`, `1000`, `-100.01`, `1000.01`),
		may(schema, "/admin_discount_percentage").between(`0`, `100`, `-0.01`, `100.01`),
		may(schema, "/location").part(`{"country": null}`),
		may(schema, "/location/country").part(`{"id": "PT"}`),
		may(schema, "/location/country/id").edited(200),
		may(schema, "/location/country/name").edited(200),
		may(schema, "/location/city").edited(200),
		may(schema, "/location/region").edited(200),
		may(schema, "/categories").editedLines(),
		may(schema, "/tags").editedLines(),
		may(schema, "/media").lawful(`[]`).list().notBelow("/0/imageUrl", "required", `[{}]`),
		must(schema, "/media/0/imageUrl").image(),
		may(schema, "/partner_details").part(`{"companyDetails": null}`).notBelow("/name", "additionalProperties", `{"name": "Another"}`),
		may(schema, "/partner_details/partner_category").edited(200),
		may(schema, "/partner_details/companyDetails").lawful(`{}`, `{"anything": [1, {"deep": null}]}`).object(),
		may(schema, "/partner_details/profileImage").image(),
		may(schema, "/translation").lawful(`{}`, `{"de": null}`, `{"pt-BR": {"activity_title": ""}}`).object().
			notBelow("/en_US", "format", `{"en_US": {}}`).notBelow("/xx-unknown-x", "format", `{"xx-unknown-x": {}}`).
			notBelow("/de", "type", `{"de": "Spaziergang"}`).notBelow("/de/title", "additionalProperties", `{"de": {"title": "Spaziergang"}}`),
		{schema: schema, place: "/variations", need: open, good: []string{`[]`}, bad: []mistake{{`7`, "type", ""}, {`null`, "type", ""}, {`[7]`, "type", "/0"}, {`[{}]`, "required", "/0/_id"}}},
		must(schema, "/variations/0/_id").lawful(`"0197c3a0-5c1e-7d5a-9d55-3f1f6f0c2b12"`).not("type", `7`).not("pattern", `""`, `"17"`, `"0197C3A0-5C1E-7D5A-9D55-3F1F6F0C2B12"`),
	}
	return slices.Concat(fields, variationChangeFields(schema, "/variations/0"), shownActivityFields(), shownVariationFields())
}

const operatorActivityText = `{"_id": "0197c3a0-5c1e-7d5a-9d55-3f1f6f0c2b10", "integration_id": "0197c39f-11d2-7c0b-8a54-6a1d7b852e0f", "created_at": "2026-07-0` +
	`1T09:00:00Z", "activity_title": "Old town walk", "status": "Inactive", "partner_status": "Active", "operator_status": "Inactive", ` +
	`"activity_type": {"name": "Tour"}, "main_promo_title": "", "short_description": "", "description": "", "address": "", "one_time_ac` +
	`tivity": false, "admin_price_percentage": null, "admin_discount_percentage": 5, "location": {"country": {"id": "PT", "name": "Port` +
	`ugal"}, "city": "Lisbon", "region": ""}, "categories": ["Walking tours"], "tags": [], "media": [], "partner_details": {"name": "Ol` +
	`d Town Walks", "partner_category": "", "companyDetails": {}, "profileImage": ""}, "translation": {"pt": {"activity_title": "Passei` +
	`o pela cidade velha"}}, "currency": "EUR", "external_sync": {"external_product_id": "lisbon-walk", "internal_name": "Old town walk` +
	`", "reference": "", "locale": "en", "time_zone": "Europe/Lisbon", "instant_confirmation": true, "allow_freesale": false}, "variati` +
	`ons": []}`

func shownActivityFields() []field {
	const schema = schemas.OperatorActivity
	return []field{
		must(schema, "/_id").id(),
		must(schema, "/integration_id").id(),
		must(schema, "/created_at").dateTime(),
		must(schema, "/activity_title").anyText(),
		must(schema, "/status").oneOf("Active", "Inactive"),
		must(schema, "/partner_status").oneOf("Active", "Inactive"),
		must(schema, "/operator_status").oneOf("Active", "Inactive"),
		must(schema, "/activity_type").lawful(`{"name": ""}`).object(),
		must(schema, "/main_promo_title").anyText(),
		must(schema, "/short_description").anyText(),
		must(schema, "/description").anyText(),
		must(schema, "/address").anyText(),
		must(schema, "/one_time_activity").flag(),
		shown(schema, "/admin_price_percentage").number(),
		shown(schema, "/admin_discount_percentage").number(),
		must(schema, "/location").lawful(`{"country": {"id": "", "name": ""}, "city": "", "region": ""}`).object(),
		must(schema, "/categories").texts(),
		must(schema, "/tags").texts(),
		must(schema, "/media").lawful(`[]`, `[{"imageUrl": ""}]`).list(),
		must(schema, "/partner_details").object().lawful(`{"name": "", "partner_category": "", "companyDetails": {}, "profileImage": ""}`),
		must(schema, "/translation").lawful(`{}`, `{"de": {}}`).object(),
		must(schema, "/currency").currency(),
		must(schema, "/external_sync").object().
			lawful(`{"external_product_id": "", "internal_name": "", "reference": "", "locale": "", "time_zone": "", "instant_confirmation": true, "allow_freesale": true}`),
		must(schema, "/external_sync/external_product_id").anyText(),
		must(schema, "/external_sync/internal_name").anyText(),
		must(schema, "/external_sync/reference").anyText(),
		must(schema, "/external_sync/locale").anyText(),
		must(schema, "/external_sync/time_zone").anyText(),
		must(schema, "/external_sync/instant_confirmation").flag(),
		must(schema, "/external_sync/allow_freesale").flag(),
		must(schema, "/variations").lawful(`[]`).list(),

		must(schemas.OperatorActivityAnswer, "/success").success(`1`, `0`),
		must(schemas.OperatorActivityAnswer, "/data").lawful(operatorActivityText).object(),
		must(schemas.OperatorActivitiesAnswer, "/success").success(`1`, `0`),
		must(schemas.OperatorActivitiesAnswer, "/data").lawful(`[]`, `[`+operatorActivityText+`]`).list(),
		must(schemas.OperatorActivitiesAnswer, "/pagination").lawful(paginationText).object(),
	}
}

func shownVariationFields() []field {
	const schema = schemas.OperatorVariation
	const place = `{"address": "", "lat": 0, "lng": 0}`
	const unit = "/pricing/units/0"
	return []field{
		must(schema, "/_id").id(),
		must(schema, "/title").anyText(),
		must(schema, "/sort").number(),
		must(schema, "/status").oneOf("Active", "Inactive"),
		must(schema, "/availability_type").oneOf("START_TIME", "OPENING_HOURS"),
		must(schema, "/capacity").number(),
		must(schema, "/cancellation_policy").anyText(),
		must(schema, "/pricing").lawful(`{"group_price": 180.5, "currency": "EUR", "units": []}`).object(),
		shown(schema, "/pricing/group_price").number(),
		shown(schema, "/pricing/currency").currency(),
		must(schema, "/pricing/units").lawful(`[]`).list(),
		must(schema, unit+"/external_unit_id").anyText(),
		must(schema, unit+"/type").anyText(),
		must(schema, unit+"/label").anyText(),
		must(schema, unit+"/prices").lawful(`[]`).list(),
		must(schema, unit+"/prices/0/currency").currency(),
		must(schema, unit+"/prices/0/original").number(),
		shown(schema, unit+"/prices/0/retail").number(),
		shown(schema, unit+"/prices/0/net").number(),
		must(schema, "/external_sync").lawful(`{"external_option_id": "", "internal_name": ""}`).object(),
		must(schema, "/external_sync/external_option_id").anyText(),
		must(schema, "/external_sync/internal_name").anyText(),
		must(schema, "/language").texts(),
		must(schema, "/description").anyText(),
		must(schema, "/max_no_booking").number(),
		must(schema, "/duration").lawful(`{"hours": 0, "days": 2}`).object(),
		must(schema, "/itinerary").lawful(`[]`).list(),
		must(schema, "/includes").object().lawful(`{"transportation_methods": [], "food": [], "drinks": [], "including": [], "excluding": []}`),
		must(schema, "/cut_off_time").anyText(),
		must(schema, "/media").lawful(`{"imageUrl": ""}`).object(),
		must(schema, "/tourGuides").lawful(`[]`).list(),
		must(schema, "/pickup").lawful(`{"type": "", "pick_up_address": ` + place + `, "drop_off_address": ` + place + `}`).object(),
		must(schema, "/notes").anyText(),
	}
}

func variationChangeFields(schema, above string) []field {
	fields := []field{
		may(schema, above+"/title").editedTitle(),
		{schema: schema, place: above + "/sort", need: open, good: []string{`0`, `1000000`}, bad: []mistake{{`null`, "type", ""}, {`1.5`, "type", ""}, {`-1`, "minimum", ""}, {`1000001`, "maximum", ""}}},
		may(schema, above+"/language").lawful(`[]`, `["en", "pt-BR"]`).not("type", `"en"`).notBelow("/0", "format", `["en_US"]`).notBelow("/0", "type", `[null]`),
		may(schema, above+"/description").edited(20000),
		may(schema, above+"/pricing").part(`{"group_price": null}`),
		may(schema, above+"/pricing/group_price").between(`0`, `1000000000`, `-0.01`, `1000000000.01`).lawful(`0.0001`).not("multipleOf", `0.00001`),
		may(schema, above+"/pricing/currency").lawful(`"EUR"`).not("type", `978`).not("format", `"eur"`, `"EURO"`),
		may(schema, above+"/max_no_booking").between(`0`, `100000`, `-1`, `100001`).not("type", `1.5`),
		may(schema, above+"/duration").part(`{"hours": 1}`),
		may(schema, above+"/duration/hours").between(`0`, `2.5`, `-1`, `10000.5`),
		may(schema, above+"/duration/days").between(`0`, `2.5`, `-1`, `10000.5`),
		may(schema, above+"/itinerary").lawful(`[]`, `[{}]`).list(),
		may(schema, above+"/itinerary/0/title").edited(300),
		may(schema, above+"/itinerary/0/description").edited(20000),
		may(schema, above+"/includes").part(`{"food": []}`),
		may(schema, above+"/cut_off_time").edited(300),
		may(schema, above+"/media").part(`{"imageUrl": null}`),
		may(schema, above+"/media/imageUrl").image(),
		may(schema, above+"/tourGuides").lawful(`[]`, `[{}]`).list(),
		may(schema, above+"/tourGuides/0/tour_guide_id").edited(200),
		may(schema, above+"/tourGuides/0/name").edited(200),
		may(schema, above+"/pickup").part(`{"type": "hotel"}`),
		may(schema, above+"/pickup/type").edited(200),
		may(schema, above+"/notes").edited(20000),
	}
	for _, name := range []string{"transportation_methods", "food", "drinks", "including", "excluding"} {
		fields = append(fields, may(schema, above+"/includes/"+name).editedLines())
	}
	for _, address := range []string{"/pickup/pick_up_address", "/pickup/drop_off_address"} {
		fields = append(fields,
			may(schema, above+address).part(`{"lat": 0}`),
			may(schema, above+address+"/address").edited(2000),
			may(schema, above+address+"/lat").between(`-90`, `90`, `-90.1`, `90.1`),
			may(schema, above+address+"/lng").between(`-180`, `180`, `-180.1`, `180.1`))
	}
	return fields
}

func TestWhatCannotBeSetIsNamedWithWhatCan(t *testing.T) {
	t.Parallel()
	expect(t, schemas.ActivityChangeRequest, `{"location": {"town": "Lisbon"}, "translation": {"en_US": {}}}`,
		"location.town: there is no such field to be set: want one of city, country, region",
		`translation.en_US: want a language such as en or pt-BR, got "en_US"`)
}
