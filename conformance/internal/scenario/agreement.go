package scenario

import (
	"context"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// Pulls contains the further catalog pulls of a run, and the first one to compare them with.
type Pulls struct {
	First   []discover.Product
	Pull    *probe.Exchange // the first
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
	return played(p, "further pulls", 0, func(all *Pulls, _ string) {
		survey := PlaySurvey(ctx, p, 0)
		if survey.Stop != nil || p.affordable(partnerapi.Products, readShare) < 8 {
			return
		}
		all.First, all.Pull = survey.Products, survey.Pull
		full := func(purpose string) {
			answer, stop := p.read.pull(ctx, purpose, nil, probe.GoodKey)
			all.Full = append(all.Full, p.readPull(ctx, answer, stop))
		}
		full("third pull of the catalog")
		for _, since := range sinceForms(survey.Products, p.Clock.Now()) {
			answer, stop := p.read.pull(ctx, "pull of what changed since "+since, sinceQuery(since), probe.GoodKey)
			changes := Changes{Catalog: survey.newIn(p.readPull(ctx, answer, stop))}
			changes.Since, _ = partnerapi.ParseDateTime(since)
			all.Changes = append(all.Changes, changes)
		}
		for range 2 {
			answer, stop := p.read.pull(ctx, "health probe", ProbeQuery(), probe.GoodKey)
			all.Probes = append(all.Probes, RepeatedCall{Answer: answer, Stop: stop})
		}
		full("pull of the catalog after those of changes")
	})
}

func (p *Player) readPull(ctx context.Context, answer *probe.Answer, stop *Stop) Catalog {
	if stop != nil {
		return Catalog{Stop: stop}
	}
	return p.read.readCatalog(ctx, answer, func(i int, product any, problem schemas.Problem) {
		p.Witness.Product(answer.Exchange, i, product, problem)
	})
}

// sinceForms returns times in the formats that a marketplace may send: long ago, an hour ago, and a
// time between two modification times, where the catalog shows them.
func sinceForms(products []discover.Product, now time.Time) []string {
	forms := []string{"2000-01-01T02:00:00+02:00", "2000-01-01T00:00:00.000Z", now.Add(-time.Hour).UTC().Format(time.RFC3339)}
	var updated []time.Time
	for _, product := range products {
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
