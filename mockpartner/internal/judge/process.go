package judge

import (
	"regexp"
	"slices"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// A caller may name its process, as in "User-Agent: shop/2.1 (instance 7f3a)". Processes can be
// killed or paused at any moment, so an answer that reached one may never have been read or written
// down. With names, the record shows which processes continued.
var instance = regexp.MustCompile(`\(instance ([^()\s]{1,64})\)`)

// processOf returns the name of the process that made a call, or "". A process without a name is
// assumed to continue.
func processOf(c *call) string {
	if name := instance.FindStringSubmatch(c.Request.Header.Get("User-Agent")); name != nil {
		return name[1]
	}
	return ""
}

const (
	// minActiveSeconds is the number of different seconds with booking calls after an answer that show that
	// the process must have written the answer down. Other seconds do not count. The process may
	// have been paused, or have waited for its database, which availability and catalog calls do
	// not need.
	minActiveSeconds = 20
	// presumed is the shortest time after an answer at which another process may regard the
	// answered one as dead.
	presumed = 5 * time.Second
)

// activity is what is known of a process. It is the different seconds of real time in which its
// calls arrived, and those with calls that make or change a booking.
type activity struct{ any, booking seconds }

type seconds []int64

func (list *seconds) add(second int64) {
	if n := len(*list); n == 0 || (*list)[n-1] < second {
		*list = append(*list, second)
	}
}

// countBetween counts the seconds after one moment and before another.
func (list seconds) countBetween(after, before time.Time) int {
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

// knows reports whether the caller must know a call's answer by then, because its process has
// called for long enough since. With testimony of its death, it need not.
func (s *history) knows(c *call, by time.Time) bool {
	return c.died.IsZero() && (c.process == "" || s.active[c.process].booking.countBetween(c.endTime(), by) >= minActiveSeconds)
}

// wentOn reports whether the process that left a call early called again, and so did not die then.
// Calls that it had sent before may arrive a little later.
func (s *history) wentOn(c *call) bool {
	over, _ := overAt(c.Exchange)
	return c.process == "" || s.active[c.process].any.countBetween(over.Add(arriving), s.Real) > 0
}

// timeBetween returns the time from the end of one call to the arrival of another, by the sandbox's clock
// or in real time, whichever is longer.
func timeBetween(before, c *call) time.Duration {
	return max(c.At.Sub(before.At.Add(time.Duration(before.Duration))), c.Arrived.Sub(before.endTime()))
}
