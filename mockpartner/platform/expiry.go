package platform

import (
	"container/heap"
	"time"
)

// settle ends every hold whose time is over, at its own expiresAt (REL-7).
func (p *Platform) settle(now time.Time) {
	for len(p.state.expiring) > 0 {
		next := p.state.expiring[0]
		if next.ExpiresAt.After(now) {
			return
		}
		p.endHold(next, Expired, next.ExpiresAt)
	}
}

// remember puts a hold that is over in line to be forgotten.
func (p *Platform) remember(h *Hold) {
	h.memory = p.state.ended.PushBack(h)
}

// makeRoom keeps the number of remembered holds below its bound.
func (p *Platform) makeRoom() error {
	if len(p.state.holds) < p.most {
		return nil
	}
	oldest := p.state.ended.Front()
	if oldest == nil {
		return refuse(Full, "all %d holds and bookings that this partner can keep are in use: release or cancel some", p.most)
	}
	hold := p.state.ended.Remove(oldest).(*Hold)
	delete(p.state.holds, hold.Code)
	delete(p.state.bookings, hold.BookingID)
	p.state.ledger.forget(hold.Code, hold.BookingID)
	return nil
}

// expiryQueue is a heap of the live holds, the next to expire first.
type expiryQueue []*Hold

func (q *expiryQueue) add(h *Hold)  { heap.Push((*byExpiry)(q), h) }
func (q *expiryQueue) drop(h *Hold) { heap.Remove((*byExpiry)(q), h.queuePlace) }

// byExpiry is the queue as package heap wants it.
type byExpiry []*Hold

func (q byExpiry) Len() int { return len(q) }

func (q byExpiry) Less(i, j int) bool {
	if q[i].ExpiresAt.Equal(q[j].ExpiresAt) {
		return q[i].number < q[j].number
	}
	return q[i].ExpiresAt.Before(q[j].ExpiresAt)
}

func (q byExpiry) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].queuePlace, q[j].queuePlace = i, j
}

func (q *byExpiry) Push(h any) {
	hold := h.(*Hold)
	hold.queuePlace = len(*q)
	*q = append(*q, hold)
}

func (q *byExpiry) Pop() any {
	last := len(*q) - 1
	hold := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return hold
}
