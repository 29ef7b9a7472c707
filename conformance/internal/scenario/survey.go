package scenario

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
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

// Survey is the catalog and the slots before anything is booked.
type Survey struct {
	Stop     *partner.Stop // why there is no catalog; nil if there is one
	Pull     *report.Exchange
	Products []discover.Product
	Second   SecondPull

	Answers   []SlotAnswer
	SlotsStop *partner.Stop // of the first availability call that returned no slots
	Offers    []discover.Offer
	Slots     int    // number fetched
	Outside   string // what the scope names but the catalog lacks; "" if nothing

	misfit string // the first schema problem of a product
}

// SecondPull is another pull of the catalog, which shows what is stable.
type SecondPull struct {
	Products []discover.Product
	Exchange *report.Exchange
	Stop     *partner.Stop
	options  map[string]bool // keys of product and option ids
}

func (p SecondPull) shows(product discover.Product, option discover.Option) bool {
	return p.Stop != nil || p.options[optionKey(product, option)]
}

func optionKey(product discover.Product, option discover.Option) string {
	return discover.Offer{Product: product, Option: option}.OptionKey()
}

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
			second.options[optionKey(product, option)] = true
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
	var reading sync.Mutex
	var asking errgroup.Group
	if asking.SetLimit(partner.FewCallers); p.NoRaces {
		asking.SetLimit(1)
	}
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
	for _, q := range v.askableOptions() {
		if _, any := p.Scope.Window(p.Clock.Now(), q.Product.Zone); any && p.Scope.Takes(q.Product.ID, q.Option.ID) {
			some = append(some, q)
		}
	}
	if v.Outside = p.Scope.CheckKnown(v.Products); v.Outside == "" && len(some) == 0 && p.Scope.Narrow() {
		v.Outside = "nothing is left to request: no bookable option is within --product, --option, --from and --to"
	}
	return some
}

// askableOptions lists the options that can be asked for slots, in catalog order. It skips options whose
// ids are missing, change, or differ from those of their guest types, and products with the id of
// another: other rules judge that, and an answer would prove nothing.
func (v *Survey) askableOptions() []Question {
	var all []Question
	known := map[string]bool{}
	for _, product := range v.Products {
		if known[product.ID] {
			continue
		}
		known[product.ID] = true
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
	for _, q := range v.askableOptions() {
		key := optionKey(q.Product, q.Option)
		answer, ok := byOption[key]
		if !ok {
			continue
		}
		delete(byOption, key) // a duplicate id is judged by its own rule
		v.Answers = append(v.Answers, answer)
		v.Slots += len(answer.Slots)
		v.Offers = append(v.Offers, answer.offers()...)
	}
}

// noSlotStop returns why no slot fits, and records if the partner has none at all.
func (v *Survey) noSlotStop(want discover.Want, traits *Traits) *partner.Stop {
	switch {
	case v.Outside != "" && len(v.Offers) == 0:
		return partner.NewStop("%s", v.Outside).WithRemedy("Change --product, --option, --from or --to.")
	case v.SlotsStop != nil && len(v.Offers) == 0:
		return v.SlotsStop
	case want.Seats <= 1 && want.Suits == nil && want.OptionKey == "":
		traits.NothingFree = discover.WhyNone(v.Offers, want)
		stop := partner.NewStop("%s", traits.NothingFree).WithRemedy("Offer a slot in the next 60 days that can be booked.")
		if !slices.ContainsFunc(v.Offers, func(o discover.Offer) bool { return !o.Slot.Start.IsZero() }) && len(v.Offers) > 0 {
			stop.Kind, stop.Endpoint, stop.Problem = partner.Misfit, partnerapi.Availability, schemas.Problem{Pointer: "/localDateTimeStart"}
		}
		return stop
	case want.Seats > 1:
		return partner.NewStop("no bookable slot has %s left", model.SeatsWord(want.Seats)).
			WithRemedy(fmt.Sprintf("Offer a slot with %s or more.", model.SeatsWord(want.Seats)))
	default:
		return partner.NewStop("no bookable slot suits this test").WithRemedy("Offer more slots in the next 60 days.")
	}
}

// beginsSoon reports whether a slot may have a booking cut-off, and the survey has others that begin later.
func (v *Survey) beginsSoon(o discover.Offer, now time.Time) bool {
	near := func(o discover.Offer) bool { return o.Slot.Start.Before(now.Add(discover.CutOff)) }
	return near(o) && slices.ContainsFunc(v.Offers, func(other discover.Offer) bool { return other.Slot.Status.IsBookable() && !near(other) })
}

// setLeast records the smallest party that an option takes.
func (v *Survey) setLeast(option string, guests int64) {
	v.Offers = slices.Clone(v.Offers)
	for i, offer := range v.Offers {
		if offer.OptionKey() == option {
			v.Offers[i].Option.Least = guests
		}
	}
}

func (v *Survey) leastOf(option string) int64 {
	at := slices.IndexFunc(v.Offers, func(o discover.Offer) bool { return o.OptionKey() == option })
	if at < 0 {
		return 0
	}
	return v.Offers[at].Option.Least
}

// leaveOut leaves out the slots of an option that is refused.
func (v *Survey) leaveOut(option string) {
	v.Offers = slices.DeleteFunc(slices.Clone(v.Offers), func(o discover.Offer) bool { return o.OptionKey() == option })
}

// otherOptions returns a slot of each other option that can be booked.
func (v *Survey) otherOptions(but discover.Offer, now time.Time) []discover.Offer {
	var others []discover.Offer
	seen := map[string]bool{but.OptionKey(): true}
	for _, offer := range discover.Pick(v.Offers, discover.Want{Now: now, Seats: 1}) {
		if !seen[offer.OptionKey()] {
			seen[offer.OptionKey()] = true
			others = append(others, offer)
		}
	}
	return others
}

// closed returns the slots with a status: one slot of each option, then a second of each, and
// so on. Alternating the first, last and middle slots covers many days with a few slots.
func (v *Survey) closed(status partnerapi.SlotStatus, now time.Time) (all []discover.Offer) {
	var options [][]discover.Offer
	known := map[string]int{}
	for _, offer := range v.Offers {
		if offer.Slot.Status != status || offer.Slot.ID == "" || !offer.Slot.Start.After(now) || offer.Option.Lead() == "" {
			continue
		}
		i, seen := known[offer.OptionKey()]
		if !seen {
			i = len(options)
			known[offer.OptionKey()], options = i, append(options, nil)
		}
		options[i] = append(options[i], offer)
	}
	for i := range options {
		options[i] = plan.EndsFirst(options[i], i)
	}
	for round, more := 0, true; more; round++ {
		more = false
		for _, slots := range options {
			if round < len(slots) {
				all, more = append(all, slots[round]), true
			}
		}
	}
	return all
}
