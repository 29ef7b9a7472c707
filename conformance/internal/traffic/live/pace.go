package live

import (
	"runtime"
	"time"
)

const (
	// share is the share of processor time that judging may use in the long run. The rest is for
	// the traffic, even on a machine without spare time.
	share = 0.0625
	// burst is how much processor time judging may use without a rest.
	burst = 250 * time.Millisecond
)

// pace limits the processor time of judging. Use newPace.
type pace struct {
	left  time.Duration // may be used; below 0: too much was used
	since time.Time
	rate  float64
}

func newPace() *pace {
	return &pace{left: burst, since: time.Now(), rate: share * float64(runtime.GOMAXPROCS(0))}
}

// recordWork records a period of judging. It returns how long judging must rest.
func (p *pace) recordWork(from, now time.Time) time.Duration {
	p.left += time.Duration(float64(now.Sub(p.since)) * p.rate)
	p.left, p.since = min(p.left, burst)-now.Sub(from), now
	if p.left >= 0 {
		return 0
	}
	return time.Duration(float64(-p.left) / p.rate)
}

// rest waits as long as the work since from requires, or until stop is closed.
func (p *pace) rest(from time.Time, stop <-chan struct{}) {
	d := p.recordWork(from, time.Now())
	if d == 0 {
		runtime.Gosched() // traffic has priority
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-stop:
	}
}
