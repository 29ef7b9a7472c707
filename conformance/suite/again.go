package suite

import (
	"context"
	"slices"

	"github.com/onsi/ginkgo/v2"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
)

// describeKeeping adds the spec that makes the holds and bookings to be checked again later.
func (r *run) describeKeeping() {
	if !slices.ContainsFunc(judge.MemorySpecs(), func(s judge.Spec) bool { return r.choice.Run[s.Rule.ID] }) {
		return
	}
	ginkgo.It("Holds and bookings are made, to be checked again later", func(ctx ginkgo.SpecContext) {
		r.within(ctx, func(ctx context.Context) { scenario.KeepSome(ctx, r.player) })
	})
}

// describeAgain adds the specs that judge rules again: with further keys, codes and answers, and on
// what was made early in the run.
func (r *run) describeAgain() {
	for _, again := range []struct {
		title string
		specs []judge.Spec
		one   bool // one breach may cause the following ones
	}{
		{"Answers about the same thing agree", judge.ReadSpecs(), true},
		{"Slots that cannot be booked are refused in every option", judge.ClosedSpecs(), true},
		{"Optional fields may be left out one at a time", judge.PartialSpecs(), true},
		{"The contract holds for every form of a wrong key", judge.KeySpecs(), false},
		{"The contract holds for codes that are near a live one", judge.CodeSpecs(), true},
		{"The contract holds for holds and bookings made seconds earlier", judge.MemorySpecs(), true},
	} {
		ginkgo.It(again.title, func(ctx ginkgo.SpecContext) {
			broken := ""
			r.within(ctx, func(ctx context.Context) {
				r.player.Time.Begin(partner.Again)
				broken = r.judgeAgain(ctx, again.specs, again.one)
			})
			if broken != "" {
				ginkgo.Fail(broken)
			}
		})
	}
}

// describeTogether adds the spec that judges rules again while several holds and bookings of a slot
// are live. A breach of a rule about seats would most likely show here too.
func (r *run) describeTogether() {
	ginkgo.It("The contract holds while other holds and bookings of the slot are live", func(ctx ginkgo.SpecContext) {
		broken := ""
		r.within(ctx, func(ctx context.Context) {
			if !r.verdicts.SeatsFailed() {
				broken = r.judgeAgain(ctx, judge.TogetherSpecs(), true)
			}
		})
		if broken != "" {
			ginkgo.Fail(broken)
		}
	})
}

// judgeAgain judges the rules without a breach so far again, and returns the first breach's
// message.
func (r *run) judgeAgain(ctx context.Context, specs []judge.Spec, one bool) (first string) {
	for _, s := range specs {
		if ctx.Err() != nil || r.player.Time.LateForMore() || !r.player.Account.Plenty(scenario.AgainShare, 0) || r.announcer.stopped() != nil || first != "" && one {
			return first
		}
		// A breach would have the same cause as that of a rule that needs this one, and show less.
		if one && r.verdicts.AnyFailed(specs, func(broken judge.Spec) bool { return slices.Contains(broken.Rule.Needs, s.Rule.ID) }) {
			continue
		}
		if broken := r.declare(r.breach(ctx, r.player, s), ""); first == "" {
			first = broken
		}
	}
	return first
}
