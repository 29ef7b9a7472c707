// Package rule is the public catalogue of what the suite judges. Each Rule is a value with its
// level, its endpoint, its clause, and the text that a partner's engineer needs.
package rule

import (
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/view"
)

type (
	// Rule is one thing that the suite judges.
	Rule = rule.Rule
	// Level is the weight of a breach of a rule.
	Level = rule.Level
	// Clause is one clause of the contract, with its rules.
	Clause = rule.Clause
)

// The three levels.
const (
	Must   = rule.Must
	Should = rule.Should
	May    = rule.May
)

// All returns every rule, in the order in which a run judges them.
func All() []Rule { return rule.All() }

// Find returns the rule with this id. Its error names rules with similar ids.
func Find(id string) (Rule, error) { return rule.Find(id) }

// Coverage returns the contract's clauses in order, each with its rules, or with the reason why no
// rule can judge it.
func Coverage() []Clause { return rule.Coverage() }

// Catalogue returns all rules as a page of Markdown, by endpoint: what must hold, why, how to fix
// it, and which rules each one needs.
func Catalogue() []byte { return view.Catalogue(All()) }
