package judge

import (
	"time"
)

func patienceRules() []check {
	return []check{
		{Rule{"call.patient", "Answers are waited for until the contract's limit", "LIM-1",
			"A partner that answers in time is left with holds and bookings that nobody knows of."},
			"no caller was kept waiting until a limit", patient},
	}
}

// earlier is how much before the limit a caller may leave: its time began before
// the call arrived.
const earlier = 500 * time.Millisecond

func patient(s *story, b *bench) {
	for _, c := range s.calls {
		least := c.limit() - earlier
		switch {
		case c.endpoint == "" || !c.died.IsZero():
		case c.LeftAfter != nil && time.Duration(*c.LeftAfter) < least:
			// A failure need not be read to its end.
			if c.Status == 0 || c.Status >= 200 && c.Status < 300 {
				b.broken([]*call{c}, "The caller of %s left after %s: an answer is in time for %s.",
					c.endpoint, time.Duration(*c.LeftAfter).Round(time.Millisecond), c.limit())
			}
		case c.LeftAfter != nil || c.Done && time.Duration(c.Duration) >= least:
			b.kept()
		}
	}
}
