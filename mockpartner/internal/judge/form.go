package judge

import (
	"regexp"
	"strings"
	"time"

	"partnerkit.dev/internal/callerrules"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func judgeAuthorization(s *history, b *tally) {
	for _, c := range s.calls {
		if c.Authorized {
			b.countKept()
			continue
		}
		sent := c.Request.Header.Values("Authorization")
		bearer := len(sent) == 1 && strings.HasPrefix(sent[0], "Bearer ")
		switch wantBearer := strings.HasPrefix(s.Form, "Bearer "); {
		case len(sent) == 0:
			b.recordBreach([]*call{c}, "There is no Authorization header: expected %s.", s.Form)
		case len(sent) > 1:
			b.recordBreach([]*call{c}, "There are %d Authorization headers: expected one, %s.", len(sent), s.Form)
		case bearer != wantBearer:
			b.recordBreach([]*call{c}, "The key is sent in the wrong form: expected Authorization: %s.", s.Form)
		default:
			b.recordBreach([]*call{c}, "The key is a wrong one, in the right form.")
		}
	}
}

func judgeEndpoints(s *history, b *tally) {
	for _, c := range s.calls {
		if c.endpoint == "" {
			b.recordBreach([]*call{c}, "%s %.100q is not one of the six calls of the contract.", c.Method, c.path)
			continue
		}
		b.countKept()
	}
}

func judgeEscaping(s *history, b *tally) {
	for _, c := range s.calls {
		switch {
		case c.endpoint != partnerapi.Release && c.endpoint != partnerapi.Cancel:
		case c.misspelt:
			b.recordResult(c, callerrules.Segment(c.Target, c.code))
		default:
			b.countKept()
		}
	}
}

// quantity matches the pointers that the rules of parties judge.
var quantity = regexp.MustCompile(`^/units/[0-9]+/quantity$`)

func schema(s *history, b *tally) {
	for _, c := range s.calls {
		if c.schema == "" {
			continue
		}
		if c.Request.Truncated {
			b.cannotJudge("the record has only the body's beginning")
			continue
		}
		var wrong []schemas.Problem
		for _, p := range c.problems {
			if p.Keyword != "minimum" || !quantity.MatchString(p.Pointer) {
				wrong = append(wrong, p)
			}
		}
		if len(wrong) == 0 {
			b.countKept()
			continue
		}
		b.recordBreach([]*call{c}, "The body of %s breaks its schema: %.300s%s.", c.endpoint, wrong[0].String(), andMore(len(wrong)-1))
	}
}

func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return ", and more"
}

func contentType(s *history, b *tally) {
	for _, c := range s.calls {
		if !c.hasBody() || c.endpoint == "" {
			continue
		}
		b.recordResult(c, callerrules.ContentType(c.endpoint, c.Request.Header))
	}
}

// earlier is how much before the limit a caller may disconnect, because its timeout started before
// the call arrived.
const earlier = 500 * time.Millisecond

func judgePatience(s *history, b *tally) {
	for _, c := range s.calls {
		least := c.limit() - earlier
		switch {
		case c.endpoint == "" || !c.died.IsZero():
		case c.LeftAfter != nil && time.Duration(*c.LeftAfter) < least:
			// A caller need not read a failure to its end.
			if c.Status != 0 && (c.Status < 200 || c.Status >= 300) {
				continue
			}
			if s.wentOn(c) {
				b.recordBreach([]*call{c}, "The caller of %s left after %s: an answer is in time for %s.",
					c.endpoint, time.Duration(*c.LeftAfter).Round(time.Millisecond), c.limit())
			} else {
				b.cannotJudge("the process that left did not call again: it may have died")
			}
		case c.LeftAfter != nil || c.Done && time.Duration(c.Duration) >= least:
			b.countKept()
		}
	}
}

func productsForm(s *history, b *tally) {
	for c := range s.callsTo(partnerapi.Products) {
		b.recordResult(c, callerrules.ProductsQuery(c.query))
	}
}

func catalogKnown(s *history, b *tally) {
	for _, c := range s.calls {
		productID, optionID := "", ""
		switch {
		case c.asks != nil:
			productID, optionID = c.asks.ProductID, c.asks.OptionID
		case c.reserves != nil:
			productID, optionID = c.reserves.ProductID, c.reserves.OptionID
		case c.endpoint == partnerapi.Availability || c.endpoint == partnerapi.Reserve:
			b.cannotJudge(unreadable)
			continue
		default:
			continue
		}
		if _, ok := s.option(productID, optionID); ok || c.wasAccepted() {
			b.countKept()
			continue
		}
		b.recordBreach([]*call{c}, "There is no product %.60q with an option %.60q.", productID, optionID)
	}
}

// wasAccepted reports whether the partner itself accepted the call. The partner then knew the ids,
// whatever the catalog contains now.
func (c *call) wasAccepted() bool { return c.hasSucceeded() && len(c.Faults) == 0 }
