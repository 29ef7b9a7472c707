package partner

import (
	"context"
	"sync/atomic"
	"time"
)

// Time is the time budget of the run. Time spent waiting for holds to expire is added to it.
type Time struct {
	most     time.Duration
	started  time.Time
	deadline time.Time
	waited   time.Duration
	kept     time.Duration   // wanted for the end of the run
	halt     context.Context // done when the run was asked to stop
	ranOut   atomic.Bool
	part     atomic.Int32 // the Part that the run is in
	patience patience     // with a partner that answers 429
}

// NewTime starts the time of a run. The run stops early when halt is done.
func NewTime(halt context.Context, most time.Duration) *Time {
	now := time.Now()
	return &Time{most: most, started: now, deadline: now.Add(most), halt: halt}
}

// MaxDuration returns the length of the run, without what is added to it.
func (t *Time) MaxDuration() time.Duration { return t.most }

// StartTime returns when the run started, by this machine's clock.
func (t *Time) StartTime() time.Time { return t.started }

// WithDeadline returns a context that is cancelled with ctx, at the run's deadline, or when the run is
// asked to stop.
func (t *Time) WithDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithDeadline(ctx, t.deadline)
	stop := context.AfterFunc(t.halt, cancel)
	return ctx, func() { stop(); cancel() }
}

// WasInterrupted reports whether the user, or a signal, asked the run to stop.
func (t *Time) WasInterrupted() bool { return t.halt.Err() != nil }

// RanOut reports whether the run's time was used up before the run was complete.
func (t *Time) RanOut() bool { return t.ranOut.Load() }

// Keep keeps some of the run's time for its end, altogether at most two fifths of it.
func (t *Time) Keep(wanted time.Duration) { t.kept += wanted }

// Unreserve frees time that was kept, when what it was kept for begins.
func (t *Time) Unreserve(kept time.Duration) { t.kept -= kept }

// SpentShare returns the used share of the run's time, without what is kept for its end.
func (t *Time) SpentShare() float64 {
	return float64(time.Since(t.started)-t.waited) / float64(t.most-min(t.kept, 2*t.most/5))
}

// Part is a part of a run. At a slow partner each part leaves time for the next ones, so that what is
// worth most is not left to the end.
type Part int32

// The parts of a run, in their order.
const (
	Rules Part = iota // each rule, where it is easiest to try
	Cases             // rules on the cases of the plan
	Races
	Again // rules again, and what takes time
)

// extraShares are the shares of the run's time after which, in each part, no further check, case or race
// round starts. What a rule cannot be judged without still does.
var extraShares = [...]float64{Rules: 0.3, Cases: 0.6, Races: 0.78, Again: 0.8}

// Begin records that the run is in that part.
func (t *Time) Begin(part Part) { t.part.Store(int32(part)) }

// LeftShare returns the share of the run's time that is left in this part for what its rules can be judged
// without; negative if none is.
func (t *Time) LeftShare() float64 { return extraShares[t.part.Load()] - t.SpentShare() }

// LateForMore reports whether the run must skip calls that its rules can be judged without. That is
// so after too much of its time is used up, or of its time for waiting on 429 answers.
func (t *Time) LateForMore() bool {
	waited := float64(t.patience.totalWait()) / float64(t.mostWaiting())
	return t.LeftShare() < 0 || waited > extraShares[t.part.Load()]
}

// mostWaiting returns the longest total wait for a partner that answers 429.
func (t *Time) mostWaiting() time.Duration { return t.most / waitingShare }

// StopCause returns the stop of a scenario whose context is done.
func (t *Time) StopCause() *Stop {
	if t.WasInterrupted() || time.Now().Before(t.deadline) {
		return NewStop("the run was interrupted").WithRemedy("Let the run finish.")
	}
	t.ranOut.Store(true)
	return NewStop("the run's time, %s, was used up (--max-duration)", t.most).WithRemedy("Run with a longer --max-duration.")
}

// WasTurnedAway reports whether the partner has answered 429.
func (t *Time) WasTurnedAway() bool { return t.patience.totalWait() > 0 }

// Lengthen adds time to the run that was spent waiting.
func (t *Time) Lengthen(waited time.Duration) {
	t.waited += waited
	t.deadline = t.deadline.Add(waited)
}

// HasUntil reports whether the run has time until then.
func (t *Time) HasUntil(then time.Time) bool { return then.Before(t.deadline) }

// Sleep waits until the given time and extends the run by the time waited. It reports false when
// there was nothing to wait for, or when the run must stop.
func (t *Time) Sleep(ctx context.Context, until time.Time) bool {
	began := time.Now()
	if !began.Before(until) {
		return false
	}
	within, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(t.halt, cancel)()
	defer cancel()
	Wait(within, until.Sub(began))
	t.Lengthen(time.Since(began))
	return ctx.Err() == nil && !t.WasInterrupted()
}

// Wait waits for d, or until ctx is done.
func Wait(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
