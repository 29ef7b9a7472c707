package scenario

import (
	"context"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas"
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

// Survey is the catalog and the slots before anything is booked.
type Survey struct {
	Stop     *Stop // why there is no catalog; nil if there is one
	Pull     *probe.Exchange
	Products []discover.Product
	Second   SecondPull

	Answers   []SlotAnswer
	SlotsStop *Stop // of the first availability call that returned no slots
	Offers    []discover.Offer
	Slots     int    // number fetched
	Outside   string // what the scope names but the catalog lacks; "" if nothing

	misfit string // the first schema problem of a product
}

// SecondPull is another pull of the catalog, which shows what is stable.
type SecondPull struct {
	Products []discover.Product
	Exchange *probe.Exchange
	Stop     *Stop
	options  map[string]bool // keys of product and option ids
}

func (p SecondPull) shows(product discover.Product, option discover.Option) bool {
	return p.Stop != nil || p.options[optionKey(product, option)]
}

func optionKey(product discover.Product, option discover.Option) string {
	return discover.Offer{Product: product, Option: option}.OptionKey()
}

func PlaySurvey(ctx context.Context, p *Player, _ int) *Survey {
	return played(p, "survey", 0, func(v *Survey, _ string) {
		p.survey, p.Seats.survey = v, v
		if v.Stop = v.fetchCatalog(ctx, p); v.Stop == nil {
			v.fetchSlots(ctx, p)
		}
	})
}

// fetchCatalog pulls the catalog for the first time. A failure here is the only finding of the run.
func (v *Survey) fetchCatalog(ctx context.Context, p *Player) *Stop {
	if err := p.Clock.Read(ctx); err != nil {
		p.Clock.giveUp(err) // expiry is not judged; everything else is
	}
	answer, stop := p.read.pull(ctx, "first pull of the catalog", nil, probe.GoodKey)
	if stop != nil {
		return stop
	}
	v.Pull = answer.Exchange
	if stop = unwelcome(answer); stop != nil {
		return stop
	}
	catalog := p.read.readCatalog(ctx, answer, func(i int, product any, problem schemas.Problem) {
		p.Witness.Product(answer.Exchange, i, product, problem)
	})
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
			second.options[optionKey(product, option)] = true
		}
	}
	return second
}

func (v *Survey) fetchSlots(ctx context.Context, p *Player) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(surveyShare*float64(p.Time.most)))
	defer cancel()
	type asked struct {
		Question
		answer *probe.Answer
		stop   *Stop
	}
	var found []SlotAnswer
	var unread []asked
	kept := 0
	var reading sync.Mutex
	var asking errgroup.Group
	asking.SetLimit(together)
	for _, q := range plan.Spread(v.inScope(p), mostOptions) {
		asking.Go(func() error {
			q.Window, _ = p.Scope.Window(p.Clock.Now(), q.Product.Zone)
			answer, stop := p.read.ask(ctx, "slots of the next 60 days", q, probe.GoodKey)
			reading.Lock()
			defer reading.Unlock()
			read, unreadable := p.read.readAsked(ctx, q, answer, stop)
			switch {
			case unreadable == nil:
				found = append(found, read)
			case ctx.Err() == nil:
				unread = append(unread, asked{q, answer, stop})
			}
			if kept += len(read.Slots); kept > mostSlotsInAll {
				cancel()
			}
			return nil
		})
	}
	_ = asking.Wait() // each answer carries its own outcome
	v.take(found)
	p.read.filled = len(v.Answers) > 0
	for _, a := range unread {
		// Read it again: only the other answers show whether a 404 means an empty window.
		if _, stop := p.read.readAsked(ctx, a.Question, a.answer, a.stop); v.SlotsStop == nil {
			v.SlotsStop = stop
		}
	}
}

func (v *Survey) inScope(p *Player) []Question {
	var some []Question
	for _, q := range v.askable() {
		if _, any := p.Scope.Window(p.Clock.Now(), q.Product.Zone); any && p.Scope.Takes(q.Product.ID, q.Option.ID) {
			some = append(some, q)
		}
	}
	if v.Outside = p.Scope.Unknown(v.Products); v.Outside == "" && len(some) == 0 && p.Scope.Narrow() {
		v.Outside = "nothing is left to request: no bookable option is within --product, --option, --from and --to"
	}
	return some
}

