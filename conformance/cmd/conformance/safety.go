package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
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
	}, probe.NewRedactor(config.AuthKey).Redact)
	switch {
	case errors.Is(err, ledger.ErrPending):
		return nil, fmt.Errorf("the ledger %w: run 'conformance cleanup %s' first, or name another file with --ledger", err, name)
	case err != nil:
		return nil, fmt.Errorf("the ledger %w: name another file with --ledger", err)
	}
	return begun, nil
}
