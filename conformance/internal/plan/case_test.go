package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/schemas/partnerapi"
)

// shop draws a partner's bookable slots: some products with options, guest types, days and
// slots of their own.
func shop(t *rapid.T) (offers []discover.Offer) {
	kinds := []partnerapi.UnitType{partnerapi.Adult, partnerapi.Child, partnerapi.Infant, partnerapi.Senior}
	begin := time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	for p := range rapid.IntRange(1, 5).Draw(t, "products") {
		product := discover.Product{ID: fmt.Sprint("p", p), Zone: time.UTC}
		for o := range rapid.IntRange(1, 3).Draw(t, "options") {
			option := discover.Option{ID: fmt.Sprint("o", o)}
			for _, kind := range kinds[:rapid.IntRange(1, len(kinds)).Draw(t, "units")] {
				option.Units = append(option.Units, discover.Unit{ID: "unit-" + string(kind), Type: kind})
			}
			for s := range rapid.IntRange(1, 12).Draw(t, "slots") {
				left := int64(rapid.IntRange(1, 20).Draw(t, "left"))
				at := begin.AddDate(0, 0, s/3).Add(time.Duration(s%3) * time.Hour)
				offers = append(offers, discover.Offer{Product: product, Option: option, Slot: discover.Slot{
					ID: fmt.Sprint("s", s), Start: at, End: at.Add(time.Hour), StartText: at.Format(time.RFC3339),
					Status: partnerapi.StatusAvailable, Vacancies: &left,
				}})
			}
		}
	}
	return offers
}

func TestCasesCoverEveryOptionThenEveryUnitTypeAndGuestsOfOneTypeAndFitTheirSlots(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		offers := shop(t)
		// What no case has.
		options, guests, alone := map[string]bool{}, map[string]bool{}, map[string]bool{}
		same := map[string]bool{"1": true, "2": true, "3": true, "all that is left": true}
		for _, offer := range offers {
			options[offer.OptionKey()] = true
			for _, unit := range offer.Option.Units {
				guests[offer.OptionKey()+unit.ID], alone[string(unit.Type)] = true, true
			}
		}
		for i, c := range plan.Cover(offers, len(options)+len(guests)+len(alone)+len(same)) { // each case adds one of them
			if left := *c.Offer.Slot.Vacancies; c.Guests() < 1 || c.Guests() > left {
				t.Fatalf("case %d: %d guests in a slot with %d seats left: %s", i, c.Guests(), left, &c)
			}
			if c.Number != i+1 {
				t.Fatalf("case %d has the number %d", i, c.Number)
			}
			lackedOptions, lacked := len(options), len(guests)+len(alone)+len(same)
			enough := len(guests)+len(alone) == 0 // numbers of guests may be more than all slots have seats
			delete(options, c.Offer.OptionKey())
			for _, unit := range c.Units {
				delete(guests, c.Offer.OptionKey()+unit.ID)
				if len(c.Units) == 1 {
					delete(alone, string(c.Offer.Option.Unit(unit.ID).Type))
				}
			}
			for _, quantity := range c.Values()[plan.Same] {
				delete(same, quantity)
			}
			if lackedOptions > 0 && len(options) == lackedOptions || lackedOptions == 0 && !enough && len(guests)+len(alone)+len(same) == lacked {
				t.Fatalf("case %d is %s, while none has the options %v, the unit types %v and alone %v", i, &c, options, guests, alone)
			}
		}
		for _, offer := range offers {
			for quantity, fits := range map[string]bool{"2": *offer.Slot.Vacancies > 2, "3": *offer.Slot.Vacancies > 3, "all that is left": *offer.Slot.Vacancies > 1 && *offer.Slot.Vacancies < 12} {
				if !fits {
					delete(same, quantity) // the plan may have drawn only such slots
				}
			}
		}
		if len(options)+len(guests)+len(alone)+len(same) > 0 {
			t.Fatalf("no case has the options %v, the unit types %v, alone %v, and of one type %v", options, guests, alone, same)
		}
	})
}

func TestCasesKeepTheLimitsOfAPartyThatAnOptionDeclares(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := discover.Limits{Min: int64(rapid.IntRange(0, 4).Draw(t, "min"))}
		if rapid.Bool().Draw(t, "has a maximum") {
			limits.Max = max(1, limits.Min) + int64(rapid.IntRange(0, 4).Draw(t, "more"))
		}
		offers := shop(t)
		for i := range offers {
			offers[i].Option.Limits, offers[i].Option.Least = limits, limits.Min
		}
		offers = slices.DeleteFunc(offers, func(o discover.Offer) bool { return *o.Slot.Vacancies < limits.Min })
		for _, c := range plan.Cover(offers, 12) {
			if guests := c.Guests(); guests < limits.Min || limits.Max > 0 && guests > limits.Max || guests > *c.Offer.Slot.Vacancies {
				t.Fatalf("%d guests, with the limits %+v: %s", guests, limits, &c)
			}
		}
	})
}

func TestTheSameOffersGiveTheSameCases(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		offers := shop(t)
		if first, again := words(plan.Cover(offers, 16)), words(plan.Cover(offers, 16)); !slices.Equal(first, again) {
			t.Fatalf("first %q, then %q", first, again)
		}
	})
}

func words(cases []plan.Case) (all []string) {
	for _, c := range cases {
		all = append(all, c.String())
	}
	return all
}

