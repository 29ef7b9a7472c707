package judge

// Group is the specs of one subject.
type Group struct {
	Title string
	Specs []Spec
	Waits bool // holds that expire are waited for before
}

// Groups are all specs, in the order in which a run judges them.
func Groups() []Group {
	return []Group{
		{Title: "GET /products", Specs: productSpecs()},
		{Title: "POST /availability", Specs: availabilitySpecs()},
		{Title: "POST /bookings/reserve", Specs: reserveSpecs()},
		{Title: "POST /bookings/confirm", Specs: confirmSpecs()},
		{Title: "DELETE /bookings/{reservationCode}", Specs: releaseSpecs()},
		{Title: "POST /bookings/{externalBookingId}/cancel", Specs: cancelSpecs()},
		{Title: "calls at the same time", Specs: raceSpecs()},
		{Title: "input that is unusual, and lawful", Specs: unusualSpecs()},
		{Title: "input that the marketplace never sends", Specs: badInputSpecs()},
		{Title: "holds that expire", Specs: expirySpecs(), Waits: true},
		{Title: "random lifecycles", Specs: lifecycleSpecs()},
		{Title: "every answer", Specs: overallSpecs()},
	}
}

// ExpiryRules are the rules about holds that expire, by id.
func ExpiryRules() (ids []string) {
	for _, spec := range expirySpecs() {
		ids = append(ids, spec.Rule.ID)
	}
	return ids
}
