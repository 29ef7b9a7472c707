package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/selftest"
	"partnerkit.dev/conformance/internal/settings"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/safetext"
)

// mostParallel is the largest value of --parallel: each run is a process.
const mostParallel = 64

type selftestFlags struct {
	defects, variants []string
	deep              []string
	lawful, fast      bool
	recorded          bool
	asJSON            bool
	parallel, sample  int
	customers         int
	depth             string
	now               string
	reportDir         string
}

// matrixFolder is the default folder of the matrix.
const matrixFolder = "selftest-report"

func newSelftest() *cobra.Command {
	var flags selftestFlags
	command := &cobra.Command{
		Use:   "selftest",
		Short: "Prove that each rule finds its violations, and only those",
		Long: `Runs the suite against mock partners in this process whose breaches are known: the
plain mock and its lawful variants, where the suite must find nothing, and the mock
with each of its defects, where the suite must find the one rule that the defect
breaks, and no other.

The results, the kill matrix, are written to selftest.json and selftest.md. Each
defect has an outcome:
  killed       the rule that it breaks failed, and no other
  survived     that rule did not fail
  wrong rule   another MUST rule failed, or another cause was named
  never fired  the defect changed no answer
The reports of the runs with unexpected results are kept in the same folder.

Exit codes:
  0  proven: every defect was killed, every MUST and SHOULD rule has one, no lawful
     partner was flagged
  1  not proven
  2  the command line was wrong, or the command failed`,
		Example: `  conformance selftest
  conformance selftest --fast --parallel 4
  conformance selftest --fast --sample 6
  conformance selftest --defect release-gives-nothing-back,hold-without-code
  conformance selftest --deep all
  conformance selftest --deep party,repeat
  conformance selftest --variant awkward-codes --json
  conformance selftest --recorded
  conformance selftest --lawful --now now
  conformance selftest --variant awkward-codes --customers 50 --depth quick`,
		Args: cli.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			cases, err := flags.plan(command.Flags().Changed("defect") || command.Flags().Changed("variant"), command.Flags().Changed("deep"))
			if err != nil {
				return err
			}
			now, err := flags.begin()
			if err != nil {
				return err
			}
			return flags.selftest(command, cases, now)
		},
	}
	f := command.Flags()
	f.StringSliceVar(&flags.defects, "defect", nil, "only the defects of these `names`, as 'mockpartner defects' lists them")
	f.StringSliceVar(&flags.variants, "variant", nil, "only the variants of these `names`, as 'mockpartner variants' lists them")
	f.StringSliceVar(&flags.deep, "deep", nil, "only the deep defects, which break a rule only in some cases: of these `dimensions`, or all")
	f.BoolVar(&flags.fast, "fast", false, "one defect per rule, and no variants")
	f.IntVar(&flags.sample, "sample", 0, "with --fast, also every `nth` of the other defects and the variants; 0 means none")
	f.BoolVar(&flags.lawful, "lawful", false, "judge only the plain mock and its lawful variants, which must pass")
	f.BoolVar(&flags.recorded, "recorded", false, "also judge a recording of each run, which must give the same results")
	f.IntVar(&flags.customers, "customers", 0, "how many other customers book at the partner during each run; a run is then slower, and leaves more rules open")
	f.StringVar(&flags.depth, "depth", "", "the depth of the runs: quick, standard or thorough (default quick at a defect, standard otherwise)")
	f.StringVar(&flags.now, "now", selftest.Begin.Format(time.RFC3339), "the `time` at which the mocks' clocks begin, such as 2027-03-28T01:00:00+01:00, or \"now\"")
	f.IntVar(&flags.parallel, "parallel", min(runtime.NumCPU(), mostParallel), "how many partners are judged concurrently")
	f.StringVar(&flags.reportDir, "report-dir", matrixFolder, "the `folder` for the matrix; it is created if missing")
	f.BoolVar(&flags.asJSON, "json", false, "print the matrix as JSON; progress goes to the standard error")
	registerCompletions(command, map[string]cobra.CompletionFunc{
		"defect": someOf(partners(selftest.Defect)), "variant": someOf(partners(selftest.Variant)), "report-dir": folders,
	})
	return command
}

func (f selftestFlags) plan(named, deep bool) (selftest.Plan, error) {
	switch {
	case f.parallel < 1 || f.parallel > mostParallel:
		return selftest.Plan{}, fmt.Errorf("--parallel %d: expected 1 to %d", f.parallel, mostParallel)
	case f.sample < 0 || f.sample > 0 && !f.fast:
		return selftest.Plan{}, fmt.Errorf("--sample %d: expected --fast, and a number from 1", f.sample)
	case f.customers < 0:
		return selftest.Plan{}, fmt.Errorf("--customers %d: expected 0 or more", f.customers)
	}
	if _, err := plan.ParseDepth(f.depth); err != nil {
		return selftest.Plan{}, fmt.Errorf("--depth: %w", err)
	}
	cases, err := f.cases(named, deep)
	cases.Depth = f.depth
	return cases.WithCustomers(f.customers), err
}

