package main

import (
	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/baseline"
	"partnerkit.dev/conformance/suite"
)

// judgingFlags say which rules are judged, and what weighs how much.
type judgingFlags struct {
	labels           string
	rules            []string
	failFast, strict bool
	baseline         string
}

func (f *judgingFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.labels, "label", "", "judge only the rules that fit this `filter` over ids, levels and endpoints, such as 'reserve && MUST'")
	flags.StringSliceVar(&f.rules, "rule", nil, "judge only the rules of these `ids`; what they need is run, and not judged")
	flags.BoolVar(&f.failFast, "fail-fast", false, "judge nothing more after the first MUST rule that failed")
	flags.StringVar(&f.baseline, "baseline", "", "a YAML `file` of known failures, each with its reason, that do not count; a stale one fails the run (exit 1)")
	flags.BoolVar(&f.strict, "strict", false, "an inconclusive rule makes the verdict incomplete (exit 3)")
}

// apply enters the flags into the configuration, which has all others already.
func (f *judgingFlags) apply(config *suite.Config) (err error) {
	config.LabelFilter, config.Rules, config.FailFast, config.Strict = f.labels, f.rules, f.failFast, f.strict
	if f.baseline != "" {
		if config.Baseline, err = baseline.Read(f.baseline); err != nil {
			return err
		}
	}
	return config.Check()
}
