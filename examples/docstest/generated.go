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

	"partnerkit.dev/conformance/rule"
)

// output returns what a command prints.
func output(command string, args ...string) (string, error) {
	text, err := exec.Command(command, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", command, strings.Join(args, " "), err)
	}
	return string(text), nil
}

// section replaces the text between the markers of a name, such as <!-- begin settings -->.
func section(text, name, body string) (string, error) {
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	before, rest, found := strings.Cut(text, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", fmt.Errorf("expected %s and %s", strings.TrimSpace(begin), end)
	}
	return before + begin + body + end + after, nil
}

// clauseOfRule matches the clause of a rule in the catalogue.
var clauseOfRule = regexp.MustCompile(`(?m)^(\*\*(?:MUST|SHOULD|MAY)\*\* )\(([A-Z]+-\d+)\):`)

// Rules returns the page docs/rules.md: every rule of the suite, and every clause of the contract
// with its rules. headings are the contract's, and bin has the conformance command.
func Rules(bin string, headings []string) (string, error) {
	listed, err := output(filepath.Join(bin, "conformance"), "rules", "--markdown")
	if err != nil {
		return "", err
	}
	var page strings.Builder
	catalogue := strings.Replace(listed, "\n\n", "\n\nThis page is generated from the suite. [By clause](#by-clause) goes from the [contract](contract.md) to the rules.\n\n", 1)
	page.WriteString(clauseOfRule.ReplaceAllStringFunc(catalogue, func(found string) string {
		part := clauseOfRule.FindStringSubmatch(found)
		return fmt.Sprintf("%s([%s](#%s)):", part[1], part[2], strings.ToLower(part[2]))
	}))
	page.WriteString("\n## By clause\n\n| clause | judged by |\n|---|---|\n")
	for _, clause := range rule.Coverage() {
		heading, err := headingOf(clause.ID, headings)
		if err != nil {
			return "", err
		}
		by := "no rule: " + clause.Reason
		if len(clause.Rules) > 0 {
			by = ""
			for _, id := range clause.Rules {
				by += fmt.Sprintf(", [`%s`](#%s)", id, id)
			}
			by = strings.TrimPrefix(by, ", ")
		}
		fmt.Fprintf(&page, "| <a id=\"%s\"></a>[%s](contract.md#%s) | %s |\n", strings.ToLower(clause.ID), clause.ID, heading, by)
	}
	return page.String(), nil
}

// headingOf returns the heading of a clause's section: "gen-what-holds-everywhere" for GEN-1.
func headingOf(clause string, headings []string) (string, error) {
	group, _, _ := strings.Cut(strings.ToLower(clause), "-")
	if group == "whk" {
		group = "webhooks"
	}
	for _, heading := range headings {
		if first, _, _ := strings.Cut(heading, "-"); first == group {
			return heading, nil
		}
	}
	return "", fmt.Errorf("expected a section of the contract for %s, received %v", clause, headings)
}

// clauseRow matches a clause in the contract's tables.
var clauseRow = regexp.MustCompile(`(?m)^\| ([A-Z]+-\d+) \| ([^|]*) \|(?: [^|]* \|)?$`)

// Contract returns docs/contract.md with a link from each clause to its rules.
func Contract(text string) string {
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

// Settings returns a table of the settings of marketplace serve, from its --help.
func Settings(bin string) (string, error) {
	help, err := output(filepath.Join(bin, "marketplace"), "serve", "--help")
	if err != nil {
		return "", err
	}
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
		table += fmt.Sprintf("| `--%s`<br>`MARKETPLACE_%s` | %s | %s |\n", name, strings.ToUpper(strings.ReplaceAll(name, "-", "_")), preset, strings.ReplaceAll(found[3], "|", `\|`))
	}
	return table, nil
}

// docStart matches the name of a package at the beginning of its doc comment.
var docStart = regexp.MustCompile(`^(?:(?:Package|Command) )?\S+ `)

// Packages returns a table of all packages with the first sentence of their doc comments.
func Packages() (string, error) {
	listed, err := output("go", "list", "-f", `{{.ImportPath}}{{"\t"}}{{.Dir}}{{"\t"}}{{.Doc}}`, "partnerkit.dev/...")
	if err != nil {
		return "", err
	}
	table := "| package | what it is or does |\n|---|---|\n"
	for line := range strings.Lines(listed) {
		name, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "partnerkit.dev/"), "\t")
		folder, text, _ := strings.Cut(rest, "\t")
		if text == "" {
			if text, err = testsDoc(folder); err != nil {
				return "", err
			}
		}
		table += fmt.Sprintf("| [`%s`](../%s) | %s |\n", name, name, strings.TrimSuffix(strings.ReplaceAll(docStart.ReplaceAllString(text, ""), "|", `\|`), "."))
	}
	return table, nil
}

// testsDoc returns the first sentence about a package of tests alone.
func testsDoc(folder string) (string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return "", err
		}
		if text := new(doc.Package).Synopsis(parsed.Doc.Text()); text != "" {
			return text, nil
		}
	}
	return "", fmt.Errorf("%s: expected a doc comment of the package", folder)
}
