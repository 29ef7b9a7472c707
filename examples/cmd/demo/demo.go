package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"partnerkit.dev/conformance/report"
)

// demo is one run: where the commands are, where its traces go, where it is told.
type demo struct {
	bin    string
	out    string
	stdout io.Writer
}

// run tells the story. Its error says what did not hold; the mock partner has
// ended when run returns.
func (d demo) run(ctx context.Context) error {
	if err := d.prepare(); err != nil {
		return err
	}
	key := rand.Text() // for this run alone
	mock, err := d.startMock(ctx, key)
	if err != nil {
		return err
	}
	defer mock.stop()
	d.tell("mock partner", "%s", mock.url)

	judged := d.judge(ctx, mock.url, key)
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	result, err := d.result()
	if err != nil {
		return errors.Join(judged, err)
	}
	d.tell("conformance", "%s", verdict(result))
	for _, broken := range breaches(result) {
		d.tell("", "%s", broken)
	}
	d.tell("report", "%s", filepath.Join(d.out, "report.html"))
	return judged
}

func (d demo) tell(subject, format string, args ...any) {
	fmt.Fprintf(d.stdout, "%-14s%s\n", subject, fmt.Sprintf(format, args...))
}

// prepare makes the folder. A report of an earlier run goes, so that it cannot
// pass for this one's.
func (d demo) prepare() error {
	if err := os.MkdirAll(d.out, 0o755); err != nil {
		return fmt.Errorf("make a folder for the report: %w", err)
	}
	if err := os.Remove(d.reportFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the report of an earlier run: %w", err)
	}
	return nil
}

func (d demo) reportFile() string { return filepath.Join(d.out, "report.json") }

// judge runs the suite against the partner at url. Its error names the log file.
func (d demo) judge(ctx context.Context, url, key string) error {
	log, err := d.log("conformance")
	if err != nil {
		return err
	}
	defer log.Close()
	suite := d.command(ctx, "conformance", "run", "--config", "", "--base-url", url, "--handles-ticket-delivery",
		"--clock-url", url+"/_mock/clock", "--report-dir", d.out)
	suite.Env = append(os.Environ(), "CONFORMANCE_AUTH_KEY="+key)
	suite.Stdout, suite.Stderr = log, log
	if err := suite.Run(); err != nil {
		return fmt.Errorf("the suite ended with %w: see %s", err, log.Name())
	}
	return nil
}

func (d demo) log(name string) (*os.File, error) {
	file, err := os.Create(filepath.Join(d.out, name+".log"))
	if err != nil {
		return nil, fmt.Errorf("keep the output of %s: %w", name, err)
	}
	return file, nil
}

// grace is how long a command may take to end after it was asked to: the suite
// releases its holds first.
const grace = 15 * time.Second

// command prepares one of the built commands. When ctx ends it is asked to end,
// and ended only where it does not.
func (d demo) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, filepath.Join(d.bin, name), args...)
	command.Cancel = func() error { return terminate(command.Process) }
	command.WaitDelay = grace
	return command
}

func (d demo) result() (*report.Result, error) {
	text, err := os.ReadFile(d.reportFile())
	if err != nil {
		return nil, fmt.Errorf("the suite left no report: %w", err)
	}
	var result report.Result
	if err := json.Unmarshal(text, &result); err != nil {
		return nil, fmt.Errorf("read %s: %w", d.reportFile(), err)
	}
	return &result, nil
}

func verdict(r *report.Result) string {
	line := fmt.Sprintf("%s: %d of %d rules passed", r.Verdict, r.Summary[report.Passed], len(r.Rules))
	for _, outcome := range report.Outcomes() {
		if n := r.Summary[outcome]; n > 0 && outcome != report.Passed {
			line += fmt.Sprintf(", %d %s", n, strings.ReplaceAll(string(outcome), "_", " "))
		}
	}
	return fmt.Sprintf("%s, in %.1f s", line, float64(r.DurationMS)/1000)
}

// breaches names the rules that a conformant partner has none of.
func breaches(r *report.Result) []string {
	var lines []string
	for _, rule := range r.Rules {
		if rule.Outcome == report.Failed {
			lines = append(lines, fmt.Sprintf("failed %s (%s): %s", rule.ID, rule.Clause, rule.Message))
		}
	}
	if r.Reason != "" {
		lines = append(lines, r.Reason)
	}
	return lines
}
