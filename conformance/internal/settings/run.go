// Package settings reads the settings of a run: flags, environment variables and a settings file. The
// command and the suite's own Go test take the same ones.
package settings

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/suggest"
	"partnerkit.dev/schemas/partnerapi"
)

// File is the settings file that is read if it is in the working directory.
const File = "conformance.yaml"

// ReportFolder is the default folder of the reports.
const ReportFolder = "conformance-report"

const shortestRun = time.Second

// mostScale is the largest factor for the contract's limits.
const mostScale = 1000

// Run is the settings of a run, as flags give them.
type Run struct {
	Target
	Safety
	Judging
	Webhooks

	ReportDir                                               string
	Reports                                                 []string
	HandlesTicketDelivery, NoRaces, NoBadInput, IncludeSlow bool
	MaxDuration                                             time.Duration
	LimitScale                                              float64
}

// Register adds the flags of a run.
func (r *Run) Register(flags *pflag.FlagSet) {
	r.Target.Register(flags)
	flags.StringVar(&r.AuthType, "auth-type", string(partnerapi.Bearer), AuthTypeUsage)
	r.Safety.register(flags)
	flags.BoolVar(&r.HandlesTicketDelivery, "handles-ticket-delivery", false, "the partner delivers its own tickets: confirm must return them")
	flags.StringVar(&r.ReportDir, "report-dir", ReportFolder, "the `folder` for the reports; it is created if missing")
	flags.StringSliceVar(&r.Reports, "reports", nil, "write only these `files`: "+strings.Join(view.Names(), ", "))
	flags.BoolVar(&r.NoRaces, "no-races", false, "make no concurrent calls; the rules about them are skipped")
	flags.BoolVar(&r.NoBadInput, "no-bad-input", false, "send no malformed input; the rules about it are skipped")
	flags.DurationVar(&r.MaxDuration, "max-duration", suite.DefaultMaxDuration, "how long the run may take; rules without time are inconclusive")
	flags.BoolVar(&r.IncludeSlow, "include-slow", false, fmt.Sprintf("without --clock-url, wait until a hold has expired, at most %.0f minutes", suite.LongestWait.Minutes()))
	flags.Float64Var(&r.LimitScale, "limit-scale", 1, "multiply the contract's limits, for tests of the suite itself")
	r.Judging.register(flags)
	r.Webhooks.register(flags)
	cli.RegisterFile(flags, File)
	_ = flags.MarkHidden("limit-scale") // the flag exists
}

// Sources returns the sources of settings for the flags: a file, and environment variables. fresh
// creates the same flags again.
func Sources(flags *pflag.FlagSet, environment Environment, fresh func() *pflag.FlagSet) cli.Settings {
	return cli.Settings{
		Flags:    flags,
		Variable: variable,
		Lookup:   func(name string) (string, bool) { text := environment.Get(name); return text, text != "" },
		File: &cli.SettingsFile{
			Default: File,
			Fresh:   fresh,
			Secrets: map[string]string{
				AuthKeyFlag:       "set " + probe.KeyVariable + ", or name another variable with " + AuthKeyEnvFlag,
				WebhookSecretFlag: "set " + WebhookSecretVariable,
			},
			Found: []string{
				"auth-type", "handles-ticket-delivery", "label", "rule", "fail-fast", "strict", "explore", "seed", "include-slow", "no-races", "no-bad-input",
				"max-duration", "read-only", "max-holds", "max-bookings", "max-rps", "product", "option", "from", "to", "plan", "json", "reports",
			},
			Hint: suggest.Hint,
		},
	}
}

// Config fills the flags that were not given from their sources, and returns the configuration of the
// run, and the source of a file's settings or "". Its error names the setting.
func (r *Run) Config(sources cli.Settings) (config suite.Config, source string, err error) {
	source, wrong := sources.Apply()
	if len(wrong) > 0 {
		return config, "", wrong[0]
	}
	if err := r.Environment.refuseUnknown(sources.Flags, r.AuthKeyEnv); err != nil {
		return config, "", err
	}
	if config, err = r.config(sources.Flags.Changed); err != nil && source != "" {
		err = fmt.Errorf("%w (settings from %s)", err, source)
	}
	return config, source, err
}

func (r *Run) config(changed func(flag string) bool) (suite.Config, error) {
	target, err := r.Target.Check()
	if err != nil {
		return suite.Config{}, err
	}
	config := suite.Config{
		BaseURL: target.BaseURL, AuthType: target.AuthType, AuthKey: r.Key(), RootCAs: target.Roots, ClientCertificate: target.Certificate, PublicOnly: r.PublicOnly,
		ClockURL: r.ClockURL, MaxDuration: r.MaxDuration, NoRaces: r.NoRaces, NoBadInput: r.NoBadInput, HandlesTicketDelivery: r.HandlesTicketDelivery,
		Bounds: r.Bounds, IncludeSlow: r.IncludeSlow, LimitScale: r.LimitScale, Version: cli.Version(),
	}
	if config.Webhooks, err = r.Webhooks.config(changed, r.Environment); err != nil {
		return suite.Config{}, err
	}
	if err := r.Judging.apply(&config); err != nil {
		return suite.Config{}, err
	}
	return config, r.check()
}

func (r *Run) check() error {
	if r.MaxDuration < shortestRun {
		return fmt.Errorf("--max-duration %s is too short: expected at least %s", r.MaxDuration, shortestRun)
	}
	if !(r.LimitScale > 0 && r.LimitScale <= mostScale) { // this form also refuses NaN
		return fmt.Errorf("--limit-scale %g: expected more than 0, at most %d", r.LimitScale, mostScale)
	}
	for _, name := range r.Reports {
		if !slices.Contains(view.Names(), name) {
			return fmt.Errorf("--reports %q: expected some of %s", name, strings.Join(view.Names(), ", "))
		}
	}
	return nil
}
