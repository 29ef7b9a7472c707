package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/ledger"
	"partnerkit.dev/conformance/probe"
	"partnerkit.dev/conformance/suite"
)

// safetyFlags are the flags that bound what a run does to a partner's platform,
// and keep account of it, as given.
type safetyFlags struct {
	ledger string
}

func (f *safetyFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.ledger, "ledger", "", "the `file` that keeps account of every hold and booking, for 'conformance cleanup' (default ledger.jsonl in the report folder)")
}

// beginLedger begins the ledger of a run.
func (f safetyFlags) beginLedger(config suite.Config, reportDir string) (*ledger.Ledger, error) {
	name := cmp.Or(f.ledger, filepath.Join(reportDir, "ledger.jsonl"))
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
