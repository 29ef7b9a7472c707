package scenario

import (
	"context"
	"sync/atomic"
	"time"
)

// Time is what the run may take. What it waits for holds to expire comes on top.
type Time struct {
	most     time.Duration
	started  time.Time
	deadline time.Time
	waited   time.Duration
	halt     context.Context // ends when the run is asked to end
	stopped  atomic.Bool     // the run was asked to end
	ranOut   atomic.Bool
}

// NewTime begins the time of a run, which ends early with halt.
func NewTime(halt context.Context, most time.Duration) *Time {
	now := time.Now()
	return &Time{most: most, started: now, deadline: now.Add(most), halt: halt}
}

// Started is when the run began.
func (t *Time) Started() time.Time { return t.started }

// Within returns a context that ends with ctx, at the run's deadline, and when
// the run is asked to end.
func (t *Time) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithDeadline(ctx, t.deadline)
	stop := context.AfterFunc(t.halt, cancel)
	return ctx, func() { stop(); cancel() }
}

// Interrupt enters that the user, or a signal, asked the run to end.
func (t *Time) Interrupt() { t.stopped.Store(true) }

// Interrupted reports whether the run was asked to end.
func (t *Time) Interrupted() bool { return t.stopped.Load() }

// RanOut reports whether the run's time was used up before it was done.
func (t *Time) RanOut() bool { return t.ranOut.Load() }

// Spent is how much of the run's time is gone, from 0 to 1.
func (t *Time) Spent() float64 {
	return float64(time.Since(t.started)-t.waited) / float64(t.most)
}

// extraShare of the run's time may be gone before a further visit, or round of a race.
const extraShare = 0.5

// LateForMore reports whether too much of the run's time is gone for what a rule
// can be judged without.
func (t *Time) LateForMore() bool { return t.Spent() > extraShare }

// out is the stop of a scenario whose context has ended.
func (t *Time) out() *Stop {
	if t.Interrupted() || time.Now().Before(t.deadline) {
		return Missing("the run was interrupted")
	}
	t.ranOut.Store(true)
	return Missing("the run's time, %s, was used up (--max-duration)", t.most)
}

// lengthen gives the run the time back that it has waited.
func (t *Time) lengthen(waited time.Duration) {
	t.waited += waited
	t.deadline = t.deadline.Add(waited)
}

// sleep waits until then, and gives the run so much more time. It reports whether
// there was anything to wait for, and the run goes on.
func (t *Time) sleep(ctx context.Context, until time.Time) bool {
	began := time.Now()
	if !began.Before(until) {
		return false
	}
	timer := time.NewTimer(until.Sub(began))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-t.halt.Done():
	}
	t.lengthen(time.Since(began))
	return ctx.Err() == nil && t.halt.Err() == nil
}

// wait lets time pass, as far as there is some.
func wait(ctx context.Context, d time.Duration) {
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
