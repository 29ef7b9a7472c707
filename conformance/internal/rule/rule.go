// Package rule is the catalogue of what the suite judges. A Rule is a value:
// its level, the endpoint whose answer shows the breach, the clause of
// docs/contract.md that it stands for, and the words that a partner engineer
// needs: what must hold, why the marketplace needs it, and how to mend it.
//
// The specs, the reports, the documentation and the command line are all drawn
// from this catalogue. To add a rule, declare it beside its neighbours in the
// file of its endpoint and judge it in package judge.
package rule

import (
	"strings"

	"partnerkit.dev/schemas/partnerapi"
)

// Level says how much a breach weighs.
type Level string

// The three levels.
const (
	Must   Level = "MUST"   // a breach makes the partner nonconformant
	Should Level = "SHOULD" // a breach is a warning
	May    Level = "MAY"    // an option of the contract; its use is noted
)

// Rule is one thing that the suite judges.
type Rule struct {
	ID       string // stable, such as "reserve.vacancies.one"
	Level    Level
	Endpoint partnerapi.Endpoint // the endpoint whose answer or effect shows the breach; the id begins with it
	Clause   string              // clause of docs/contract.md, such as "RSV-3"
	Title    string              // what must hold, as a sentence without its full stop
	Why      string              // what the marketplace does when it does not hold
	Fix      string              // where to look, and what to change
	Needs    []string            // ids of the rules without which this one cannot be judged
}

// must, should and may begin a rule of that level; needs, why and fix complete it.
func must(id, clause, title string) Rule   { return newRule(Must, id, clause, title) }
func should(id, clause, title string) Rule { return newRule(Should, id, clause, title) }
func may(id, clause, title string) Rule    { return newRule(May, id, clause, title) }

func newRule(level Level, id, clause, title string) Rule {
	endpoint, _, _ := strings.Cut(id, ".")
	return Rule{ID: id, Level: level, Endpoint: partnerapi.Endpoint(endpoint), Clause: clause, Title: title}
}

func (r Rule) why(words string) Rule {
	r.Why = words
	return r
}

func (r Rule) fix(words string) Rule {
	r.Fix = words
	return r
}

func (r Rule) needs(ids ...string) Rule {
	r.Needs = ids
	return r
}
