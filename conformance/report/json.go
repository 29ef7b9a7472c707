package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"partnerkit.dev/conformance/internal/fileerror"
	"partnerkit.dev/internal/bounded"
)

// JSON returns r for machines: the fields and names of Result's tags, indented, with a final
// newline. No list in it is null, and the summary contains every outcome.
func JSON(r *Result) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false) // URLs and curl commands stay readable; no browser reads this file as HTML
	if err := enc.Encode(r.Completed()); err != nil {
		return nil, fmt.Errorf("write the report as JSON: %w", err)
	}
	return out.Bytes(), nil
}

// Completed returns a copy of r as report.json has it: the summary counts the rules and contains
// every outcome, the causes are found, and no list is nil.
func (r *Result) Completed() *Result {
	whole := *r
	whole.Summary = make(map[Outcome]int, len(Outcomes()))
	for _, o := range Outcomes() {
		whole.Summary[o] = 0
	}
	whole.Rules = make([]RuleResult, len(r.Rules))
	for i, rule := range r.Rules {
		whole.Summary[rule.Outcome]++
		rule.Exchanges = list(rule.Exchanges)
		whole.Rules[i] = rule
	}
	whole.Causes = causes(r.Rules)
	whole.Latency, whole.Vacancies, whole.NotUndone, whole.Slots = list(r.Latency), list(r.Vacancies), list(r.NotUndone), list(r.Slots)
	return &whole
}

// list returns all, or an empty slice that JSON writes as [].
func list[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

// maxReport is the largest report that is read, in bytes. A run that finds every rule broken writes
// about 10 MiB.
const maxReport = 64 << 20

// limits limits a report before it is decoded: a rule without any field takes hundreds of bytes.
var limits = bounded.Limits{Bytes: maxReport, Depth: 1000, Values: 1_000_000}

// Read returns the result that a run wrote to report.json at path. Its error is one line that says
// why the file is not a report.
func Read(path string) (*Result, error) {
	text, err := load(path)
	if err != nil {
		return nil, err
	}
	if err := bounded.JSON(text, limits); err != nil {
		return nil, fmt.Errorf("%s is not the report.json of a run: %w", path, err)
	}
	result := &Result{}
	if err := json.Unmarshal(text, result); err != nil {
		return nil, fmt.Errorf("%s is not the report.json of a run: %s", path, flaw(err))
	}
	if result.Verdict == "" || len(result.Rules) == 0 {
		return nil, fmt.Errorf("%s is not the report.json of a run: it has no verdict or no rules", path)
	}
	return result, nil
}

// load returns the text of a report. Its error is one line with the reason.
func load(path string) ([]byte, error) {
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%s cannot be read: %w: let this user read it", path, fileerror.Reason(err))
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", path, fileerror.Reason(err))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxReport+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", path, fileerror.Reason(err))
	case len(text) > maxReport:
		return nil, fmt.Errorf("%s is larger than %d MiB: expected the report of a run", path, maxReport>>20)
	}
	return text, nil
}

// flaw returns what is wrong with JSON, without quoting its content.
func flaw(err error) string {
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Sprintf("a JSON %s is not allowed at %s", kind.Value, cmp.Or(kind.Field, "its top"))
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("invalid JSON at byte %d", syntax.Offset)
	}
	return "it is truncated or not JSON"
}
