// Package rule is the catalogue of what the suite judges. A Rule is a value: its level, the
// endpoint whose answer shows the breach, its clause of docs/contract.md, and the text that a
// partner's engineer needs: what must hold, why the marketplace needs it, and how to fix it.
//
// The specs, the reports, the documentation and the command line are all generated from this
// catalogue. All returns it, and each rule is also a variable, so that code can name one.
// To add a rule, declare it next to similar rules in the file of its endpoint, in the order of
// judging, and judge it in package judge.
package rule

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"partnerkit.dev/internal/suggest"
	"partnerkit.dev/schemas/partnerapi"
)

// Level is the weight of a breach of a rule.
type Level string

// The levels.
const (
	Must   Level = "MUST"   // a breach makes the partner nonconformant
	Should Level = "SHOULD" // a breach is a warning
	May    Level = "MAY"    // an option of the contract; the report notes its use
)

// Rule is one thing that the suite judges.
type Rule struct {
	ID       string // stable, such as "reserve.vacancies.one"
	Level    Level
	Endpoint partnerapi.Endpoint // the endpoint whose answer or effect shows the breach; the id starts with it
	Clause   string              // clause of docs/contract.md, such as "RSV-3"
	Title    string              // what must hold, as a sentence without its final period
	Why      string              // what happens at the marketplace if it does not hold
	Fix      string              // where to look, and what to change
	Needs    []string            // ids of the rules without which this one cannot be judged

	// Places are the fields of the endpoint's resource that the rule is about: JSON pointers in
	// which * stands for any index. A pointer that ends in /** also covers everything below it.
	Places []string

	chapter *chapter
}

// chapter lists the rules of one subject, in the order in which they are declared and judged.
type chapter struct{ rules []Rule }

var preflight, products, availability, reserve, confirm, release, cancel, unusual, nonsense, lifecycles, webhooks chapter

// must, should and may start a rule of that level. at, needs and why add to it, and fix completes
// it.
func (c *chapter) must(id, clause, title string) Rule   { return c.begin(Must, id, clause, title) }
func (c *chapter) should(id, clause, title string) Rule { return c.begin(Should, id, clause, title) }
func (c *chapter) may(id, clause, title string) Rule    { return c.begin(May, id, clause, title) }

func (c *chapter) begin(level Level, id, clause, title string) Rule {
	endpoint, _, _ := strings.Cut(id, ".")
	return Rule{ID: id, Level: level, Endpoint: partnerapi.Endpoint(endpoint), Clause: clause, Title: title, chapter: c}
}

func (r Rule) needs(ids ...string) Rule {
	r.Needs = ids
	return r
}

func (r Rule) withPlaces(places ...string) Rule {
	r.Places = places
	return r
}

func (r Rule) withReason(words string) Rule {
	r.Why = words
	return r
}

// fix adds the rule to its chapter.
func (r Rule) fix(words string) Rule {
	r.Fix = words
	r.chapter.rules = append(r.chapter.rules, r)
	return r
}

// All returns every rule, in the order in which a run judges them. The caller owns the slice.
func All() []Rule {
	return slices.Concat(
		preflight.rules, products.rules, availability.rules, reserve.rules, confirm.rules, release.rules, cancel.rules,
		unusual.rules, nonsense.rules, lifecycles.rules, webhooks.rules,
	)
}

var byID = sync.OnceValue(func() map[string]Rule {
	rules := map[string]Rule{}
	for _, r := range All() {
		rules[r.ID] = r
	}
	return rules
})

// Find returns the rule with this id. Its error names rules with similar ids.
func Find(id string) (Rule, error) {
	if r, known := byID()[id]; known {
		return r, nil
	}
	var ids []string
	for _, r := range All() {
		ids = append(ids, r.ID)
	}
	return Rule{}, fmt.Errorf("there is no rule %.100q%s", id, suggest.Hint(id, ids))
}

// Needed returns the rules that r needs directly.
func (r Rule) Needed() (all []Rule) {
	for _, id := range r.Needs {
		all = append(all, byID()[id])
	}
	return all
}

// BuildsOn reports whether r needs the rule with that id, directly or through the rules that it
// needs.
func BuildsOn(r Rule, id string) bool {
	return slices.ContainsFunc(r.Needed(), func(needed Rule) bool { return needed.ID == id || BuildsOn(needed, id) })
}

// Every endpoint has the same kinds of rules about its content type, its credentials and its limit.
// The following functions keep their text in one place.

// subject returns the endpoint's name as the first word of a title.
func subject(e partnerapi.Endpoint) string {
	return strings.ToUpper(string(e[:1])) + string(e[1:])
}

// field adds a rule about a field of the catalog or of a slot.
func (c *chapter) field(id, clause, title, why, fix string, places ...string) Rule {
	endpoint, _, _ := strings.Cut(id, ".")
	return c.must(id, clause, title).withPlaces(places...).needs(endpoint + ".shape").withReason(why).fix(fix)
}

func (c *chapter) contentType(e partnerapi.Endpoint, needs ...string) Rule {
	return c.should(string(e)+".content-type", "GEN-1", subject(e)+" answers with a JSON content type").needs(needs...).
		withReason("Proxies and client libraries read, cache or rewrite a body depending on its content type.").
		fix("Send Content-Type: application/json with every JSON body.")
}

