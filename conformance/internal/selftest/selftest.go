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
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
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
