package judge

import (
	"context"
	"slices"

	"partnerkit.dev/conformance/internal/explore"
	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/schemas/partnerapi"
)

// Group is a group of specs that are judged one after another.
type Group struct {
	Title string
	Specs []Spec
	Waits bool // wait for holds to expire before this group
	Keeps bool // make what is checked again later before this group
	Cases bool // judge the rules so far on cases first, so that one fault is not reported for several calls

	MayStop bool // its calls may stop the partner: time is kept for it, and it comes last
}

// Groups returns all specs, in the order in which a run judges them.
func Groups() []Group {
	return []Group{
		{Title: "GET /products", Specs: productSpecs()},
		{Title: "POST /availability", Specs: availabilitySpecs()},
		{Title: "POST /bookings/reserve", Specs: reserveSpecs(), Keeps: true},
		{Title: "POST /bookings/confirm", Specs: confirmSpecs()},
		{Title: "DELETE /bookings/{reservationCode}", Specs: releaseSpecs()},
		{Title: "POST /bookings/{externalBookingId}/cancel", Specs: cancelSpecs()},
		{Title: "input that is unusual, and lawful", Specs: unusualSpecs()},
		{Title: "calls at the same time", Specs: raceSpecs(), Cases: true},
		{Title: "holds that expire", Specs: expirySpecs(), Waits: true},
		{Title: "random lifecycles", Specs: lifecycleSpecs()},
		{Title: "input that the marketplace never sends", Specs: badInputSpecs(), MayStop: true},
		{Title: "webhooks of the partner", Specs: webhookSpecs()},
		{Title: "every answer", Specs: overallSpecs()},
	}
}

// ExpiryRules returns the ids of the rules about holds that expire.
func ExpiryRules() (ids []string) {
	for _, spec := range expirySpecs() {
		ids = append(ids, spec.Rule.ID)
	}
	return ids
}

// overallSpecs returns the specs that judge what all calls show together, after they are made.
func overallSpecs() []Spec {
	refusals := join(holding, booking, story(scenario.PlayNearCodes), expiryWithMeans)
	first := spec(rule.ConfirmRefusalMessage, answersIn(rule.ConfirmRefusalMessage, story(scenario.PlayUnknownConfirm)), answersIn(rule.ConfirmRefusalMessage, refusals).withNeed(Further))
	return slices.Concat([]Spec{first}, contentTypeSpecs(), limitSpecs())
}

// lifecycleSpecs returns the specs that judge random lifecycles. They need a booking first, which
// shows whether the partner keeps seats for holds and takes cancellations.
func lifecycleSpecs() []Spec {
	return []Spec{spec(rule.AvailabilityLifecycle, booked, judgeOnce(playLifecycles, lifecycles))}
}

// playLifecycles plays the random lifecycles.
func playLifecycles(ctx context.Context, p *scenario.Player, _ int) explore.Result {
	given := Given{}
	return explore.Play(ctx, p, func() trace.Judge { return NewLifecycle(given, nil, nil) })
}

func lifecycles(r explore.Result) Finding {
	if r.Flaw != "" {
		steps := r.Exploration.Broken.Steps
		return Breach("a lifecycle of %d steps fails at the last one, %s: %s", len(steps), r.Does, r.Flaw).WithEvidence(r.Shown...)
	}
	if f := FromStop(r.Stop); f.Ends() {
		return f
	}
	if 2*r.Exploration.Disturbed > r.Exploration.Played {
		return Doubt("other customers moved the seats in %d of %s", r.Exploration.Disturbed, plural.Count(r.Exploration.Played, "lifecycle")).
			withRemedy("Run again at a quieter time, or against a test environment.")
	}
	return Finding{}
}

// ReadSpecs returns the specs that judge the rules about reads again, with further pulls and
// windows: two answers about the same thing must agree.
func ReadSpecs() []Spec { return slices.Concat(furtherPullSpecs(), partSpecs(), FieldSpecs()) }

// FieldSpecs returns the specs that judge the rules about fields again, with all answers read so
// far.
func FieldSpecs() []Spec {
	rules := append(slotRules(true), rulesOfSeveral...)
	for _, endpoint := range partnerapi.Endpoints() {
		rules = append(rules, fieldrule.All(endpoint)...)
	}
	return specForEach(rules, Recorded{})
}

// BodyRules returns the rules about the bodies of the answers of an endpoint, of one or of several.
func BodyRules(of partnerapi.Endpoint) []rule.Rule {
	rules := fieldrule.All(of)
	switch of {
	case partnerapi.Products:
		rules = append(rules, rule.UpdatedSince)
		for _, law := range pullLaws {
			rules = append(rules, law.rule)
		}
	case partnerapi.Availability:
		rules = append(slices.Concat(rules, slotRules(true), rulesOfSeveral), rule.WindowEnd, rule.EmptyWindow)
	}
	if form := answerRules[of]; form.shape.ID != "" {
		rules = append(rules, form.shape)
	}
	return append(rules, answerRules[of].json)
}
