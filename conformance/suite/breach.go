package suite

import (
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/rule"
)

// breach is a finding that breaks a rule which had passed: the judged rule, or the rule that the
// finding names as its cause.
type breach struct {
	judge.Finding
	rule rule.Rule
	took time.Duration
}

// declare records a breach, if there is one, with the place where it was found.
func (r *run) declare(found *breach, where string) {
	if found == nil {
		return
	}
	found.Message = where + found.Message
	if cause := found.Cause; cause != nil && cause.ID != found.rule.ID {
		r.options.note(cause.ID, found.Finding)
		r.tell(r.verdicts.Blame(found.Finding))
	} else {
		r.record(found.rule, found.Finding, found.took)
	}
}

// blamed returns the rule that is broken.
func (b *breach) blamed() rule.Rule {
	if b.Cause != nil {
		return *b.Cause
	}
	return b.rule
}
