package fault

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/internal/platform"
)

func TestDelaysAreAsLongAsTheySay(t *testing.T) {
	t.Parallel()
	ms := func(n int) platform.Duration { return platform.Duration(time.Duration(n) * time.Millisecond) }
	fixed := ms(5)
	type bounds struct{ low, median, high time.Duration }
	for name, c := range map[string]struct {
		delay Delay
		want  bounds
	}{
		"fixed":      {Delay{Fixed: &fixed}, bounds{5 * time.Millisecond, 5 * time.Millisecond, 5 * time.Millisecond}},
		"uniform":    {Delay{Uniform: &Uniform{ms(10), ms(20)}}, bounds{10 * time.Millisecond, 15 * time.Millisecond, 20 * time.Millisecond}},
		"lognormal":  {Delay{Lognormal: &Lognormal{ms(100), 0.5}}, bounds{10 * time.Millisecond, 100 * time.Millisecond, time.Second}},
		"just-over":  {Delay{JustOver: "reserve"}, bounds{5250 * time.Millisecond, 5250 * time.Millisecond, 5250 * time.Millisecond}},
		"just-under": {Delay{JustUnder: "availability"}, bounds{19750 * time.Millisecond, 19750 * time.Millisecond, 19750 * time.Millisecond}},
	} {
		ready, err := c.delay.compile()
		if err != nil {
			t.Fatal(err)
		}
		var waits []time.Duration
		for i := range 1001 {
			waits = append(waits, ready.(waiter).wait(rand.New(rand.NewPCG(1, uint64(i))), 1))
		}
		slices.Sort(waits)
		median := waits[len(waits)/2]
		if waits[0] < c.want.low || waits[len(waits)-1] > c.want.high || (median-c.want.median).Abs() > c.want.median/10 {
			t.Errorf("%s: want %v, got from %s over %s to %s", name, c.want, waits[0], median, waits[len(waits)-1])
		}
	}
}

func TestEveryLimitHasItsValue(t *testing.T) {
	t.Parallel()
	want := map[string]int{
		"probe": 5, "sync": 15, "availability": 20, "availability-aim": 15, "reserve": 5, "reserve-degraded": 10,
		"confirm": 5, "confirm-degraded": 10, "release": 10, "cancel": 10,
	}
	if fmt.Sprint(len(limits())) != fmt.Sprint(len(want)) {
		t.Errorf("want %d limits, got %v", len(want), limitNames())
	}
	for name, seconds := range want {
		if limits()[name] != time.Duration(seconds)*time.Second {
			t.Errorf("%s: want %ds, got %s", name, seconds, limits()[name])
		}
	}
}
