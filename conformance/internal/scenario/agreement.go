package scenario

import (
	"context"
	"net/url"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// Pulls contains the further catalog pulls of a run, and the first one to compare them with.
type Pulls struct {
	First   []discover.Product
	Pull    *report.Exchange // the first
	Full    []Catalog
	Changes []Changes
	Probes  []RepeatedCall
}

// Changes is an incremental pull: the products that changed since a time.
type Changes struct {
	Since time.Time
	Catalog
}

// PlayPulls pulls the catalog again, late in the run, in every way that a marketplace does.
func PlayPulls(ctx context.Context, p *Player, _ int) *Pulls {
	return playOnce(p, "further pulls", 0, func(all *Pulls, _ string) {
		survey := PlaySurvey(ctx, p, 0)
		if survey.Stop != nil || p.Calls.Affordable(partnerapi.Products, readShare) < 8 {
			return
		}
		all.First, all.Pull = survey.Products, survey.Pull
		full := func(purpose string) { all.Full = append(all.Full, p.read.fullPull(ctx, purpose)) }
		full("third pull of the catalog")
		p.Calls.Client.Close()
		full("pull of the catalog on a new connection")
		for _, since := range sinceForms(survey, p.Clock.Now()) {
			changes := Changes{Catalog: p.pullChanges(ctx, since)}
			changes.Since, _ = partnerapi.ParseDateTime(since)
			all.Changes = append(all.Changes, changes)
		}
		for range 2 {
			answer, stop := p.read.pull(ctx, "health probe", ProbeQuery(), probe.GoodKey)
			all.Probes = append(all.Probes, RepeatedCall{Answer: answer, Stop: stop})
		}
		full("pull of the catalog after those of changes")
		for _, answer := range p.read.pulls.unlike {
			all.Full = append(all.Full, p.read.readPull(ctx, answer, nil))
		}
	})
}

// sinceForms returns times in the formats that a marketplace may send: long ago, an hour ago, the
// time of the run's first pull, as after a sync, and a time between two modification times, where
// the catalog shows them.
func sinceForms(survey *Survey, now time.Time) []string {
	forms := []string{
		"2000-01-01T02:00:00+02:00", "2000-01-01T00:00:00.000Z",
		now.Add(-time.Hour).UTC().Format(time.RFC3339), survey.Pull.StartedAt.UTC().Format(time.RFC3339Nano),
	}
	var updated []time.Time
	for _, product := range survey.Products {
		if !product.UpdatedAt.IsZero() {
			updated = append(updated, product.UpdatedAt)
		}
	}
	if len(updated) > 1 {
		slices.SortFunc(updated, time.Time.Compare)
		forms = append(forms, updated[len(updated)/2-1].UTC().Format(time.RFC3339Nano))
	}
	return forms
}

// readShare is the share of the run's time that further reads of one kind may take.
const readShare = 0.05

// ProbeQuery returns the query with which the marketplace probes a partner's health.
func ProbeQuery() url.Values { return url.Values{"limit": {"1"}} }

// PlayPull returns a scenario that pulls the catalog with a query and a key, and repeats the pull.
func PlayPull(purpose string, query url.Values, key probe.Key) func(context.Context, *Player, int) RepeatedCall {
	return func(ctx context.Context, p *Player, _ int) (h RepeatedCall) {
		h.Answer, h.Stop = p.read.pull(ctx, purpose, query, key)
		return h
	}
}

// longAgo is before the modification of any product.
const longAgo = "2000-01-01T00:00:00Z"

func sinceQuery(since string) url.Values { return url.Values{"updated_since": {since}} }

// PlayUpdatedSince pulls what changed since long ago, which is everything.
func PlayUpdatedSince(ctx context.Context, p *Player, _ int) Catalog {
	return p.pullChanges(ctx, longAgo)
}

// pullChanges pulls what changed since a time. A schema problem counts only if a full pull has none,
// the first or one made directly after it: otherwise, it is a finding of its field's rule.
func (p *Player) pullChanges(ctx context.Context, since string) Catalog {
	answer, stop := p.read.pull(ctx, "pull of the changes since "+since, sinceQuery(since), probe.GoodKey)
	if stop != nil {
		return Catalog{Stop: stop}
	}
	changes := p.read.readCatalog(ctx, answer, func(int, any, schemas.Problem) {})
	if changes.Stop != nil {
		changes.Stop.Form = partner.Changes
	}
	if changes.Misfit != "" && (p.survey.misfit != "" || p.read.fullPull(ctx, "pull of the catalog after that of changes").Misfit != "") {
		changes.Misfit = ""
	}
	return changes
}

// PlayQuestion returns a function that sends the survey's first question with another key.
func PlayQuestion(purpose string, key probe.Key) func(context.Context, *Player, int) RepeatedCall {
	return func(ctx context.Context, p *Player, _ int) (h RepeatedCall) {
		h.Answer, h.Stop = p.read.ask(ctx, purpose, PlaySurvey(ctx, p, 0).Answers[0].Question, key)
		return h
	}
}

// PullCatalog pulls the catalog between two calls of a lifecycle.
func (p *Player) PullCatalog(ctx context.Context) *partner.Stop {
	_, stop := p.read.pull(ctx, "pull of the catalog", nil, probe.GoodKey)
	return stop
}