func TestPairsOfAllDimensionsAreCoveredInASmallShop(t *testing.T) {
	t.Parallel()
	left, begin := int64(10), time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	var offers []discover.Offer
	for _, id := range []string{"walk", "boat"} {
		for s := range 3 {
			at := begin.Add(time.Duration(s) * time.Hour)
			offers = append(offers, discover.Offer{
				Product: discover.Product{ID: id, Zone: time.UTC},
				Option:  discover.Option{ID: "o", Units: []discover.Unit{{ID: "unit-adult", Type: partnerapi.Adult}, {ID: "unit-child", Type: partnerapi.Child}}},
				Slot:    discover.Slot{ID: fmt.Sprint(s), Start: at, StartText: at.Format(time.RFC3339), Status: partnerapi.StatusAvailable, Vacancies: &left},
			})
		}
	}
	seen := map[string]bool{}
	for _, c := range plan.Cover(offers, plan.Thorough.Cases()) {
		for a, as := range c.Values() {
			for b, bs := range c.Values() {
				for _, x := range as {
					for _, y := range bs {
						seen[fmt.Sprint(a, x, b, y)] = true
					}
				}
			}
		}
	}
	for _, product := range []string{"walk", "boat"} {
		for _, order := range []plan.BetweenCalls{plan.Nothing, plan.SameSlot, plan.CatalogPull, plan.WholeWindow} {
			for _, other := range []struct {
				dimension plan.Dimension
				value     string
			}{{plan.Product, product}, {plan.Quantity, "1"}, {plan.Quantity, "2"}, {plan.Quantity, "3"}, {plan.Party, "2"}, {plan.Connection, "fresh"}, {plan.Body, partner.BareBody.String()}} {
				if !seen[fmt.Sprint(plan.Order, order, other.dimension, other.value)] {
					t.Errorf("no case has %s %q with %s %q", plan.Order, order, other.dimension, other.value)
				}
			}
		}
	}
}

func TestSimplerCasesAndPartsOfOneAreSmaller(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		for _, c := range plan.Cover(shop(t), 10) {
			for _, simpler := range c.SimplerCases() {
				if simpler.Guests() < 1 || simpler.Guests() > c.Guests() || simpler.String() == c.String() {
					t.Fatalf("%s is not simpler than %s", &simpler, &c)
				}
				if simpler.HoldOnly != c.HoldOnly { // else other calls lie between its calls
					t.Fatalf("%s has a booking in place of a hold alone, or the reverse", &simpler)
				}
			}
			for _, part := range c.Parts() {
				if !part.IsSmall() {
					t.Fatalf("%s is not small", &part)
				}
			}
		}
	})
}

func TestOnlyASmallPartyWithAnAdultMayNotBeRefused(t *testing.T) {
	t.Parallel()
	option := discover.Option{Units: []discover.Unit{
		{ID: "unit-adult", Type: partnerapi.Adult}, {ID: "unit-child", Type: partnerapi.Child},
		{ID: "unit-senior", Type: partnerapi.Senior}, {ID: "student-card", Type: partnerapi.Student},
	}}
	for units, small := range map[string]bool{
		"unit-adult": true, "unit-adult unit-child": true, "unit-adult student-card": true,
		"unit-child": false, "unit-senior": false, "student-card": false, "student-card unit-senior": false,
		"unit-adult unit-child unit-senior": false, // three guests
	} {
		var party []partnerapi.UnitQuantity
		for id := range strings.FieldsSeq(units) {
			party = append(party, partnerapi.UnitQuantity{ID: id, Quantity: 1})
		}
		c := plan.Case{Offer: discover.Offer{Option: option}, Units: party}
		if c.IsSmall() != small {
			t.Errorf("1 each of %s: expected small %t, received %t", units, small, !small)
		}
	}
}

func TestDepthsAreReadByTheirNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]plan.Depth{"": plan.Standard, "quick": plan.Quick, "standard": plan.Standard, "thorough": plan.Thorough} {
		if got, err := plan.ParseDepth(text); err != nil || got != want {
			t.Errorf("%q: want %s, got %s, %v", text, want, got, err)
		}
	}
	if _, err := plan.ParseDepth("deep"); err == nil {
		t.Error("want an error for an unknown depth")
	}
	if cases := plan.Cover(nil, 10); len(cases) != 0 || plan.Quick.Cases() != 0 {
		t.Errorf("want no case where nothing can be booked or at quick depth, got %d", len(cases))
	}
}

func TestFewCasesShowPartiesOfAllKinds(t *testing.T) {
	t.Parallel()
	party := func(number int, quantities ...int) plan.Case {
		c := plan.Case{Number: number}
		for _, quantity := range quantities {
			c.Units = append(c.Units, partnerapi.UnitQuantity{Quantity: quantity})
		}
		return c
	}
	var order []int
	for _, c := range plan.ByParty([]plan.Case{party(1, 1), party(2, 1), party(3, 3), party(4, 2), party(5, 7), party(6, 1, 1), party(7, 2, 2), party(8, 1, 2), party(9, 1, 1, 1)}) {
		order = append(order, c.Number)
	}
	if want := []int{1, 3, 4, 6, 7, 9, 2, 5, 8}; !slices.Equal(order, want) {
		t.Errorf("expected the cases in the order %v, received %v", want, order)
	}
}
