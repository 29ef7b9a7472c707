package schedules

import (
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestRandomSchedulesBreakNoInvariant plays random schedules with far more deviations than can
// be explored exhaustively: on two or three replicas, one of which may be killed, with
// clocks that differ.
func TestRandomSchedulesBreakNoInvariant(t *testing.T) {
	t.Parallel()
	rounds := 1
	if os.Getenv("SCHEDULES") != "" {
		rounds = 200
	}
	for range rounds {
		rapid.Check(t, func(rt *rapid.T) {
			reported := rapid.SampledFrom(workloads).Draw(rt, "workload")
			in := setting{replicas: rapid.IntRange(2, 3).Draw(rt, "replicas"), palette: full}
			in.skew = rapid.SampledFrom([]time.Duration{0, 3 * time.Minute, -3 * time.Minute}).Draw(rt, "clock of B")
			in.phase = time.Duration(rapid.IntRange(0, 29).Draw(rt, "begins after")) * time.Second
			draws := rapid.SliceOfN(rapid.IntRange(0, 60), 0, 80).Draw(rt, "deviations")
			w := play(t, reported, in, func(_ string, options []deviation) deviation {
				if len(draws) == 0 {
					return well
				}
				n := draws[0] - 1
				draws = draws[1:]
				if n < 0 || n >= len(options) {
					return well
				}
				return options[n]
			})
			if len(w.broken) > 0 {
				rt.Fatalf("%s, with %d replicas, the clock of B ahead by %s:\n%s", reported.name, in.replicas, in.skew, w.listing())
			}
		})
	}
}

func TestAScheduleAlwaysPlaysTheSame(t *testing.T) {
	t.Parallel()
	in := setting{replicas: 3, palette: full}
	for _, s := range workloads {
		base := play(t, s, in, schedule{}.plan)
		for i := 0; i < len(base.trace); i += 3 {
			for _, d := range base.trace[i].options {
				plan := schedule{base.trace[i].key: d}
				first, second := play(t, s, in, plan.plan), play(t, s, in, plan.plan)
				if first.listing() != second.listing() || !slices.Equal(first.broken, second.broken) {
					t.Fatalf("%s: want the same, got\n%s\nand\n%s", s.name, first.listing(), second.listing())
				}
			}
		}
	}
}
