// Package selftest runs the suite against partners with a known verdict. The plain mock partner and
// its lawful variants must pass. With each of its defects, the rule that the defect breaks must
// fail, and no other. The result is the kill matrix.
//
// A Plan selects the partners. Run runs the suite against them, a few at a time, and returns the
// Matrix. Each partner is a Case. It is served in this process and judged by the conformance
// command in a separate process, because Ginkgo requires that. The outcome of one is a Trial.
//
// Only this package of the module depends on the mock partner.
package selftest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/mockpartner"
)

// Begin is the default start time of the mocks' clocks. It is constant, so that the same suite
// gives the same matrix on every day.
var Begin = time.Date(2026, time.June, 1, 10, 0, 0, 0, time.UTC)

// Config configures a self-test.
type Config struct {
	Dir      string      // where the reports of runs with problems are kept, each in its Trial.Folder
	Now      time.Time   // the start time of all mocks' clocks, so that all sell the same slots
	Recorded bool        // also judge a recording of each run, which must give the same result
	Parallel int         // number of concurrent runs
	Progress func(Trial) // receives each trial when it ends, one at a time
}

// Run runs the suite against every case of the plan. It returns an error if a run could not be made
// or read, or one that wraps the context's error.
func Run(ctx context.Context, plan Plan, config Config) (*Matrix, error) {
	began := time.Now()
	scratch, err := os.MkdirTemp(config.Dir, ".runs-*") // next to the reports, which are moved
	if err != nil {
		return nil, fmt.Errorf("make a folder for the runs: %w", err)
	}
	defer os.RemoveAll(scratch)
	bench := &bench{config.Now, config.Recorded}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(config.Parallel)
	trials := make([]Trial, len(plan.Cases))
	var one sync.Mutex
	for _, i := range longestFirst(plan.Cases) {
		c := plan.Cases[i]
		group.Go(func() error {
			if ctx.Err() != nil {
				return fmt.Errorf("%s: %w", c.Name, ctx.Err())
			}
			folder := filepath.Join(scratch, fmt.Sprint(i))
			if err := os.Mkdir(folder, 0o700); err != nil {
				return err
			}
			c.Flags = append(slices.Clone(c.Flags), "--depth", cmp.Or(plan.Depth, c.depth()))
			trial, err := bench.try(ctx, folder, c)
			if err == nil && len(trial.Problems) > 0 {
				err = keep(folder, filepath.Join(config.Dir, trial.Folder()))
			}
			if err != nil {
				return fmt.Errorf("%s: %w", c.Name, err)
			}
			trials[i] = trial
			one.Lock()
			defer one.Unlock()
			config.Progress(trial)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return newMatrix(plan, trials, began), nil
}

// longestFirst returns the indexes of the cases, those of late partners first: started last, they
// would delay the end.
func longestFirst(cases []Case) []int {
	var late, others []int
	for i, c := range cases {
		if c.isAboutTime() {
			late = append(late, i)
		} else {
			others = append(others, i)
		}
	}
	return slices.Concat(late, others)
}

func keep(from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

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

// Plan is the cases of a self-test and the rules that it proves.
type Plan struct {
	Cases []Case
	Depth string      // of the runs; "": standard for lawful partners, quick for a defect that breaks its rule everywhere
	Rules []rule.Rule // the rules that a defect must prove
}

// WholePlan returns the plan of the complete kill matrix: the plain mock, every variant, every defect,
// and every rule.
func WholePlan() Plan {
	plan := LawfulOnly()
	plan.Rules = rule.All()
	for _, d := range mockpartner.Defects() {
		plan.Cases = append(plan.Cases, defectCase(d))
	}
	return plan
}

// LawfulOnly returns the plan of the plain mock and every variant.
func LawfulOnly() (plan Plan) {
	plan.Cases = []Case{mockAsItIs(), belowAPath()}
	for _, v := range mockpartner.Variants() {
		plan.Cases = append(plan.Cases, variantCase(v))
	}
	return plan
}

// WithCustomers returns the plan with this number of other customers at each partner.
func (p Plan) WithCustomers(customers int) Plan {
	for i := range p.Cases {
		p.Cases[i].Customers = customers
	}
	return p
}

// InDepth returns the plan of all deep defects of these dimensions, or of all dimensions if none is
// given. It proves no rule. Its error names an unknown dimension.
func InDepth(dimensions ...string) (plan Plan, err error) {
	known := []string{}
	for _, d := range mockpartner.DeepDefects() {
		if !slices.Contains(known, d.Dimension) {
			known = append(known, d.Dimension)
		}
		if len(dimensions) == 0 || slices.Contains(dimensions, d.Dimension) {
			plan.Cases = append(plan.Cases, defectCase(d))
		}
	}
	for _, dimension := range dimensions {
		if !slices.Contains(known, dimension) {
			return Plan{}, fmt.Errorf("there are no deep defects by %q: expected some of %v", dimension, known)
		}
	}
	return plan, nil
}

// FastPlan returns the plan that proves every rule once: the plain mock and the first defect of each
// rule. In addition it has every nth of the other defects and the variants, or none if nth is 0.
func FastPlan(nth int) Plan {
	plan, seen, others := Plan{Cases: []Case{mockAsItIs()}, Rules: rule.All()}, map[string]bool{}, []Case{}
	for _, d := range mockpartner.Defects() {
		if seen[d.Rule] {
			others = append(others, defectCase(d))
		} else {
			plan.Cases, seen[d.Rule] = append(plan.Cases, defectCase(d)), true
		}
	}
	for _, v := range mockpartner.Variants() {
		others = append(others, variantCase(v))
	}
	for i := nth - 1; nth > 0 && i < len(others); i += nth {
		plan.Cases = append(plan.Cases, others[i])
	}
	return plan
}

// SelectedPlan returns the plan of the named defects and variants, and of the rules that these defects
// break. Its error wraps mockpartner.ErrNoDefect or mockpartner.ErrNoVariant.
func SelectedPlan(defects, variants []string) (plan Plan, err error) {
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
		c := defectCase(d)
		plan.Cases = append(plan.Cases, c)
		broken[d.Rule] = broken[d.Rule] || c.Kind == Defect // a deep defect proves no rule
	}
	for _, r := range rule.All() {
		if broken[r.ID] {
			plan.Rules = append(plan.Rules, r)
		}
	}
	return plan, nil
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
