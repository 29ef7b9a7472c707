package suite

import (
	"fmt"
	"math"
	"time"

	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/report"
)

// Estimate is how long a run takes at a partner's answer times, and how much of its plan that is.
type Estimate struct {
	Seconds     int     `json:"seconds"`
	Share       float64 `json:"share"`        // of the calls of the plan, at most 1
	CallMS      int     `json:"call_ms"`      // mean answer time
	MaxDuration string  `json:"max_duration"` // the --max-duration that is enough for the complete plan
}

// String describes the estimate in a line.
func (e Estimate) String() string {
	if e.Share < 1 {
		return fmt.Sprintf("about %d s, %.0f %% of the plan at %d ms a call; --max-duration %s plays all", e.Seconds, 100*e.Share, e.CallMS, e.MaxDuration)
	}
	return fmt.Sprintf("about %d s at %d ms a call", e.Seconds, e.CallMS)
}

// usualReads is the usual number of calls of a run that holds and books nothing.
const usualReads = 900

func (c Config) usualCalls() int {
	calls := plan.Depth(c.Depth).UsualCalls().Calls
	if c.Bounds.ReadOnly {
		calls = min(calls, usualReads)
	}
	return calls
}

// usedShare is the share of its time that a run uses whose plan takes longer. The rest is for what it must not leave out.
const usedShare = 0.82

// callShare is a run's duration at a slow partner that plays one story after another, divided by its number of calls and
// their mean answer time. A race makes several calls at the same time.
var callShare = map[plan.Depth]float64{plan.Quick: 0.72, plan.Standard: 0.9, plan.Thorough: 0.9}

// Where the plan does not fit otherwise, stories are played at the same time. Then these shares of the calls are made before
// them, and in them, about so many at the same time. They end after a share of the run's time, so that the races have some.
const (
	callsBefore, callsInStories = 0.04, 0.56
	callsAtOnce                 = 7
	storiesEnd                  = 0.52
)

// estimate returns how long a run takes with the mean answer time of these calls. It returns false without calls, and if
// the user has selected rules, whose number of calls is unknown.
func (c Config) estimate(calls []*report.Exchange) (Estimate, bool) {
	var sum, n time.Duration
	for _, x := range calls {
		if x.Failure == nil {
			sum, n = sum+x.Duration, n+1
		}
	}
	if n == 0 || c.Rules != nil || c.LabelFilter != "" {
		return Estimate{}, false
	}
	call := sum / n
	if c.Bounds.MaxRPS > 0 {
		call = max(call, time.Second/time.Duration(c.Bounds.MaxRPS))
	}
	alone, used := float64(c.usualCalls())*call.Seconds(), usedShare*c.MaxDuration.Seconds()
	whole := callShare[plan.Depth(c.Depth)] * alone
	share := min(1, used/whole)
	if share < 1 && c.Depth != string(plan.Quick) && !c.NoRaces && !c.Bounds.ReadOnly {
		before, stories := callsBefore*alone, callsInStories*alone/callsAtOnce
		rest := whole * (1 - callsBefore - callsInStories)
		before = min(before, used)
		played := max(0, min(stories, storiesEnd*c.MaxDuration.Seconds()-before))
		share = before/alone + callsInStories*played/stories + (1-callsBefore-callsInStories)*min(1, (used-before-played)/rest)
		whole = callsBefore*alone + stories + rest
	}
	return Estimate{
		Seconds: int(math.Ceil(min(whole, used))), Share: min(1, share), CallMS: int(call.Milliseconds()),
		MaxDuration: fmt.Sprintf("%.0fm", math.Ceil(whole/usedShare/60)),
	}, true
}

// announceEstimate tells how long the run will take, as soon as the catalog and the slots were read.
func (r *run) announceEstimate() {
	survey := r.player.LastSurvey()
	if r.estimated || survey == nil || survey.Stop != nil {
		return
	}
	r.estimated = true
	if e, known := r.config.estimate(r.client.Exchanges()); known {
		r.config.Estimating(e)
	}
}
