package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/nearest"
	"partnerkit.dev/schemas/partnerapi"
)

// reportFolder is the default folder of the reports.
const reportFolder = "conformance-report"

const shortestRun = time.Second

// usualRun says how many holds and bookings a run makes.
func usualRun() string {
	standard, quick := plan.Standard.Usual(), plan.Quick.Usual()
	return fmt.Sprintf("It makes about\n%d holds and %d bookings, or %d and %d with --depth quick, for slots of the next 60 days.",
		standard.Holds, standard.Bookings, quick.Holds, quick.Bookings)
}

type runFlags struct {
	targetFlags
	safetyFlags
	judgingFlags
	webhookFlags

	reportDir                                   string
	reports                                     []string
	handlesTicketDelivery, noRaces, includeSlow bool
	verbose, watch                              bool
	progress                                    string
	awaitLedger                                 bool
	watchPaths                                  []string
	maxDuration                                 time.Duration
	limitScale                                  float64
}

func newRun() *cobra.Command {
	var flags runFlags
	command := &cobra.Command{
		Use:   "run --base-url URL",
		Short: "Judge a partner by the contract",
		Long: `Calls the partner's endpoints, judges every rule of the catalogue, and writes
report.html, report.json, report.md, junit.xml, run.har (every call) and badge.svg.

The run releases or cancels everything that it holds or books. ` + usualRun() + `
Some calls are sent at the same time, up to eight of them, unless --no-races is set.
--plan prints what would be held and booked, and stops. --read-only, --max-holds,
--max-bookings, --max-rps, --product, --option, --from and --to limit it. Every hold
and booking is recorded in a ledger before it is made: if the run is killed,
'conformance cleanup' undoes what it left behind.
The expiry of holds is judged if --clock-url lets the run move the partner's clock,
or if --include-slow lets it wait. --explore also runs random booking lifecycles, of
about ten steps each.

A run that you narrow, such as with --rule or --read-only, has the verdict partial:
it says what was judged and what was not.

With --webhook-listen, the run receives the partner's webhooks in place of the
marketplace, and judges what they report about the run's own holds. Give the partner
the address of --webhook-url; it appends /availability/notify and /sync/trigger. If the
partner runs on another machine, let a tunnel forward that address to --webhook-listen.
It must keep the path.

--watch runs again after each change, the failing rules first, and shows what changed.

The key is read from ` + probe.KeyVariable + `, or the variable that --auth-key-env
names. --auth-key takes precedence, but shows in the machine's process list.

Every flag can be set in the environment, as CONFORMANCE_BASE_URL is for
--base-url, and in a settings file, with profiles for several partners or
environments. The command line takes precedence over the environment, the
environment over the profile, and the profile over the file's common settings.
` + settingsFile + ` is read from the working directory. Name the file with --config
if it sets addresses, files or the key's variable: base-url, clock-url,
webhook-listen, webhook-url, auth-key-env, ca-file, baseline, report-dir or ledger.
A repository that you cloned may contain such a file, which must not choose these.

Exit codes:
  0  conformant, or partial where flags narrowed the run: no MUST rule failed
  1  nonconformant: a MUST rule failed; or a baseline entry is stale
  2  the command line was wrong, or the command failed
  3  the partner could not be judged: it was not reached, or nothing can be booked`,
		Example: `  conformance run --base-url https://partner.example/api
  conformance run --base-url https://partner.example/api --auth-type api_key --handles-ticket-delivery
  conformance run --base-url http://127.0.0.1:8081 --clock-url http://127.0.0.1:8081/_mock/clock
  conformance run --base-url https://partner.example/api --label 'reserve || release'
  conformance run --base-url https://partner.example/api --explore 50
  conformance run --base-url https://partner.example/api --rule reserve.vacancies.one --fail-fast
  conformance run --base-url http://127.0.0.1:8081 --webhook-listen 127.0.0.1:9100
  conformance run --base-url http://127.0.0.1:8081 --watch --watch-path ./src
  conformance run --config conformance.yaml --profile staging`,
		Args: noArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			given := givenFlags(command.Flags())
			source, wrong := settingsOf(command).Apply()
			if len(wrong) > 0 {
				return wrong[0]
			}
			config, err := flags.config(command.Flags().Changed)
			switch {
			case err != nil && source != "":
				return fmt.Errorf("%w (settings from %s)", err, source)
			case err != nil:
				return err
			case source != "" && !flags.asJSON && flags.progress != progressJSON:
				fmt.Fprintf(command.OutOrStdout(), "settings from %s\n", oneLine(source))
			}
			if flags.planOnly {
				return flags.plan(command, config, flags.reportDir)
			}
			if flags.watch {
				return runWatch(command, config, flags, given)
			}
			return run(command, config, flags)
		},
	}
	f := command.Flags()
	flags.targetFlags.register(f)
	f.StringVar(&flags.authType, "auth-type", string(partnerapi.Bearer), authTypeUsage)
	flags.safetyFlags.register(f)
	f.BoolVar(&flags.handlesTicketDelivery, "handles-ticket-delivery", false, "the partner delivers its own tickets: confirm must return them")
	f.StringVar(&flags.reportDir, "report-dir", reportFolder, "the `folder` for the reports; it is created if missing")
	f.StringSliceVar(&flags.reports, "reports", nil, "write only these `files`: "+strings.Join(view.Names(), ", "))
	f.BoolVar(&flags.noRaces, "no-races", false, "make no concurrent calls; the rules about them are skipped")
	f.DurationVar(&flags.maxDuration, "max-duration", suite.DefaultMaxDuration, "how long the run may take; rules without time are inconclusive")
	f.BoolVar(&flags.includeSlow, "include-slow", false, fmt.Sprintf("without --clock-url, wait until a hold has expired, at most %.0f minutes", suite.LongestWait.Minutes()))
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "show every rule, and the answer times")
	f.StringVar(&flags.progress, "progress", progressText, "what to print during the run: text for people, or json, one object a line for each judged rule and nothing else")
	f.BoolVar(&flags.awaitLedger, "await-ledger", false, "with --progress json: before each hold and booking, print {\"ledger\": true} and wait for a line on standard input, so that the caller can copy the ledger first")
	f.BoolVar(&flags.watch, "watch", false, "run again after Enter, a restart of the partner, or a change at --watch-path, until Ctrl-C")
	f.StringSliceVar(&flags.watchPaths, "watch-path", nil, "with --watch: the `files` or folders whose changes start a run")
	f.Float64Var(&flags.limitScale, "limit-scale", 1, "multiply the contract's limits, for tests of the suite itself")
	flags.judgingFlags.register(f)
	flags.webhookFlags.register(f)
	cli.RegisterFile(f, settingsFile)
	_ = f.MarkHidden("limit-scale") // the flag exists
	complete(command, map[string]cobra.CompletionFunc{
		"auth-type":  oneOf(authTypes),
		"progress":   cobra.FixedCompletions([]string{progressText, progressJSON}, cobra.ShellCompDirectiveNoFileComp),
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

// settingsFile is the file that is read if it is in the working directory.
const settingsFile = "conformance.yaml"

// settingsOf returns the sources of settings for the flags of the run command: a file, and
// environment variables with the prefix CONFORMANCE_. Empty variables are ignored.
func settingsOf(command *cobra.Command) cli.Settings {
	return cli.Settings{
		Flags:    command.Flags(),
		Variable: cli.Prefixed("CONFORMANCE_"),
		Lookup:   func(name string) (string, bool) { text := os.Getenv(name); return text, text != "" },
		File: &cli.SettingsFile{
			Default: settingsFile,
			Fresh:   func() *pflag.FlagSet { return newRun().Flags() },
			Secrets: map[string]string{
				authKeyFlag:       "set " + probe.KeyVariable + ", or name another variable with " + authKeyEnvFlag,
				webhookSecretFlag: "set " + webhookSecretVariable,
			},
			Found: []string{
				"auth-type", "handles-ticket-delivery", "label", "rule", "fail-fast", "strict", "explore", "seed", "include-slow", "no-races",
				"max-duration", "read-only", "max-holds", "max-bookings", "max-rps", "product", "option", "from", "to", "plan", "json", "reports",
			},
			Hint: nearest.Hint,
		},
	}
}

func (f runFlags) config(changed func(flag string) bool) (suite.Config, error) {
	target, err := f.targetFlags.check()
	if err != nil {
		return suite.Config{}, err
	}
	config := suite.Config{
		BaseURL: target.baseURL, AuthType: target.authType, AuthKey: f.key(), RootCAs: target.roots, PublicOnly: f.publicOnly,
		ClockURL: f.clockURL, MaxDuration: f.maxDuration, NoRaces: f.noRaces, HandlesTicketDelivery: f.handlesTicketDelivery,
		Bounds: f.bounds, IncludeSlow: f.includeSlow, LimitScale: f.limitScale, Version: cli.Version(),
	}
	if config.Webhooks, err = f.webhookFlags.config(changed); err != nil {
		return suite.Config{}, err
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
		return fmt.Errorf("--max-duration %s is too short: expected at least %s", f.maxDuration, shortestRun)
	}
	if !(f.limitScale > 0 && f.limitScale <= 1) { // this form also refuses NaN
		return fmt.Errorf("--limit-scale %g: expected more than 0, at most 1", f.limitScale)
	}
	switch {
	case len(f.watchPaths) > 0 && !f.watch:
		return errors.New("--watch-path needs --watch")
	case f.progress != progressText && f.progress != progressJSON:
		return fmt.Errorf("--progress %q: expected text or json", f.progress)
	case f.awaitLedger && f.progress != progressJSON:
		return errors.New("--await-ledger needs --progress json")
	case f.progress == progressJSON && (f.watch || f.planOnly):
		return errors.New("--progress json cannot be combined with --watch or --plan")
	case f.watch && f.planOnly:
		return errors.New("--watch and --plan cannot be combined")
	case f.watch && len(f.reports) > 0 && !slices.Contains(f.reports, "report.json"):
		return errors.New("--watch needs report.json: add it to --reports")
	}
	for _, name := range f.reports {
		if !slices.Contains(view.Names(), name) {
			return fmt.Errorf("--reports %q: expected some of %s", name, strings.Join(view.Names(), ", "))
		}
	}
	return nil
}

func run(command *cobra.Command, config suite.Config, flags runFlags) error {
	// Find out before the run whether the folder can be written.
	if err := prepareFolder(flags.reportDir, reportFolder); err != nil {
		return err
	}
	var err error
	if config.Ledger, err = flags.beginLedger(config, flags.reportDir); err != nil {
		return err
	}
	redact, out := config.Redactor().Redact, command.OutOrStdout()
	lines := &jsonLines{out: out}
	if flags.progress == progressJSON {
		out = io.Discard
	}
	if flags.awaitLedger {
		config.Ledger.Await(lines.await(command.InOrStdin()))
	}
	screen := newScreen(out, redact, config.Judged(), "judging")
	screen.verbose = flags.verbose
	screen.begin(config)
	config.Progress, config.Waiting, config.Listening = screen.rule, screen.waiting, screen.listening(config)
	if flags.progress == progressJSON {
		config.Progress = lines.rules(redact)
	}
	outcome, err := suite.Judge(command.Context(), config)
	if err != nil {
		return err
	}
	screen.end(outcome.Result)

	files, sum, err := outcome.WriteReports(flags.reportDir, flags.reports...)
	err = errors.Join(err, config.Ledger.Close())
	screen.reports(files, sum)
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
