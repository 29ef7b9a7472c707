package live

import (
	"runtime"
	"time"
)

const (
	// share is how much of the processors' time judging may use in the long run: the rest is
	// the traffic's, also on a machine that has no time to spare.
	share = 0.0625
	// burst is how much processor time judging may use without a rest.
	burst = 250 * time.Millisecond
)

// pace bounds how much processor time judging uses. Use newPace.
type pace struct {
	left  time.Duration // may be used; below 0: was used too much
	since time.Time
	rate  float64
}

func newPace() *pace {
	return &pace{left: burst, since: time.Now(), rate: share * float64(runtime.GOMAXPROCS(0))}
}

// worked tells that judging worked from a time until now, and returns for how long it is to rest.
func (p *pace) worked(from, now time.Time) time.Duration {
	p.left += time.Duration(float64(now.Sub(p.since)) * p.rate)
	p.left, p.since = min(p.left, burst)-now.Sub(from), now
	if p.left >= 0 {
		return 0
	}
	return time.Duration(float64(-p.left) / p.rate)
}

// rest waits for as long as what was done since a time makes due, or until Stop is called.
func (w *Watcher) rest(from time.Time) {
	d := w.pace.worked(from, time.Now())
	if d == 0 {
		runtime.Gosched() // traffic goes first
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.stop:
	}
}
