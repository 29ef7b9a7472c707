package rule

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Clause is a clause of docs/contract.md, and who judges it.
type Clause struct {
	ID     string   // such as "RSV-3"
	Rules  []string // ids of the rules that are about it, in the order in which a run judges them
	Reason string   // why no rule can judge it from outside; "" where there are rules
}

// Coverage returns every clause of the contract in the contract's order, each with
// its rules, or with the reason why it has none.
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

// unjudged are the clauses that no rule is about, and why none can judge them from
// outside.
var unjudged = map[string]string{
	"GEN-2":  "what a partner may do: the suite ignores fields that the contract does not name",
	"GEN-3":  "what a partner may do: the suite takes null for absent in every optional field",
	"GEN-4":  "what a partner may do: the suite reads every order, encoding and end of a connection",
	"GEN-5":  "how date-times and dates are written: the rules of the fields that hold one judge it",
	"GEN-6":  "how amounts are written: the rules of the fields that hold one judge it, and the price itself is the partner's own",
	"GEN-7":  "what the marketplace does: the suite follows no redirect, and the rule of the answer's status fails",
	"AVL-1":  "what the marketplace sends: the mock partner's verdict judges it, and the suite sends it with every call",
	"AVL-2":  "what the marketplace asks for: the mock partner's verdict judges it; a partner may refuse the rest",
	"AVL-9":  "what the statuses mean: reserve shows whether they are true, under RSV-2 and RSV-5",
	"AVL-14": "how the marketplace counts seats, and what a partner may leave out",
	"RSV-6":  "how the marketplace escapes codes: the mock partner's verdict judges it; a code may hold anything",
	"RSV-8":  "what a partner may do: the rules about seats are not applied to it before confirm",
	"LIM-3":  "how LIM-1 is judged: one late answer breaks no rule",
	"WHK-1":  "what the marketplace answers: the mock partner sends the webhook and shows the answer",
	"WHK-2":  "what a partner may push: it goes to the marketplace, where no run sees it",
	"WHK-3":  "what the marketplace answers: the mock partner sends the webhook and shows the answer",
	"WHK-4":  "what the marketplace answers: the mock partner sends the webhook and shows the answer",
}

// sections are the sections of the contract, in its order.
var sections = []string{"GEN", "AUTH", "PRD", "AVL", "RSV", "CNF", "REL", "CAN", "LIM", "WHK"}

func compareClauses(a, b string) int {
	sectionA, numberA := splitClause(a)
	sectionB, numberB := splitClause(b)
	return cmp.Or(cmp.Compare(sectionA, sectionB), cmp.Compare(numberA, numberB))
}

// splitClause returns the place of the clause's section, and its number in it.
func splitClause(id string) (section, number int) {
	name, digits, _ := strings.Cut(id, "-")
	number, _ = strconv.Atoi(digits) // a test holds every id against the contract
	return slices.Index(sections, name), number
}
