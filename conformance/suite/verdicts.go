package suite

import (
	"fmt"
	"slices"
	"sync"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
)

// verdict is what is known of one rule.
type verdict struct {
	report.RuleResult
	cause string // id of the rule that blocks this one; "" where none does
}

// verdicts holds what is known of every rule. A rule that has passed can still
// be found broken by a later story; nothing makes a broken rule whole again.
type verdicts struct {
	words func(string) string // makes a message fit to be shown

	mu   sync.Mutex
	byID map[string]*verdict
}

func newVerdicts(words func(string) string) *verdicts {
	return &verdicts{words: words, byID: map[string]*verdict{}}
}

// set records what came of r.
func (v *verdicts) set(r rule.Rule, outcome report.Outcome, message string) *verdict {
	v.mu.Lock()
	defer v.mu.Unlock()
	known := &verdict{RuleResult: report.RuleResult{
		ID: r.ID, Title: r.Title, Endpoint: r.Endpoint, Level: r.Level, Clause: r.Clause,
		Outcome: outcome, Message: v.words(message), Why: r.Why, Fix: r.Fix, Exchanges: []probe.Exchange{},
	}}
	v.byID[r.ID] = known
	return known
}

// get returns what is known of the rule of that id, or nil.
func (v *verdicts) get(id string) *verdict {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.byID[id]
}

// broken returns the outcome of a breach of r.
func broken(r rule.Rule) report.Outcome {
	switch {
	case r.ID == rule.Reachable.ID:
		return report.Inconclusive // nobody can be judged who cannot be reached
	case r.Level == rule.Must:
		return report.Failed
	default:
		return report.Warned
	}
}

// blame records that r is broken, unless that is known, and reports whether it
// was news.
func (v *verdicts) blame(r rule.Rule, message string, exchanges []*probe.Exchange) bool {
	if known := v.get(r.ID); known != nil && known.Outcome == broken(r) {
		return false
	}
	v.set(r, broken(r), message).Exchanges = evidence(exchanges)
	return true
}

// cause returns the id of the rule whose breach makes r impossible to judge, or "".
func (v *verdicts) cause(r rule.Rule) string {
	for _, id := range r.Needs {
		known := v.get(id)
		switch {
		case known == nil:
		case known.cause != "":
			return known.cause
		case known.Outcome == report.Failed:
			return id
		}
	}
	return ""
}

// settle brings the verdicts into their final order: a breach that was found
// before its cause is blocked by it, and so is what the breach blocked.
func (v *verdicts) settle() {
	for _, r := range rule.All() {
		known := v.get(r.ID)
		if known == nil || known.Outcome != broken(r) || r.ID == rule.Reachable.ID {
			continue
		}
		if cause := v.cause(r); cause != "" {
			v.set(r, report.Blocked, blockedBy(cause)).cause = cause
		}
	}
	for _, r := range rule.All() {
		known := v.get(r.ID)
		if known == nil || known.cause == "" {
			continue
		}
		root := known.cause
		for next := v.get(root); next != nil && next.cause != ""; next = v.get(root) {
			root = next.cause
		}
		known.cause, known.Message = root, blockedBy(root)
	}
}

func blockedBy(id string) string {
	return fmt.Sprintf("cannot be judged while %s is broken", id)
}

// evidence copies the exchanges that a report shows, each once: with its place
// marked, if it is marked at all.
func evidence(exchanges []*probe.Exchange) []probe.Exchange {
	const most = 12 // a story is shorter; a rule over the whole catalog shows its first breaches
	shown := []probe.Exchange{}
	for _, exchange := range exchanges {
		if exchange == nil {
			continue
		}
		known := slices.IndexFunc(shown, func(x probe.Exchange) bool { return x.Number == exchange.Number })
		switch {
		case known >= 0 && exchange.Response != nil && exchange.Response.Body.Excerpt != "":
			shown[known] = *exchange
		case known < 0 && len(shown) < most:
			shown = append(shown, *exchange)
		}
	}
	return shown
}
