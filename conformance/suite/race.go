package suite

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
)

const (
	// mostCallers is how many calls a race has under way at once; the marketplace
	// itself makes up to eight.
	mostCallers = 8
	// cleanRounds is how often a race is run before the partner is believed: two
	// calls do not meet every time.
	cleanRounds = 3
)

// race judges a race by its rounds.
func (c *check) race(ctx context.Context, run func(attempt int) try) {
	c.past(c.weigh(ctx, cleanRounds, run))
}

// atOnce makes calls at the same time and returns what came of them, in their
// order.
func atOnce[T any](calls ...func() T) []T {
	answers := make([]T, len(calls))
	start := make(chan struct{})
	var running sync.WaitGroup
	for i, call := range calls {
		running.Go(func() {
			<-start
			answers[i] = call()
		})
	}
	close(start)
	running.Wait()
	return answers
}

// racing returns a call of a race. Its time is not judged: a partner that serves
// one caller after another is slow for the last, and lawful.
func (s *session) racing(ctx context.Context, limit rule.Rule, call probe.Call) func() *probe.Answer {
	return func() *probe.Answer { return s.client.Do(ctx, s.timed(limit, call)) }
}

// callers is how many calls may be under way at once, so that a partner that
// serves one after another can answer them all within the limit.
func (s *session) callers() int64 {
	most := int64(mostCallers)
	for _, limit := range []rule.Rule{rule.AvailabilityLimit, rule.ReserveLimit} {
		pace := s.paces[limit.ID]
		if times := pace.times(); len(times) > 0 {
			most = min(most, int64(pace.limit/max(1, slices.Max(times))))
		}
	}
	return max(most, 2)
}

// mayRace returns why no race can be run now: a limit of its calls is broken, or
// the run has to end.
func (s *session) mayRace(ctx context.Context, limits ...rule.Rule) *obstacle {
	for _, limit := range limits {
		if broken := s.paces[limit.ID].broken(); broken != nil {
			return broken
		}
	}
	if ctx.Err() != nil {
		return s.outOfTime()
	}
	return nil
}

// answeredAll returns the obstacle of a race in which a call was not answered in
// time: nobody knows what came of it.
func answeredAll(answers []*probe.Answer) *obstacle {
	for _, answer := range answers {
		if answer.Failure != nil && (answer.Failure.Kind == probe.Timeout || answer.Failure.Kind == probe.Stopped) {
			return notHere("of %d calls at the same time %s was not answered in time", len(answers), answer.Endpoint)
		}
	}
	return nil
}

// isBusy reports whether a call was refused for being one of many: a partner may
// protect itself, and such a call takes nothing.
func isBusy(answer *probe.Answer) bool { return answer.OK(http.StatusTooManyRequests) }

// turnedAway counts the calls that were refused so.
func turnedAway(answers []*probe.Answer) (n int64) {
	for _, answer := range answers {
		if isBusy(answer) {
			n++
		}
	}
	return n
}

// metAll returns the obstacle of a race in which a call was turned away.
func metAll(answers []*probe.Answer) *obstacle {
	if n := turnedAway(answers); n > 0 {
		return tooFewMet(n, len(answers))
	}
	return nil
}

func tooFewMet(away int64, of int) *obstacle {
	return notHere("of %d calls at the same time the partner turned %d away with 429: too few of them met", of, away)
}

// settled counts a slot's seats, and again by so many callers at once, which also
// have their connections open then. It is not calm where the counts differ: other
// customers are at work.
func (s *session) settled(ctx context.Context, offer discover.Offer, when string, callers int64) (read *reading, calm bool, o *obstacle) {
	if read, o = s.seats(ctx, offer, when); o != nil {
		return nil, false, o
	}
	question := questionAbout(offer)
	call := availabilityCall("seats left "+when, question.product, question.option, question.window, probe.GoodKey)
	seen := read
	for _, answer := range atOnce(slices.Repeat([]func() *probe.Answer{s.racing(ctx, rule.AvailabilityLimit, call)}, int(callers))...) {
		if o := answeredAll([]*probe.Answer{answer}); o != nil {
			return nil, false, o
		}
		if isBusy(answer) {
			continue
		}
		question.answer = answer
		again, o := s.readSeats(ctx, offer, when, question)
		if o != nil {
			return nil, false, o
		}
		if seen == read || again.Seats != read.Seats {
			seen = again
		}
	}
	return read, s.unmoved(read, seen), nil
}
