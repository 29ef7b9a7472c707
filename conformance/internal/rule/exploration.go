package rule

// Lifecycles that nobody thought of.

var AvailabilityLifecycle = must("availability.lifecycle", "AVL-5", "Answers and vacancies are right after any order of reserves, confirms, releases and cancellations").
	needs(
		"reserve.expires-at", "reserve.code.unique", "reserve.vacancies.mixed", "reserve.sold-out", "reserve.too-many",
		"reserve.refusal.message", "reserve.refusal.no-effect",
		"confirm.booking-id.unique", "confirm.vacancies", "confirm.repeat.booking", "confirm.repeat.vacancies", "confirm.unknown",
		"confirm.released.no-effect", "confirm.cancelled.no-effect", "confirm.expired.no-effect", "confirm.refusal.message",
		"release.vacancies.many", "release.rebookable", "release.unknown.success", "release.repeat.vacancies",
		"release.confirmed.keeps-booking", "release.cancelled.vacancies", "release.expired.vacancies",
		"cancel.vacancies", "cancel.repeat.status", "cancel.repeat.vacancies", "cancel.unknown.success",
	).
	why("Customers change their minds in every order; seats that are lost or sold twice in an unusual one are noticed at the gate.").
	fix("Follow the steps of the story that broke: what the last one shows was decided by the state that the earlier ones left.")

var explorationRules = []Rule{AvailabilityLifecycle}
