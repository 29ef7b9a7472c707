package schemas_test

import "partnerkit.dev/schemas"

const pricingUnitText = `{"type": "ADULT", "label": "", "min_age": null, "max_age": null, "price": 1.5}`

const paginationText = `{"pageSize": 1, "page": 1, "totalCount": 0}`

func resellerFields() []field {
	return append(activityFields(),
		append(variationFields(),
			must(schemas.PublicVariationPricing, "/discount_percentage").number(),
			shown(schemas.PublicVariationPricing, "/group_price").number(),
			must(schemas.PublicVariationPricing, "/units").lawful(`[]`, `[`+pricingUnitText+`]`).list(),

			must(schemas.PricingUnit, "/type").anyText(),
			must(schemas.PricingUnit, "/label").anyText(),
			shown(schemas.PricingUnit, "/min_age").integer().lawful(`0`),
			shown(schemas.PricingUnit, "/max_age").integer().lawful(`17`),
			must(schemas.PricingUnit, "/price").number(),

			must(schemas.Pagination, "/pageSize").integer().lawful(`1`, `100`).not("minimum", `0`),
			must(schemas.Pagination, "/page").integer().lawful(`1`).not("minimum", `0`),
			must(schemas.Pagination, "/totalCount").integer().lawful(`0`).not("minimum", `-1`),

			must(schemas.ActivitiesAnswer, "/success").success(`1`, `0`),
			must(schemas.ActivitiesAnswer, "/data").lawful(`[]`).list(),
			must(schemas.ActivitiesAnswer, "/pagination").lawful(paginationText).object(),

			must(schemas.ActivityAnswer, "/success").success(`1`, `0`),
			must(schemas.ActivityAnswer, "/data").lawful(activityText).object(),

			must(schemas.AffiliateActivity, "/affiliate_url").anyText(),
			must(schemas.AffiliateActivitiesAnswer, "/success").success(`1`, `0`),
			must(schemas.AffiliateActivitiesAnswer, "/data").lawful(`[]`).list(),
			must(schemas.AffiliateActivitiesAnswer, "/pagination").lawful(`{"pageSize": 1, "page": 1, "totalCount": 0}`).object(),

			must(schemas.CalendarAnswer, "/success").success(`1`, `0`),
			must(schemas.CalendarAnswer, "/data").lawful(`[]`).list(),
			must(schemas.CalendarDay, "/date").date(),
			must(schemas.CalendarDay, "/status").oneOf("AVAILABLE", "FREESALE", "LIMITED", "SOLD_OUT", "NONE").not("enum", `"CLOSED"`),
			shown(schemas.CalendarDay, "/from_price").number(),
			must(schemas.CalendarDay, "/currency").currency(),
			must(schemas.CalendarDay, "/slots").integer().lawful(`0`).not("minimum", `-1`),
			shown(schemas.CalendarDay, "/vacancies").integer().lawful(`0`).not("minimum", `-1`),

			must(schemas.SlotsAnswer, "/success").success(`1`, `0`),
			must(schemas.SlotsAnswer, "/data").lawful(`[]`).list(),
			must(schemas.ResellerSlot, "/availability_id").id(),
			must(schemas.ResellerSlot, "/start").dateTime(),
			must(schemas.ResellerSlot, "/end").dateTime(),
			must(schemas.ResellerSlot, "/status").oneOf("AVAILABLE", "FREESALE", "LIMITED", "SOLD_OUT").not("enum", `"CLOSED"`),
			must(schemas.ResellerSlot, "/bookable").flag(),
			shown(schemas.ResellerSlot, "/vacancies").integer().lawful(`0`).not("minimum", `-1`),
			shown(schemas.ResellerSlot, "/capacity").integer().lawful(`0`).not("minimum", `-1`),
			must(schemas.ResellerSlot, "/currency").currency(),
			must(schemas.ResellerSlot, "/pricing").lawful(`{"group_price": 180, "discount_percentage": 0, "units": []}`).object(),

			must(schemas.ResellerError, "/success").success(`0`, `1`),
			must(schemas.ResellerError, "/error").texts(),
			must(schemas.ResellerError, "/message").anyText(),
			must(schemas.ResellerError, "/code").lawful(`400`, `500`).not("type", `"400"`, `400.5`).not("minimum", `200`).not("maximum", `600`),
		)...)
}

