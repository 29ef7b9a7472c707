package main

import (
	"cmp"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/cli"
)

// Exit codes, for CI.
const (
	exitConformant    = 0
	exitNonconformant = 1             // a MUST rule failed
	exitChanged       = 1             // verify: the report was changed, or the certificate is not valid
	exitUsage         = cli.ExitUsage // invalid usage, or the command failed
	exitIncomplete    = 3             // the partner could not be judged
)

// exitCode returns the exit code for the result of a run.
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

// exit ends the command with the exit code of a result, or with that of an error if the partner passed.
func exit(r *report.Result, err error) error {
	code := exitCode(r)
	if err != nil {
		code = cmp.Or(code, exitUsage)
	}
	return cli.Exit{Code: code, Err: err}
}
