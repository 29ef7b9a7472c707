package selftest

import (
	"regexp"
	"strconv"

	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/mockpartner"
)

// Kind is what a case shows: a defect, a variant, or the plain mock.
type Kind string

const (
	Lawful  Kind = "lawful"  // the plain mock partner
	Variant Kind = "variant" // unusual, but lawful
	Defect  Kind = "defect"  // breaks one rule
	Deep    Kind = "deep"    // breaks one rule in a single instance
)

// Case is one partner that the suite judges.
type Case struct {
	Kind Kind
	Name string
	Rule string // id of the rule that a defect breaks; "" for other kinds
	// Dimension is the dimension of the single instance in which a deep defect breaks its rule.
	Dimension string
	Path      string              // of the base URL
	Customers int                 // number of other customers who book during the run
	Webhooks  bool                // it sends webhooks, and the suite receives them
	Scarce    bool                // it has too little for every rule to be judged
	Options   mockpartner.Options // of the mock; key, clock and limits are set for the run
	Flags     []string            // of the command, in addition to those that every run has
}

func (c Case) depth() string {
	if c.Kind == Defect {
		return "quick"
	}
	return "standard"
}

const (
	// fewLifecycles are played at a lawful partner, to check that it is not accused.
	fewLifecycles = 10
	// manyLifecycles are played at a partner whose breach only lifecycles can find.
	manyLifecycles = 50
)

// exploreFlags returns the flags for random lifecycles, the same in every run.
func exploreFlags(lifecycles int) []string {
	return []string{"--explore", strconv.Itoa(lifecycles), "--seed", "1"}
}

func mockAsItIs() Case { return Case{Kind: Lawful, Name: "mock", Flags: exploreFlags(fewLifecycles)} }

// belowAPath returns the plain mock below a base URL with a path.
func belowAPath() Case { return Case{Kind: Lawful, Name: "below-a-path", Path: "/partner/v2"} }

func variantCase(v mockpartner.Variant) Case {
	return Case{Kind: Variant, Name: v.Name, Scarce: v.Scarce, Webhooks: v.Webhooks, Options: mockpartner.Options{Variants: []string{v.Name}}, Flags: exploreFlags(fewLifecycles)}
}

func defectCase(d mockpartner.Defect) Case {
	c := Case{Kind: Defect, Name: d.Name, Rule: d.Rule, Dimension: d.Dimension, Webhooks: d.Webhooks, Options: mockpartner.Options{Defects: []string{d.Name}}}
	if d.Dimension != "" {
		c.Kind = Deep
	}
	if d.Rule == rule.AvailabilityLifecycle.ID {
		c.Flags = exploreFlags(manyLifecycles)
	}
	return c
}

// shortened is the factor for the contract's limits at late partners, for the suite and the mock:
// waiting 20 s takes too long.
const shortened = 0.04

var aboutTime = regexp.MustCompile(`\.(limit|aim)$`)

func (c Case) isAboutTime() bool { return aboutTime.MatchString(c.Rule) }

func (c Case) limitScale() float64 {
	if c.isAboutTime() {
		return shortened
	}
	return 1
}