func (f selftestFlags) cases(named, deep bool) (selftest.Plan, error) {
	switch {
	case f.lawful && (named || f.fast || deep):
		return selftest.Plan{}, errors.New("--lawful chooses the variants itself: leave it out, or --fast, --deep, --defect and --variant")
	case f.lawful:
		return selftest.LawfulOnly(), nil
	case deep && (named || f.fast):
		return selftest.Plan{}, errors.New("--deep chooses the defects itself: leave it out, or --fast, --defect and --variant")
	case deep:
		return selftest.InDepth(slices.DeleteFunc(f.deep, func(d string) bool { return d == "all" })...)
	case named && f.fast:
		return selftest.Plan{}, errors.New("--fast chooses the defects itself: leave it out, or --defect and --variant")
	case named && len(f.defects)+len(f.variants) == 0:
		return selftest.Plan{}, errors.New("--defect and --variant are empty: give names, such as --defect hold-without-code, or leave them out for all")
	case named:
		return selftest.SelectedPlan(f.defects, f.variants)
	case f.fast:
		return selftest.FastPlan(f.sample), nil
	default:
		return selftest.WholePlan(), nil
	}
}

// begin returns the start time of the mocks' clocks.
func (f selftestFlags) begin() (time.Time, error) {
	if f.now == "now" {
		return time.Now(), nil
	}
	now, err := time.Parse(time.RFC3339, f.now)
	if err != nil {
		return now, fmt.Errorf("--now %q: expected a time such as %s, or \"now\"", f.now, selftest.Begin.Format(time.RFC3339))
	}
	return now, nil
}

func (f selftestFlags) selftest(command *cobra.Command, cases selftest.Plan, now time.Time) error {
	if err := settings.PrepareFolder(f.reportDir, matrixFolder); err != nil {
		return err
	}
	out := command.OutOrStdout()
	if f.asJSON {
		out = command.ErrOrStderr()
	}
	shown := beginTrials(out, cases)
	matrix, err := selftest.Run(command.Context(), cases, selftest.Config{
		Dir: f.reportDir, Now: now, Recorded: f.recorded, Parallel: f.parallel, Progress: shown.trial,
	})
	shown.finish()
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("the selftest was interrupted")
	case err != nil:
		return err
	}
	shown.end(f.reportDir, matrix)
	written, err := matrix.WriteAll(f.reportDir)
	for _, file := range written {
		shown.printf("wrote %s\n", file)
	}
	if err == nil && f.asJSON {
		err = matrix.WriteJSON(command.OutOrStdout())
	}
	switch {
	case err != nil:
		return err
	case !matrix.Proven:
		return cli.Exit{Code: exitNonconformant}
	default:
		return nil
	}
}

// trials shows a selftest to a person: a line for each judged partner, the unexpected results, and
// the verdict.
type trials struct{ *screen }

func beginTrials(out io.Writer, cases selftest.Plan) trials {
	count, names := map[selftest.Kind]int{}, []string{}
	for _, c := range cases.Cases {
		count[c.Kind]++
		names = append(names, c.Name)
	}
	t := trials{newScreen(out, keepText, names, "trying")}
	t.printf("testing %d rules: plain mocks %d, variants %d, defects %d, deep defects %d\n\n",
		len(cases.Rules), count[selftest.Lawful], count[selftest.Variant], count[selftest.Defect], count[selftest.Deep])
	return t
}

func (t trials) trial(one selftest.Trial) {
	t.step(func() {
		outcome := report.Passed
		if len(one.Problems) > 0 {
			outcome = report.Failed
		}
		t.printf("%s  %-7s  %-*s  %s\n", t.paint(outcome, fmt.Sprintf("%-11s", one.Outcome.Words())), one.Kind, t.width, one.Name, one.Rule)
	})
}

func (t trials) end(dir string, m *selftest.Matrix) {
	t.printf("\n")
	for _, one := range m.ProblemTrials() {
		t.printf("%s  %s %s\n", t.paint(report.Failed, one.Outcome.Words()), one.Kind, one.Name)
		for _, problem := range one.Problems {
			t.printf("    %s\n", safetext.Line(problem))
		}
		t.printf("    see %s\n", filepath.Join(dir, one.Folder(), "report.html"))
	}
	for _, proof := range m.UnprovenRules() {
		t.printf("%s  %s %s: %s\n", t.paint(report.Failed, "unproven"), proof.Level, proof.ID, proof.Problem)
	}
	for _, d := range m.Depth {
		t.printf("deep by %-8s  %3d defects  %3d killed  %3d missed  %3d found by another rule\n", d.Dimension, d.Defects, d.Killed, d.Missed, d.WrongRule)
	}
	outcome := report.Passed
	if !m.Proven {
		outcome = report.Failed
	}
	t.printf("%s\n", t.paint(outcome, m.Verdict()))
}

func partners(kind selftest.Kind) func() []string {
	return func() (names []string) {
		for _, one := range selftest.WholePlan().Cases {
			if one.Kind == kind {
				names = append(names, one.Name)
			}
		}
		return names
	}
}
