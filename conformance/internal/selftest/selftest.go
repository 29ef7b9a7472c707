// Package selftest tries the suite on partners of which it is known what it has to
// say: the mock partner as it is and in its lawful variants, where nothing may be
// found, and with each of its defects, where the one rule that the defect breaks
// must be found broken, and no other. What came of it is the kill matrix.
//
// A Plan says on which partners. Run tries the suite on them, a few at a time, and
// returns the Matrix. Each partner is a Case, served in this process and judged by
// the conformance command in a process of its own, as Ginkgo wants it; what came of
// one is a Trial.
//
// It is the only package of this module that knows the mock partner.
package selftest

import (
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

type Config struct {
	Command  string      // the file of the conformance command
	Dir      string      // where the reports of the runs that went wrong are kept, each in its Trial.Folder
	Parallel int         // how many runs are under way at once
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
	bench := newBench(config.Command)
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
	Lawful  Kind = "lawful"  // the mock partner as it is
	Variant Kind = "variant" // unlike most, and lawful all the same
	Defect  Kind = "defect"  // breaks one rule
)

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

func (c Case) isAboutTime() bool { return aboutTime.MatchString(c.Rule) }

func (c Case) limitScale() float64 {
	if c.isAboutTime() {
		return shortened
	}
	return 1
}
