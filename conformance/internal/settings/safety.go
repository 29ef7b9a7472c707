package settings

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/suite"
)

// Safety limits what a run does to a partner's platform, and records it.
type Safety struct {
	Ledger string // the file; "": ledger.jsonl in the report folder
	Bounds suite.Bounds
}

func (s *Safety) register(flags *pflag.FlagSet) {
	flags.BoolVar(&s.Bounds.ReadOnly, "read-only", false, "hold and book nothing: test only the catalog and availability")
	flags.Var(optionalNumber{&s.Bounds.MaxHolds}, "max-holds", fmt.Sprintf("make at most this many holds; rules that need more are inconclusive (default %d, %d with --depth thorough, and more with --explore)", suite.DefaultMaxHolds, suite.ThoroughTimes*suite.DefaultMaxHolds))
	flags.Var(optionalNumber{&s.Bounds.MaxBookings}, "max-bookings", fmt.Sprintf("make at most this many bookings; rules that need more are inconclusive (default %d, %d with --depth thorough, and more with --explore)", suite.DefaultMaxBookings, suite.ThoroughTimes*suite.DefaultMaxBookings))
	flags.IntVar(&s.Bounds.MaxRPS, "max-rps", 0, "send at most this many calls a second, including concurrent ones (default no limit)")
	flags.StringSliceVar(&s.Bounds.Products, "product", nil, "request and book only the products with these `ids`; the whole catalog is still tested")
	flags.StringSliceVar(&s.Bounds.Options, "option", nil, "like --product, for options")
	flags.StringVar(&s.Bounds.From, "from", "", "request and book only slots from this `date` on, such as 2026-07-01")
	flags.StringVar(&s.Bounds.To, "to", "", "request and book only slots up to this `date`")
	flags.StringVar(&s.Ledger, "ledger", "", "the `file` that records every hold and booking, for 'conformance cleanup' (default ledger.jsonl in the report folder)")
}

type optionalNumber struct{ n **int }

func (optionalNumber) Type() string { return "number" }

func (c optionalNumber) String() string {
	if c.n == nil || *c.n == nil {
		return ""
	}
	return strconv.Itoa(**c.n)
}

func (c optionalNumber) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("expected a whole number, 0 or more")
	}
	*c.n = &n
	return nil
}

// LedgerName returns the path of the ledger of a run that writes its reports to that folder.
func (s Safety) LedgerName(reportDir string) string {
	return cmp.Or(s.Ledger, filepath.Join(reportDir, "ledger.jsonl"))
}

// BeginLedger creates the ledger of a run. It returns an error if the file belongs to a run that left
// something behind.
func (s Safety) BeginLedger(config suite.Config, reportDir string) (*ledger.Ledger, error) {
	name := s.LedgerName(reportDir)
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
