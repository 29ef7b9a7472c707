package view

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	ClassName string        `xml:"classname,attr"`
	Name      string        `xml:"name,attr"`
	Time      string        `xml:"time,attr"`
	Failure   *junitFailure `xml:"failure"`
	Skipped   *junitSkipped `xml:"skipped"`
	SystemOut *junitText    `xml:"system-out"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",cdata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

type junitText struct {
	Text string `xml:",cdata"`
}

// drawJUnit returns r for continuous integration: one test suite for each endpoint, one test case
// for each rule, and one for each option that was judged otherwise than most. A failed rule is a failure with its evidence. A rule that was warned or not judged
// is skipped, and its message starts with the outcome.
func drawJUnit(r *report.Result) ([]byte, error) {
	root := junitSuites{Name: "conformance", Time: seconds(r.DurationMS)}
	for _, e := range endpoints(r) {
		suite, duration := newJUnitSuite(r, string(e)), int64(0)
		for _, one := range r.Rules {
			if one.Endpoint == e {
				suite.add(junitCaseOf(one))
				for _, option := range unlikeMost(one.Options) {
					suite.add(junitCaseOf(inOption(one, option)))
				}
				duration += one.DurationMS
			}
		}
		suite.Properties = append(suite.Properties, notJudgedProperties(r, e)...)
		suite.Time = seconds(duration)
		root.add(suite)
	}
	if r.Baseline != nil {
		root.add(staleJUnit(r))
	}
	out, err := xml.MarshalIndent(root, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the report as JUnit XML: %w", err)
	}
	return append([]byte(xml.Header), append(out, '\n')...), nil
}

// newJUnitSuite starts a test suite. JUnit's schema allows only times without an offset.
func newJUnitSuite(r *report.Result, name string) junitSuite {
	return junitSuite{Name: name, Time: seconds(0), Timestamp: r.StartedAt.UTC().Format("2006-01-02T15:04:05"), Properties: junitProperties(r)}
}

func (root *junitSuites) add(suite junitSuite) {
	if suite.Tests > 0 {
		root.Suites = append(root.Suites, suite)
		root.Tests += suite.Tests
		root.Failures += suite.Failures
	}
}

func (suite *junitSuite) add(c junitCase) {
	suite.Cases = append(suite.Cases, c)
	suite.Tests++
	switch {
	case c.Failure != nil:
		suite.Failures++
	case c.Skipped != nil:
		suite.Skipped++
	}
}

func staleJUnit(r *report.Result) junitSuite {
	suite := newJUnitSuite(r, "baseline")
	for _, entry := range r.Baseline.Stale {
		says := shorten(entry.Message, maxText)
		suite.add(junitCase{
			ClassName: "conformance.baseline", Name: entry.Rule, Time: seconds(0),
			Failure: &junitFailure{Message: says, Type: "stale", Text: xmlText(says)},
		})
	}
	return suite
}

func junitProperties(r *report.Result) []junitProperty {
	properties := []junitProperty{
		{"base_url", shorten(r.Target.BaseURL, maxText)},
		{"verdict", string(r.Verdict)},
		{"suite_version", r.SuiteVersion},
		{"contract_version", r.ContractVersion},
	}
	if r.Integrity != nil {
		properties = append(properties, junitProperty{"sha256", r.Integrity.SHA256})
	}
	if r.Reason != "" {
		properties = append(properties, junitProperty{"reason", shorten(r.Reason, maxText)})
	}
	if r.LimitScale != 0 {
		properties = append(properties, junitProperty{"limit_scale", fmt.Sprint(r.LimitScale)})
	}
	return properties
}

// notJudgedProperties returns the MUST rules of an endpoint that were not judged, by reason.
func notJudgedProperties(r *report.Result, e partnerapi.Endpoint) (all []junitProperty) {
	others := func(rule report.RuleResult) bool { return rule.Endpoint != e }
	for _, group := range NotJudged(slices.DeleteFunc(slices.Clone(r.Rules), others)) {
		all = append(all, junitProperty{"not_judged", shorten(group.String()+" "+strings.Join(group.IDs, ", "), maxText)})
	}
	return all
}

func junitCaseOf(rule report.RuleResult) junitCase {
	c := junitCase{
		ClassName: "conformance." + string(rule.Endpoint),
		Name:      rule.ID + " " + rule.Title,
		Time:      seconds(rule.DurationMS),
	}
	switch rule.Outcome {
	case report.Passed:
	case report.Failed:
		c.Failure = &junitFailure{Message: shorten(rule.Message, maxText), Type: rule.Clause, Text: junitEvidence(rule)}
	default:
		c.Skipped = &junitSkipped{Message: string(rule.Outcome) + ": " + shorten(junitReason(rule), maxText)}
		if rule.Outcome == report.Warned || rule.Outcome == report.Known {
			c.SystemOut = &junitText{Text: junitEvidence(rule)}
		}
	}
	return c
}

// unlikeMost returns the options that were judged otherwise than most.
func unlikeMost(all []report.OptionResult) []report.OptionResult {
	var broken, passed []report.OptionResult
	for _, one := range all {
		if one.Outcome == report.Passed {
			passed = append(passed, one)
		} else {
			broken = append(broken, one)
		}
	}
	switch {
	case len(passed) == 0:
		return nil
	case len(broken) <= len(passed):
		return broken
	default:
		return passed
	}
}

// inOption returns a rule as it was judged on one option.
func inOption(one report.RuleResult, option report.OptionResult) report.RuleResult {
	one.Title += fmt.Sprintf(" (product %s, option %s)", shorten(option.ProductID, maxText), shorten(option.OptionID, maxText))
	one.Outcome, one.Message, one.Problems, one.Exchanges, one.DurationMS = option.Outcome, option.Message, nil, nil, 0
	return one
}

// junitReason returns why a rule does not count, and how to have it judged.
func junitReason(rule report.RuleResult) string {
	reason := cmp.Or(rule.Known, rule.Message)
	if rule.Remedy != "" {
		reason += ". " + rule.Remedy
	}
	return reason
}

func junitEvidence(rule report.RuleResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", shorten(rule.Message, maxText))
	if rule.Known != "" {
		fmt.Fprintf(&b, "Known: %s\n", shorten(rule.Known, maxText))
	}
	for _, problem := range rule.Problems {
		fmt.Fprintf(&b, "  - %s\n", shorten(problem, maxText))
	}
	fmt.Fprintf(&b, "\n%s %s (%s)\nWhy: %s\nFix: %s\n", rule.Level, rule.Clause, rule.ID, rule.Why, rule.Fix)
	for _, x := range rule.Exchanges {
		fmt.Fprintf(&b, "\n#%d %s: %s in %s\n%s\n", x.Number, shorten(x.Purpose, maxText), answer(x), duration(x.Duration), shorten(x.Curl, maxBody))
	}
	fmt.Fprintf(&b, "\nThe whole evidence: report.html#%s\n", rule.ID)
	return xmlText(b.String())
}

// xmlText replaces characters that XML does not allow. encoding/xml does so in attributes, but not
// in a CDATA section.
func xmlText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r', r >= 0x20 && r <= 0xD7FF, r >= 0xE000 && r <= 0xFFFD, r >= 0x10000:
			return r
		}
		return '\uFFFD'
	}, s)
}

func seconds(ms int64) string {
	return fmt.Sprintf("%.3f", (time.Duration(ms) * time.Millisecond).Seconds())
}
