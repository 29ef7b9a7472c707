package selftest

import (
	"context"
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