func (c *chapter) wrongKey(e partnerapi.Endpoint, needs ...string) Rule {
	return c.must(string(e)+".auth.wrong-key", "AUTH-2", subject(e)+" answers a wrong key with 401").needs(needs...).
		withReason("The marketplace recognizes a revoked or mistyped key by the 401. If other keys are accepted, anyone can act in its name.").
		fix("Check the Authorization header before anything else. If the key is wrong, answer 401.")
}

func (c *chapter) missingKey(e partnerapi.Endpoint) Rule {
	return c.must(string(e)+".auth.missing-key", "AUTH-3", subject(e)+" answers a request without a key with 401").needs(string(e) + ".auth.wrong-key").
		withReason("Anyone can use an endpoint that accepts requests without credentials.").
		fix("Answer 401 if the Authorization header is missing or empty.")
}

func (c *chapter) authNoEffect(e partnerapi.Endpoint, title, why string, needs ...string) Rule {
	return c.must(string(e)+".auth.no-effect", "AUTH-5", title).
		needs(append([]string{string(e) + ".auth.wrong-key", string(e) + ".auth.missing-key"}, needs...)...).
		withReason(why).
		fix("Check the credentials before you change anything.")
}

func (c *chapter) limit(e partnerapi.Endpoint) Rule {
	return c.must(string(e)+".limit", "LIM-1", fmt.Sprintf("%s answers completely within %.0f s", subject(e), e.Timeout(partnerapi.Healthy).Seconds())).
		withReason("The marketplace stops waiting at the limit. It loses the answer and counts a failure against the partner's health.").
		fix("Answer from stored data. Store what the answer promises first, and do slow work after the answer, such as sending email and calling other systems.")
}

// Clause is a clause of docs/contract.md, and the rules that judge it.
type Clause struct {
	ID     string   // such as "RSV-3"
	Rules  []string // ids of the rules about it, in the order in which a run judges them
	Reason string   // why no rule can judge it from outside; "" if there are rules
}

// Coverage returns every clause of the contract in the contract's order, each with its rules, or
// with the reason why it has none.
func Coverage() []Clause {
	byID := map[string]*Clause{}
	for id, reason := range unjudged {
		byID[id] = &Clause{ID: id, Reason: reason}
	}
	for _, r := range All() {
		if byID[r.Clause] == nil {
			byID[r.Clause] = &Clause{ID: r.Clause}
		}
		byID[r.Clause].Rules = append(byID[r.Clause].Rules, r.ID)
	}
	var all []Clause
	for _, clause := range byID {
		all = append(all, *clause)
	}
	slices.SortFunc(all, func(a, b Clause) int { return compareClauses(a.ID, b.ID) })
	return all
}

// unjudged lists the clauses without a rule, and why no rule can judge them from outside.
var unjudged = map[string]string{
	"GEN-2":  "an option for partners: the suite ignores fields that the contract does not name",
	"GEN-3":  "an option for partners: the suite treats null in an optional field as absent",
	"GEN-4":  "an option for partners: the suite accepts every order, encoding and connection handling",
	"GEN-5":  "the format of date-times and dates: the rules of the fields that contain one judge it",
	"GEN-6":  "the format of amounts: the rules of the fields that contain one judge it; the partner chooses the price",
	"GEN-10": "the bounds of values: the rules of the fields judge them, by the schemas",
	"GEN-7":  "the marketplace's behaviour: the suite follows no redirects, so the rule about the status fails",
	"AVL-1":  "the marketplace's requests: the mock partner's verdict judges them, and the suite sends the same requests",
	"AVL-2":  "the marketplace's requests: the mock partner's verdict judges them; a partner may refuse other windows",
	"AVL-9":  "the meaning of the statuses: RSV-2 and RSV-5 compare them with the answers to reserve",
	"AVL-14": "how the marketplace counts seats, and what a partner may omit",
	"RSV-6":  "how the marketplace escapes codes: the mock partner's verdict judges it; a code may contain any character",
	"RSV-8":  "an option for partners: before confirm, the rules about seats do not apply to a hold whose expiresAt is so far ahead",
	"LIM-3":  "how LIM-1 is judged: a single late answer is not a violation",
	"WHK-1":  "the marketplace's answers: the mock partner sends the webhook and shows the answer",
	"WHK-3":  "the marketplace's answers: the mock partner sends the webhook and shows the answer",
	"WHK-4":  "the marketplace's answers: the mock partner sends the webhook and shows the answer",
	"EXT-1":  "an option for partners: the rules about EXT-2 to EXT-4 judge what an option declares",
}

var sections = []string{"GEN", "AUTH", "PRD", "AVL", "RSV", "CNF", "REL", "CAN", "LIM", "WHK", "EXT"}

func compareClauses(a, b string) int {
	sectionA, numberA := splitClause(a)
	sectionB, numberB := splitClause(b)
	return cmp.Or(cmp.Compare(sectionA, sectionB), cmp.Compare(numberA, numberB))
}

func splitClause(id string) (section, number int) {
	name, digits, _ := strings.Cut(id, "-")
	number, _ = strconv.Atoi(digits) // a test compares every id with the contract
	return slices.Index(sections, name), number
}
