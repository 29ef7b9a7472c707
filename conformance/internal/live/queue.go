package live

import (
	"sync"
	"sync/atomic"
	"time"
)

// overdueAfter is after how long a call without an end no longer holds up the judging of those
// that began after it. No limit of the contract is nearly as long.
const overdueAfter = time.Minute

// queue holds the calls that are under way or wait to be judged, in bounded number and
// size. Nothing in it waits: what finds no room is not judged.
type queue struct {
	mostCalls int64
	mostBytes int64
	bytes     atomic.Int64
	wake      chan struct{} // of one: there is something to do

	mu          sync.Mutex
	first, last *Call          // under way, in the order of their beginnings
	overdue     map[*Call]bool // under way for too long, and about holds or bookings
	ended       []*Call
	calls       int64 // that are judged or will be
	missed      span  // of calls about holds and bookings that are not judged

	lostCalls atomic.Int64 // not judged, for want of room
	lateCalls atomic.Int64 // not judged, as they took too long
	held      atomic.Int64 // the calls, for those who only read it
}

// span is a time from one moment to another. Its zero value is empty.
type span struct{ from, to time.Time }

func (s *span) add(from, to time.Time) {
	if s.from.IsZero() || from.Before(s.from) {
		s.from = from
	}
	if to.After(s.to) {
		s.to = to
	}
}

func (q *queue) hold(n int64) bool {
	if q.bytes.Add(n) > q.mostBytes {
		q.bytes.Add(-n)
		return false
	}
	return true
}

func (q *queue) free(n int64) { q.bytes.Add(-n) }

// begin enters a call that is under way from now on.
func (q *queue) begin(c *Call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c.started = time.Now() // here, so that they are in order
	if q.calls == q.mostCalls {
		c.lost = true
	} else {
		q.calls++
		q.held.Store(q.calls)
	}
	if c.earlier = q.last; q.last != nil {
		q.last.later = c
	} else {
		q.first = c
	}
	q.last = c
}

// remove takes a call out of those that are under way.
func (q *queue) remove(c *Call) {
	if c.earlier != nil {
		c.earlier.later = c.later
	} else {
		q.first = c.later
	}
	if c.later != nil {
		c.later.earlier = c.earlier
	} else {
		q.last = c.earlier
	}
	c.earlier, c.later = nil, nil
}

// end leaves a call to be judged, where there is room for all of it.
func (q *queue) end(c *Call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.overdue {
		delete(q.overdue, c)
	} else {
		q.remove(c)
	}
	// A request of which only the beginning is there would be held against its caller.
	counted, full := !c.lost, c.lost || c.request.none || c.answer.none || c.request.large
	if !full && !c.overdue {
		q.ended = append(q.ended, c)
	} else {
		if full {
			q.lostCalls.Add(1)
		} else {
			q.lateCalls.Add(1)
		}
		if c.books() {
			q.missed.add(c.started, c.started.Add(c.took))
		}
		c.request.release()
		c.answer.release()
		c.lost = true
		if counted {
			q.calls--
			q.held.Store(q.calls)
		}
	}
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// next returns the calls that have ended since it was asked last, before when every later one
// began at the latest, and what was missed.
func (q *queue) next(now time.Time) (ended []*Call, until time.Time, missed span) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.first != nil && now.Sub(q.first.started) > overdueAfter {
		c := q.first
		q.remove(c)
		c.overdue = true
		if c.books() {
			q.overdue[c] = true
		}
	}
	for c := range q.overdue {
		q.missed.add(c.started, now)
	}
	ended, missed = q.ended, q.missed
	q.ended, q.missed = nil, span{}
	if until = now; q.first != nil {
		until = q.first.started
	}
	return ended, until, missed
}

// done takes a judged call out of the account.
func (q *queue) done(c *Call) {
	c.mu.Lock()
	c.request.release()
	c.answer.release()
	c.mu.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls--
	q.held.Store(q.calls)
}
