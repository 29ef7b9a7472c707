package view

import (
	"fmt"
	"strings"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/plural"
)

// Section is a titled list of changes between two reports.
type Section struct {
	Title   string
	Changes []report.Change
}

// Sections returns the lists of a comparison that are not empty, the most urgent first.
func Sections(c report.Comparison) []Section {
	var some []Section
	for _, section := range []Section{
		{"Newly failing", c.Broke}, {"Still failing", c.StillBroken}, {"Fixed", c.Fixed},
		{"New rules", c.NewRules}, {"Removed rules", c.GoneRules}, {"Changed", c.Changed},
	} {
		if len(section.Changes) > 0 {
			some = append(some, section)
		}
	}
	return some
}

// CompareWords counts the changes of a comparison in a sentence.
func CompareWords(c report.Comparison) string {
	words := fmt.Sprintf("%d newly failing, %d still failing, %d fixed", len(c.Broke), len(c.StillBroken), len(c.Fixed))
	if n := len(c.NewRules); n > 0 {
		words += ", " + plural.Count(n, "new rule")
	}
	if n := len(c.GoneRules); n > 0 {
		words += fmt.Sprintf(", %s removed", plural.Count(n, "rule"))
	}
	if n := len(c.Changed); n > 0 {
		words += fmt.Sprintf(", %d changed", n)
	}
	if n := len(c.Slower); n > 0 {
		words += fmt.Sprintf(", %s slower", plural.Count(n, "endpoint"))
	}
	return words
}

// ChangeWords returns how the outcome changed, such as "passed, now failed".
func ChangeWords(c report.Change) string {
	switch {
	case c.Was == "":
		return "new, " + outcomeWords(c.Is)
	case c.Is == "":
		return "was " + outcomeWords(c.Was)
	case c.Was == c.Is:
		return outcomeWords(c.Is)
	default:
		return outcomeWords(c.Was) + ", now " + outcomeWords(c.Is)
	}
}

func outcomeWords(o report.Outcome) string { return strings.ReplaceAll(string(o), "_", " ") }

// SlowerWords says by how much an endpoint became slower.
func SlowerWords(s report.Slower) string {
	return fmt.Sprintf("95%% within %s, before %s; limit %s", milliseconds(s.IsMS), milliseconds(s.WasMS), milliseconds(s.LimitMS))
}

const mostRows = 100

// CompareMarkdown returns a comparison as Markdown for a pull request.
func CompareMarkdown(c report.Comparison) []byte {
	var page strings.Builder
	fmt.Fprintf(&page, "## %s\n\n%s, now %s: %s\n", escapeMarkdown(CompareWords(c)), c.Old.Verdict, c.New.Verdict, codeCell(c.New.BaseURL))
	for _, remark := range c.Remarks {
		fmt.Fprintf(&page, "\n> %s\n", cell(remark))
	}
	for _, section := range Sections(c) {
		fmt.Fprintf(&page, "\n### %s (%d)\n\n| rule | level | outcome | finding |\n|---|---|---|---|\n", section.Title, len(section.Changes))
		for i, change := range section.Changes {
			if i == mostRows {
				fmt.Fprintf(&page, "\n%d more are in the reports.\n", len(section.Changes)-i)
				break
			}
			finding := strings.Join(append([]string{change.Message}, change.Notes...), " ")
			fmt.Fprintf(&page, "| %s %s | %s | %s | %s |\n", codeCell(change.ID), cell(change.Title),
				cell(string(change.Level)), cell(ChangeWords(change)), cell(strings.TrimSpace(finding)))
		}
	}
	if len(c.Slower) > 0 {
		page.WriteString("\n### Slower\n\n")
	}
	for _, s := range c.Slower {
		fmt.Fprintf(&page, "- %s: %s\n", cell(string(s.Endpoint)), escapeMarkdown(SlowerWords(s)))
	}
	return []byte(page.String())
}
