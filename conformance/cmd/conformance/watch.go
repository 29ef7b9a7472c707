package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/internal/safetext"
)

// watch judges the partner again after each change, until it is interrupted.
type watch struct {
	command *cobra.Command
	screen  *terminal
	last    *report.Result // nil before the first run
}

func runWatch(command *cobra.Command, config suite.Config, flags runFlags) error {
	w := &watch{command: command, screen: newTerminal(command.OutOrStdout(), config.Redactor().Redact)}
	ctx := command.Context()
	again, err := changes(ctx, command.InOrStdin(), config.BaseURL, flags.watchPaths, flags.ReportDir)
	if err != nil {
		return err
	}
	if err := w.judge(ctx, config, flags); err != nil {
		return err
	}
	for ctx.Err() == nil {
		w.screen.printf("\nWatching. Press Enter to run again, Ctrl-C to stop.\n")
		select {
		case <-ctx.Done():
		case why := <-again:
			if w.screen.colour {
				w.screen.printf("\x1b[2J\x1b[H")
			}
			w.screen.printf("\n%s. Running again.\n", why)
			if err := w.judgeAgain(ctx, flags); err != nil {
				w.screen.printf("%s\n", safetext.Line(err.Error()))
			}
		}
	}
	return nil
}

// judgeAgain reads the settings again, since their files may have changed, and judges.
func (w *watch) judgeAgain(ctx context.Context, before runFlags) error {
	var flags runFlags
	flags.Environment = before.Environment
	set := pflag.NewFlagSet("run", pflag.ContinueOnError)
	flags.register(set)
	if err := copyGiven(set, w.command.Flags()); err != nil {
		return err
	}
	config, _, err := flags.config(set)
	if err != nil {
		return err
	}
	return w.judge(ctx, config, flags)
}

// copyGiven sets the flags that the command line gave.
func copyGiven(to, from *pflag.FlagSet) error {
	var wrong []error
	from.Visit(func(given *pflag.Flag) {
		flag := to.Lookup(given.Name)
		flag.Changed = true
		if list, ok := given.Value.(pflag.SliceValue); ok {
			wrong = append(wrong, flag.Value.(pflag.SliceValue).Replace(list.GetSlice()))
			return
		}
		wrong = append(wrong, flag.Value.Set(given.Value.String()))
	})
	return errors.Join(wrong...)
}

// judge runs the rules that failed, then everything, and shows what changed.
func (w *watch) judge(ctx context.Context, config suite.Config, flags runFlags) error {
	if failing := brokenRules(w.last); len(failing) > 0 {
		if err := w.failingFirst(ctx, config, flags, failing); err != nil || ctx.Err() != nil {
			return err
		}
	}
	outcome, err := run(w.command, config, flags)
	if outcome == nil || ctx.Err() != nil {
		return err
	}
	if w.last != nil {
		w.screen.printf("\n")
		w.screen.printChanges(report.Compare(w.last, outcome.Result))
	}
	w.last = outcome.Result
	return err
}

// failingFirst judges only the rules that failed, and shows which of them still do. It writes no
// reports.
func (w *watch) failingFirst(ctx context.Context, config suite.Config, flags runFlags, failing []string) error {
	var err error
	if config.Ledger, err = flags.BeginLedger(config, flags.ReportDir); err != nil {
		return err
	}
	config.Rules, config.LabelFilter = failing, ""
	outcome, err := suite.Run(ctx, config)
	if err := errors.Join(err, config.Ledger.Close()); err != nil {
		return err
	}
	still := brokenRules(outcome.Result)
	for _, id := range failing {
		outcome, word := report.Passed, "fixed        "
		if slices.Contains(still, id) {
			outcome, word = report.Failed, "still failing"
		}
		w.screen.printf("%s  %s\n", w.screen.paint(outcome, word), id)
	}
	w.screen.printf("\n")
	return nil
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

// printChanges shows what has changed since the last run.
func (t *terminal) printChanges(c report.Comparison) {
	t.printf("Since the last run: %d fixed, %d new, %d still failing.\n", len(c.Fixed), len(c.Broke), len(c.StillBroken))
	for _, list := range []struct {
		word    string
		outcome report.Outcome
		changes []report.Change
	}{{"fixed        ", report.Passed, c.Fixed}, {"new          ", report.Failed, c.Broke}, {"still failing", report.Failed, c.StillBroken}} {
		for _, change := range list.changes {
			t.printf("  %s  %s\n", t.paint(list.outcome, list.word), safetext.Line(change.ID))
		}
	}
}
