package suite

import (
	"context"
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/weigh"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// find returns what the steps of a rule show, until one ends the judging. It plays nothing if the
// rule is left out or cannot be judged.
func (r *run) find(ctx context.Context, p *scenario.Player, s judge.Spec) judge.Finding {
	if why, remedy := r.config.leftOut(s.Rule); why != "" {
		return judge.Finding{Outcome: report.Skipped, Message: why, Remedy: remedy}
	}
	if outcome, _ := r.verdicts.Decide(s.Rule, judge.Finding{}); outcome == report.Blocked {
		return judge.Finding{}
	}
	return r.weigh(ctx, p, s)
}

// leftOut returns why a rule is not judged within the bounds, and how to have it judged. Both are
// "" if it is judged.
func (c Config) leftOut(r rule.Rule) (why, remedy string) {
	explores := r.ID == rule.AvailabilityLifecycle.ID
	reads := r.Endpoint == partnerapi.Products || r.Endpoint == partnerapi.Availability
	switch {
	case explores && c.Explore == 0:
		return "no random lifecycles were played", "Run with --explore 50."
	case r.Endpoint == rule.Webhooks && c.Webhooks == nil:
		return "the run received no webhooks", "Run with --webhook-listen, which --help describes."
	case c.NoBadInput && judge.IsAboutBadInput(r):
		return "no malformed input was sent (--no-bad-input)", "Run without --no-bad-input."
	case c.Bounds.ReadOnly && (explores || !reads):
		return partner.ReadOnly, partner.NotReadOnly
	default:
		return "", ""
	}
}

// weigh returns what the steps of a spec show.
func (r *run) weigh(ctx context.Context, p *scenario.Player, s judge.Spec) judge.Finding {
	return weigh.Find(ctx, s, weigh.Scale{
		Player: p, Fields: r.fields, Exercised: r.coverage.addInstances, RaceTime: r.config.scaleLimit(r.config.MaxDuration / raceShare),
		Known: r.verdicts.FailedCause,
		Passes: func(f judge.Finding) bool {
			outcome, _ := r.verdicts.Decide(s.Rule, f)
			return outcome == report.Passed
		},
	})
}

// raceShare is the part of the run's time that a race may take after its first few rounds.
const raceShare = 30

// record records and announces the finding about a rule, and the breach of the rule that caused it.
func (r *run) record(of rule.Rule, finding judge.Finding, took time.Duration) {
	if finding.Cause != nil && finding.Cause.ID != of.ID {
		r.options.note(finding.Cause.ID, finding)
		r.tell(r.verdicts.Blame(finding))
	}
	r.options.note(of.ID, finding)
	verdict := r.verdicts.Record(of, finding, took)
	if verdict != nil && finding.Picture != nil && verdict.Outcome == judge.Weight(of) {
		verdict.Picture = "race-" + of.ID + ".html"
		r.pictures[verdict.Picture] = finding.Picture
	}
	r.tell(verdict)
}

// tell announces a verdict. Once a MUST rule is broken, a quick run makes few further calls.
func (r *run) tell(verdict *report.RuleResult) {
	if verdict != nil && verdict.Outcome == report.Failed {
		r.player.LimitFootprint()
	}
	r.announcer.announce(verdict)
}
