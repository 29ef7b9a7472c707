package judge

import (
	"context"
	"slices"
	"testing"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/scenario"
)

// named is a scenario that returns its name.
func named(name string) Plays[string] {
	return single(func(context.Context, *scenario.Player, int) string { return name })
}

func TestScenariosOfAStepArePlayedInOrder(t *testing.T) {
	t.Parallel()
	options := perOption(
		func(context.Context, *scenario.Player) []string { return []string{"first", "late", "second"} },
		func(_ context.Context, _ *scenario.Player, key string, _ int) *string {
			if key == "late" {
				return nil
			}
			return &key
		})
	numbers := perNumber(
		func(context.Context, *scenario.Player) int { return 2 },
		func(_ context.Context, _ *scenario.Player, number int) string { return []string{"0", "1"}[number] })
	for name, test := range map[string]struct {
		plays Plays[string]
		want  []string
	}{
		"one after another":                {join(named("a"), named("b"), named("c")), []string{"a", "b", "c"}},
		"one of each in turn":              {alternate(join(named("a"), named("b")), join(named("x"), named("y"))), []string{"a", "x", "b", "y"}},
		"an option that there is time for": {eachShowing(options, func(key *string) string { return *key }), []string{"first", "second"}},
		"options by number":                {numbers, []string{"0", "1"}},
	} {
		var got []string
		for _, play := range test.plays(t.Context(), nil) {
			if shown, played := play(t.Context(), nil, 0); played {
				got = append(got, shown)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: want %q, got %q", name, test.want, got)
		}
	}
}

func TestWhatIsJudgedKeepsWhatItWasPlayedOn(t *testing.T) {
	t.Parallel()
	opening := scenario.Opening{Offer: discover.Offer{Slot: discover.Slot{ID: "s-1"}, Option: discover.Option{Units: []discover.Unit{{ID: "adult", Type: "ADULT"}}}}}
	kept := func(context.Context, *scenario.Player, int) *scenario.Kept { return &scenario.Kept{Opening: opening} }
	once, _ := judgeOnce(kept, func(*scenario.Kept) Finding { return Breach("wrong") }).Plays(t.Context(), nil)[0](t.Context(), nil, 0)
	try, _ := weighTries(kept, func(*scenario.Kept) Try { return Try{Flaw: "wrong"} }).Plays(t.Context(), nil)[0](t.Context(), nil, 0)
	for name, seen := range map[string]Seen{"judged": once.Seen, "weighed": try.Seen, "the breach that a try shows": try.Finding().Seen} {
		if seen.On == nil || seen.On.Offer.Slot.ID != "s-1" {
			t.Errorf("%s: want the case of the lifecycle, got %+v", name, seen.On)
		}
	}
	if once.Message != "wrong" {
		t.Errorf("want the finding, got %q", once.Message)
	}
}
