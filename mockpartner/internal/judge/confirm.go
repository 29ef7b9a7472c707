package judge

import (
	"net/http"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

func reservedFirst(s *history, b *tally) {
	for c := range s.callsTo(partnerapi.Confirm) {
		if c.code == "" {
			b.cannotJudge("the body names no code that can be read")
		}
	}
	lost := s.lostCodes()
	for _, h := range s.holds {
		for _, c := range h.confirms {
			reserve, isLost := lost[h.code]
			switch {
			case h.reserve != nil:
				b.countKept()
			case isLost:
				b.recordBreach([]*call{reserve, c}, "The answer to reserve with the code %.60q had not arrived by then.", h.code)
			case !s.isComplete():
				b.cannotJudge(early)
			default:
				b.recordBreach([]*call{c}, "No reserve was answered with the code %.60q.", h.code)
			}
		}
	}
}

func (s *history) lostCodes() map[string]*call {
	lost := map[string]*call{}
	for c := range s.callsTo(partnerapi.Reserve) {
		if !c.hasSucceeded() && c.After != nil && c.After.Hold != nil {
			lost[c.After.Hold.Code] = c
		}
	}
	return lost
}

func confirmOnce(s *history, b *tally) {
	for _, h := range s.holds {
		var until time.Time // earlier confirms are or may be in progress until then
		var before *call
		final := false
		for _, c := range h.confirms {
			switch {
			case final && before.Status >= http.StatusMultipleChoices && s.byHand[h.code] > 0:
				s.byHand[h.code]--
				final = false
				b.countKept()
			case final && !s.knows(before, c.Arrived) && timeBetween(before, c) >= presumed:
				final = false
				b.cannotJudge("the caller may have died or been paused before it stored the answer")
			case final:
				b.recordBreach([]*call{before, c}, "Confirm was sent again for the code %.60q, though it had been answered %d.", h.code, before.Status)
			case c.Arrived.Before(until):
				b.recordBreach([]*call{before, c}, "Confirm was sent again for the code %.60q while the previous one was in progress.", h.code)
			default:
				b.countKept()
			}
			if final {
				continue
			}
			since, unanswered := c.unansweredSince()
			before, until, final = c, since, !unanswered
		}
	}
}

func notReleased(s *history, b *tally) {
	for _, h := range s.holds {
		for _, c := range h.confirms {
			if len(h.releases) > 0 && h.releases[0].Number < c.Number {
				b.recordBreach([]*call{h.releases[0], c}, "The code %.60q was confirmed after its release had been sent.", h.code)
				continue
			}
			b.countKept()
		}
	}
}
