package scenario

import (
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

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
	return p.Stop != nil || p.options[discover.OptionKey(product, option)]
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
		byOption[discover.OptionKey(answer.Product, answer.Option)] = answer
	}
	for _, q := range v.askableOptions() {
		key := discover.OptionKey(q.Product, q.Option)
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
func (v *Survey) otherOptions(but discover.Offer, now time.Time) (others []discover.Offer) {
	for _, slots := range discover.ByOption(discover.Pick(v.Offers, discover.Want{Now: now, Seats: 1})) {
		if slots[0].OptionKey() != but.OptionKey() {
			others = append(others, slots[0])
		}
	}
	return others
}

// closed returns the slots with a status: one slot of each option, then a second of each, and
// so on. Alternating the first, last and middle slots covers many days with a few slots.
func (v *Survey) closed(status partnerapi.SlotStatus, now time.Time) (all []discover.Offer) {
	options := discover.ByOption(slices.DeleteFunc(slices.Clone(v.Offers), func(o discover.Offer) bool {
		return o.Slot.Status != status || o.Slot.ID == "" || !o.Slot.Start.After(now) || o.Option.Lead() == ""
	}))
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
