package judge

import (
	"fmt"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
)

// mostFindings is the maximum number of findings kept for one rule. Further ones are only counted.
const mostFindings = 20

// Fields judges every element of an answer while it is read, and keeps a bounded number of findings
// for each rule. It implements scenario.Observer.
type Fields struct {
	redact func(string) string // removes the partner's key
	found  map[string]*places
	all    int // number of all findings

	remembered *remembered // nil: answers are not compared with each other
	// returned has the vacancies above the capacity of slots that earlier answers showed with fewer: seats that calls have
	// returned too often. nil: answers are not compared.
	returned *Fields
}

// places collects the breaches of one rule about fields: where they are, and the answers that show
// them.
type places struct {
	problems  []string
	count     int
	first     int                // number of the first exchange
	exchanges []*report.Exchange // each once, with its first place marked
	repeats   int                // how often later pulls have shown the same; not in count
	last      func() Finding     // the last breach alone
}

// NewFields returns Fields without a breach. redact removes secrets from messages and evidence.
func NewFields(redact func(string) string) *Fields {
	return &Fields{redact: redact, found: map[string]*places{}}
}

// add records a breach of r in an answer. value is the decoded element that shows it; place is a
// JSON pointer into value.
func (f *Fields) add(r rule.Rule, problem string, exchange *report.Exchange, value any, place string) {
	found := f.found[r.ID]
	if found == nil {
		found = &places{first: exchange.Number}
		f.found[r.ID] = found
	}
	found.count++
	f.all++
	found.last = func() Finding {
		return problems([]string{f.redact(problem)}, probe.Marked(exchange, value, place, f.redact))
	}
	if len(found.problems) == mostFindings {
		return
	}
	found.problems = append(found.problems, f.redact(problem))
	if !slices.ContainsFunc(found.exchanges, func(x *report.Exchange) bool { return x.Number == exchange.Number }) {
		found.exchanges = append(found.exchanges, probe.Marked(exchange, value, place, f.redact))
	}
}

// Finding returns the breaches of a rule, or the zero Finding if there are none.
func (f *Fields) Finding(id string) Finding {
	found := f.found[id]
	if found == nil {
		return Finding{}
	}
	finding := problems(found.problems, found.exchanges...)
	if found.count > 1 {
		finding.Message = fmt.Sprintf("%s (and %d more)", found.problems[0], found.count-1)
	}
	return finding
}

// Count returns the number of breaches.
func (f *Fields) Count() int { return f.all }

// Last returns the last breach of a rule alone, and how often it was broken.
func (f *Fields) Last(id string) (last Finding, times int) {
	if in := f.found[id]; in != nil {
		last, times = in.last(), in.count+in.repeats
	}
	return last, times
}

// Product records a schema problem of the product at an index of a catalog pull.
func (f *Fields) Product(pull *report.Exchange, index int, product any, problem schemas.Problem) {
	owner, text := fieldrule.Owner(pull.Endpoint, problem), problem.WithPrefix(fmt.Sprintf("/products/%d", index)).String()
	if found := f.found[owner.ID]; found != nil && found.first != pull.Number && slices.Contains(found.problems, f.redact(text)) {
		found.repeats++ // an earlier pull has shown it
		found.last = func() Finding {
			return problems([]string{f.redact(text)}, probe.Marked(pull, product, problem.Pointer, f.redact))
		}
		return
	}
	f.add(owner, text, pull, product, problem.Pointer)
}

// Answer records a schema problem of an answer that is an object.
func (f *Fields) Answer(answer *probe.Answer, problem schemas.Problem) {
	f.add(fieldrule.Owner(answer.Endpoint, problem), problem.String(), answer.Exchange, any(discover.Object(answer.Raw)), problem.Pointer)
}

// Remember makes f compare all answers about slots with each other.
func (f *Fields) Remember() *Fields {
	f.remembered = newRemembered(f.add)
	f.returned = NewFields(f.redact)
	return f
}
