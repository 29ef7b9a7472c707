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
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Config says how the cases of a plan are tried.
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

// keep moves the report of a run that went wrong to where it is looked for.
func keep(from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.Rename(from, to)
}
