package explore_test

import (
	"slices"
	"testing"

	"partnerkit.dev/conformance/internal/explore"
	"partnerkit.dev/conformance/internal/model"
)

var everything = explore.Material{Slots: 3, Parties: 6, Books: true, Waits: true}

// lostAfterCancel plays lifecycles at a partner with one defect: a hold
// of a slot of which a booking was cancelled does not give its seats back.
func lostAfterCancel(_ uint64, lifecycle explore.Lifecycle) (explore.Verdict, int) {
	type hold struct {
		slot            int
		booked, settled bool
	}
	var holds []hold
	cancelled := map[int]bool{}
	for i, step := range lifecycle {
		switch step.Does {
		case model.Reserve:
			holds = append(holds, hold{slot: step.Slot})
		case model.Confirm:
			if h := &holds[step.Hold]; !h.settled {
				h.booked, h.settled = true, true
			}
		case model.Cancel:
			if h := &holds[step.Hold]; h.booked {
				h.booked, cancelled[h.slot] = false, true
			}
		case model.Release:
			if h := &holds[step.Hold]; !h.settled && cancelled[h.slot] {
				return explore.Broke, i + 1
			} else {
				h.settled = true
			}
		}
	}
	return explore.Held, 0
}

func TestAFailingLifecycleIsReducedToTheStepsThatItNeeds(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 1000} {
		played, found := explore.Search(everything, 200, seed, lostAfterCancel)
		if found == nil {
			t.Errorf("seed %d: want a lifecycle that breaks among %d", seed, played)
			continue
		}
		if len(found.Shortest) != 5 || len(found.First) <= len(found.Shortest) {
			t.Errorf("seed %d: want the 5 steps that it takes, got %+v of %d steps", seed, found.Shortest, len(found.First))
		}
		again, same := explore.Search(everything, 1, found.Seed, lostAfterCancel)
		if again != 1 || same == nil || !slices.Equal(same.First, found.First) || !slices.Equal(same.Shortest, found.Shortest) {
			t.Errorf("seed %d: want the lifecycle repeated by its own seed, got %+v", seed, same)
		}
	}
}

func TestTheSameSeedDrawsTheSameLifecycles(t *testing.T) {
	t.Parallel()
	drawn := func(seed uint64) (lifecycles []explore.Lifecycle) {
		played, found := explore.Search(everything, 20, seed, func(of uint64, lifecycle explore.Lifecycle) (explore.Verdict, int) {
			if of != seed+uint64(len(lifecycles)) {
				t.Errorf("want lifecycle %d drawn from the seed after the last, got %d", len(lifecycles), of)
			}
			lifecycles = append(lifecycles, lifecycle)
			return explore.Held, 0
		})
		if played != 20 || found != nil {
			t.Errorf("want 20 lifecycles that hold, got %d, %+v", played, found)
		}
		return lifecycles
	}
	first, second, other := drawn(7), drawn(7), drawn(70)
	if !slices.EqualFunc(first, second, slices.Equal) {
		t.Errorf("want the same lifecycles twice, got %v and %v", first, second)
	}
	if slices.EqualFunc(first, other, slices.Equal) {
		t.Errorf("want other lifecycles of another seed, got %v", other)
	}
}

func TestLifecyclesAreAboutHoldsThatWereReserved(t *testing.T) {
	t.Parallel()
	steps := map[model.Kind]int{}
	explore.Search(everything, 300, 1, func(seed uint64, lifecycle explore.Lifecycle) (explore.Verdict, int) {
		made := 0
		for i, step := range lifecycle {
			steps[step.Does]++
			switch step.Does {
			case model.Reserve:
				made++
			case model.Release, model.Confirm, model.Cancel:
				if step.Hold < 0 || step.Hold >= made {
					t.Errorf("seed %d: want step %d about one of %d holds, got %+v", seed, i, made, step)
				}
			}
			if step.Slot < 0 || step.Slot >= everything.Slots || step.Party < 0 || step.Party >= everything.Parties {
				t.Errorf("seed %d: want a slot and a party that there is, got %+v", seed, step)
			}
		}
		if len(lifecycle) == 0 || lifecycle[0].Does != model.Reserve {
			t.Errorf("seed %d: want a lifecycle that begins with a reserve, got %v", seed, lifecycle)
		}
		return explore.Held, 0
	})
	for _, does := range []model.Kind{
		model.Look, model.Reserve, model.Release, model.Confirm, model.Cancel,
		explore.ReleaseUnknown, explore.ConfirmUnknown, explore.CancelUnknown, explore.Wait,
	} {
		if steps[does] == 0 {
			t.Errorf("want %s among the steps of 300 lifecycles, got %v", does, steps)
		}
	}
}

func TestAPartnerThatNeitherBooksNorLetsHoldsExpireIsNotAskedTo(t *testing.T) {
	t.Parallel()
	explore.Search(explore.Material{Slots: 1, Parties: 1}, 100, 1, func(_ uint64, lifecycle explore.Lifecycle) (explore.Verdict, int) {
		for _, step := range lifecycle {
			switch step.Does {
			case model.Confirm, explore.ConfirmUnknown, model.Cancel, explore.CancelUnknown, explore.Wait:
				t.Errorf("want none of it, got %s", step.Does)
			}
		}
		return explore.Held, 0
	})
}

func TestNoFurtherLifecycleIsPlayedWhenItIsOver(t *testing.T) {
	t.Parallel()
	calls := 0
	played, found := explore.Search(everything, 50, 1, func(uint64, explore.Lifecycle) (explore.Verdict, int) {
		if calls++; calls == 10 {
			return explore.Over, 0
		}
		return explore.Held, 0
	})
	if played != 9 || found != nil || calls != 10 {
		t.Errorf("want 9 lifecycles played and a 10th that was not, got %d, %d calls and %+v", played, calls, found)
	}
}

func TestALifecycleThatCannotBeShortenedInTimeIsKept(t *testing.T) {
	t.Parallel()
	broke := false
	_, found := explore.Search(everything, 200, 1, func(seed uint64, lifecycle explore.Lifecycle) (explore.Verdict, int) {
		if broke {
			return explore.Over, 0
		}
		verdict, steps := lostAfterCancel(seed, lifecycle)
		broke = verdict == explore.Broke
		return verdict, steps
	})
	if found == nil || len(found.Shortest) > len(found.First) || len(found.Shortest) < 5 {
		t.Errorf("want the lifecycle as it was drawn, up to where it breaks, got %+v", found)
	}
}
