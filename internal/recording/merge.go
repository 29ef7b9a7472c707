package recording

import (
	"cmp"
	"container/heap"
	"context"
	"iter"
	"slices"
	"time"

	"partnerkit.dev/internal/har"
)

const (
	// mostWaiting is the number of entries of a file that are read ahead. Overlapping entries are in
	// the order in which they ended.
	mostWaiting = 1000
	// mostAhead is how many bytes of bodies are read ahead in all files, as they were recorded. At least one
	// entry of each file is.
	mostAhead = 32 << 20
)

// Read returns the calls to one base address, the value of --only, in order of time, whatever the order of
// the files. Without it, the files must have calls to one address. A call that was recorded several times is
// returned once. Read stops at the first error.
func Read(ctx context.Context, files []string, only string, counts *Counts) iter.Seq2[*Exchange, error] {
	return func(yield func(*Exchange, error) bool) {
		if only != "" {
			base, err := parseBase(only)
			if err != nil {
				yield(nil, err)
				return
			}
			only = base
		}
		m := &merger{ctx: ctx, only: only, counts: counts, keys: map[int]bool{}}
		for of, name := range files {
			pull, stop := iter.Pull2(file(name))
			defer stop()
			m.next = append(m.next, pull)
			if err := m.fill(of); err != nil {
				yield(nil, err)
				return
			}
		}
		for m.waiting.Len() > 0 {
			calls, err := m.take()
			if err != nil {
				yield(nil, err)
				return
			}
			for _, x := range calls {
				if !yield(x, nil) {
					return
				}
			}
		}
		if err := counts.choose(only); err != nil {
			yield(nil, err)
		}
	}
}

// merger merges the calls of files by time.
type merger struct {
	ctx     context.Context
	only    string // without it, the first base address
	counts  *Counts
	next    []func() (*har.Exchange, error, bool)
	keys    map[int]bool // files that show keys
	waiting byTime
	last    time.Time
}

// fill reads entries of a file ahead.
func (m *merger) fill(of int) error {
	for m.waiting.countOf(of) < mostWaiting && (m.waiting.bytes < mostAhead || m.waiting.countOf(of) == 0) && m.next[of] != nil {
		e, err, more := m.next[of]()
		if !more {
			m.next[of] = nil
			continue
		}
		if err != nil {
			return err
		}
		x, is := ContractCall(e)
		if is && x.Endpoint != "" {
			m.counts.count(x.Base)
			m.only = cmp.Or(m.only, x.Base)
			is = x.Base == m.only
		}
		if is {
			m.keys[of] = m.keys[of] || x.Header.Get("Authorization") != ""
			m.waiting.add(x, of)
		}
	}
	return m.ctx.Err()
}

// take returns the next calls, all of one time.
func (m *merger) take() (calls []*Exchange, err error) {
	var kept []placed
	files := map[int]bool{}
	size := int64(0)
	for at := m.waiting.all[0].at; m.waiting.Len() > 0 && m.waiting.all[0].at.Equal(at) && size < mostAhead; {
		one := heap.Pop(&m.waiting).(placed)
		one.Expand()
		size += one.Size()
		files[one.of] = true
		one.KeyUnknown = !m.keys[one.of]
		one.Missed = one.Missed || at.Before(m.last)
		if first := slices.IndexFunc(kept, one.isSame); first >= 0 {
			m.counts.repeated++
			kept[first].complete(one.Exchange)
		} else {
			kept = append(kept, one)
		}
		if !one.Missed {
			m.last = at
		}
	}
	for file := range files {
		if err := m.fill(file); err != nil {
			return nil, err
		}
	}
	for _, one := range kept {
		m.counts.countUnknown(one.Exchange)
		calls = append(calls, one.Exchange)
	}
	return calls, nil
}

func (p placed) isSame(other placed) bool { return p.IsSame(other.Exchange, p.of != other.of) }

// complete adds what another record of the call tells.
func (x *Exchange) complete(y *Exchange) {
	if x.BodyCut {
		x.Body, x.BodyCut = y.Body, y.BodyCut
	}
	if x.AnswerCut {
		x.Answer, x.AnswerCut = y.Answer, y.AnswerCut
	}
	if x.KeyUnknown || len(x.Header) == 0 {
		x.Header, x.AnswerHeader, x.KeyUnknown = y.Header, y.AnswerHeader, y.KeyUnknown
	}
}

// placed is a call of a file, and its place in time. An unknown time is that of the call before it.
type placed struct {
	*Exchange
	of, number int // its file, and how many calls were read before it
	at         time.Time
}

// byTime is a heap of calls, the earliest first. Calls of the same time keep the order in which they were read.
type byTime struct {
	all   []placed
	read  int
	held  []int // by file
	bytes int64
	last  []time.Time // by file
}

func (h *byTime) add(x *Exchange, of int) {
	for len(h.held) <= of {
		h.held, h.last = append(h.held, 0), append(h.last, time.Time{})
	}
	if !x.Started.IsZero() {
		h.last[of] = x.Started
	}
	heap.Push(h, placed{x, of, h.read, h.last[of]})
	h.read++
}

func (h *byTime) countOf(file int) int {
	if file >= len(h.held) {
		return 0
	}
	return h.held[file]
}

func (h *byTime) Len() int      { return len(h.all) }
func (h *byTime) Swap(i, j int) { h.all[i], h.all[j] = h.all[j], h.all[i] }
func (h *byTime) Less(i, j int) bool {
	return cmp.Or(h.all[i].at.Compare(h.all[j].at), h.all[i].number-h.all[j].number) < 0
}

func (h *byTime) Push(x any) {
	one := x.(placed)
	h.held[one.of]++
	h.bytes += one.Size()
	h.all = append(h.all, one)
}

func (h *byTime) Pop() any {
	one := h.all[len(h.all)-1]
	h.all[len(h.all)-1] = placed{}
	h.all = h.all[:len(h.all)-1]
	h.held[one.of]--
	h.bytes -= one.Size()
	return one
}
