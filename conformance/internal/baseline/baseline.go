// Package baseline reads the known failures of a partner: rules that it breaks, each with the
// reason why a run may tolerate that.
package baseline

import (
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/yamlfile"
)

// Entry is one known failure of a baseline file.
type Entry struct {
	Rule   string
	Reason string
	Until  time.Time // the last day, in UTC, on which it counts; zero: no last day
	Line   int       // in the file, from 1
}

// Baseline is the known failures of a partner. A nil Baseline is empty.
type Baseline struct {
	File    string
	Entries []Entry
}

// Read reads a baseline: a YAML list of entries with rule, reason, and an optional until (such as
// 2027-05-31). Its errors start with the file and the line.
func Read(path string) (*Baseline, error) {
	file, err := yamlfile.Open(path)
	if err != nil {
		return nil, err
	}
	b := &Baseline{File: path}
	if file.Root == nil {
		return b, nil
	}
	list, ok := file.Root.(*ast.SequenceNode)
	if !ok {
		return nil, file.ErrorAt(file.Root, "expected a list of known failures, each with rule and reason")
	}
	lines := map[string]int{}
	for _, node := range list.Values {
		entry, err := readEntry(file, node)
		if err != nil {
			return nil, err
		}
		if first, twice := lines[entry.Rule]; twice {
			return nil, file.ErrorAt(node, "%s is in line %d already: keep one of the two", entry.Rule, first)
		}
		lines[entry.Rule] = entry.Line
		b.Entries = append(b.Entries, entry)
	}
	return b, nil
}

func readEntry(file *yamlfile.File, node ast.Node) (Entry, error) {
	var given struct{ Rule, Reason, Until string }
	if err := file.Decode(node, &given); err != nil {
		return Entry{}, err
	}
	// A mapping's own token is the colon after its first key: the entry's first line.
	entry := Entry{Rule: given.Rule, Reason: strings.Join(strings.Fields(given.Reason), " "), Line: node.GetToken().Position.Line}
	switch {
	case entry.Rule == "":
		return Entry{}, file.ErrorAt(node, "the entry names no rule: expected rule: and an id as 'conformance rules' lists them")
	case entry.Reason == "":
		return Entry{}, file.ErrorAt(node, "%s has no reason: say why its failure is known", entry.Rule)
	case given.Until != "":
		until, err := time.Parse(time.DateOnly, given.Until)
		if err != nil {
			return Entry{}, file.ErrorAt(node, "%s is known until %q: expected a date, such as 2027-05-31", entry.Rule, given.Until)
		}
		entry.Until = until
	}
	return entry, nil
}

// Covers returns the entry for the rule with that id whose last day has not passed at that time, if
// there is one.
func (b *Baseline) Covers(id string, at time.Time) (Entry, bool) {
	if b == nil {
		return Entry{}, false
	}
	for _, entry := range b.Entries {
		if entry.Rule == id && !entry.hasExpired(at) {
			return entry, true
		}
	}
	return Entry{}, false
}

// hasExpired reports whether the entry's last day has passed.
func (e Entry) hasExpired(at time.Time) bool {
	return !e.Until.IsZero() && !at.Before(e.Until.AddDate(0, 0, 1))
}

// Words returns the entry's reason, and its last day if it has one.
func (e Entry) Words() string {
	if e.Until.IsZero() {
		return e.Reason
	}
	return fmt.Sprintf("%s (until %s)", e.Reason, e.Until.Format(time.DateOnly))
}

// Compare compares the baseline with the rules of a run that started at that time, and returns the
// stale entries: their rule passes, their rule does not exist, or their last day has passed. It
// returns nil for a nil Baseline.
func (b *Baseline) Compare(rules []report.RuleResult, at time.Time) *report.Baseline {
	if b == nil {
		return nil
	}
	outcomes := map[string]report.Outcome{}
	for _, r := range rules {
		outcomes[r.ID] = r.Outcome
	}
	held := &report.Baseline{File: b.File, Stale: []report.StaleEntry{}}
	for _, entry := range b.Entries {
		_, missing := rule.Find(entry.Rule)
		says := ""
		switch {
		case missing != nil:
			says = missing.Error() + ": correct or delete this entry"
		case entry.hasExpired(at):
			says = fmt.Sprintf("%s was known until %s: delete this entry, or give it a new date", entry.Rule, entry.Until.Format(time.DateOnly))
		case outcomes[entry.Rule] == report.Passed:
			says = entry.Rule + " passes now: delete this entry"
		default:
			continue
		}
		held.Stale = append(held.Stale, report.StaleEntry{
			Rule: entry.Rule, Line: entry.Line, Message: fmt.Sprintf("%s:%d: %s", b.File, entry.Line, says),
		})
	}
	return held
}
