//go:build unix

package docstest

import (
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"partnerkit.dev/conformance/rule"
)

// output returns what a command prints.
func output(t *testing.T, command string, args ...string) string {
	t.Helper()
	text, err := exec.Command(command, args...).Output()
	if err != nil {
		t.Fatalf("%s %s: %v", command, strings.Join(args, " "), err)
	}
	return string(text)
}

// section replaces the text between the markers of a name, such as <!-- begin settings -->.
func section(t *testing.T, text, name, body string) string {
	t.Helper()
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	before, rest, found := strings.Cut(text, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("expected %s and %s", strings.TrimSpace(begin), end)
	}
	return before + begin + body + end + after
}

// clauseOfRule matches the clause of a rule in the catalogue.
var clauseOfRule = regexp.MustCompile(`(?m)^(\*\*(?:MUST|SHOULD|MAY)\*\* )\(([A-Z]+-\d+)\):`)

// rulesPage returns the page docs/rules.md: every rule of the suite, and every clause of the contract
// with its rules. headings are the contract's.
func rulesPage(t *testing.T, headings []string) string {
	t.Helper()
	listed := output(t, filepath.Join(programs(t), "conformance"), "rules", "--markdown")
	var page strings.Builder
	catalogue := strings.Replace(listed, "\n\n", "\n\nThis page is generated from the suite. [By clause](#by-clause) goes from the [contract](contract.md) to the rules.\n\n", 1)
	page.WriteString(clauseOfRule.ReplaceAllStringFunc(catalogue, func(found string) string {
		part := clauseOfRule.FindStringSubmatch(found)
		return fmt.Sprintf("%s([%s](#%s)):", part[1], part[2], strings.ToLower(part[2]))
	}))
	page.WriteString("\n## By clause\n\n| clause | judged by |\n|---|---|\n")
	for _, clause := range rule.Coverage() {
		by := "no rule: " + clause.Reason
		if len(clause.Rules) > 0 {
			by = ""
			for _, id := range clause.Rules {
				by += fmt.Sprintf(", [`%s`](#%s)", id, id)
			}
			by = strings.TrimPrefix(by, ", ")
		}
		fmt.Fprintf(&page, "| <a id=\"%s\"></a>[%s](contract.md#%s) | %s |\n", strings.ToLower(clause.ID), clause.ID, headingOf(t, clause.ID, headings), by)
	}
	return page.String()
}

// headingOf returns the heading of a clause's section: "gen-what-holds-everywhere" for GEN-1.
func headingOf(t *testing.T, clause string, headings []string) string {
	t.Helper()
	group, _, _ := strings.Cut(strings.ToLower(clause), "-")
	if group == "whk" {
		group = "webhooks"
	}
	for _, heading := range headings {
		if first, _, _ := strings.Cut(heading, "-"); first == group {
			return heading
		}
	}
	t.Fatalf("expected a section of the contract for %s, received %v", clause, headings)
	return ""
}

// clauseRow matches a clause in the contract's tables.
var clauseRow = regexp.MustCompile(`(?m)^\| ([A-Z]+-\d+) \| ([^|]*) \|(?: [^|]* \|)?$`)

// linkClauses returns docs/contract.md with a link from each clause to its rules.
func linkClauses(text string) string {
	rules := map[string]int{}
	for _, clause := range rule.Coverage() {
		rules[clause.ID] = len(clause.Rules)
	}
	return clauseRow.ReplaceAllStringFunc(text, func(row string) string {
		part := clauseRow.FindStringSubmatch(row)
		by := fmt.Sprintf("%d rules", rules[part[1]])
		switch rules[part[1]] {
		case 0:
			by = "no rule"
		case 1:
			by = "1 rule"
		}
		return fmt.Sprintf("| %s | %s | [%s](rules.md#%s) |", part[1], part[2], by, strings.ToLower(part[1]))
	})
}

// setting matches a flag in the help of a command: its name, its type, its description, its
// default.
var setting = regexp.MustCompile(`(?m)^ +--([a-z][a-z0-9-]*)(?: (\S+))? {2,}(.*?)(?: \(default (.*)\))?$`)

// settingsTable returns a table of the settings of a command's serve, from its --help.
func settingsTable(t *testing.T, command string) string {
	t.Helper()
	help := output(t, filepath.Join(programs(t), command), "serve", "--help")
	table := "| flag and variable | default | meaning |\n|---|---|---|\n"
	for _, found := range setting.FindAllStringSubmatch(help, -1) {
		name, preset := found[1], strings.Trim(found[4], `"[]`)
		if name == "help" {
			continue
		}
		if name == "data-dir" {
			preset = "" // it depends on the user
		}
		if preset != "" {
			preset = "`" + preset + "`"
		}
		table += fmt.Sprintf("| `--%s`<br>`%s` | %s | %s |\n", name, strings.ToUpper(command+"_"+strings.ReplaceAll(name, "-", "_")), preset, strings.ReplaceAll(found[3], "|", `\|`))
	}
	return table
}

// docStart matches the name of a package at the beginning of its doc comment.
var docStart = regexp.MustCompile(`^(?:(?:Package|Command) )?\S+ `)

// packagesTable returns a table of all packages with the first sentence of their doc comments.
func packagesTable(t *testing.T) string {
	t.Helper()
	listed := output(t, "go", "list", "-f", `{{.ImportPath}}{{"\t"}}{{.Dir}}{{"\t"}}{{.Doc}}`, "partnerkit.dev/...")
	table := "| package | what it is or does |\n|---|---|\n"
	for line := range strings.Lines(listed) {
		name, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "partnerkit.dev/"), "\t")
		folder, text, _ := strings.Cut(rest, "\t")
		if text == "" {
			text = testsDoc(t, folder)
		}
		table += fmt.Sprintf("| [`%s`](../%s) | %s |\n", name, name, strings.TrimSuffix(strings.ReplaceAll(docStart.ReplaceAllString(text, ""), "|", `\|`), "."))
	}
	return table
}

// testsDoc returns the first sentence about a package of tests alone.
func testsDoc(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	check(t, err)
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		check(t, err)
		if text := new(doc.Package).Synopsis(parsed.Doc.Text()); text != "" {
			return text
		}
	}
	t.Fatalf("%s: expected a doc comment of the package", folder)
	return ""
}
