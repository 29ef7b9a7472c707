package suite

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
)

// run is a run in progress.
type run struct {
	config            Config
	choice            plan.Choice
	client            *probe.Client
	player            *scenario.Player
	fields            *judge.Fields
	verdicts          *judge.Verdicts
	announcer         *announcer
	coverage          coverage
	options           options
	given             judge.Given // codes and booking ids of the stories
	casesLeft         int         // cases of the plan without time to judge them
	casesBrief        int         // cases of the plan with time for only the calls that show most
	casesWithoutHolds int         // cases of the plan without holds or bookings to judge them
	slots             []report.SlotSeats
	pictures          map[string][]byte // pictures of broken rules, by file name
	estimated         bool              // the estimate was announced
	fault             string            // why the suite itself failed; "" if it did not
}

func newRun(halt context.Context, config Config) *run {
	client := probe.NewClient(probe.Config{
		BaseURL: config.BaseURL, AuthType: config.AuthType, AuthKey: config.AuthKey,
		RootCAs: config.RootCAs, Certificate: config.ClientCertificate, UserAgent: UserAgent(config.Version), MaxRPS: config.Bounds.MaxRPS, PublicOnly: config.PublicOnly, Dial: config.Dial,
		WebhookSecret: config.Webhooks.secret(),
	})
	r := &run{
		config: config, client: client, fields: judge.NewFields(client.Redactor().Redact).Remember(),
		verdicts: judge.NewVerdicts(client.Redactor().Words), pictures: map[string][]byte{}, given: judge.Given{},
		options:  options{},
		coverage: coverage{covered: map[string]map[plan.Dimension]map[string]bool{}},
	}
	r.choice, _ = plan.Choose(config.LabelFilter, config.Rules) // the configuration was checked
	clock := partner.NewClock(config.ClockURL, config.RootCAs, config.ClientCertificate)
	config.Ledger.SetClock(clock.Now)
	r.player = scenario.NewPlayer(scenario.Config{
		Client: client, Ledger: config.Ledger, Clock: clock, Time: partner.NewTime(halt, config.MaxDuration),
		Scope: config.Bounds.scope(), Bounds: scenario.Bounds{MaxHolds: *config.Bounds.MaxHolds, MaxBookings: *config.Bounds.MaxBookings},
		ReadOnly: config.Bounds.ReadOnly, NoRaces: config.NoRaces, IncludeSlow: config.IncludeSlow,
		Expiry:  slices.ContainsFunc(judge.ExpiryRules(), func(id string) bool { return r.choice.Run[id] }),
		Tickets: config.HandlesTicketDelivery, LimitScale: config.LimitScale, Observer: r.fields,
		Lifecycles: config.Explore, Seed: config.Seed, Depth: plan.Depth(config.Depth),
	})
	r.announcer = &announcer{config: r.config, choice: r.choice, verdicts: r.verdicts, time: r.player.Time, words: client.Redactor().Words, hints: hints{config, client}}
	return r
}

// part does a part of the run within the run's time, unless the run was stopped. What the run holds
// must be undone even if the suite itself fails, so a panic ends only the part.
func (r *run) part(ctx context.Context, do func(context.Context)) {
	if r.player.Time.WasInterrupted() || r.announcer.stoppingRule() != nil {
		return
	}
	defer r.survive()
	within, cancel := r.player.Time.WithDeadline(ctx)
	defer cancel()
	do(within)
}

// survive, deferred, keeps a fault of the suite itself from ending more than a part of the run.
func (r *run) survive() {
	if fault := recover(); fault != nil && r.fault == "" {
		r.fault = r.client.Redactor().Words(fmt.Sprintf("the suite itself failed (%v); please report it", fault))
	}
}

// outcome returns the outcome of a rule so far; "" if it was not judged.
func (r *run) outcome(id string) report.Outcome {
	if known := r.verdicts.Get(id); known != nil {
		return known.Outcome
	}
	return ""
}

// bookableOffers returns the slots of the survey that can be booked now.
func (r *run) bookableOffers() []discover.Offer {
	survey := r.player.LastSurvey()
	if survey == nil {
		return nil
	}
	return discover.Pick(survey.Offers, discover.Want{Now: r.player.Clock.Now(), Seats: 1})
}

// UserAgent returns the User-Agent header of the suite with that version.
func UserAgent(version string) string { return "partnerkit-conformance/" + version }

// ClockAhead returns how far the clock at that address is ahead of this machine's. It returns 0 if
// the address is "".
func ClockAhead(ctx context.Context, address string, roots *x509.CertPool, certificate *tls.Certificate) (time.Duration, error) {
	clock := partner.NewClock(address, roots, certificate)
	err := clock.Read(ctx)
	return clock.Offset(), err
}
