package recording

import (
	"container/heap"
	"context"
	"iter"

	"partnerkit.dev/internal/har"
)

// mostWaiting is the number of entries of a file that are read ahead. Overlapping entries are in
// the order in which they ended.
const mostWaiting = 1000

// Counts counts the entries of a history.
type Counts struct {
	Judged int // calls of the contract
	Others int // other calls, which were left out
	Late   int // contract calls that were too far out of order, and were left out
}

// Read returns the calls of all files in order of time, whatever the order of the files. It stops
// at the first error.
func Read(ctx context.Context, files []string, counts *Counts) iter.Seq2[*Exchange, error] {
	return func(yield func(*Exchange, error) bool) {
		waiting, next := &byTime{}, []func() (*har.Exchange, error, bool){}
		for _, name := range files {
			pull, stop := iter.Pull2(file(name))
			defer stop()
			next = append(next, pull)
		}
		fill := func(of int) error {
			for waiting.countOf(of) < mostWaiting && next[of] != nil {
				e, err, more := next[of]()
				switch {
				case !more:
					next[of] = nil
				case err != nil:
					return err
				default:
					if x, is := ContractCall(e); is {
						heap.Push(waiting, placed{x, of})
					} else {
						counts.Others++
					}
				}
			}
			return ctx.Err()
		}
		for i := range next {
			if err := fill(i); err != nil {
				yield(nil, err)
				return
			}
		}
		var last *Exchange
		for waiting.Len() > 0 {
			x := heap.Pop(waiting).(placed)
			if err := fill(x.of); err != nil {
				yield(nil, err)
				return
			}
			if last != nil && x.Started.Before(last.Started) {
				counts.Late++
				continue
			}
			counts.Judged++
			if last = x.Exchange; !yield(last, nil) {
				return
			}
		}
	}
}

// placed is an exchange and the file that it came from.
type placed struct {
	*Exchange
	of int
}

// byTime is a heap of exchanges, the earliest first.
type byTime struct {
	all  []placed
	held []int // by file
}

func (h *byTime) countOf(file int) int {
	if file >= len(h.held) {
		return 0
	}
	return h.held[file]
}

func (h *byTime) Len() int           { return len(h.all) }
func (h *byTime) Less(i, j int) bool { return h.all[i].Started.Before(h.all[j].Started) }
func (h *byTime) Swap(i, j int)      { h.all[i], h.all[j] = h.all[j], h.all[i] }

func (h *byTime) Push(x any) {
	one := x.(placed)
	for len(h.held) <= one.of {
		h.held = append(h.held, 0)
	}
	h.held[one.of]++
	h.all = append(h.all, one)
}

func (h *byTime) Pop() any {
	one := h.all[len(h.all)-1]
	h.all = h.all[:len(h.all)-1]
	h.held[one.of]--
	return one
}
