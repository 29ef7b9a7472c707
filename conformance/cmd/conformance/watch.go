package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/internal/cli"
)

// childPatience is how long an interrupted run may take to release its holds.
const childPatience = time.Minute

// watch judges the partner again after each change, until it is interrupted. Ginkgo runs its specs
// once per process, so each run is a separate process.
type watch struct {
	screen *terminal
	out    io.Writer
	errs   io.Writer
	args   []string // of the run, as given on the command line
	key    string
	flags  runFlags
	last   *report.Result // nil before the first run
}

func runWatch(command *cobra.Command, config suite.Config, flags runFlags, given []string) error {
	w := &watch{
		screen: newTerminal(command.OutOrStdout(), config.Redactor().Redact),
		out:    command.OutOrStdout(), errs: command.ErrOrStderr(), args: given, key: flags.key(), flags: flags,
	}
	ctx := command.Context()
	again, err := changes(ctx, command.InOrStdin(), config.BaseURL, flags.watchPaths, flags.reportDir)
	if err != nil {
		return err
	}
	for {
		if err := w.judge(ctx); err != nil || ctx.Err() != nil {
			return err
		}
		w.screen.printf("\nWatching. Press Enter to run again, Ctrl-C to stop.\n")
		select {
		case <-ctx.Done():
			return nil
		case why := <-again:
			if w.screen.colour {
				w.screen.printf("\x1b[2J\x1b[H")
			}
			w.screen.printf("\n%s. Running again.\n", why)
		}
	}
}

// judge runs the rules that failed, then everything, and shows what changed.
func (w *watch) judge(ctx context.Context) error {
	if failing := brokenRules(w.last); len(failing) > 0 {
		if err := w.failingFirst(ctx, failing); err != nil || ctx.Err() != nil {
			return err
		}
	}
	now, err := w.run(ctx, w.out, w.flags.reportDir, w.args)
	if err != nil || ctx.Err() != nil || now == nil {
		return err
	}
	if w.last != nil {
		w.screen.printf("\n")
		w.screen.changed(report.Compare(w.last, now))
	}
	w.last = now
	return nil
}

// failingFirst judges only the rules that failed, and shows which of them still do. Its reports are
// not kept.
func (w *watch) failingFirst(ctx context.Context, failing []string) error {
	dir, err := os.MkdirTemp("", "conformance-watch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	args := slices.DeleteFunc(slices.Clone(w.args), func(arg string) bool {
		return strings.HasPrefix(arg, "--rule=") || strings.HasPrefix(arg, "--report-dir=") || strings.HasPrefix(arg, "--reports=") || strings.HasPrefix(arg, "--ledger=")
	})
	args = append(args, "--rule="+strings.Join(failing, ","), "--report-dir="+dir, "--reports=report.json", "--ledger="+w.flags.ledgerName(w.flags.reportDir))
	now, err := w.run(ctx, io.Discard, dir, args)
	if err != nil || now == nil {
		return err
	}
	still := brokenRules(now)
	for _, id := range failing {
		outcome := report.Passed
		if slices.Contains(still, id) {
			outcome = report.Failed
		}
		w.screen.printf("%s  %s\n", w.screen.paint(outcome, map[report.Outcome]string{report.Passed: "fixed        ", report.Failed: "still failing"}[outcome]), id)
	}
	w.screen.printf("\n")
	return nil
}

// run runs the command once and returns its report. It returns nil if it was interrupted before
// there was a report.
func (w *watch) run(ctx context.Context, out io.Writer, dir string, args []string) (*report.Result, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	child := exec.CommandContext(ctx, executable, append(append([]string{"run"}, args...), "--watch=false", "--watch-path=")...)
	child.Env = append(os.Environ(), w.flags.authKeyEnv+"="+w.key)
	child.Stdout, child.Stderr = out, w.errs
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) }
	child.WaitDelay = childPatience
	err = child.Run()
	exit := (*exec.ExitError)(nil)
	switch {
	case ctx.Err() != nil:
		return nil, nil
	case errors.As(err, &exit) && exit.ExitCode() == exitUsage:
		return nil, cli.Exit{Code: exitUsage}
	case err != nil && exit == nil:
		return nil, fmt.Errorf("run %s: %w", filepath.Base(executable), err)
	}
	return report.Read(filepath.Join(dir, "report.json"))
}

// brokenRules returns the ids of the rules that failed or warned.
func brokenRules(r *report.Result) (ids []string) {
	if r == nil {
		return nil
	}
	for _, one := range r.Rules {
		if one.Outcome == report.Failed || one.Outcome == report.Warned {
			ids = append(ids, one.ID)
		}
	}
	return ids
}

// changed shows what has changed since the last run.
func (t *terminal) changed(c report.Comparison) {
	t.printf("Since the last run: %d fixed, %d new, %d still failing.\n", len(c.Fixed), len(c.Broke), len(c.StillBroken))
	for _, list := range []struct {
		word    string
		outcome report.Outcome
		changes []report.Change
	}{{"fixed        ", report.Passed, c.Fixed}, {"new          ", report.Failed, c.Broke}, {"still failing", report.Failed, c.StillBroken}} {
		for _, change := range list.changes {
			t.printf("  %s  %s\n", t.paint(list.outcome, list.word), oneLine(change.ID))
		}
	}
}

// givenFlags returns the flags that were set on the command line, except for the key and the watch
// flags.
func givenFlags(flags *pflag.FlagSet) (args []string) {
	flags.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "watch", "watch-path", authKeyFlag:
			return
		}
		value := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			var text strings.Builder
			record := csv.NewWriter(&text)
			_ = record.Write(list.GetSlice()) // writes to memory
			record.Flush()
			value = strings.TrimSuffix(text.String(), "\n")
		}
		args = append(args, "--"+f.Name+"="+value)
	})
	return args
}
