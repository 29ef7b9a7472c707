package judge

import (
	"context"
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/explore"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/report"
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
		{Title: "input that the marketplace never sends", Specs: badInputSpecs()},
		{Title: "calls at the same time", Specs: raceSpecs(), Cases: true},
		{Title: "holds that expire", Specs: expirySpecs(), Waits: true},
		{Title: "random lifecycles", Specs: lifecycleSpecs()},
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
	refusals := joinSubjects(joinSubjects(holding, booking), joinSubjects(subject(scenario.PlayNearCodes), expiryWithMeans))
	specs := []Spec{spec(rule.ConfirmRefusalMessage, tells(rule.ConfirmRefusalMessage, subject(scenario.PlayUnknownConfirm)), optionalStep(tells(rule.ConfirmRefusalMessage, refusals)))}
	for _, r := range []rule.Rule{
		rule.ProductsContentType, rule.AvailabilityContentType, rule.ReserveContentType,
		rule.ConfirmContentType, rule.ReleaseContentType, rule.CancelContentType,
	} {
		specs = append(specs, spec(r, appendSteps(ofCancel(r), judgeOnce(scenario.PlayRecord, contentType(r.Endpoint)))...))
	}
	for _, of := range []struct {
		rule  rule.Rule
		limit partner.Limit
	}{
		{rule.ProductsLimit, partner.Limit{Endpoint: partnerapi.Products}},
		{rule.ProbeLimit, partner.Limit{Endpoint: partnerapi.Products, Form: partner.Probe}},
		{rule.AvailabilityLimit, partner.Limit{Endpoint: partnerapi.Availability}},
		{rule.ReserveLimit, partner.Limit{Endpoint: partnerapi.Reserve}},
		{rule.ConfirmLimit, partner.Limit{Endpoint: partnerapi.Confirm}},
		{rule.ReleaseLimit, partner.Limit{Endpoint: partnerapi.Release}},
		{rule.CancelLimit, partner.Limit{Endpoint: partnerapi.Cancel}},
	} {
		specs = append(specs, spec(of.rule, appendSteps(ofCancel(of.rule), judgeOnce(scenario.PlayTimes(of.limit), inTime))...))
	}
	read := slotsSteps(rule.AvailabilityAim)
	return append(specs, spec(rule.AvailabilityAim, append(read, judgeOnce(scenario.PlayRecord, aim))...))
}

// ofCancel returns the first steps of a rule about an endpoint that a partner may lack.
func ofCancel(r rule.Rule) []Step {
	if r.Endpoint == partnerapi.Cancel {
		return []Step{mayCancel}
	}
	return nil
}

func contentType(endpoint partnerapi.Endpoint) func(scenario.Record) Finding {
	return func(all scenario.Record) Finding {
		judged := 0
		var wrong []string
		var shown []*report.Exchange
		for _, exchange := range all.Exchanges {
			if exchange.Endpoint != endpoint || exchange.Failure != nil || exchange.Response.Status/100 != 2 || exchange.Response.Body.Size == 0 {
				continue
			}
			judged++
			if declared := exchange.Response.Header.Get("Content-Type"); !IsJSONType(declared) {
				wrong = append(wrong, fmt.Sprintf("Expected Content-Type: application/json, received %q", declared))
				shown = append(shown, exchange)
			}
		}
		return problems(wrong[:min(1, len(wrong))], shown...).or(func() Finding {
			return requireFact(judged > 0, partner.NewStop("no answer of this endpoint had a body"))
		})
	}
}

// inTime judges one limit: two late answers in three break it, a single one is a warning (LIM-3).
func inTime(t scenario.AnswerTimes) Finding {
	switch {
	case t.Broken != nil:
		return FromStop(t.Broken)
	case len(t.Times) == 0:
		return FromStop(t.Survey).or(func() Finding { return Doubt("no call was answered") })
	case len(t.Late) > 0:
		return ends(report.Warned, "Expected the complete answer within %s: %d of %d calls took longer, the worst %s",
			t.Limit, len(t.Late), len(t.Times), slices.Max(t.Times).Round(time.Millisecond)).WithEvidence(t.Late...)
	default:
		return Finding{}
	}
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
