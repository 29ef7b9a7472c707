// Package selftest runs the suite against partners with a known verdict. The plain mock
// partner and its lawful variants must pass. With each of its defects, the rule that
// the defect breaks must fail, and no other. The result is the kill matrix.
//
// A Plan says on which partners. Run tries the suite on them, a few at a time, and
// returns the Matrix. Each partner is a Case, served in this process and judged by
// the conformance command in a process of its own, as Ginkgo wants it; what came of
// one is a Trial.
//
// It is the only package of this module that knows the mock partner.
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

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/mockpartner"
)

// Begin is where the mocks' clocks begin unless the user says otherwise: always the same,
// so that the same suite gives the same matrix on every day.
var Begin = time.Date(2026, time.June, 1, 10, 0, 0, 0, time.UTC)

type Config struct {
	Command  string      // the file of the conformance command
	Dir      string      // where the reports of the runs that went wrong are kept, each in its Trial.Folder
	Now      time.Time   // where the clocks of all mocks begin, so that all sell the same slots
	Recorded bool        // a recording of each run is judged too, and has to say the same
	Parallel int         // how many runs are under way concurrently
	Progress func(Trial) // is told of each trial as it ends, one at a time
}

// Run tries the suite on every case of the plan. Its error says why a run could
// not be made or read, or wraps that of the context.
func Run(ctx context.Context, plan Plan, config Config) (*Matrix, error) {
	began := time.Now()
	scratch, err := os.MkdirTemp(config.Dir, ".runs-*") // beside the reports, which are moved
	if err != nil {
		return nil, fmt.Errorf("make a folder for the runs: %w", err)
	}
	defer os.RemoveAll(scratch)
	bench := &bench{config.Command, config.Now, config.Recorded}
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

// longestFirst returns the indexes of the cases, those of partners that are late
// first: begun last they would keep everybody waiting.
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

type Kind string

const (
	Lawful  Kind = "lawful"  // the plain mock partner
	Variant Kind = "variant" // unusual, but lawful
	Defect  Kind = "defect"  // breaks one rule
	Deep    Kind = "deep"    // breaks one rule in one instance alone
)

type Case struct {
	Kind Kind
	Name string
	Rule string // id of the rule that a defect breaks; "" for the others
	// Dimension is what the instance differs in that a deep defect breaks its rule in.
	Dimension string
	Path      string              // of the base URL
	Customers int                 // others who book during the run
	Scarce    bool                // it has too little for every rule to be judged
	Options   mockpartner.Options // of the mock that it is; key, clock and limits are set for the run
	Flags     []string            // of the command, in addition to those that every run has
}

func (c Case) depth() string {
	if c.Kind == Defect {
		return "quick"
	}
	return "standard"
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

func mockAsItIs() Case { return Case{Kind: Lawful, Name: "mock", Flags: exploring(fewStories)} }

// belowAPath is the plain mock below a base URL with a path.
func belowAPath() Case { return Case{Kind: Lawful, Name: "below-a-path", Path: "/partner/v2"} }

func variantCase(v mockpartner.Variant) Case {
	return Case{Kind: Variant, Name: v.Name, Scarce: v.Scarce, Options: mockpartner.Options{Variants: []string{v.Name}}, Flags: exploring(fewStories)}
}

func defectCase(d mockpartner.Defect) Case {
	c := Case{Kind: Defect, Name: d.Name, Rule: d.Rule, Dimension: d.Dimension, Options: mockpartner.Options{Defects: []string{d.Name}}}
	if d.Dimension != "" {
		c.Kind = Deep
	}
	if d.Rule == rule.AvailabilityLifecycle.ID {
		c.Flags = exploring(manyStories)
	}
	return c
}

type Plan struct {
	Cases []Case
	Depth string      // of the runs; "": standard where nothing may be found, quick for a defect that breaks its rule wherever one looks
	Rules []rule.Rule // those of which a defect must prove that the suite can find them broken
}

// Whole is the plan of the complete kill matrix: the plain mock, every variant,
// every defect, and every rule.
func Whole() Plan {
	plan := LawfulOnly(0)
	plan.Rules = rule.All()
	for _, d := range mockpartner.Defects() {
		plan.Cases = append(plan.Cases, defectCase(d))
	}
	return plan
}

// LawfulOnly is the plan of the plain mock and every variant, with so many other customers.
func LawfulOnly(customers int) (plan Plan) {
	plan.Cases = []Case{mockAsItIs(), belowAPath()}
	for _, v := range mockpartner.Variants() {
		plan.Cases = append(plan.Cases, variantCase(v))
	}
	for i := range plan.Cases {
		plan.Cases[i].Customers = customers
	}
	return plan
}

// InDepth is the plan of all deep defects, of these dimensions; none means all. No rule is proven by it.
// Its error names a dimension that there is not.
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

// Fast is the plan that proves every rule once: the plain mock, the first defect
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
// by them, for the suite as for the mock: waiting for 20 s is too slow.
const shortened = 0.04

var aboutTime = regexp.MustCompile(`\.(limit|aim)$`)

func (c Case) isAboutTime() bool { return aboutTime.MatchString(c.Rule) }

func (c Case) limitScale() float64 {
	if c.isAboutTime() {
		return shortened
	}
	return 1
}
