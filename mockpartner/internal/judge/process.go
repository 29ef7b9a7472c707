package judge

import (
	"regexp"
	"slices"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// A caller may name the process that calls, as in "User-Agent: shop/2.1 (instance 7f3a)".
// Processes can be killed or paused at any moment, so an answer that reached one may never
// have been read or written down. With names, the record shows which processes went on.
var instance = regexp.MustCompile(`\(instance ([^()\s]{1,64})\)`)

// processOf is the name of the process that made a call; "" where it has none. A process
// without a name is taken for one that goes on.
func processOf(c *call) string {
	if name := instance.FindStringSubmatch(c.Request.Header.Get("User-Agent")); name != nil {
		return name[1]
	}
	return ""
}

const (
	// steadily is in how many different seconds a process has made booking calls after an
	// answer when it must have written that down. Other seconds do not count: it may have been
	// paused, or waiting for its database, which availability and the catalog do without.
	steadily = 20
	// presumed is how long after an answer another process may at the earliest take the
	// one that was answered for dead.
	presumed = 5 * time.Second
)

// activity is what is known of a process: the different seconds of real time in which
// calls of its arrived, and those of them with calls that make or change a booking.
type activity struct{ any, booking seconds }

type seconds []int64

func (list *seconds) add(second int64) {
	if n := len(*list); n == 0 || (*list)[n-1] < second {
		*list = append(*list, second)
	}
}

// between counts those after one moment and before another.
func (list seconds) between(after, before time.Time) int {
	first, _ := slices.BinarySearch(list, after.Unix()+1)
	end, _ := slices.BinarySearch(list, before.Unix())
	return max(end-first, 0)
}

func activities(calls []*call) map[string]activity {
	all := map[string]activity{}
	for _, c := range calls {
		if c.process == "" {
			continue
		}
		a := all[c.process]
		a.any.add(c.Arrived.Unix())
		switch c.endpoint {
		case partnerapi.Reserve, partnerapi.Confirm, partnerapi.Release, partnerapi.Cancel:
			a.booking.add(c.Arrived.Unix())
		}
		all[c.process] = a
	}
	return all
}

// knows reports whether the caller must know by then what a call was answered: its process
// has called for long enough since. Testimony of its death says that it need not.
func (s *story) knows(c *call, by time.Time) bool {
	return c.died.IsZero() && (c.process == "" || s.active[c.process].booking.between(c.ended(), by) >= steadily)
}

// wentOn reports whether the process that left a call early called again, so that it did
// not die as it left. What it had sent before may arrive a little later.
func (s *story) wentOn(c *call) bool {
	over, _ := overAt(c.Exchange)
	return c.process == "" || s.active[c.process].any.between(over.Add(arriving), s.Real) > 0
}

// since is how long after the end of one call another one came, by the sandbox's clock or
// in real time, whichever is more.
func since(before, c *call) time.Duration {
	return max(c.At.Sub(before.At.Add(time.Duration(before.Duration))), c.Arrived.Sub(before.ended()))
}
