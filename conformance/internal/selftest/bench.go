package selftest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
)

// bench has the suite judge one mock after another, or several at once.
type bench struct {
	command string    // the file of the conformance command
	now     time.Time // where the clocks of all mocks begin, so that all sell the same slots
	plain   func() (answers, error)
}

func newBench(command string) *bench {
	b := &bench{command: command, now: time.Now()}
	b.plain = sync.OnceValues(b.askPlain)
	return b
}

// askPlain has the mock judged as it is, and returns what it answered.
func (b *bench) askPlain() (answers, error) {
	dir, err := os.MkdirTemp("", "conformance-selftest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	m, err := startMock(Case{Kind: Lawful, Name: "mock"}, b.now) // without flags, as defects are judged
	if err != nil {
		return nil, err
	}
	defer m.close()
	// Whoever waits for it has a context of its own: a run takes a second.
	if _, err := b.judge(context.Background(), dir, m); err != nil {
		return nil, fmt.Errorf("the mock as it is: %w", err)
	}
	return m.answers(), nil
}

// judge has the command judge a mock, and returns what its report says. The
// report's files are in dir afterwards.
func (b *bench) judge(ctx context.Context, dir string, m *mock) (*report.Result, error) {
	account := filepath.Join(dir, "ledger.jsonl")
	if err := os.Remove(account); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err // of an earlier try: what it left behind ended with its mock
	}
	args := []string{
		"run", "--config", "", "--report-dir", dir, "--reports", "report.json", "--ledger", account,
		"--base-url", m.address, "--clock-url", m.address + "/_mock/clock",
		"--limit-scale", strconv.FormatFloat(m.of.limitScale(), 'g', -1, 64),
	}
	// A partner without tickets is registered as one that leaves them to the marketplace.
	if !m.Default().Platform().Conduct().Policy.NoTickets {
		args = append(args, "--handles-ticket-delivery")
	}
	run := exec.CommandContext(ctx, b.command, append(args, m.of.Flags...)...)
	// What the environment says of another partner is not for the mock.
	run.Env = append(slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "CONFORMANCE_")
	}), probe.KeyVariable+"="+authKey, "GOGC=400") // a run is short: memory is cheaper than the time to tidy it
	var complaint bytes.Buffer
	run.Stderr = &complaint
	err := run.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	// Its exit code says what the verdict in the report says.
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("start the suite: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		return nil, fmt.Errorf("the suite wrote no report, and ended with %s: %s", run.ProcessState, strings.TrimSpace(complaint.String()))
	}
	result := &report.Result{}
	if err := json.Unmarshal(text, result); err != nil {
		return nil, fmt.Errorf("read the suite's report: %w", err)
	}
	return result, nil
}
