package traffic

import (
	"fmt"
	"maps"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// tally is what recorded calls have shown about every rule so far.
type tally struct {
	fields *judge.Fields
	judged map[string]bool // ids of the rules that at least one call was judged by
	broken map[string]judge.Finding
	again  map[string]int // how often a rule was broken after the first time
	latest map[string]judge.Finding
	doubts map[string]judge.Finding    // by rules whose breach a call suggests, but does not prove
	cut    map[partnerapi.Endpoint]int // how many answers are incomplete in the recording
}

func newTally(redact func(string) string) *tally {
	return &tally{judge.NewFields(redact), map[string]bool{}, map[string]judge.Finding{}, map[string]int{}, map[string]judge.Finding{}, map[string]judge.Finding{}, map[partnerapi.Endpoint]int{}}
}

// clone returns a tally to which more can be added without a change of t.
func (t *tally) clone() *tally {
	return &tally{t.fields, maps.Clone(t.judged), maps.Clone(t.broken), maps.Clone(t.again), maps.Clone(t.latest), maps.Clone(t.doubts), t.cut}
}

// mark records that a call was judged by these rules.
func (t *tally) mark(rules ...rule.Rule) {
	for _, r := range rules {
		t.judged[r.ID] = true
	}
}

// record records what calls show about rules.
func (t *tally) record(all ...judge.RuleFinding) {
	for _, f := range all {
		t.judged[f.Rule.ID] = true
		if _, known := t.broken[f.Rule.ID]; known && f.Ends() {
			t.again[f.Rule.ID]++
			t.latest[f.Rule.ID] = f.Finding
		} else if f.Ends() {
			t.broken[f.Rule.ID] = f.Finding
		}
	}
}

// doubt records that a call suggests a breach of a rule, which has another lawful explanation. The
// rule is then not passed.
func (t *tally) doubt(r rule.Rule, f judge.Finding) {
	if _, known := t.doubts[r.ID]; !known {
		t.doubts[r.ID] = f
	}
}

// takeFields judges the fields of an answer.
func (t *tally) takeFields(c *call, schema string, rules ...rule.Rule) {
	for _, problem := range schemas.Validate(schema, c.Raw) {
		t.fields.Answer(c.Answer, problem)
	}
	t.mark(rules...)
}

// settle records the outcome of every rule, in the order of judging. Rules that judged no call get
// no verdict. It returns how the broken rules were broken last, by id.
func (t *tally) settle(into *judge.Verdicts) map[string]breach {
	seen := map[string]breach{}
	for endpoint, n := range t.cut {
		for _, r := range judge.BodyRules(endpoint) {
			if t.judged[r.ID] {
				t.doubt(r, judge.Doubt("Incomplete in the recording: %s of this endpoint; the others keep the rule", plural.Count(n, "answer")))
			}
		}
	}
	for _, r := range rule.All() {
		finding, found := t.broken[r.ID]
		if more := t.again[r.ID]; more > 0 {
			finding.Message = fmt.Sprintf("%s (and %s)", finding.Message, plural.Count(more, "more call"))
		}
		if fields := t.fields.Finding(r.ID); !found && fields.Ends() {
			finding, found = fields, true
		}
		switch doubt, doubted := t.doubts[r.ID]; {
		case found:
			into.Record(r, finding, 0)
			seen[r.ID] = t.lastOf(r.ID)
		case doubted:
			into.Record(r, doubt, 0)
		case t.judged[r.ID]:
			into.Record(r, finding, 0)
		}
	}
	into.Settle(t.fields, nil)
	return seen
}

// breach is how often a rule was broken, and how the last time.
type breach struct {
	times   int
	message string
	shown   []report.Exchange
}

// lastOf returns how a broken rule was broken last.
func (t *tally) lastOf(id string) breach {
	last, times := t.broken[id], 1+t.again[id]
	if again, has := t.latest[id]; has {
		last = again
	}
	if _, known := t.broken[id]; !known {
		if flaw, often := t.fields.Last(id); often > 0 {
			last, times = flaw, often
		}
	}
	return breach{times, last.Message, judge.Evidence(last.Exchanges)}
}
