package suite

import (
	"fmt"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas"
)

// obstacle is why a story could not go on. Either a rule is broken, and Rule
// names it, or there was nothing to go on with.
type obstacle struct {
	Rule      *rule.Rule // nil: nobody's fault
	Message   string
	Exchanges []*probe.Exchange

	refused    bool // reserve was refused with 400, as it may be
	tryAnother bool // another slot may do
	lacking    bool // the partner lacks an optional feature
	bounded    bool // the run may not go on
}

// breach returns the obstacle of a broken rule.
func breach(r rule.Rule, answer *probe.Answer, format string, args ...any) *obstacle {
	o := &obstacle{Rule: &r, Message: fmt.Sprintf(format, args...)}
	if answer != nil {
		o.Exchanges = append(o.Exchanges, answer.Exchange)
	}
	return o
}

// misfit returns the obstacle of an answer with a problem that its rule is about.
func (s *session) misfit(r rule.Rule, answer *probe.Answer, problem schemas.Problem) *obstacle {
	o := breach(r, answer, "%s", problem)
	o.Exchanges = []*probe.Exchange{marked(answer.Exchange, decoded(answer), problem.Pointer, s.redact)}
	return o
}

// lacking returns the obstacle of a test for which the partner lacks an optional
// feature.
func lacking(format string, args ...any) *obstacle {
	o := missing(format, args...)
	o.lacking = true
	return o
}

// outOfBounds returns the obstacle of a run that may not go on.
func outOfBounds(format string, args ...any) *obstacle {
	o := missing(format, args...)
	o.bounded = true
	return o
}

// missing returns the obstacle of a test that lacks something.
func missing(format string, args ...any) *obstacle {
	return &obstacle{Message: fmt.Sprintf(format, args...)}
}
