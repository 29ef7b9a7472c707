package partner

import (
	"context"
	"slices"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	// MostCallers is the number of concurrent calls in a race. The marketplace makes up to eight.
	MostCallers = 8
	// FewCallers is the number of concurrent calls of other kinds.
	FewCallers = 4
)

// SendTogether sends the calls of a race, each on its own connection, and returns their answers. Their
// times are not judged: a partner that serves one caller after another is slow for the last one,
// which is allowed. The calls are not interrupted: an answer that is not read may contain a hold.
func (c *Caller) SendTogether(ctx context.Context, calls []probe.Call, answered func(i int, answer *probe.Answer)) []*probe.Answer {
	answers := make([]*probe.Answer, len(calls))
	for i, call := range calls {
		calls[i] = c.withDeadline(call)
	}
	c.turns.wait(func() {
		c.Client.SendTogether(context.WithoutCancel(ctx), calls, func(i int, answer *probe.Answer) {
			c.turns.take(func() {
				answers[i] = answer
				answered(i, answer)
			})
		})
	})
	return answers
}

// Callers returns the number of calls that may run concurrently, so that a partner that serves them
// one after another can answer all within the limit.
func (c *Caller) Callers() int64 {
	most := int64(MostCallers)
	for _, endpoint := range []partnerapi.Endpoint{partnerapi.Availability, partnerapi.Reserve} {
		pace := c.paces[Limit{Endpoint: endpoint}]
		if times := pace.Times(); len(times) > 0 {
			most = min(most, int64(pace.Limit/max(1, slices.Max(times))))
		}
	}
	return max(most, 2)
}

// AnsweredAll returns a stop if a call of a race was not answered in time: its effect is unknown.
func AnsweredAll(answers []*probe.Answer) *Stop {
	for _, answer := range answers {
		if answer.Failure != nil && (answer.Failure.Kind == report.Timeout || answer.Failure.Kind == report.Stopped || answer.Closed || answer.IsUnsent()) {
			return NotHere("of %d calls at the same time %s was not answered in time", len(answers), answer.Endpoint)
		}
	}
	return nil
}

// MetAll returns a stop if a call of a race was not answered in time, or if a call that had to take
// part was answered 429.
func MetAll(answers, meeting []*probe.Answer) *Stop {
	if stop := AnsweredAll(answers); stop != nil {
		return stop
	}
	if n := CountBusy(meeting); n > 0 {
		return TooFewMet(n, len(meeting))
	}
	return nil
}

// TooFewMet returns the stop of a race if that many of its calls were answered with 429.
func TooFewMet(away int64, of int) *Stop {
	return NotHere("of %d calls at the same time the partner turned %d away with 429: too few of them met", of, away)
}

// CountBusy returns how many calls were answered 429.
func CountBusy(answers []*probe.Answer) (n int64) {
	for _, answer := range answers {
		if IsBusy(answer) {
			n++
		}
	}
	return n
}
