package judge

import (
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// sweep is how long after its expiry, by the sandbox's clock, a hold may wait for its release.
// Callers check for expired holds periodically.
const sweep = time.Minute

func judgeOwedReleases(s *history, b *tally) {
	for c := range s.callsTo(partnerapi.Reserve) {
		if c.After != nil && c.After.Hold != nil && !c.hasSucceeded() {
			b.cannotJudge("the answer to reserve did not arrive completely: the caller cannot know the code")
		}
	}
	for _, h := range s.holds {
		switch {
		case h.reserve == nil || len(h.confirms) > 0:
		case len(h.releases) > 0:
			b.countKept()
		case !h.reserve.died.IsZero():
			b.cannotJudge("the caller died when reserve was answered: it may not know the code")
		case !s.knows(h.reserve, s.Real):
			b.cannotJudge("the caller did not call again for long enough: it may have died and not know the code")
		case h.expires.IsZero():
			b.cannotJudge("reserve was answered without an expiry that can be read")
		case s.Now.Before(h.expires):
			b.cannotJudge("the hold is still live")
		case s.Now.Before(h.expires.Add(sweep)):
			b.cannotJudge("the hold expired less than a minute ago")
		default:
			b.recordBreach([]*call{h.reserve}, "The hold %.60q expired at %s and was neither confirmed nor released; it is %s.",
				h.code, partnerapi.FormatDateTime(h.expires), partnerapi.FormatDateTime(s.Now.In(h.expires.Location())))
		}
	}
}

func releaseRepeated(s *history, b *tally) {
	for _, h := range s.holds {
		s.judgeRepeats(b, h.releases, "release", h.code)
	}
}

// patience is the time, by the sandbox's clock or in real time, within which a failed call must be
// sent again. The contract sets no backoff: this is twice the longest that is usual.
const patience = 30 * time.Minute

// judgeRepeats judges calls of one kind for the same code or id, which must be repeated until one
// succeeds.
func (s *history) judgeRepeats(b *tally, calls []*call, what, code string, settles ...int) {
	if len(calls) == 0 {
		return
	}
	for _, c := range calls {
		if c.hasSucceeded() || c.Delivered && slices.Contains(settles, c.Status) {
			b.countKept()
			return
		}
	}
	last := calls[len(calls)-1]
	switch {
	case !last.Done && last.LeftAfter == nil:
		b.cannotJudge("the last " + what + " is still in progress")
	case s.timeSince(last) < patience:
		b.cannotJudge("the last " + what + " failed a short while ago and may still be sent again")
	default:
		b.recordBreach(calls, "The %s of %.60q failed and was not sent again within %s.", what, code, s.timeSince(last).Truncate(time.Minute))
	}
}

func releaseBody(s *history, b *tally) {
	for c := range s.callsTo(partnerapi.Release) {
		switch {
		case !c.hasBody() || c.misspelt:
		case c.releases == nil:
			b.cannotJudge(unreadable)
		case c.releases.ReservationConfirmationCode == "": // the rule call.schema reports this
		case c.releases.ReservationConfirmationCode != c.code:
			b.recordBreach([]*call{c}, "The path names %.60q, the body %.60q.", c.code, c.releases.ReservationConfirmationCode)
		default:
			b.countKept()
		}
	}
}

func cancelRepeated(s *history, b *tally) {
	for _, calls := range s.cancelled {
		// CAN-6: with one of these the partner reports that it does not support cancellations.
		s.judgeRepeats(b, calls, "cancellation", calls[0].code, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented)
	}
}
