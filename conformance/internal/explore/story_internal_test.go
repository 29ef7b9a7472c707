package explore

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// drawCase draws a case of a slot with few or many seats, for guests of one or two types.
func drawCase(t *rapid.T) *plan.Case {
	option := discover.Option{ID: "tour", Units: []discover.Unit{{ID: "unit-adult", Type: partnerapi.Adult}, {ID: "unit-child", Type: partnerapi.Child}}}
	slot := discover.Slot{ID: "at-nine", Status: partnerapi.StatusAvailable}
	if rapid.Bool().Draw(t, "counted") {
		seats := rapid.Int64Range(1, 9).Draw(t, "seats")
		slot.Vacancies = &seats
	}
	units := []partnerapi.UnitQuantity{{ID: "unit-adult", Quantity: rapid.IntRange(1, 3).Draw(t, "adults")}}
	if rapid.Bool().Draw(t, "mixed") {
		units = append(units, partnerapi.UnitQuantity{ID: "unit-child", Quantity: 1})
	}
	return &plan.Case{
		Number: rapid.IntRange(1, 40).Draw(t, "number"), HoldOnly: rapid.Bool().Draw(t, "hold only"), Brief: rapid.Bool().Draw(t, "brief"),
		Offer: discover.Offer{Product: discover.Product{ID: "walk"}, Option: option, Slot: slot}, Units: units,
		Body:    rapid.SampledFrom(partner.Bodies()).Draw(t, "body"),
		Between: rapid.SampledFrom([]plan.BetweenCalls{plan.Nothing, plan.SameSlot, plan.CatalogPull, plan.WholeWindow}).Draw(t, "between"),
	}
}

// callsOf returns what is called about a hold with the partner's key.
func callsOf(story Lifecycle, hold int) (calls []model.Kind) {
	for _, step := range story {
		if step.Hold == hold && step.Key == probe.GoodKey && slices.Contains([]model.Kind{model.Confirm, model.Release, model.Cancel}, step.Does) {
			calls = append(calls, step.Does)
		}
	}
	return calls
}

func TestAStoryIsAboutHoldsThatItHasMade(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		made := 0
		for i, step := range storyOf(drawCase(t), rapid.Bool().Draw(t, "books"), 3) {
			switch step.Does {
			case model.Reserve:
				made++
			case model.Look, Pull, WholeWindow:
			default:
				if step.Hold >= made {
					t.Fatalf("step %d is about hold %d of %d", i, step.Hold, made)
				}
			}
		}
	})
}

// A party that is too large, and one in a full slot, must be refused: they leave nothing to undo.
func TestAStoryUndoesWhatItMakes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		story := storyOf(c, rapid.Bool().Draw(t, "books"), 3)
		hold, full := 0, false
		for _, step := range story {
			if step.Does != model.Reserve {
				continue
			}
			refused := step.Party == tooManyGuests || full
			if calls := callsOf(story, hold); !refused && !slices.Contains(calls, model.Release) && !slices.Contains(calls, model.Cancel) {
				t.Fatalf("hold %d is not undone, only %q", hold, calls)
			}
			full = step.Party == allSeats
			hold++
		}
	})
}

func TestABookingIsConfirmedAndCancelledTwiceAndReleasedTooLate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		c.HoldOnly = false
		story := storyOf(c, true, 3)
		calls := callsOf(story, story.countReserves()-1)
		count := func(kind model.Kind) (n int) {
			for _, call := range calls {
				if call == kind {
					n++
				}
			}
			return n
		}
		if calls[0] == model.Confirm && (count(model.Confirm) < 3 || count(model.Cancel) < 2 || count(model.Release) < 2) {
			t.Fatalf("want every call repeated that a marketplace may repeat or send too late, got %q", calls)
		}
	})
}

func (s Lifecycle) countReserves() (n int) {
	for _, step := range s {
		if step.Does == model.Reserve {
			n++
		}
	}
	return n
}

