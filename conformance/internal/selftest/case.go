package selftest

import (
	"regexp"
	"strconv"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/mockpartner"
)

// Kind says what a partner is to the suite.
type Kind string

// The kinds.
const (
	Lawful  Kind = "lawful"  // the mock partner as it is
	Variant Kind = "variant" // unlike most, and lawful all the same
	Defect  Kind = "defect"  // breaks one rule
)

// Case is a partner that the suite is tried on.
type Case struct {
	Kind    Kind
	Name    string
	Rule    string              // id of the rule that a defect breaks; "" for the others
	Options mockpartner.Options // of the mock that it is; key, clock and limits are set for the run
	Flags   []string            // of the command, besides those that every run has
}

const (
	// fewStories are played at a lawful partner, to see that none is accused.
	fewStories = 10
	// manyStories are played at a partner that only they can prove wrong.
	manyStories = 50
)

// exploring are the flags with which random lifecycles are played: the same in every
// run.
func exploring(stories int) []string {
	return []string{"--explore", strconv.Itoa(stories), "--seed", "1"}
}

// mockAsItIs is the mock without a defect, of no variant.
func mockAsItIs() Case { return Case{Kind: Lawful, Name: "mock", Flags: exploring(fewStories)} }

func variantCase(v mockpartner.Variant) Case {
	return Case{Kind: Variant, Name: v.Name, Options: mockpartner.Options{Variants: []string{v.Name}}, Flags: exploring(fewStories)}
}

func defectCase(d mockpartner.Defect) Case {
	c := Case{Kind: Defect, Name: d.Name, Rule: d.Rule, Options: mockpartner.Options{Defects: []string{d.Name}}}
	if d.Rule == rule.AvailabilityLifecycle.ID {
		c.Flags = exploring(manyStories)
	}
	return c
}

// Plan is what the suite is tried on.
type Plan struct {
	Cases []Case
	Rules []rule.Rule // those of which a defect must prove that the suite can find them broken
}

// Whole is the plan of the whole kill matrix: the mock as it is, every variant,
// every defect, and every rule.
func Whole() Plan {
	plan := Plan{Cases: []Case{mockAsItIs()}, Rules: rule.All()}
	for _, v := range mockpartner.Variants() {
		plan.Cases = append(plan.Cases, variantCase(v))
	}
	for _, d := range mockpartner.Defects() {
		plan.Cases = append(plan.Cases, defectCase(d))
	}
	return plan
}

// Fast is the plan that proves every rule once: the mock as it is, the first defect
// of each rule, and no variant.
func Fast() Plan {
	plan, seen := Plan{Cases: []Case{mockAsItIs()}, Rules: rule.All()}, map[string]bool{}
	for _, d := range mockpartner.Defects() {
		if !seen[d.Rule] {
			plan.Cases, seen[d.Rule] = append(plan.Cases, defectCase(d)), true
		}
	}
	return plan
}

// Only is the plan of the defects and variants of those names, and of the rules
// that these defects break. Its error wraps mockpartner.ErrNoDefect or
// mockpartner.ErrNoVariant.
func Only(defects, variants []string) (plan Plan, err error) {
	for _, name := range variants {
		v, err := mockpartner.FindVariant(name)
		if err != nil {
			return Plan{}, err
		}
		plan.Cases = append(plan.Cases, variantCase(v))
	}
	broken := map[string]bool{}
	for _, name := range defects {
		d, err := mockpartner.FindDefect(name)
		if err != nil {
			return Plan{}, err
		}
		plan.Cases, broken[d.Rule] = append(plan.Cases, defectCase(d)), true
	}
	for _, r := range rule.All() {
		if broken[r.ID] {
			plan.Rules = append(plan.Rules, r)
		}
	}
	return plan, nil
}

// shortened is what the contract's limits are multiplied by where a partner is late
// by them, for the suite as for the mock: nobody wants to wait for 20 s.
const shortened = 0.04

var aboutTime = regexp.MustCompile(`\.(limit|aim)$`)

// isAboutTime reports whether the partner breaks a rule by being late.
func (c Case) isAboutTime() bool { return aboutTime.MatchString(c.Rule) }

// limitScale is what the contract's limits are multiplied by.
func (c Case) limitScale() float64 {
	if c.isAboutTime() {
		return shortened
	}
	return 1
}
