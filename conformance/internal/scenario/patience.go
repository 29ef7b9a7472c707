package scenario

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"partnerkit.dev/conformance/internal/probe"
)

const (
	// waitingShare is the share of the run's time that is spent on waiting for a partner that
	// turns calls away with 429.
	waitingShare = 3
	// A partner that does not say how long to wait is given these times, doubling, and in a row
	// no more than so many of them.
	shortestWait, longestBackoff, mostBackoffs = 250 * time.Millisecond, 4 * time.Second, 8
)

// patience is how long the run still waits for a partner that turns calls away (P23).
type patience struct {
	mu     sync.Mutex
	spent  time.Duration
	until  time.Time // no call is sent before
	row    int       // waits in a row, of which none helped
	ending bool      // waiting did not help, until a call is served again
}

// served enters that the partner served a call.
func (p *patience) served() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.row, p.ending = 0, false
}

func (p *patience) waited() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.spent
}

// next returns until when to wait before the call is sent again; false where that is longer
// than there is time for. Calls that were turned away together wait together.
func (p *patience) next(asked time.Duration, told bool, most time.Duration) (until time.Time, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.until.After(now) {
		return p.until, true
	}
	if !told {
		asked = min(shortestWait<<min(p.row, mostBackoffs), longestBackoff)
	}
	asked = max(asked, shortestWait) // an immediate retry did not help
	if p.ending || p.spent+asked > most || !told && p.row == mostBackoffs {
		p.ending = true
		return time.Time{}, false
	}
	p.row++
	p.spent += asked
	p.until = now.Add(asked)
	return p.until, true
}

// turnedAway waits as long as the partner asks for, within bounds. The stop says that it would
// be too long: a call that was never served shows nothing.
func (c *caller) turnedAway(ctx context.Context, answer *probe.Answer) *Stop {
	asked, told := retryAfter(answer)
	until, ok := c.Time.patience.next(asked, told, c.Time.mostWaiting())
	if !ok || until.After(c.Time.deadline) {
		return &Stop{
			Exchanges: []*probe.Exchange{answer.Exchange},
			Message:   "the partner turned " + string(answer.Endpoint) + " away with 429 Too Many Requests for longer than the run can wait (--max-rps limits the calls a second)",
		}
	}
	wait(ctx, time.Until(until))
	return nil
}

// retryAfter is how long a partner asks to wait: seconds, or a date by its own clock.
func retryAfter(answer *probe.Answer) (d time.Duration, told bool) {
	header := answer.Response.Header
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return max(0, at.Sub(now)), true
}