// askable lists the options that can be asked for slots, in catalog order. It skips options whose
// ids are missing, change, or differ from those of their guest types: other rules judge that, and
// an answer would prove nothing.
func (v *Survey) askable() []Question {
	var all []Question
	for _, product := range v.Products {
		for _, option := range product.Options {
			if product.ID != "" && option.ID != "" && option.Lead() != "" && option.FixedIDs() && v.Second.shows(product, option) {
				all = append(all, Question{Product: product, Option: option})
			}
		}
	}
	return all
}

// take stores the answers in the catalog's order, and the offers in them.
func (v *Survey) take(found []SlotAnswer) {
	byOption := map[string]SlotAnswer{}
	for _, answer := range found {
		byOption[optionKey(answer.Product, answer.Option)] = answer
	}
	for _, q := range v.askable() {
		key := optionKey(q.Product, q.Option)
		answer, ok := byOption[key]
		if !ok {
			continue
		}
		delete(byOption, key) // a duplicate id is judged by its own rule
		v.Answers = append(v.Answers, answer)
		v.Slots += len(answer.Slots)
		for _, slot := range answer.Slots {
			v.Offers = append(v.Offers, discover.Offer{Product: answer.Product, Option: answer.Option, Slot: slot})
		}
	}
}

type RepeatedCall struct {
	Answer *probe.Answer
	Again  []*probe.Answer // to repeats of the same call
	Stop   *Stop
}

// playRepeated makes a call that must be refused or have no effect, as often as the depth of the run
// sets and its time allows.
func (p *Player) playRepeated(h *RepeatedCall, call func() (*probe.Answer, *Stop)) {
	if h.Answer, h.Stop = call(); h.Stop != nil {
		return
	}
	for range p.repeats(h.Answer) {
		answer, stop := call()
		if stop != nil {
			return
		}
		h.Again = append(h.Again, answer)
	}
}

func ProbeQuery() url.Values { return url.Values{"limit": {"1"}} }

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
	answer, stop := p.read.pull(ctx, "pull of what changed since "+longAgo, sinceQuery(longAgo), probe.GoodKey)
	if stop != nil {
		return Catalog{Stop: stop}
	}
	return p.survey.newIn(p.read.readCatalog(ctx, answer, func(int, any, schemas.Problem) {}))
}

// newIn returns a further pull without the schema problem, if the first pull has one too.
func (v *Survey) newIn(c Catalog) Catalog {
	if v.misfit != "" {
		c.Misfit = ""
	}
	return c
}

// PlayQuestion returns a function that sends the survey's first question with another key.
func PlayQuestion(purpose string, key probe.Key) func(context.Context, *Player, int) RepeatedCall {
	return func(ctx context.Context, p *Player, _ int) (h RepeatedCall) {
		h.Answer, h.Stop = p.read.ask(ctx, purpose, PlaySurvey(ctx, p, 0).Answers[0].Question, key)
		return h
	}
}

func PlayUnknownConfirm(ctx context.Context, p *Player, _ int) *RepeatedCall {
	return played(p, "confirm unknown", 0, func(h *RepeatedCall, _ string) {
		unknown := p.UnknownHold()
		p.playRepeated(h, func() (*probe.Answer, *Stop) {
			return p.Book.Confirm(ctx, "confirm an unknown code", unknown, true, probe.GoodKey)
		})
	})
}

func (p *Player) anyOffer() discover.Offer {
	if p.survey != nil && len(p.survey.Offers) > 0 {
		return p.survey.Offers[0]
	}
	return discover.Offer{}
}

func PlayUnknownRelease(ctx context.Context, p *Player, _ int) *RepeatedCall {
	return played(p, "release unknown", 0, func(h *RepeatedCall, _ string) {
		code := p.Book.UnknownCode()
		p.playRepeated(h, func() (*probe.Answer, *Stop) {
			return p.Book.Release(ctx, "release an unknown code", code, probe.GoodKey)
		})
	})
}

func PlayUnknownCancel(ctx context.Context, p *Player, _ int) *RepeatedCall {
	return played(p, "cancel unknown", 0, func(h *RepeatedCall, _ string) {
		id := p.Book.UnknownCode()
		p.playRepeated(h, func() (*probe.Answer, *Stop) {
			return p.Book.Cancel(ctx, "cancel an unknown booking", id, probe.GoodKey)
		})
	})
}
