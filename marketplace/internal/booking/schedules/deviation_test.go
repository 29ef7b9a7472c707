package schedules

import (
	"fmt"
	"strings"
	"time"
)

// deviation is how a step differs from success.
type deviation string

// The deviations.
const (
	well deviation = ""

	failsBefore deviation = "fails before it has an effect"
	failsAfter  deviation = "takes effect, and an error comes back"
	losesReply  deviation = "takes effect, and no reply comes"
	held10      deviation = "takes effect, and its reply comes after 10s"
	held40      deviation = "takes effect, and its reply comes after 40s"
	held90      deviation = "takes effect, and its reply comes after 90s"
	late40      deviation = "takes effect after 40s only"
	ghost       deviation = "fails, and takes effect 5s later"

	paused10 deviation = "its replica is paused for 10s before it"
	paused40 deviation = "its replica is paused for 40s before it"
	paused90 deviation = "its replica is paused for 90s before it"
	killed   deviation = "its replica is killed before it"

	notSent     deviation = "does not reach the partner"
	refused     deviation = "is refused with 400, as are all that follow"
	breaks500   deviation = "is answered 500 without an effect"
	breaksAfter deviation = "takes effect, and is answered 500"
	loses       deviation = "takes effect, and the connection breaks"
	slow        deviation = "takes effect, and is answered 20s after its limit"
)

// pauses returns how long a deviation pauses its replica.
func (d deviation) pauses() time.Duration {
	switch d {
	case paused10:
		return 10 * time.Second
	case paused40:
		return 40 * time.Second
	case paused90:
		return 90 * time.Second
	}
	return 0
}

// holds returns how long a deviation delays a reply.
func (d deviation) holds() time.Duration {
	switch d {
	case held10:
		return 10 * time.Second
	case held40:
		return 40 * time.Second
	case held90:
		return 90 * time.Second
	}
	return 0
}

// palette lists the possible deviations of each kind of step.
type palette struct{ writes, reads, books, releases, asks []deviation }

// The short palette has one deviation of each kind. The full one also has deviations of
// other lengths.
var (
	short = palette{
		writes:   []deviation{failsBefore, failsAfter, losesReply, held10, held40, paused40},
		reads:    []deviation{failsBefore, held40},
		books:    []deviation{paused10, paused40, paused90, notSent, refused, breaksAfter, loses, slow},
		releases: []deviation{paused40, breaksAfter, loses},
		asks:     []deviation{notSent},
	}
	full = palette{
		writes:   []deviation{failsBefore, failsAfter, losesReply, held10, held40, held90, late40, ghost, paused10, paused40, paused90, killed},
		reads:    []deviation{failsBefore, held10, held40, held90, paused40, killed},
		books:    []deviation{paused10, paused40, paused90, killed, notSent, refused, breaks500, breaksAfter, loses, slow},
		releases: []deviation{paused10, paused40, paused90, killed, notSent, breaks500, breaksAfter, loses, slow},
		asks:     []deviation{notSent, slow, paused40},
	}
)

// listing writes a run as a list of steps for people.
func (w *world) listing() string {
	var out strings.Builder
	for _, s := range w.trace {
		line := fmt.Sprintf("  %9.3fs  replica %s  %-28s %s", s.at.Seconds(), s.replica, s.task, s.op)
		if s.replica == "" {
			line = fmt.Sprintf("  %9.3fs  %s", s.at.Seconds(), s.op)
		}
		if s.did != well {
			line += "  <- " + strings.ToUpper(string(s.did))
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}
