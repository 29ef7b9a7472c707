package suite

import (
	"context"
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/weigh"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
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

// weigh returns what the steps of a spec show.
func (r *run) weigh(ctx context.Context, p *scenario.Player, s judge.Spec) judge.Finding {
	return weigh.Find(ctx, s, weigh.Scale{
		Player: p, Fields: r.fields, Exercised: r.exercised, RaceTime: r.config.scaleLimit(r.config.MaxDuration / raceShare),
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