func activityFields() []field {
	const schema = schemas.Activity
	return []field{
		must(schema, "/_id").id(),
		must(schema, "/activity_type").lawful(`{"name": ""}`).object(),
		must(schema, "/activity_type/name").anyText(),
		must(schema, "/activity_title").anyText(),
		must(schema, "/main_promo_title").anyText(),
		must(schema, "/short_description").anyText(),
		must(schema, "/description").anyText(),
		must(schema, "/address").anyText(),
		must(schema, "/status").anyText(),
		must(schema, "/one_time_activity").flag(),
		shown(schema, "/admin_price_percentage").number(),
		shown(schema, "/admin_discount_percentage").number(),
		must(schema, "/location").lawful(`{"country": {"id": "", "name": ""}, "city": "", "region": ""}`).object(),
		must(schema, "/location/country").lawful(`{"id": "", "name": ""}`).object(),
		must(schema, "/location/country/id").anyText(),
		must(schema, "/location/country/name").anyText(),
		must(schema, "/location/city").anyText(),
		must(schema, "/location/region").anyText(),
		must(schema, "/categories").texts(),
		must(schema, "/tags").texts(),
		must(schema, "/media").lawful(`[]`, `[{"imageUrl": ""}]`).list(),
		must(schema, "/media/0/imageUrl").anyText(),
		must(schema, "/partner_details").object().
			lawful(`{"name": "", "partner_category": "", "companyDetails": {}, "profileImage": ""}`),
		must(schema, "/partner_details/name").anyText(),
		must(schema, "/partner_details/partner_category").anyText(),
		must(schema, "/partner_details/companyDetails").lawful(`{}`, `{"vat": "PT1"}`).object(),
		must(schema, "/partner_details/profileImage").anyText(),
		must(schema, "/currency").currency(),
		must(schema, "/serviceFee").number(),
		must(schema, "/translation").lawful(`{}`, `{"de": {}}`).object().notBelow("/de", "type", `{"de": "Spaziergang"}`),
		must(schema, "/variations").lawful(`[]`).list(),
	}
}

func variationFields() []field {
	const schema = schemas.ActivityVariation
	const place = `{"address": "", "lat": 0, "lng": -9.14}`
	fields := []field{
		must(schema, "/_id").id(),
		must(schema, "/title").anyText(),
		must(schema, "/sort").number(),
		must(schema, "/language").texts(),
		must(schema, "/description").anyText(),
		must(schema, "/availability_type").oneOf("START_TIME", "OPENING_HOURS"),
		must(schema, "/pricing").lawful(`{"group_price": 1, "discount_percentage": 0, "units": []}`).object(),
		must(schema, "/capacity").number(),
		must(schema, "/max_no_booking").number(),
		must(schema, "/duration").lawful(`{"hours": 0, "days": 2}`).object(),
		must(schema, "/duration/hours").number(),
		must(schema, "/duration/days").number(),
		must(schema, "/itinerary").lawful(`[]`, `[{"title": "", "description": ""}]`).list(),
		must(schema, "/itinerary/0/title").anyText(),
		must(schema, "/itinerary/0/description").anyText(),
		must(schema, "/includes").object().
			lawful(`{"transportation_methods": [], "food": [], "drinks": [], "including": [], "excluding": []}`),
		must(schema, "/includes/transportation_methods").texts(),
		must(schema, "/includes/food").texts(),
		must(schema, "/includes/drinks").texts(),
		must(schema, "/includes/including").texts(),
		must(schema, "/includes/excluding").texts(),
		must(schema, "/instant_confirmation").flag(),
		must(schema, "/cancellation_policy").anyText(),
		must(schema, "/cut_off_time").anyText(),
		must(schema, "/media").lawful(`{"imageUrl": ""}`).object(),
		must(schema, "/media/imageUrl").anyText(),
		must(schema, "/tourGuides").lawful(`[]`, `[{"tour_guide_id": "", "name": ""}]`).list(),
		must(schema, "/tourGuides/0/tour_guide_id").anyText(),
		must(schema, "/tourGuides/0/name").anyText(),
		must(schema, "/pickup").lawful(`{"type": "", "pick_up_address": ` + place + `, "drop_off_address": ` + place + `}`).object(),
		must(schema, "/pickup/type").anyText(),
		must(schema, "/notes").anyText(),
		must(schema, "/external_sync").lawful(`{"external_option_id": null}`).object(),
		shown(schema, "/external_sync/external_option_id").anyText(),
	}
	for _, address := range []string{"/pickup/pick_up_address", "/pickup/drop_off_address"} {
		fields = append(fields,
			must(schema, address).lawful(place).object(),
			must(schema, address+"/address").anyText(),
			must(schema, address+"/lat").number(),
			must(schema, address+"/lng").number())
	}
	return fields
}

const activityText = `{"_id": "a-1", "activity_type": {"name": "Tour"}, "activity_title": "Old town walk", "main_promo_title": "",
	"short_description": "Two hours and a half through the old town.", "description": "", "address": "", "status": "Active",
	"one_time_activity": false, "admin_price_percentage": null, "admin_discount_percentage": 5, "location": {"country": {"id": "PT", "name": "Portugal"}, "city": "Lisbon", "region": ""},
	"categories": ["Walking tours"], "tags": [], "media": [{"imageUrl": "https://images.example.com/a-1.jpg"}], "partner_details": {"name": "Old Town Walks", "partner_category": "", "companyDetails": {}, "profileImage": ""},
	"currency": "EUR", "serviceFee": 1.5, "translation": {"pt": {"activity_title": "Passeio pela cidade velha"}}, "variations": []}`
