package scenario

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
)

const (
	// mostOptions is the maximum number of options whose slots are fetched. A larger catalog is
	// sampled evenly.
	mostOptions = 240
	// surveyShare is the share of the run's time that fetching slots may take.
	surveyShare = 0.4
	// mostSlotsInAll is the number of slots after which no further option is requested.
	mostSlotsInAll = 200_000
)

// FirstPull is the purpose of the first call of a run.
const FirstPull = "first pull of the catalog"

// PlaySurvey pulls the catalog twice and fetches the slots of its options.
func PlaySurvey(ctx context.Context, p *Player, _ int) *Survey {
	return playOnce(p, "survey", 0, func(v *Survey, _ string) {
		p.survey, p.Seats.survey = v, v
		if v.Stop = v.fetchCatalog(ctx, p); v.Stop == nil {
			v.fetchSlots(ctx, p)
		}
	})
}

// fetchCatalog pulls the catalog for the first time. A failure here is the only finding of the run.
func (v *Survey) fetchCatalog(ctx context.Context, p *Player) *partner.Stop {
	if err := p.Clock.Read(ctx); err != nil {
		p.Clock.GiveUp(err) // expiry is not judged; everything else is
	}
	answer, stop := p.read.pull(ctx, FirstPull, nil, probe.GoodKey)
	if stop != nil {
		return stop
	}
	v.Pull = answer.Exchange
	if stop = p.read.rejectsRun(ctx, answer); stop != nil {
		return stop
	}
	catalog := p.read.readPull(ctx, answer, nil)
	v.Products, v.misfit = catalog.Products, catalog.Misfit
	if catalog.Stop == nil {
		v.Second = p.read.pullAgain(ctx)
	}
	return catalog.Stop
}

func (r *reader) pullAgain(ctx context.Context) (second SecondPull) {
	answer, stop := r.pull(ctx, "second pull of the catalog", nil, probe.GoodKey)
	if second.Stop = stop; stop != nil {
		return second
	}
	catalog := r.readCatalog(ctx, answer, nil)
	second.Exchange, second.Products, second.Stop = answer.Exchange, catalog.Products, catalog.Stop
	second.options = map[string]bool{}
	for _, product := range second.Products {
		for _, option := range product.Options {
			second.options[discover.OptionKey(product, option)] = true
		}
	}
	return second
}

func (v *Survey) fetchSlots(ctx context.Context, p *Player) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(surveyShare*float64(p.Time.MaxDuration())))
	defer cancel()
	type asked struct {
		Question
		answer *probe.Answer
		stop   *partner.Stop
	}
	var found []SlotAnswer
	var unread []asked
	kept := 0
	some := plan.Spread(v.inScope(p), mostOptions)
	p.askAll(ctx, "slots of the next 60 days", some, func(i int, answer *probe.Answer, stop *partner.Stop) {
		read, unreadable := p.read.readAsked(ctx, some[i], answer, stop)
		switch {
		case unreadable == nil:
			found = append(found, read)
		case ctx.Err() == nil:
			unread = append(unread, asked{some[i], answer, stop})
		}
		if kept += len(read.Slots); kept > mostSlotsInAll {
			cancel()
		}
	})
	v.take(found)
	p.read.filled = len(v.Answers) > 0
	for _, a := range unread {
		// Read it again: only the other answers show whether a 404 means an empty window.
		if _, stop := p.read.readAsked(ctx, a.Question, a.answer, a.stop); v.SlotsStop == nil {
			v.SlotsStop = stop
		}
	}
}

// askAll asks questions, a few at the same time where that is allowed. take receives the answer to each, one after the other.
func (p *Player) askAll(ctx context.Context, purpose string, all []Question, take func(i int, answer *probe.Answer, stop *partner.Stop)) {
	var taking sync.Mutex
	var asking errgroup.Group
	if asking.SetLimit(partner.FewCallers); p.NoRaces {
		asking.SetLimit(1)
	}
	for i, q := range all {
		asking.Go(func() error {
			answer, stop := p.read.ask(ctx, purpose, q, probe.GoodKey)
			taking.Lock()
			defer taking.Unlock()
			take(i, answer, stop)
			return nil
		})
	}
	_ = asking.Wait() // each answer carries its own outcome
}

func (v *Survey) inScope(p *Player) []Question {
	var some []Question
	for _, q := range v.askableOptions() {
		var any bool
		if q.Window, any = p.Scope.Window(p.Clock.Now(), q.Product.Zone); any && p.Scope.Takes(q.Product.ID, q.Option.ID) {
			some = append(some, q)
		}
	}
	if v.Outside = p.Scope.CheckKnown(v.Products); v.Outside == "" && len(some) == 0 && p.Scope.Narrow() {
		v.Outside = "nothing is left to request: no bookable option is within --product, --option, --from and --to"
	}
	return some
}
