package report

import (
	"fmt"
	"slices"
	"strings"

	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// Comparison is what changed between two reports of a partner. A rule is broken if it failed or
// warned, or is known to be broken.
type Comparison struct {
	Old         Side     `json:"old"`
	New         Side     `json:"new"`
	Remarks     []string `json:"remarks"`      // why the two can be compared only in part
	Broke       []Change `json:"broke"`        // broken now but not before; or failed now and warned before
	StillBroken []Change `json:"still_broken"` //
	Fixed       []Change `json:"fixed"`        // broken before, and passes now
	NewRules    []Change `json:"new_rules"`    // the old report has no rule with that id
	GoneRules   []Change `json:"gone_rules"`   // the new report has no rule with that id
	Changed     []Change `json:"changed"`      // another outcome that is not a breach, or another level, clause or title
	Slower      []Slower `json:"slower"`
}

// Side is one of the two reports.
type Side struct {
	BaseURL      string  `json:"base_url"`
	Verdict      Verdict `json:"verdict"`
	SuiteVersion string  `json:"suite_version"`
	StartedAt    string  `json:"started_at"`
}

// Change is how a rule changed.
type Change struct {
	ID      string     `json:"id"`
	Title   string     `json:"title"`
	Level   rule.Level `json:"level"`
	Clause  string     `json:"clause"`
	Was     Outcome    `json:"was,omitempty"` // "": there was no such rule
	Is      Outcome    `json:"is,omitempty"`  // "": there is no such rule now
	Message string     `json:"message,omitempty"`
	Notes   []string   `json:"notes,omitempty"` // what changed in the rule itself, such as "level SHOULD, now MUST"
}

// Slower is an endpoint whose 95th percentile grew by more than a tenth of its limit. Times are in
// milliseconds.
type Slower struct {
	Endpoint partnerapi.Endpoint `json:"endpoint"`
	WasMS    float64             `json:"was_ms"`
	IsMS     float64             `json:"is_ms"`
	LimitMS  float64             `json:"limit_ms"`
}

const notable = 0.1

// Compare returns what changed from the old report to the new one. Rules are in the order of their
// report.
func Compare(old, new *Result) Comparison {
	c := Comparison{Old: sideOf(old), New: sideOf(new), Remarks: remarks(old, new), Slower: slowerEndpoints(old, new)}
	for _, list := range []*[]Change{&c.Broke, &c.StillBroken, &c.Fixed, &c.NewRules, &c.GoneRules, &c.Changed} {
		*list = []Change{}
	}
	before := map[string]RuleResult{}
	for _, r := range old.Rules {
		before[r.ID] = r
	}
	for _, is := range new.Rules {
		was, known := before[is.ID]
		delete(before, is.ID)
		if list := c.listFor(was, is, known); list != nil {
			*list = append(*list, changeOf(was, is))
		}
	}
	for _, was := range old.Rules {
		if _, gone := before[was.ID]; gone {
			c.GoneRules = append(c.GoneRules, Change{ID: was.ID, Title: was.Title, Level: was.Level, Clause: was.Clause, Was: was.Outcome})
		}
	}
	return c
}

// HasRegressed reports whether a MUST rule fails that did not fail before.
func (c Comparison) HasRegressed() bool {
	failed := func(change Change) bool { return change.Is == Failed }
	return slices.ContainsFunc(c.Broke, failed) || slices.ContainsFunc(c.NewRules, failed)
}

// MissingBreaches returns the rules that were broken and are not broken now, except those about answer times. A
// twin must break what its partner breaks.
func (c Comparison) MissingBreaches() (ids []string) {
	for _, change := range slices.Concat(c.Fixed, c.Changed, c.GoneRules) {
		if isBroken(RuleResult{Outcome: change.Was}) && !isBroken(RuleResult{Outcome: change.Is}) && !strings.HasPrefix(change.Clause, "LIM-") {
			ids = append(ids, change.ID)
		}
	}
	return ids
}

func (c *Comparison) listFor(was, is RuleResult, known bool) *[]Change {
	switch {
	case !known:
		return &c.NewRules
	case isBroken(is) && !isBroken(was), is.Outcome == Failed && was.Outcome == Warned:
		return &c.Broke
	case isBroken(is):
		return &c.StillBroken
	case isBroken(was) && is.Outcome == Passed:
		return &c.Fixed
	case was.Outcome != is.Outcome || len(differences(was, is)) > 0:
		return &c.Changed
	default:
		return nil
	}
}

func isBroken(r RuleResult) bool {
	return r.Outcome == Failed || r.Outcome == Warned || r.Outcome == Known
}

func changeOf(was, is RuleResult) Change {
	change := Change{ID: is.ID, Title: is.Title, Level: is.Level, Clause: is.Clause, Was: was.Outcome, Is: is.Outcome, Message: is.Message}
	if was.ID != "" {
		change.Notes = differences(was, is)
	}
	return change
}

func differences(was, is RuleResult) (notes []string) {
	for _, field := range []struct{ name, was, is string }{
		{"level", string(was.Level), string(is.Level)}, {"clause", was.Clause, is.Clause}, {"title", was.Title, is.Title},
	} {
		if field.was != field.is {
			notes = append(notes, fmt.Sprintf("%s %s, now %s", field.name, field.was, field.is))
		}
	}
	return notes
}

func sideOf(r *Result) Side {
	return Side{BaseURL: r.Target.BaseURL, Verdict: r.Verdict, SuiteVersion: r.SuiteVersion, StartedAt: r.StartedAt.UTC().Format("2006-01-02T15:04:05Z")}
}

func remarks(old, new *Result) []string {
	all := []string{}
	if old.Target != new.Target {
		all = append(all, fmt.Sprintf("the reports are of different partners, or of one that is registered differently: %s, now %s", targetWords(old.Target), targetWords(new.Target)))
	}
	if old.SuiteVersion != new.SuiteVersion {
		all = append(all, fmt.Sprintf("the suite was version %s, now %s", old.SuiteVersion, new.SuiteVersion))
	}
	if old.LimitScale != new.LimitScale {
		all = append(all, "the contract's limits were multiplied in one of the runs: its answer times prove nothing")
	}
	for _, side := range []struct {
		name string
		of   *Result
	}{{"old", old}, {"new", new}} {
		if side.of.Verdict == Incomplete {
			all = append(all, fmt.Sprintf("the %s run could not judge the partner: %s", side.name, side.of.Reason))
		}
	}
	if old.StartedAt.After(new.StartedAt) {
		all = append(all, "the old run began after the new one: check the order of the files")
	}
	return all
}

func targetWords(t Target) string {
	tickets := "the marketplace"
	if t.HandlesTicketDelivery {
		tickets = "the partner"
	}
	return fmt.Sprintf("%s (%s key, tickets delivered by %s)", t.BaseURL, t.AuthType, tickets)
}

func slowerEndpoints(old, new *Result) []Slower {
	all := []Slower{}
	for _, is := range new.Latency {
		at := slices.IndexFunc(old.Latency, func(l Latency) bool { return l.Endpoint == is.Endpoint })
		if at < 0 {
			continue
		}
		if was := old.Latency[at]; is.P95MS-was.P95MS > notable*is.HealthyLimitMS {
			all = append(all, Slower{Endpoint: is.Endpoint, WasMS: was.P95MS, IsMS: is.P95MS, LimitMS: is.HealthyLimitMS})
		}
	}
	return all
}
