package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"

	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/baseline"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/suite"
)

// safetyFlags are the flags that bound what a run does to a partner's platform,
// and keep account of it, as given.
type safetyFlags struct {
	ledger           string
	bounds           suite.Bounds
	planOnly, asJSON bool
}

func (f *safetyFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.bounds.ReadOnly, "read-only", false, "hold and book nothing: judge the catalog and availability only")
	flags.Var(count{&f.bounds.MaxHolds}, "max-holds", fmt.Sprintf("make no more than so many holds in all; what does not fit is inconclusive (default %d)", suite.DefaultMaxHolds))
	flags.Var(count{&f.bounds.MaxBookings}, "max-bookings", fmt.Sprintf("make no more than so many bookings in all; what does not fit is inconclusive (default %d)", suite.DefaultMaxBookings))
	flags.IntVar(&f.bounds.MaxRPS, "max-rps", 0, "send no more than so many calls a second, those of races too (default any number)")
	flags.StringSliceVar(&f.bounds.Products, "product", nil, "book, and ask for availability of, the products of these `ids` only; the catalog is judged whole")
	flags.StringSliceVar(&f.bounds.Options, "option", nil, "as --product, for the options of these `ids`")
	flags.StringVar(&f.bounds.From, "from", "", "ask for and book slots of this `date` and later ones only, such as 2026-07-01")
	flags.StringVar(&f.bounds.To, "to", "", "ask for and book slots of this `date` and earlier ones only")
	flags.BoolVar(&f.planOnly, "plan", false, "say what would be held and booked, and where, and stop: only the catalog and availability are read")
	flags.BoolVar(&f.asJSON, "json", false, "with --plan: print it as JSON")
	flags.StringVar(&f.ledger, "ledger", "", "the `file` that keeps account of every hold and booking, for 'conformance cleanup' (default ledger.jsonl in the report folder)")
}

func (f safetyFlags) check() error {
	if f.asJSON && !f.planOnly {
		return errors.New("--json goes with --plan; what came of a run is in report.json")
	}
	return nil
}

// count is a flag that counts something, and may be left out.
type count struct{ n **int }

func (count) Type() string { return "number" }

func (c count) String() string {
	if c.n == nil || *c.n == nil {
		return ""
	}
	return strconv.Itoa(**c.n)
}

func (c count) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("want a whole number, 0 or more")
	}
	*c.n = &n
	return nil
}

func (f safetyFlags) ledgerName(reportDir string) string {
	return cmp.Or(f.ledger, filepath.Join(reportDir, "ledger.jsonl"))
}

func (f safetyFlags) beginLedger(config suite.Config, reportDir string) (*ledger.Ledger, error) {
	name := f.ledgerName(reportDir)
	begun, err := ledger.Create(name, ledger.Head{
		BaseURL: config.BaseURL.String(), AuthType: config.AuthType, SuiteVersion: config.Version,
	}, config.AuthKey)
	switch {
	case errors.Is(err, ledger.ErrPending):
		return nil, fmt.Errorf("the ledger %w: run 'conformance cleanup %s' first, or name another file with --ledger", err, name)
	case err != nil:
		return nil, fmt.Errorf("the ledger %w: name another file with --ledger", err)
	}
	return begun, nil
}

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
