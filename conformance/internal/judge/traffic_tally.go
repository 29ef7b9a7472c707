package judge

import (
	"fmt"
	"maps"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/internal/count"
	"partnerkit.dev/schemas"
)

// tally is what recorded calls have shown about every rule so far.
type tally struct {
	fields *Fields
	judged map[string]bool // ids of the rules that at least one call was judged by
	broken map[string]Finding
	again  map[string]int // how often a rule was broken after the first time
	latest map[string]Finding
}

func newTally(redact func(string) string) *tally {
	return &tally{NewFields(redact), map[string]bool{}, map[string]Finding{}, map[string]int{}, map[string]Finding{}}
}

// clone returns a tally to which more can be added without a change of t.
func (t *tally) clone() *tally {
	return &tally{t.fields, maps.Clone(t.judged), maps.Clone(t.broken), maps.Clone(t.again), maps.Clone(t.latest)}
}

// mark records that a call was judged by these rules.
func (t *tally) mark(rules ...rule.Rule) {
	for _, r := range rules {
		t.judged[r.ID] = true
	}
}

// check judges a call by a rule, and reports whether the call satisfies it.
func (t *tally) check(r rule.Rule, c *Call, checks ...check) bool {
	return t.find(r, expect(c.Answer, checks...))
}

// find records what a call shows about a rule, and reports whether the rule is satisfied.
func (t *tally) find(r rule.Rule, f Finding) bool {
	t.judged[r.ID] = true
	if !f.Ends() {
		return true
	}
	if _, known := t.broken[r.ID]; known {
		t.again[r.ID]++
		t.latest[r.ID] = f
	} else {
		t.broken[r.ID] = f
	}
	return false
}

// takeFields judges the fields of an answer.
func (t *tally) takeFields(c *Call, schema string, rules ...rule.Rule) {
	for _, problem := range schemas.Validate(schema, c.Raw) {
		t.fields.Answer(c.Answer, problem)
	}
	t.mark(rules...)
}

// settle records the outcome of every rule, in the order of judging. Rules that judged no call get
// no verdict. It returns how the broken rules were broken last, by id.
func (t *tally) settle(into *Verdicts) map[string]Seen {
	seen := map[string]Seen{}
	for _, r := range rule.All() {
		finding, found := t.broken[r.ID]
		if more := t.again[r.ID]; more > 0 {
			finding.Message = fmt.Sprintf("%s (and %s)", finding.Message, count.Of(more, "more call"))
		}
		if fields := t.fields.Finding(r.ID); !found && fields.Ends() {
			finding, found = fields, true
		}
		if found || t.judged[r.ID] {
			into.Record(r, finding, 0)
		}
		if finding.Ends() {
			seen[r.ID] = t.lastOf(r.ID)
		}
	}
	into.Settle(t.fields)
	return seen
}

// Seen is how often a rule was broken, and how the last time.
type Seen struct {
	Times   int
	Message string
	Shown   []probe.Exchange
}

// lastOf returns how a broken rule was broken last.
func (t *tally) lastOf(id string) Seen {
	last, times := t.broken[id], 1+t.again[id]
	if again, has := t.latest[id]; has {
		last = again
	}
	if _, known := t.broken[id]; !known {
		if in := t.fields.found[id]; in != nil {
			last, times = in.last(), in.count+in.repeats
		}
	}
	return Seen{times, last.Message, evidence(last.Exchanges)}
}
