package schemas_test

import "partnerkit.dev/schemas"

func webhookFields() []field {
	return []field{
		must(schemas.SyncTriggerAnswer, "/success").success(`1`, `0`),
		must(schemas.SyncTriggerAnswer, "/data").lawful(`{"synced": 0, "skipped": true}`).object(),
		must(schemas.SyncTriggerAnswer, "/data/synced").integer().lawful(`0`).not("minimum", `-1`),
		must(schemas.SyncTriggerAnswer, "/data/skipped").flag(),

		must(schemas.AvailabilityNotifyRequest, "/productId").id(),
		must(schemas.AvailabilityNotifyRequest, "/optionId").id(),
		must(schemas.AvailabilityNotifyRequest, "/availabilityId").id(),
		must(schemas.AvailabilityNotifyRequest, "/localDateTimeStart").dateTime(),
		may(schemas.AvailabilityNotifyRequest, "/localDateTimeEnd").dateTime(),
		must(schemas.AvailabilityNotifyRequest, "/status").oneOf("AVAILABLE", "FREESALE", "LIMITED", "SOLD_OUT", "CLOSED"),
		may(schemas.AvailabilityNotifyRequest, "/vacancies").seats(),
		may(schemas.AvailabilityNotifyRequest, "/capacity").seats(),
		may(schemas.AvailabilityNotifyRequest, "/unitPricing").lawful(`[]`, `[`+unitPricingText+`]`).list(),

		must(schemas.AvailabilityNotifyAnswer, "/success").success(`1`, `0`),
		must(schemas.AvailabilityNotifyAnswer, "/data").lawful(`{"updated": true}`).object(),
		must(schemas.AvailabilityNotifyAnswer, "/data/updated").flag(),
	}
}
