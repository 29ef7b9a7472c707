package suite

import (
	"slices"
	"testing"
)

func TestARunIsNarrowedByEveryFlagThatLeavesSomethingOut(t *testing.T) {
	t.Parallel()
	for flag, c := range map[string]Config{
		"--rule":           {Rules: []string{"reserve.code"}},
		"--label":          {LabelFilter: "MUST"},
		"--product":        {Bounds: Bounds{Products: []string{"p"}}},
		"--option":         {Bounds: Bounds{Options: []string{"o"}}},
		"--from":           {Bounds: Bounds{From: "2026-07-01"}},
		"--to":             {Bounds: Bounds{To: "2026-07-01"}},
		"--read-only":      {Bounds: Bounds{ReadOnly: true}},
		"--max-holds 0":    {Bounds: Bounds{MaxHolds: new(0)}},
		"--max-bookings 0": {Bounds: Bounds{MaxBookings: new(0)}},
		"--no-races":       {NoRaces: true},
		"--fail-fast":      {FailFast: true},
	} {
		if got := c.withDefaults().narrowedBy(); !slices.Equal(got, []string{flag}) {
			t.Errorf("Expected the run narrowed by %s, received %v", flag, got)
		}
	}
	if got := (Config{Strict: true, Explore: 5}).withDefaults().narrowedBy(); got != nil {
		t.Errorf("Expected a run of everything to be narrowed by nothing, received %v", got)
	}
}
