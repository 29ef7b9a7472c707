package scenario

import (
	"bytes"
	"context"
	"net/http"
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

const (
	// mostUnlike is the maximum number of pulls that are kept because they differ from the first.
	mostUnlike = 3
	// mostCompared is the maximum number of pulls whose ids are compared while the run continues. The
	// largest catalogs take a quarter of a second each.
	mostCompared = 60
	// largestCompared is the maximum size of such a pull, in bytes.
	largestCompared = 1 << 20
)

// pulls compares each full pull of the catalog with the first one, whatever was called in between.
type pulls struct {
	first    []byte
	ids      []string
	fits     bool // the first one conforms to the schema
	compared int
	unlike   []*probe.Answer // the ones with another status, with other ids, or that alone do not conform
}

// note compares a pull. Texts and prices may change at any time, ids may not (PRD-10), nor may they
// stop conforming to the schema.
func (p *pulls) note(answer *probe.Answer) {
	switch {
	case p.first == nil:
		p.first = answer.Raw
		return
	case answer.Failure != nil || partner.IsBusy(answer) || len(p.unlike) == mostUnlike || bytes.Equal(p.first, answer.Raw):
		return
	case answer.HasStatus(http.StatusOK):
		if p.compared++; p.compared > mostCompared || len(p.first) > largestCompared || len(answer.Raw) > largestCompared {
			return
		}
		if p.ids == nil {
			p.ids, p.fits = catalogIDs(p.first)
		}
		if ids, fits := catalogIDs(answer.Raw); slices.Equal(p.ids, ids) && (fits || !p.fits) {
			return
		}
	}
	p.unlike = append(p.unlike, answer)
}

// catalogIDs returns the ids in a catalog, in an order that does not depend on its own, and whether
// its products conform to the schema.
func catalogIDs(raw []byte) (all []string, fits bool) {
	elements, err := discover.Products(raw)
	if err != nil {
		return nil, false
	}
	fits = true
	for _, element := range elements {
		value, err := discover.DecodeElement(element)
		if err != nil {
			return nil, false
		}
		fits = fits && len(schemas.ValidateValue(schemas.Product, value)) == 0
		product := discover.ReadProduct(value)
		all = append(all, product.ID)
		for _, option := range product.Options {
			all = append(all, optionKey(product, option))
			for _, unit := range option.Units {
				all = append(all, optionKey(product, option)+"\x00"+unit.ID)
			}
		}
	}
	slices.Sort(all)
	return all, fits
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

// RepeatedCall is a call and its repeats, with their answers.
type RepeatedCall struct {
	Answer *probe.Answer
	Again  []*probe.Answer // to repeats of the same call
	Stop   *partner.Stop
	ActLog
}

// play makes a call that must be refused or have no effect, as often as the depth of the run sets
// and its time allows.
func (h *RepeatedCall) play(p *Player, call func() (*probe.Answer, *partner.Stop)) {
	if h.Answer, h.Stop = call(); h.Stop != nil {
		return
	}
	h.addUnknown(h.Answer, "")
	for range p.repeats(h.Answer) {
		answer, stop := call()
		if stop != nil {
			return
		}
		h.Again = append(h.Again, answer)
		h.addUnknown(answer, "")
	}
}

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
