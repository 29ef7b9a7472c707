package live

import (
	"sync"
	"sync/atomic"
	"time"

	"partnerkit.dev/internal/recording"
)

// overdueAfter is the time after which a call without an end no longer delays the judging of later
// calls. All limits of the contract are much shorter.
const overdueAfter = time.Minute

// queue keeps the calls that are in progress or wait to be judged, limited in number and size. It
// never blocks: what does not fit is not judged.
type queue struct {
	mostCalls int64
	memory    memory
	wake      chan struct{} // capacity 1: there is work

	mu          sync.Mutex
	first, last *Call          // in progress, in the order in which they started
	overdue     map[*Call]bool // in progress for too long, and about holds or bookings
	ended       []*Call
	calls       int64 // number of calls that are judged or will be
	missed      span  // time span of calls about holds and bookings that are not judged

	lostCalls atomic.Int64 // not judged because there was no room
	lateCalls atomic.Int64 // not judged because they took too long
	held      atomic.Int64 // same as calls, for readers without the lock
}

// span is a period of time. Its zero value is empty.
type span struct{ from, to time.Time }

func (s *span) add(from, to time.Time) {
	if s.from.IsZero() || from.Before(s.from) {
		s.from = from
	}
	if to.After(s.to) {
		s.to = to
	}
}

// begin adds a call that has just started.
func (q *queue) begin(c *Call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c.started = time.Now() // under the lock, to keep the order
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

// end queues a call to be judged, if there is room for all of it.
func (q *queue) end(c *Call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.overdue {
		delete(q.overdue, c)
	} else {
		q.remove(c)
	}
	// A request of which only the beginning is known would count against its caller.
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

// takeEnded returns the calls that ended since the last next, and the span of missed calls. Calls that
// are not returned yet started at until or later.
func (q *queue) takeEnded(now time.Time) (ended []*Call, until time.Time, missed span) {
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

// done removes a judged call from the counts.
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

// waiting is a call that waits for those that started before it.
type waiting struct {
	*recording.Exchange
	call *Call
}

// byStart is a heap of calls, the earliest first.
type byStart []waiting

func (h byStart) Len() int           { return len(h) }
func (h byStart) Less(i, j int) bool { return h[i].Started.Before(h[j].Started) }
func (h byStart) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byStart) Push(x any)        { *h = append(*h, x.(waiting)) }

func (h *byStart) Pop() any {
	last := len(*h) - 1
	one := (*h)[last]
	(*h)[last] = waiting{}
	*h = (*h)[:last]
	return one
}
