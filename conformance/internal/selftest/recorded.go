package selftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"partnerkit.dev/conformance/internal/fileerror"
	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
)

// weighRecorded judges a recording of the run by the rules that need no call of their own. The
// recording and the run must find the same rules broken.
func (t *Trial) weighRecorded(ctx context.Context, dir string, m *mock, run *report.Result) error {
	file := filepath.Join(dir, "journal.har")
	if err := m.record(ctx, file); err != nil {
		return err
	}
	outcome, err := suite.JudgeRecorded(ctx, suite.Recorded{Files: []string{file}, HandlesTicketDelivery: run.Target.HandlesTicketDelivery})
	if err != nil {
		return fmt.Errorf("judge a recording of the run: %w", err)
	}
	broken := slices.Concat(t.Failed, t.Warned)
	found := slices.Concat(ruleIDs(outcome.Result, report.Failed), ruleIDs(outcome.Result, report.Warned))
	t.Recorded = &found
	for i, r := range outcome.Result.Rules {
		if m.of.limitScale() != 1 && strings.HasSuffix(r.ID, ".limit") {
			continue // the run used other limits
		}
		is, was := slices.Contains(found, r.ID), slices.Contains(broken, r.ID)
		switch {
		case is && run.Rules[i].Outcome == report.Blocked: // the run knew what blocks it; a recording cannot
		case is && !was:
			t.problem("judged from a recording, %s %s: %s", r.ID, r.Outcome, r.Message)
		case was && r.Outcome == report.Passed:
			t.problem("judged from a recording, %s %s, though the run found it broken", r.ID, r.Outcome)
		}
	}
	return nil
}

// weighRunHAR judges the run's own run.har, which must be complete. A rule that passed in the run and is broken in its
// recording, or the other way round, is a problem.
func (t *Trial) weighRunHAR(ctx context.Context, dir string, m *mock, run *suite.Outcome) error {
	files, _, err := run.WriteReports(dir, "run.har")
	if err != nil {
		return err
	}
	judged, err := suite.JudgeRecorded(ctx, suite.Recorded{Files: files, HandlesTicketDelivery: run.Result.Target.HandlesTicketDelivery})
	if errors.Is(err, suite.ErrNoCalls) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("judge run.har: %w", err)
	}
	for _, x := range run.Result.Calls {
		if x.Request.Body.Size > 0 && x.Request.Body.Text == "" {
			t.problem("%scall %d, %s, has no body in run.har", Contradiction, x.Number, x.Purpose)
			break
		}
	}
	broken := func(o report.Outcome) bool { return o == report.Failed || o == report.Warned }
	for i, was := range run.Result.Rules {
		is := judged.Result.Rules[i]
		if m.of.limitScale() != 1 && strings.HasSuffix(was.ID, ".limit") {
			continue // the run used other limits
		}
		if was.Outcome == report.Passed && broken(is.Outcome) || broken(was.Outcome) && is.Outcome == report.Passed {
			t.problem("%s%s %s in the run (%s), and %s when run.har was judged (%s)", Contradiction, was.ID, was.Outcome, was.Message, is.Outcome, is.Message)
		}
	}
	return nil
}

// Contradiction is the beginning of the problem that a run and its run.har disagree.
const Contradiction = "contradiction: "

// record writes the exchanges with the mock into a file, as an HTTP archive.
func (m *mock) record(ctx context.Context, file string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.address+"/_mock/journal/har?limit=100000", nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("read the mock's journal: %w", err)
	}
	defer answer.Body.Close()
	archive, err := io.ReadAll(answer.Body)
	if err != nil {
		return fmt.Errorf("read the mock's journal: %w", err)
	}
	if err := view.WriteFile(file, archive); err != nil {
		return fmt.Errorf("write %s: %w", file, fileerror.Reason(err))
	}
	return nil
}
