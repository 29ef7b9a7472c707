package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/nearest"
	"partnerkit.dev/schemas/partnerapi"
)

// reportFolder is where the reports go unless the user says otherwise.
const reportFolder = "conformance-report"

const shortestRun = time.Second

type runFlags struct {
	targetFlags
	safetyFlags
	judgingFlags

	reportDir                                   string
	reports                                     []string
	handlesTicketDelivery, noRaces, includeSlow bool
	maxDuration                                 time.Duration
	limitScale                                  float64
}

func newRun() *cobra.Command {
	var flags runFlags
	command := &cobra.Command{
		Use:   "run --base-url URL",
		Short: "Judge a partner",
		Long: `Calls the partner's endpoints, judges every rule of the catalogue, and writes
report.html, report.json, report.md, junit.xml, run.har (every call) and badge.svg.

What the run holds or books it releases or cancels again. It makes about
thirty holds and seven bookings, for slots of the next 60 days. Some calls
are sent at the same time, up to eight of them; --no-races leaves these out.
--plan says what would be held and booked, and stops; --read-only, --max-holds,
--max-bookings, --max-rps, --product, --option, --from and --to bound it. All of
it is entered in a ledger before it is done: should the run be killed,
'conformance cleanup' undoes what it left behind.
What becomes of a hold that expires is judged where --clock-url lets the run move
the partner's clock, or --include-slow lets it wait. --explore plays random
lifecycles besides, of some ten steps each.

The key is read from ` + probe.KeyVariable + `, or the variable that --auth-key-env
names; --auth-key stands before it, but shows in the machine's process list.

Every flag can be set in the environment, as CONFORMANCE_BASE_URL is for
--base-url, and in a settings file, with profiles for several partners or
environments. The command line takes precedence over the environment, the
environment over the profile, and the profile over the file's common settings.
` + settingsFile + ` is read from the working directory. Name the file with --config
if it sets addresses, files or the key's variable: base-url, clock-url,
auth-key-env, ca-file, baseline, report-dir or ledger. A repository that you
cloned may bring a file of its own, which must not choose these.

Exit codes:
  0  conformant: no MUST rule failed
  1  nonconformant: a MUST rule failed; or an entry of the baseline is stale
  2  the command was not understood, or could not do its work
  3  the partner could not be judged: it was not reached, or nothing can be booked`,
		Example: `  conformance run --base-url https://partner.example/api
  conformance run --base-url https://partner.example/api --auth-type api_key --handles-ticket-delivery
  conformance run --base-url http://127.0.0.1:8081 --clock-url http://127.0.0.1:8081/_mock/clock
  conformance run --base-url https://partner.example/api --label 'reserve || release'
  conformance run --base-url https://partner.example/api --explore 50
  conformance run --base-url https://partner.example/api --rule reserve.vacancies.one --fail-fast
  conformance run --config conformance.yaml --profile staging`,
		Args: noArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			source, wrong := settingsOf(command).Apply()
			if len(wrong) > 0 {
				return wrong[0]
			}
			config, err := flags.config()
			switch {
			case err != nil && source != "":
				return fmt.Errorf("%w (settings from %s)", err, source)
			case err != nil:
				return err
			case source != "" && !flags.asJSON:
				fmt.Fprintf(command.OutOrStdout(), "settings from %s\n", oneLine(source))
			}
			if flags.planOnly {
				return flags.plan(command, config, flags.reportDir)
			}
			return run(command, config, flags)
		},
	}
	f := command.Flags()
	flags.targetFlags.register(f)
	f.StringVar(&flags.authType, "auth-type", string(partnerapi.Bearer), authTypeUsage)
	flags.safetyFlags.register(f)
	f.BoolVar(&flags.handlesTicketDelivery, "handles-ticket-delivery", false, "the partner delivers its own tickets: confirm must return them")
	f.StringVar(&flags.reportDir, "report-dir", reportFolder, "the `folder` for the reports; it is made where it is missing")
	f.StringSliceVar(&flags.reports, "reports", nil, "write only these `files`: "+strings.Join(view.Names(), ", "))
	f.BoolVar(&flags.noRaces, "no-races", false, "send no calls at the same time; the rules about them are skipped")
	f.DurationVar(&flags.maxDuration, "max-duration", suite.DefaultMaxDuration, "how long the run may take; what is left then is inconclusive")
	f.BoolVar(&flags.includeSlow, "include-slow", false, fmt.Sprintf("wait until a hold has expired, for %.0f minutes at most, where there is no --clock-url", suite.LongestWait.Minutes()))
	f.Float64Var(&flags.limitScale, "limit-scale", 1, "multiply the contract's limits, for tests of the suite itself")
	flags.judgingFlags.register(f)
	cli.RegisterFile(f, settingsFile)
	_ = f.MarkHidden("limit-scale") // the flag exists
	complete(command, map[string]cobra.CompletionFunc{
		"auth-type":  oneOf(authTypes),
		"rule":       someOf(ruleIDs),
		"profile":    oneOf(func() []string { return settingsOf(command).Profiles() }),
		"report-dir": folders,
		"reports":    someOf(view.Names),
		"baseline":   files("yaml", "yml"),
		"config":     files("yaml", "yml"),
		"ca-file":    files("pem", "crt"),
	})
	return command
}