func TestAnotherKeyIsTriedBeforeTheCallThatItMustNotMake(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		story := storyOf(c, rapid.Bool().Draw(t, "books"), 3)
		for i, step := range story {
			if step.Key == probe.GoodKey {
				continue
			}
			if want := probe.WrongKey; c.Number%2 == 0 && step.Key != probe.NoKey || c.Number%2 == 1 && step.Key != want {
				t.Fatalf("step %d presents %s in case %d", i, step.Key, c.Number)
			}
			later := slices.IndexFunc(story[i:], func(after Step) bool {
				return after.Does == step.Does && after.Hold == step.Hold && after.Key == probe.GoodKey
			})
			if later < 0 || !step.Blind {
				t.Fatalf("step %d, %s with %s, is not followed by the call that counts its seats", i, step.Does, step.Key)
			}
		}
	})
}

func TestABriefStoryMakesFewerCalls(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole := drawCase(t)
		whole.Brief = false
		brief := *whole
		brief.Brief, brief.Between = true, plan.Nothing
		books := rapid.Bool().Draw(t, "books")
		long, short := storyOf(whole, books, 3), storyOf(&brief, books, 3)
		if len(short) > len(long) || books && !whole.HoldOnly && len(short) >= len(long) {
			t.Fatalf("want fewer than %d steps, got %d", len(long), len(short))
		}
	})
}

func TestWhatIsBetweenTheCallsOfACase(t *testing.T) {
	t.Parallel()
	for between, want := range map[plan.BetweenCalls][]model.Kind{
		plan.Nothing:     nil,
		plan.SameSlot:    {model.Reserve, model.Release, model.Reserve, model.Release},
		plan.CatalogPull: {Pull, model.Look},
		plan.WholeWindow: {WholeWindow},
	} {
		s := &story{Case: &plan.Case{Between: between}}
		s.between()
		var got []model.Kind
		for _, step := range s.steps {
			got = append(got, step.Does)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: want %q, got %q", between, want, got)
		}
	}
}

func TestALifecycleWithoutOtherKeysStillMakesItsHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		story := storyOf(drawCase(t), true, 3)
		plain := story.withGoodKeys()
		if plain.countReserves() != story.countReserves() || plain.lastWrongKey() != "" {
			t.Fatalf("want the same holds without other keys, got %+v", plain)
		}
		if exact := story.counted(); slices.ContainsFunc(exact, func(s Step) bool { return s.Blind }) || len(exact) != len(story) {
			t.Fatalf("want the seats counted after each call, got %+v", exact)
		}
	})
}

func TestLifecyclesOfSeveralHoldsAreDifferentAndEndTheirHolds(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for n, lifecycle := range concurrentLifecycles(true) {
		text := fmt.Sprint(lifecycle)
		if seen[text] {
			t.Errorf("lifecycle %d is played twice", n)
		}
		seen[text] = true
		for hold, party := 0, 0; hold < lifecycle.countReserves(); hold++ {
			party = lifecycle.partyOf(hold)
			if calls := callsOf(lifecycle, hold); party != tooMany && len(calls) == 0 {
				t.Errorf("lifecycle %d: want hold %d ended, got %q", n, hold, calls)
			}
		}
		for _, step := range lifecycle.limitSlots(1) {
			if step.Slot != 0 {
				t.Errorf("lifecycle %d: want one slot, got step %+v", n, step)
			}
		}
	}
	for _, lifecycle := range concurrentLifecycles(false) {
		if slices.ContainsFunc(lifecycle, func(s Step) bool { return s.Does == model.Confirm || s.Does == model.Cancel }) {
			t.Errorf("want no booking at a partner that cannot cancel one, got %+v", lifecycle)
		}
	}
}

// partyOf returns the party of the hold with that number.
func (s Lifecycle) partyOf(hold int) int {
	for _, step := range s {
		if step.Does == model.Reserve {
			if hold == 0 {
				return step.Party
			}
			hold--
		}
	}
	return -1
}
