package suite

import (
	"context"
	"crypto/x509"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
)

// run is one run: who plays, and what is known of each rule.
type run struct {
	config   Config
	choice   plan.Choice
	client   *probe.Client
	player   *scenario.Player
	fields   *judge.Fields
	verdicts *judge.Verdicts
	pictures map[string][]byte         // of broken rules, by the name of their file
	failed   atomic.Pointer[rule.Rule] // the first that failed, where nothing is judged after it
	stage    sync.Mutex                // held by the spec under way: one that Ginkgo left behind is waited for
}

func newRun(halt context.Context, config Config) *run {
	client := probe.NewClient(probe.Config{
		BaseURL: config.BaseURL, AuthType: config.AuthType, AuthKey: config.AuthKey,
		RootCAs: config.RootCAs, UserAgent: UserAgent(config.Version), MaxRPS: config.Bounds.MaxRPS,
	})
	r := &run{
		config: config, client: client, fields: judge.NewFields(client.Redactor().Redact),
		verdicts: judge.NewVerdicts(client.Redactor().Words), pictures: map[string][]byte{},
	}
	r.choice, _ = plan.Choose(config.LabelFilter, config.Rules) // the configuration was checked
	clock := scenario.NewClock(config.ClockURL, config.RootCAs)
	config.Ledger.Tell(clock.Now)
	r.player = scenario.NewPlayer(scenario.Config{
		Client: client, Ledger: config.Ledger, Clock: clock, Time: scenario.NewTime(halt, config.MaxDuration),
		Scope: config.Bounds.scope(), Bounds: scenario.Bounds{MaxHolds: config.Bounds.maxHolds(), MaxBookings: config.Bounds.maxBookings()},
		ReadOnly: config.Bounds.ReadOnly, NoRaces: config.NoRaces, IncludeSlow: config.IncludeSlow,
		Expiry:  slices.ContainsFunc(judge.ExpiryRules(), func(id string) bool { return r.choice.Run[id] }),
		Tickets: config.HandlesTicketDelivery, LimitScale: config.LimitScale, Witness: r.fields,
		Stories: config.Explore, Seed: config.Seed,
	})
	return r
}

// UserAgent is how the suite of that version presents itself.
func UserAgent(version string) string { return "partnerkit-conformance/" + version }

// ClockAhead is how far the clock at that address is ahead of this machine's; 0
// where the address is "".
func ClockAhead(ctx context.Context, address string, roots *x509.CertPool) (time.Duration, error) {
	clock := scenario.NewClock(address, roots)
	err := clock.Read(ctx)
	return clock.Ahead(), err
}

// judge plays what a rule needs, judges it, and records what is known of the rule then,
// also where the suite itself fails.
func (r *run) judge(spec context.Context, s judge.Spec) (outcome report.Outcome, message string) {
	r.stage.Lock()
	defer r.stage.Unlock()
	began := time.Now()
	ctx, cancel := r.player.Time.Within(spec)
	defer cancel()
	finding := judge.Finding{Outcome: report.Inconclusive, Message: "the suite itself failed while it judged this rule; please report it"}
	defer func() {
		r.heed(spec)
		r.record(s.Rule, finding, time.Since(began))
	}()
	finding = r.find(ctx, s)
	outcome, _ = r.verdicts.Decide(s.Rule, finding)
	return outcome, finding.Message
}

// find is what the steps of a rule show, until one ends the judging; nothing is played
// where the rule is left out, or cannot be judged.
func (r *run) find(ctx context.Context, s judge.Spec) judge.Finding {
	if why := r.config.leftOut(s.Rule); why != "" {
		return judge.Finding{Outcome: report.Skipped, Message: why}
	}
	if outcome, _ := r.verdicts.Decide(s.Rule, judge.Finding{}); outcome == report.Blocked {
		return judge.Finding{}
	}
	j := &judging{run: r, ctx: ctx}
	for _, step := range s.Steps {
		finding, enough := j.step(s.Rule, step)
		finding = j.with(finding)
		if outcome, _ := r.verdicts.Decide(s.Rule, finding); enough || outcome != report.Passed || finding.Ends() {
			return finding
		}
	}
	return judge.Finding{}
}

// record records what was found of a rule, and of one that is to blame for it, and tells
// of both.
func (r *run) record(of rule.Rule, finding judge.Finding, took time.Duration) {
	if finding.Cause != nil && finding.Cause.ID != of.ID {
		r.announce(r.verdicts.Blame(finding))
	}
	verdict := r.verdicts.Record(of, finding, took)
	if verdict != nil && finding.Picture != nil && verdict.Outcome == judge.Weight(of) {
		verdict.Picture = "race-" + of.ID + ".html"
		r.pictures[verdict.Picture] = finding.Picture
	}
	r.announce(verdict)
}
