package judge

import (
	"regexp"
	"slices"
	"time"
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
	// steadily is in how many different seconds a process has called after an answer when
	// it must have written that down. Seconds in which it did not call do not count: it may
	// have been paused, or waiting for its database.
	steadily = 10
	// presumed is how long after an answer another process may at the earliest take the
	// one that was answered for dead.
	presumed = 5 * time.Second
)

// heardSeconds lists, for each process, the different seconds of real time in which its
// calls arrived.
func heardSeconds(calls []*call) map[string][]int64 {
	heard := map[string][]int64{}
	for _, c := range calls {
		if second, before := c.Arrived.Unix(), heard[c.process]; c.process != "" && (len(before) == 0 || before[len(before)-1] < second) {
			heard[c.process] = append(before, second)
		}
	}
	return heard
}

// heard counts the different seconds after one moment and before another in which a
// process called.
func (s *story) heard(process string, after, before time.Time) int {
	seconds := s.seconds[process]
	first, _ := slices.BinarySearch(seconds, after.Unix()+1)
	end, _ := slices.BinarySearch(seconds, before.Unix())
	return max(end-first, 0)
}

// knows reports whether the caller must know by then what a call was answered: its process
// has called for long enough since. Testimony of its death says that it need not.
func (s *story) knows(c *call, by time.Time) bool {
	return c.died.IsZero() && (c.process == "" || s.heard(c.process, c.ended(), by) >= steadily)
}

// wentOn reports whether the process that left a call early called again, so that it did
// not die as it left. What it had sent before may arrive a little later.
func (s *story) wentOn(c *call) bool {
	over, _ := overAt(c.Exchange)
	return c.process == "" || s.heard(c.process, over.Add(arriving), s.Real) > 0
}

// since is how long after the end of one call another one came, by the sandbox's clock or
// in real time, whichever is more.
func since(before, c *call) time.Duration {
	return max(c.At.Sub(before.At.Add(time.Duration(before.Duration))), c.Arrived.Sub(before.ended()))
}
