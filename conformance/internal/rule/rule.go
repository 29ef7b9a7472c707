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
	"fmt"
	"slices"
	"strings"
	"sync"

	"partnerkit.dev/internal/nearest"
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

// All returns every rule, in the order in which a run judges them. The slice is
// the caller's own.
func All() []Rule {
	return slices.Concat(
		preflightRules, productsRules, availabilityRules, reserveRules, confirmRules, releaseRules, cancelRules, unusualRules,
		badInputRules, explorationRules,
	)
}

// byID is the catalogue for lookups, of which a run makes many.
var byID = sync.OnceValue(func() map[string]Rule {
	rules := map[string]Rule{}
	for _, r := range All() {
		rules[r.ID] = r
	}
	return rules
})

// Lookup returns the rule of this id.
func Lookup(id string) (Rule, bool) {
	r, found := byID()[id]
	return r, found
}

// Find returns the rule of this id. Its error names the rules whose ids are like it.
func Find(id string) (Rule, error) {
	if r, ok := Lookup(id); ok {
		return r, nil
	}
	var ids []string
	for _, r := range All() {
		ids = append(ids, r.ID)
	}
	return Rule{}, fmt.Errorf("there is no rule %.100q%s", id, nearest.Hint(id, ids))
}

// BuildsOn reports whether r needs the rule of that id, itself or through the
// rules that it needs.
func BuildsOn(r Rule, id string) bool {
	for _, need := range r.Needs {
		if need == id {
			return true
		}
		if needed, ok := Lookup(need); ok && BuildsOn(needed, id) {
			return true
		}
	}
	return false
}

// Every endpoint answers the same questions about its content type, its
// credentials and its limit; these families keep their words in one place.

// field is a rule about a field of the catalog or of a slot.
func field(id, clause, title, why, fix string) Rule {
	r := must(id, clause, title).why(why).fix(fix)
	return r.needs(string(r.Endpoint) + ".shape")
}

func contentType(e partnerapi.Endpoint, needs ...string) Rule {
	return should(string(e)+".content-type", "GEN-1", "The answer is declared as JSON").needs(needs...).
		why("Proxies and client libraries decide by the content type whether to read, cache or rewrite a body.").
		fix("Send Content-Type: application/json with every JSON body.")
}

func wrongKey(e partnerapi.Endpoint, needs ...string) Rule {
	return must(string(e)+".auth.wrong-key", "AUTH-2", "A wrong key is answered with 401").needs(needs...).
		why("The marketplace tells a revoked or mistyped key by its 401; without it anybody may act in its name.").
		fix(fmt.Sprintf("Check the Authorization header on the %s endpoint before anything else, and answer 401.", e))
}

func missingKey(e partnerapi.Endpoint) Rule {
	return must(string(e)+".auth.missing-key", "AUTH-3", "A request without a key is answered with 401").needs(string(e) + ".auth.wrong-key").
		why("An endpoint that lets a request without credentials through is open to everybody.").
		fix(fmt.Sprintf("Answer 401 on the %s endpoint where the Authorization header is absent or empty.", e))
}

func authNoEffect(e partnerapi.Endpoint, title, why string, needs ...string) Rule {
	return must(string(e)+".auth.no-effect", "AUTH-5", title).
		needs(append([]string{string(e) + ".auth.wrong-key", string(e) + ".auth.missing-key"}, needs...)...).
		why(why).
		fix("Check the credentials before the work, not after it: a 401 must leave no trace.")
}

func limit(e partnerapi.Endpoint) Rule {
	return must(string(e)+".limit", "LIM-1", fmt.Sprintf("The whole answer arrives within %.0f s", e.Timeout(partnerapi.Healthy).Seconds())).
		why("The marketplace hangs up when the limit has passed: the answer is lost, and counts against the partner's health.").
		fix("Answer from data at hand; move slow work (mails, other systems, reports) behind the answer.")
}
