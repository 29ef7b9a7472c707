package follow

import (
	"container/heap"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/traffic"
	"partnerkit.dev/internal/recording"
)

const (
	// mostWaiting is the number of calls of a history that wait for earlier ones.
	mostWaiting = 1000
	// longest is how long a call may take: without a mark in the stream, later lines may be about
	// calls that started as long ago.
	longest = 30 * time.Second
	// quiet is how long a history without new lines waits for calls that started earlier.
	quiet = 5 * time.Second
	// mostHeld is how many bytes of bodies wait in all histories, and mostSame that of the calls of one history
	// that are compared with the next, as they may be the same.
	mostHeld, mostSame = 32 << 20, 4 << 20
)

// history is the calls of one caller to one partner.
type history struct {
	judge    *traffic.Judge
	waiting  byStart
	ended    time.Time             // the latest end of a call
	last     time.Time             // the start of the last call that was judged
	same     []*recording.Exchange // the calls that started then and were judged
	sameSize int64
	used     time.Time // when the last line arrived
	changed  bool
	written  map[string]int // how often each rule was broken, as written
	held     *int64         // bytes of bodies that wait, in all histories
}

func newHistory(o traffic.Options, held *int64) *history {
	return &history{judge: traffic.New(o), written: map[string]int{}, held: held}
}

func (h *history) take(x *recording.Exchange) {
	h.used = time.Now()
	if end := x.Started.Add(x.Took); end.After(h.ended) {
		h.ended = end
	}
	*h.held += x.Size()
	heap.Push(&h.waiting, x)
	until := x.Stream.Until
	if until.IsZero() {
		until = h.ended.Add(-longest)
	}
	h.judgeUntil(until)
}

// judgeUntil judges the calls that started before until. No later line is about an earlier call.
func (h *history) judgeUntil(until time.Time) {
	for h.waiting.Len() > 0 && (!h.waiting[0].Started.After(until) || h.waiting.Len() > mostWaiting || *h.held > mostHeld) {
		x := heap.Pop(&h.waiting).(*recording.Exchange)
		*h.held -= x.Size()
		x.Expand()
		h.changed = true
		if x.Started.Before(h.last) {
			if x.MayChange() {
				h.judge.RecordMissed(x.Started, x.Started.Add(x.Took))
			}
			continue
		}
		if x.Started.After(h.last) {
			h.last, h.same, h.sameSize = x.Started, nil, 0
		} else if slices.ContainsFunc(h.same, func(y *recording.Exchange) bool { return x.IsSame(y, false) }) {
			continue
		}
		if h.sameSize += x.Size(); h.sameSize < mostSame {
			h.same = append(h.same, x)
		}
		h.judge.Take(x)
	}
	h.judge.JudgeUntil(until)
}

// forget accounts for the calls that wait in a history which is forgotten.
func (h *history) forget() {
	for _, x := range h.waiting {
		*h.held -= x.Size()
	}
}

func (h *history) judgeAll() {
	for h.waiting.Len() > 0 {
		latest := slices.MaxFunc(h.waiting, func(a, b *recording.Exchange) int { return a.Started.Compare(b.Started) })
		h.judgeUntil(latest.Started)
	}
	h.judge.JudgeUntil(h.ended)
	h.changed = true
}

// byStart is a heap of calls, the earliest first.
type byStart []*recording.Exchange

func (h byStart) Len() int           { return len(h) }
func (h byStart) Less(i, j int) bool { return h[i].Started.Before(h[j].Started) }
func (h byStart) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byStart) Push(x any)        { *h = append(*h, x.(*recording.Exchange)) }

func (h *byStart) Pop() any {
	n := len(*h) - 1
	x := (*h)[n]
	(*h)[n] = nil
	*h = (*h)[:n]
	return x
}
