package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/settings"
	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/safetext"
)

// usualRun says how many holds and bookings a run makes.
func usualRun() string {
	standard, quick := plan.Standard.UsualCalls(), plan.Quick.UsualCalls()
	return fmt.Sprintf("It makes about\n%d holds and %d bookings, or %d and %d with --depth quick, for slots of the next 60 days.",
		standard.Holds, standard.Bookings, quick.Holds, quick.Bookings)
}

type runFlags struct {
	settings.Run

	planOnly, asJSON bool
	verbose, watch   bool
	progress         string
	awaitLedger      bool
	watchPaths       []string
}

func newRun(environment settings.Environment) *cobra.Command {
	var flags runFlags
	flags.Environment = environment
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
if --include-slow lets it wait, or if holds expire within a minute. --explore also
runs random booking lifecycles, of about ten steps each.

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
` + settings.File + ` is read from the working directory. Name the file with --config
if it sets addresses, files or the key's variable: base-url, clock-url,
webhook-listen, webhook-url, auth-key-env, ca-file, client-cert, client-key, baseline,
report-dir or ledger.
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
		Args: cli.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			config, source, err := flags.config(command.Flags())
			switch {
			case err != nil:
				return err
			case source != "" && !flags.asJSON && flags.progress != progressJSON:
				fmt.Fprintf(command.OutOrStdout(), "settings from %s\n", safetext.Line(source))
			}
			switch {
			case flags.planOnly:
				return flags.plan(command, config)
			case flags.watch:
				return runWatch(command, config, flags)
			}
			outcome, err := run(command, config, flags)
			if outcome == nil {
				return err
			}
			return exit(outcome.Result, err)
		},
	}
	flags.register(command.Flags())
	registerCompletions(command, map[string]cobra.CompletionFunc{
		"auth-type":   oneOf(authTypes),
		"progress":    cobra.FixedCompletions([]string{progressText, progressJSON}, cobra.ShellCompDirectiveNoFileComp),
		"rule":        someOf(ruleIDs),
		"profile":     oneOf(func() []string { return flags.sources(command.Flags()).Profiles() }),
		"report-dir":  folders,
		"reports":     someOf(view.Names),
		"baseline":    files("yaml", "yml"),
		"config":      files("yaml", "yml"),
		"ca-file":     files("pem", "crt"),
		"client-cert": files("pem", "crt"),
		"client-key":  files("pem", "key"),
	})
	return command
}

// register adds the flags of the command.
func (f *runFlags) register(flags *pflag.FlagSet) {
	f.Run.Register(flags)
	flags.BoolVar(&f.planOnly, "plan", false, "print the planned holds and bookings, and stop; reads only the catalog and availability")
	flags.BoolVar(&f.asJSON, "json", false, "with --plan: print it as JSON")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show every rule, and the answer times")
	flags.StringVar(&f.progress, "progress", progressText, "what to print during the run: text for people, or json, one object a line for each judged rule and nothing else")
	flags.BoolVar(&f.awaitLedger, "await-ledger", false, "with --progress json: before each hold and booking, print {\"ledger\": true} and wait for a line on standard input, so that the caller can copy the ledger first")
	flags.BoolVar(&f.watch, "watch", false, "run again after Enter, a restart of the partner, or a change at --watch-path, until Ctrl-C")
	flags.StringSliceVar(&f.watchPaths, "watch-path", nil, "with --watch: the `files` or folders whose changes start a run")
}

// sources returns where the settings come from that the command line does not give.
func (f *runFlags) sources(flags *pflag.FlagSet) cli.Settings {
	return settings.Sources(flags, f.Environment, func() *pflag.FlagSet {
		fresh := pflag.NewFlagSet("run", pflag.ContinueOnError)
		new(runFlags).register(fresh)
		return fresh
	})
}

// config returns the configuration of the run, and the source of a file's settings or "".
func (f *runFlags) config(flags *pflag.FlagSet) (suite.Config, string, error) {
	config, source, err := f.Config(f.sources(flags))
	if err == nil {
		err = f.check()
	}
	return config, source, err
}

func (f *runFlags) check() error {
	switch {
	case f.asJSON && !f.planOnly:
		return errors.New("--json needs --plan; the result of a run is in report.json")
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
	}
	return nil
}

// run judges the partner, shows its progress, and writes the reports. It returns nil if nothing was
// judged.
func run(command *cobra.Command, config suite.Config, flags runFlags) (*suite.Outcome, error) {
	// Find out before the run whether the folder can be written.
	if err := settings.PrepareFolder(flags.ReportDir, settings.ReportFolder); err != nil {
		return nil, err
	}
	var err error
	if config.Ledger, err = flags.BeginLedger(config, flags.ReportDir); err != nil {
		return nil, err
	}
	redact, out := config.Redactor().Redact, command.OutOrStdout()
	lines := &jsonLines{out: out}
	if flags.progress == progressJSON {
		out = io.Discard
	}
	if flags.awaitLedger {
		config.Ledger.Await(lines.await(command.InOrStdin()))
	}
	screen := newScreen(out, redact, config.RuleIDs(), "judging")
	screen.verbose = flags.verbose
	screen.begin(config)
	config.Progress, config.Waiting, config.Listening = screen.rule, screen.printWait, screen.listening(config)
	config.Estimating = screen.printEstimate
	if flags.progress == progressJSON {
		config.Progress = lines.rules(redact)
	}
	outcome, err := suite.Run(command.Context(), config)
	if err != nil {
		return nil, errors.Join(err, config.Ledger.Close())
	}
	screen.end(outcome.Result)

	files, sum, err := outcome.WriteReports(flags.ReportDir, flags.Reports...)
	screen.reports(files, sum)
	return outcome, errors.Join(err, config.Ledger.Close())
}

// plan prints what the run would hold and book.
func (f *runFlags) plan(command *cobra.Command, config suite.Config) error {
	plan, err := suite.Foresee(command.Context(), config)
	if err != nil {
		return cli.Exit{Code: exitIncomplete, Err: err}
	}
	plan.Ledger = f.LedgerName(f.ReportDir)
	if f.asJSON {
		return writeJSON(command.OutOrStdout(), plan)
	}
	screen := newTerminal(command.OutOrStdout(), config.Redactor().Redact)
	screen.printf("a run against %s (%s key)\n", plan.BaseURL, plan.AuthType)
	screen.plan(plan)
	screen.optionChecks(plan.PlannedOptions)
	return nil
}
