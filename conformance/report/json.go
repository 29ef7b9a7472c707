package report

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// JSON returns r for machines: the fields and names of Result's tags, indented,
// ended by a newline. No list in it is null, and the summary names every outcome.
func JSON(r *Result) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false) // URLs and curl lines stay legible; no browser reads this file as HTML
	if err := enc.Encode(r.Complete()); err != nil {
		return nil, fmt.Errorf("write the report as JSON: %w", err)
	}
	return out.Bytes(), nil
}

// Complete returns a copy of r as report.json has it: the summary is that of the
// rules and names every outcome, and no list is nil.
func (r *Result) Complete() *Result {
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
	whole.Latency, whole.Vacancies, whole.NotUndone = list(r.Latency), list(r.Vacancies), list(r.NotUndone)
	return &whole
}

// list returns all, which JSON writes as [] where there is none.
func list[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
