package scenario

import (
	"context"
	"time"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// Record is everything that was sent and made so far.
type Record struct {
	Traits    Traits
	Alone     bool // no concurrent calls may be sent
	Tickets   bool // the partner delivers its own tickets
	Entries   []ledger.Entry
	Exchanges []*report.Exchange
	Aim       time.Duration // the time within which availability should answer, scaled for this run
}

// PlayRecord returns the record of the run so far.
func PlayRecord(_ context.Context, p *Player, _ int) Record {
	return Record{
		Traits: *p.Book.traits, Alone: p.NoRaces, Tickets: p.Tickets, Entries: p.Ledger.Entries(), Exchanges: p.Calls.Client.Exchanges(),
		Aim: p.Calls.ScaleLimit(partnerapi.AvailabilityAim),
	}
}

// PlayAll plays every booking and hold and returns the record after them.
func PlayAll(ctx context.Context, p *Player, _ int) Record {
	if PlaySurvey(ctx, p, 0).Stop == nil {
		PlayBooking(ctx, p, 0)
		PlayHolding(ctx, p, 0)
		PlayMixedParty(ctx, p, 0)
		PlayWrongKeys(ctx, p, 0)
		PlaySecondBooking(ctx, p, 0)
		PlaySellOut(ctx, p, 0)
		for _, status := range ClosedStatuses {
			PlayClosedSlot(status)(ctx, p, 0)
		}
	}
	return PlayRecord(ctx, p, 0)
}

// PlayRefusedReserves returns the answers to reserves that exceed the seats. An element is nil if
// there was no such reserve.
func PlayRefusedReserves(ctx context.Context, p *Player, _ int) []*probe.Answer {
	t := PlaySellOut(ctx, p, 0)
	answers := []*probe.Answer{t.TooMany.Answer, t.Over.Answer}
	for _, status := range ClosedStatuses {
		answers = append(answers, PlayClosedSlot(status)(ctx, p, 0).Answer)
	}
	return answers
}

// AnswerTimes contains how long the calls of one limit took.
type AnswerTimes struct {
	Limit  time.Duration
	Times  []time.Duration
	Late   []*report.Exchange // those over the limit
	Broken *partner.Stop      // two of three in a row were late
	Survey *partner.Stop      // why there is no catalog
}

// PlayTimes returns a scenario that collects the times of the calls under a limit.
func PlayTimes(limit partner.Limit) func(context.Context, *Player, int) AnswerTimes {
	return func(ctx context.Context, p *Player, _ int) AnswerTimes {
		pace := p.Calls.Pace(limit)
		t := AnswerTimes{Limit: pace.Limit, Times: pace.Times(), Late: pace.LateCalls(), Broken: pace.BreachStop()}
		if len(t.Times) == 0 && t.Broken == nil {
			t.Survey = PlaySurvey(ctx, p, 0).Stop
		}
		return t
	}
}
