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

// exploring are the flags with which random lifecycles are played: the same in every
// run.
func exploring(stories int) []string {
	return []string{"--explore", strconv.Itoa(stories), "--seed", "1"}
}

const (
	// fewStories are played at a lawful partner, to see that none is accused.
	fewStories = 10
	// manyStories are played at a partner that only they can prove wrong.
	manyStories = 50
)

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

// Defects is a case for each defect of the mock.
func Defects() (all []Case) {
	for _, d := range mockpartner.Defects() {
		all = append(all, defectCase(d))
	}
	return all
}

// Variants is a case for each lawful variant of the mock.
func Variants() (all []Case) {
	for _, v := range mockpartner.Variants() {
		all = append(all, variantCase(v))
	}
	return all
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

// lone are the MUST and SHOULD rules that no defect can break, and why.
var lone = map[string]string{
	rule.Reachable.ID:     "a partner that breaks it does not answer, and is not judged at all",
	rule.ConfirmFields.ID: "a net below the rules of all fields that there are",
}
