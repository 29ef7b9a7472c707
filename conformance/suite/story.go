package suite

import (
	"context"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/explore"
	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// story is a case of the plan that was played, and the rules that it was judged by.
type story struct {
	explore.Case
	judged map[string]bool   // the rules that judged it
	flaws  map[string]string // what is wrong by each rule, also by those that are known to be broken
	took   time.Duration
}

// play plays the story of a case, and judges it by the rules that judges selects.
func (r *run) play(ctx context.Context, on *plan.Case, judges func(rule.Rule) bool) story {
	began, all, flaws := time.Now(), map[string]bool{}, map[string]string{}
	played := explore.PlayCase(ctx, r.player, on, func() trace.Judge {
		return judge.NewLifecycle(r.given, func(of rule.Rule) bool { return !judges(of) }, func(of rule.Rule, flaw string) {
			if all[of.ID] = true; flaw != "" && flaws[of.ID] == "" {
				flaws[of.ID] = flaw
			}
		})
	})
	return story{played, all, flaws, time.Since(began)}
}

// judgesStories reports whether the run judges a rule about holds and bookings.
func (r *run) judgesStories() bool {
	return slices.ContainsFunc(rule.All(), func(of rule.Rule) bool {
		return r.choice.Run[of.ID] && slices.Contains(partnerapi.Endpoints()[2:], of.Endpoint) // not the reads
	})
}

// mayBreak reports whether a breach of a rule counts: it was chosen, it has not failed, and if it is about seats, no
// rule about seats has failed, which would be the cause.
func (r *run) mayBreak(of rule.Rule) bool {
	return r.choice.Run[of.ID] && r.verdicts.Stands(of) && !(judge.AboutSeats(of) && r.verdicts.SeatsFailed())
}

// isKnownBroken reports whether a rule is known to be broken, by what other customers cannot have caused.
func (r *run) isKnownBroken(of rule.Rule) bool {
	return r.outcome(of.ID) == judge.Weight(of) && !(judge.AboutSeats(of) && r.player.Seats.OthersSeen())
}

// noteOptions records what a story of a case shows of rules that are already known to be broken: they are not declared
// again. A story that breaks another rule does not show that they hold.
func (r *run) noteOptions(s story, on *plan.Case) {
	for id := range s.judged {
		flaw := s.flaws[id]
		if of, err := rule.Find(id); err == nil && r.isKnownBroken(of) && (flaw != "" || len(s.flaws) == 0) {
			r.options.add(id, on.Offer.OptionKey(), flaw)
		}
	}
}

// storyBreach plays the story of a case, and returns its first breach, or nil.
func (r *run) storyBreach(ctx context.Context, on *plan.Case) *breach {
	_, found := r.judgeStory(ctx, on)
	return found
}

func (r *run) judgeStory(ctx context.Context, on *plan.Case) (story, *breach) {
	s := r.play(ctx, on, r.mayBreak)
	if s.Doubtful {
		return s, nil
	}
	r.noteOptions(s, on)
	finding, of := s.finding()
	switch {
	case finding.Outcome == report.Failed && r.mayBreak(of):
		return s, &breach{Finding: finding, rule: of, took: s.took}
	case finding.Outcome == "" && len(s.flaws) == 0: // nor is a rule broken that is known to be
		for id := range s.judged {
			r.coverage.addCase(id, on)
		}
	}
	return s, nil
}

// mostShown is the maximum number of exchanges of a story that are evidence, the last ones.
const mostShown = 12

// finding returns what a story shows, and the rule that it breaks, if one is broken.
func (s story) finding() (judge.Finding, rule.Rule) {
	if s.Flaw == "" {
		f := judge.FromStop(s.Stop)
		if f.Cause != nil {
			return f, *f.Cause
		}
		return f, rule.Rule{}
	}
	of := s.Rule
	if s.Effect != "" {
		of = judge.AuthEffect(s.Effect)
	}
	f := judge.Breach("%s", s.Flaw).WithEvidence(s.Shown[max(0, len(s.Shown)-mostShown):]...)
	f.Suspects = s.Suspects
	return f, of
}
