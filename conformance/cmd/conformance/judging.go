package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/baseline"
	"partnerkit.dev/conformance/suite"
)

// newSeeds bounds the seeds that are drawn: they are to be typed again.
const newSeeds = 1_000_000

// judgingFlags say which rules are judged, what weighs how much, and what is played besides.
type judgingFlags struct {
	labels           string
	rules            []string
	failFast, strict bool
	baseline         string
	stories          int
	seed             uint64
}

func (f *judgingFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.labels, "label", "", "judge only the rules that fit this `filter` over ids, levels and endpoints, such as 'reserve && MUST'")
	flags.StringSliceVar(&f.rules, "rule", nil, "judge only the rules of these `ids`; what they need is run, and not judged")
	flags.BoolVar(&f.failFast, "fail-fast", false, "judge nothing more after the first MUST rule that failed")
	flags.StringVar(&f.baseline, "baseline", "", "a YAML `file` of known failures, each with its reason, that do not count; a stale one fails the run (exit 1)")
	flags.BoolVar(&f.strict, "strict", false, "an inconclusive rule makes the verdict incomplete (exit 3)")
	flags.IntVar(&f.stories, "explore", 0, fmt.Sprintf("play `N` random lifecycles besides, at most %d; one that breaks is cut down to its shortest form", suite.MostStories))
	flags.Uint64Var(&f.seed, "seed", 0, "the `seed` of the random lifecycles, which plays the same ones again (one is drawn)")
}

// apply enters the flags into the configuration, which has all others already. Where no
// seed is given it draws one.
func (f *judgingFlags) apply(config *suite.Config) (err error) {
	if f.seed > 0 && f.stories == 0 {
		return fmt.Errorf("--seed %d goes with --explore N", f.seed)
	}
	config.Explore, config.Seed = f.stories, cmp.Or(f.seed, 1+rand.Uint64N(newSeeds))
	config.LabelFilter, config.Rules, config.FailFast, config.Strict = f.labels, f.rules, f.failFast, f.strict
	if f.baseline != "" {
		if config.Baseline, err = baseline.Read(f.baseline); err != nil {
			return err
		}
	}
	return config.Check()
}
