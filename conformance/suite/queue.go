package suite

import (
	"context"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/schemas/partnerapi"
)

// judgeCases judges each rule on each case of the plan: products, options, slots, parties, orders of
// calls and connections that no rule needs by itself. A broken rule is not judged again. A case
// yields at most one breach, because a second may have the same cause.
func (r *run) judgeCases(ctx context.Context) {
	r.player.Time.Begin(partner.Cases)
	var cases []plan.Case
	if r.judgesStories() {
		cases = scenario.PlayCases(ctx, r.player)
	}
	r.coverage.coverable = plan.CountValues(r.bookableOffers(), r.player.Depth.Repeats())
	q := &caseQueue{run: r, busy: map[string]bool{}}
	for i := range cases {
		q.left = append(q.left, &cases[i])
	}
	q.judgeAll(ctx)
	if left := len(q.left); r.noMoreCases(ctx) {
		r.casesLeft = left
	} else {
		r.casesWithoutHolds = left
	}
	r.judgeRecord(ctx)
}

// caseQueue judges the cases of the plan: one after the other if there is time for that, and otherwise several at the same
// time, in different slots. What seems to be broken then is judged again, alone: other stories may have caused it, where
// slots share their seats.
type caseQueue struct {
	*run
	left     []*plan.Case
	busy     map[string]bool // slots that stories are played in, by offer key
	doubtful []*plan.Case
	apart    bool // stories disturb each other

	began  time.Time
	judged int
}

func (q *caseQueue) judgeAll(ctx context.Context) {
	for len(q.left) > 0 && !q.isOver(ctx) {
		q.began, q.judged = time.Now(), 0
		n := q.player.StoriesAtOnce()
		if q.apart {
			n = 1
		}
		q.player.Calls.Interleave(n, func() func() { return q.next(ctx, n) })
		q.judgeDoubtful(ctx)
	}
}

// isOver reports whether no further case begins.
func (q *caseQueue) isOver(ctx context.Context) bool {
	return q.noMoreCases(ctx) || !q.player.Account.Plenty(scenario.CaseShare, (1+len(q.busy))*scenario.HoldsOfACase)
}

// mostDoubtful is the number of doubtful cases after which they are judged before others.
const mostDoubtful = 2

// next returns the story of the next case, of n at the same time; nil if none can begin.
func (q *caseQueue) next(ctx context.Context, n int) func() {
	i := slices.IndexFunc(q.left, func(c *plan.Case) bool { return !q.busy[c.Offer.Key()] })
	if i < 0 || q.isOver(ctx) || len(q.doubtful) >= mostDoubtful {
		return nil
	}
	on := q.left[i]
	if q.hurries(n) {
		on.Brief, on.Between, on.HoldOnly = true, plan.Nothing, on.Number%2 == 0
		q.casesBrief++
	}
	q.left = slices.Delete(q.left, i, i+1)
	return func() {
		slot := on.Offer.Key()
		q.busy[slot] = true
		defer delete(q.busy, slot)
		if q.judgeCase(ctx, on) == caseDoubtful {
			q.doubtful = append(q.doubtful, on)
		}
		q.judged++
	}
}

// judgeDoubtful judges the doubtful cases alone. Stories disturb each other if one of these is not broken.
func (q *caseQueue) judgeDoubtful(ctx context.Context) {
	for _, on := range q.doubtful {
		if ctx.Err() == nil && q.announcer.stoppingRule() == nil {
			q.apart = q.judgeCase(ctx, on) == caseHeld || q.apart
		}
	}
	q.doubtful = nil
}

// callsOfACase is approximately the number of calls of a case.
const callsOfACase = 30

// hurries reports whether there is not enough time to play the cases that are left whole, n at the same time.
func (q *caseQueue) hurries(n int) bool {
	if q.player.Calls.Sparing {
		return false
	}
	each := callsOfACase * q.player.Calls.Usual(partnerapi.Endpoints()...) / time.Duration(n)
	if q.judged >= n && n > 1 { // a partner may serve one call after another
		each = time.Since(q.began) / time.Duration(q.judged)
	}
	return time.Duration(q.player.Time.LeftShare()*float64(q.player.Time.MaxDuration())) < time.Duration(len(q.left))*each
}
