package suitetest

import (
	"fmt"

	"github.com/onsi/gomega/types"

	"partnerkit.dev/conformance/report"
)

// BeKept returns a matcher for a report.RuleResult. It matches a rule that passed, and one that is
// warned about: the contract only advises it. Its message gives what the rule expects, what was received, how to fix
// it, and the calls that show it.
func BeKept() types.GomegaMatcher {
	return matcher[report.RuleResult]{
		holds:   func(r report.RuleResult) bool { return r.Outcome == report.Passed || r.Outcome == report.Warned },
		explain: explain,
	}
}

// BeJudged returns a matcher for a *report.Result. It matches unless the partner could not be judged, and
// its message says why.
func BeJudged() types.GomegaMatcher {
	return matcher[*report.Result]{
		holds:   func(r *report.Result) bool { return r.Verdict != report.Incomplete },
		explain: func(r *report.Result) string { return "the partner could not be judged: " + r.Reason },
	}
}

// matcher matches values of a type that hold, and explains those that do not.
type matcher[T any] struct {
	holds   func(T) bool
	explain func(T) string
}

// Match reports whether the value holds. It returns an error for a value of another type.
func (m matcher[T]) Match(actual any) (bool, error) {
	value, ok := actual.(T)
	if !ok {
		return false, fmt.Errorf("expected a %T, received %T", value, actual)
	}
	return m.holds(value), nil
}

// FailureMessage explains a value that does not hold.
func (m matcher[T]) FailureMessage(actual any) string { return m.explain(actual.(T)) }

// NegatedFailureMessage explains a value that holds, where it was expected not to.
func (m matcher[T]) NegatedFailureMessage(actual any) string {
	return "expected the contrary of: " + m.explain(actual.(T))
}
