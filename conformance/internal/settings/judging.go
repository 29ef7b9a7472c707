package settings

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/baseline"
	"partnerkit.dev/conformance/suite"
)

// newSeeds bounds the seeds that are drawn, so that they are easy to type again.
const newSeeds = 1_000_000

// Judging selects the rules to judge, their weight, and what else is played.
type Judging struct {
	labels           string
	rules            []string
	failFast, strict bool
	baseline         string
	depth            string
	lifecycles       int
	seed             uint64
}

func (j *Judging) register(flags *pflag.FlagSet) {
	flags.StringVar(&j.labels, "label", "", "judge only the rules that match this `filter` over ids, levels and endpoints, such as 'reserve && MUST'")
	flags.StringSliceVar(&j.rules, "rule", nil, "judge only the rules with these `ids`; rules that they need run but are not judged")
	flags.BoolVar(&j.failFast, "fail-fast", false, "stop after the first MUST rule that fails")
	flags.StringVar(&j.baseline, "baseline", "", "a YAML `file` of known failures, which do not count; a stale entry fails the run (exit 1)")
	flags.BoolVar(&j.strict, "strict", false, "an inconclusive rule makes the verdict incomplete (exit 3)")
	flags.StringVar(&j.depth, "depth", "standard", "how many products, slots, parties and orders of calls each rule is judged on: quick, standard or thorough")
	flags.IntVar(&j.lifecycles, "explore", 0, fmt.Sprintf("also run `N` random booking lifecycles, at most %d; a failing one is reduced to its shortest form", suite.MostLifecycles))
	flags.Uint64Var(&j.seed, "seed", 0, "the `seed` of the random lifecycles, to repeat them (default random)")
}

// apply sets the flags in the configuration, which must be complete otherwise. It draws a seed if
// none is given.
func (j *Judging) apply(config *suite.Config) (err error) {
	if j.seed > 0 && j.lifecycles == 0 {
		return fmt.Errorf("--seed %d requires --explore N", j.seed)
	}
	config.Explore, config.Seed = j.lifecycles, cmp.Or(j.seed, 1+rand.Uint64N(newSeeds))
	config.Depth = j.depth
	config.LabelFilter, config.Rules, config.FailFast, config.Strict = j.labels, j.rules, j.failFast, j.strict
	if j.baseline != "" {
		if config.Baseline, err = baseline.Read(j.baseline); err != nil {
			return err
		}
	}
	return config.Check()
}