// settingsFile is the file that is read where it lies in the working directory.
const settingsFile = "conformance.yaml"

// settingsOf returns what fills the flags of the run command from the environment,
// where CONFORMANCE_ stands before their names, and from a file. An empty variable says
// nothing.
func settingsOf(command *cobra.Command) cli.Settings {
	return cli.Settings{
		Flags:    command.Flags(),
		Variable: cli.Prefixed("CONFORMANCE_"),
		Lookup:   func(name string) (string, bool) { text := os.Getenv(name); return text, text != "" },
		File: &cli.SettingsFile{
			Default: settingsFile,
			Fresh:   func() *pflag.FlagSet { return newRun().Flags() },
			Secrets: map[string]string{
				authKeyFlag: "set " + probe.KeyVariable + ", or name another variable with " + authKeyEnvFlag,
			},
			Found: []string{
				"auth-type", "handles-ticket-delivery", "label", "rule", "fail-fast", "strict", "explore", "seed", "include-slow", "no-races",
				"max-duration", "read-only", "max-holds", "max-bookings", "max-rps", "product", "option", "from", "to", "plan", "json", "reports",
			},
			Hint: nearest.Hint,
		},
	}
}

func (f runFlags) config() (suite.Config, error) {
	target, err := f.targetFlags.check()
	if err != nil {
		return suite.Config{}, err
	}
	config := suite.Config{
		BaseURL: target.baseURL, AuthType: target.authType, AuthKey: f.key(), RootCAs: target.roots,
		ClockURL: f.clockURL, MaxDuration: f.maxDuration, NoRaces: f.noRaces, HandlesTicketDelivery: f.handlesTicketDelivery,
		Bounds: f.bounds, IncludeSlow: f.includeSlow, LimitScale: f.limitScale, Version: cli.Version(),
	}
	for _, check := range []func() error{func() error { return f.judgingFlags.apply(&config) }, f.safetyFlags.check, f.check} {
		if err := check(); err != nil {
			return suite.Config{}, err
		}
	}
	return config, nil
}

func (f runFlags) check() error {
	if f.maxDuration < shortestRun {
		return fmt.Errorf("--max-duration %s is too short: want at least %s", f.maxDuration, shortestRun)
	}
	if !(f.limitScale > 0 && f.limitScale <= 1) { // so written, it refuses NaN too
		return fmt.Errorf("--limit-scale %g: want more than 0, at most 1", f.limitScale)
	}
	for _, name := range f.reports {
		if !slices.Contains(view.Names(), name) {
			return fmt.Errorf("--reports %q: want some of %s", name, strings.Join(view.Names(), ", "))
		}
	}
	return nil
}

func run(command *cobra.Command, config suite.Config, flags runFlags) error {
	// A folder that cannot be written is better known before the run than after.
	if err := prepareFolder(flags.reportDir, reportFolder); err != nil {
		return err
	}
	var err error
	if config.Ledger, err = flags.beginLedger(config, flags.reportDir); err != nil {
		return err
	}
	screen := newScreen(command.OutOrStdout(), probe.NewRedactor(config.AuthKey).Redact, config.Judged(), "judging")
	screen.begin(config)
	config.Progress, config.Waiting = screen.rule, screen.waiting
	outcome, err := suite.Judge(command.Context(), config)
	if err != nil {
		return err
	}
	screen.end(outcome.Result)

	files, sum, err := outcome.WriteReports(flags.reportDir, flags.reports...)
	err = errors.Join(err, config.Ledger.Close())
	screen.reports(files)
	screen.note("SHA-256 of the report: %s\n", sum)
	code := exitCode(outcome.Result)
	if err != nil {
		code = cmp.Or(code, exitUsage)
	}
	return cli.Exit{Code: code, Err: err}
}

func exitCode(r *report.Result) int {
	switch {
	case r.Verdict == report.Incomplete:
		return exitIncomplete
	case r.Verdict == report.Nonconformant, r.Baseline != nil && len(r.Baseline.Stale) > 0:
		return exitNonconformant
	default:
		return exitConformant
	}
}
