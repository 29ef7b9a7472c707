package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"partnerkit.dev/conformance/report"
)

// judge runs the suite against the partner at url and returns the result. The reports are in the
// folder of that name.
func (s *stage) judge(ctx context.Context, url, name string) (*report.Result, error) {
	log, err := s.logFile(name)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	folder := filepath.Join(s.out, name)
	args := []string{"run", "--base-url", url, "--handles-ticket-delivery", "--clock-url", url + "/_mock/clock", "--depth", s.depth, "--report-dir", folder}
	s.output.command("conformance", args...)
	// --config "" ignores a configuration file in the current folder.
	suite := s.command(ctx, log, []string{"CONFORMANCE_AUTH_KEY=" + s.partner.key}, "conformance", append(args, "--config", "")...)
	judging, err := run(suite)
	if err == nil {
		err = judging.wait()
	}
	if exit := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == nonconformant) {
		return nil, fmt.Errorf("the suite ended with %w: %s", err, lastLine(log))
	}
	text, err := os.ReadFile(filepath.Join(folder, "report.json"))
	if err != nil {
		return nil, fmt.Errorf("the suite left no report: %w", err)
	}
	var result report.Result
	if err := json.Unmarshal(text, &result); err != nil {
		return nil, fmt.Errorf("read the suite's report: %w", err)
	}
	return &result, nil
}

// nonconformant is the suite's exit code if a rule failed.
const nonconformant = 1

func verdict(r *report.Result) string {
	line := fmt.Sprintf("%s: %d of %d rules passed", r.Verdict, r.Summary[report.Passed], len(r.Rules))
	for _, outcome := range report.Outcomes() {
		if n := r.Summary[outcome]; n > 0 && outcome != report.Passed {
			line += fmt.Sprintf(", %d %s", n, strings.ReplaceAll(string(outcome), "_", " "))
		}
	}
	return fmt.Sprintf("%s, in %.1f s", line, float64(r.DurationMS)/1000)
}

// breachedRules returns the rules that the partner breaches.
func breachedRules(r *report.Result) (rules []report.RuleResult) {
	for _, rule := range r.Rules {
		if rule.Outcome == report.Failed {
			rules = append(rules, rule)
		}
	}
	return rules
}
