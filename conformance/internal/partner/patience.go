package partner

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"partnerkit.dev/conformance/internal/probe"
)

const (
	// waitingShare is the divisor of the run's time that gives the maximum total wait for a partner
	// that answers 429.
	waitingShare = 3
	// Without a Retry-After header, the wait starts at shortestWait and doubles up to
	// longestBackoff, at most mostBackoffs times in a row.
	shortestWait, longestBackoff, mostBackoffs = 250 * time.Millisecond, 4 * time.Second, 8
)

// patience tracks the time spent waiting for a partner that answers 429 (P23).
type patience struct {
	mu     sync.Mutex
	spent  time.Duration
	until  time.Time // no call is sent before this time
	row    int       // consecutive waits after which no call was served
	ending bool      // waiting did not help; reset when a call is served
}

// served records that the partner served a call.
func (p *patience) served() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.row, p.ending = 0, false
}

func (p *patience) totalWait() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.spent
}

// nextTry returns the time at which to send the call again. It returns false if that exceeds the time
// available. Calls that were answered 429 together wait together.
func (p *patience) nextTry(asked time.Duration, stated bool, most time.Duration) (until time.Time, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.until.After(now) {
		return p.until, true
	}
	if !stated {
		asked = min(shortestWait<<min(p.row, mostBackoffs), longestBackoff)
	}
	asked = max(asked, shortestWait) // an immediate retry did not help
	if p.ending || p.spent+asked > most || !stated && p.row == mostBackoffs {
		p.ending = true
		return time.Time{}, false
	}
	p.row++
	p.spent += asked
	p.until = now.Add(asked)
	return p.until, true
}

// retryAfter returns the wait that a partner requests: in seconds, or until a date by its own
// clock.
func retryAfter(answer *probe.Answer) (d time.Duration, stated bool) {
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

// IsBusy reports whether a call was answered 429. A partner may limit the rate of calls, and such a
// call has no effect.
func IsBusy(answer *probe.Answer) bool { return answer.HasStatus(http.StatusTooManyRequests) }
