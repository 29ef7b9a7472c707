package view

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/internal/safetext"
)

const (
	// mostMarkdown is the maximum length of report.md, in bytes. GitHub allows comments of 65,536
	// characters, and the comment may contain more than the report.
	mostMarkdown = 60 << 10
	// mostTable is the maximum length of the table of findings in it, in bytes.
	mostTable = 30 << 10
	closing   = 2 << 10

	longestSnippet = 2 << 10 // maximum number of bytes of a curl command or a body
	mostSnippets   = 3       // maximum number of calls shown for one rule
)

// drawMarkdown returns r for a pull request: the verdict, a table of the failed, warned and known
// rules, and the calls that show them, folded. It fits the length that GitHub allows, and says what
// is left out. A partner's text makes no mentions and no links.
func drawMarkdown(r *report.Result) ([]byte, error) {
	whole := r.Completed()
	doc := &markdown{}
	doc.head(whole)
	var urgent []report.RuleResult
	for _, cause := range whole.Causes {
		urgent = append(urgent, rulesOf(whole, cause)...)
	}
	known := slices.DeleteFunc(slices.Clone(whole.Rules), func(one report.RuleResult) bool { return one.Outcome != report.Known })
	urgent = append(urgent, known...)
	doc.table(whole, known)
	doc.notJudged(whole.Rules)
	doc.lifecycle(whole.Exploration)
	doc.evidence(urgent)
	doc.leftovers(whole.NotUndone)
	doc.seats(Differing(whole.Slots))
	doc.caller(whole.CallerFaults)
	doc.writeStale(whole.Baseline)
	doc.text.WriteString("\n" + checksumMarkdown(whole) + "\n")
	return []byte(doc.text.String()), nil
}

// markdown is a text that stays within a length.
type markdown struct{ text strings.Builder }

func (m *markdown) add(part string, most int) bool {
	fits := m.text.Len()+len(part) <= most
	if fits {
		m.text.WriteString(part)
	}
	return fits
}

func (m *markdown) head(r *report.Result) {
	heading, sentence := VerdictWords(r)
	fmt.Fprintf(&m.text, "## %s: partner contract\n\n", heading)
	if r.LimitScale != 0 {
		fmt.Fprintf(&m.text, "> **Not a real measurement.** The contract’s time limits were multiplied by %g in this run.\n\n", r.LimitScale)
	}
	fmt.Fprintf(&m.text, "%s\n\n%s", cell(sentence), codeCell(r.Target.BaseURL))
	for _, o := range report.Outcomes() {
		if n := r.Summary[o]; n > 0 {
			fmt.Fprintf(&m.text, " · %d %s", n, strings.ToLower(label(o)))
		}
	}
	fmt.Fprintf(&m.text, " · %s · %s UTC\n\n", plural.Count(r.Coverage.Calls, "call"), r.StartedAt.UTC().Format("2 Jan 2006, 15:04"))
}

// notJudged lists the MUST rules that were not judged, by reason.
func (m *markdown) notJudged(rules []report.RuleResult) {
	groups := NotJudged(rules)
	if len(groups) == 0 {
		return
	}
	fmt.Fprintf(&m.text, "**%s**\n\n", escapeMarkdown(notJudgedWords(rules)))
	for i, group := range groups {
		line := fmt.Sprintf("- %s: %s. %s <details><summary>Which</summary>%s</details>\n", plural.Count(len(group.IDs), "rule"),
			cell(group.Reason), cell(group.Remedy), "`"+strings.Join(group.IDs, "`, `")+"`")
		if !m.add(line, mostMarkdown/2) {
			fmt.Fprintf(&m.text, "\nand %s more, in report.html.\n", plural.Count(len(groups)-i, "reason"))
			break
		}
	}
	m.text.WriteString("\n")
}

// rulesOf returns the broken rules of a cause.
func rulesOf(r *report.Result, c report.Cause) []report.RuleResult {
	return slices.DeleteFunc(slices.Clone(r.Rules), func(one report.RuleResult) bool { return !slices.Contains(c.Rules, one.ID) })
}

// table lists the causes in their order, and then what is known.
func (m *markdown) table(r *report.Result, known []report.RuleResult) {
	var rows []string
	for _, cause := range r.Causes {
		rows = append(rows, tableRow(rulesOf(r, cause), WaitWords(cause)))
	}
	for _, one := range known {
		rows = append(rows, tableRow([]report.RuleResult{one}, ""))
	}
	if len(rows) == 0 {
		return
	}
	if len(r.Causes) > 1 {
		m.text.WriteString("Fix them in this order:\n\n")
	}
	m.text.WriteString("| | Rule | Finding | Why it matters | How to fix it |\n|---|---|---|---|---|\n")
	for i, row := range rows {
		if !m.add(row, mostTable) {
			fmt.Fprintf(&m.text, "\nand %s more, in report.html.\n", plural.Count(len(rows)-i, "finding"))
			break
		}
	}
	m.text.WriteString("\n")
}

func tableRow(rules []report.RuleResult, waits string) string {
	var ids, messages, whys, fixes []string
	for _, one := range rules {
		ids = append(ids, "`"+one.ID+"`")
		messages, whys, fixes = append(messages, messageCell(one)), append(whys, escapeMarkdown(one.Why)), append(fixes, escapeMarkdown(one.Fix))
	}
	if waits != "" {
		messages = append(messages, waits+".")
	}
	first := rules[0]
	lines := func(all []string) string { return strings.Join(slices.Compact(all), "<br>") }
	return fmt.Sprintf("| **%s** | %s %s %s | %s | %s | %s |\n", label(first.Outcome), strings.Join(ids, " "), first.Level, first.Clause, lines(messages), lines(whys), lines(fixes))
}

func messageCell(rule report.RuleResult) string {
	words := cell(rule.Message)
	if rule.Picture != "" {
		words += " Drawn in `" + rule.Picture + "`."
	}
	if rule.Known != "" {
		words += " **Known:** " + cell(rule.Known)
	}
	return words
}

func (m *markdown) lifecycle(e *report.Exploration) {
	if e == nil || e.Broken == nil {
		return
	}
	m.text.WriteString("The shortest lifecycle that fails, which `--explore 1 --seed " + strconv.FormatUint(e.Broken.Seed, 10) + "` finds again:\n\n")
	for i, step := range e.Broken.Steps {
		line := fmt.Sprintf("%d. **%s**: expected %s, received %s\n", i+1, cell(step.Does),
			cell(step.Want), cell(step.Got))
		if !m.add(line, mostMarkdown/2) {
			fmt.Fprintf(&m.text, "\nand %s, in report.html.\n", plural.Count(len(e.Broken.Steps)-i, "more step"))
			break
		}
	}
	m.text.WriteString("\n")
}

func (m *markdown) evidence(rules []report.RuleResult) {
	for i, rule := range rules {
		if len(rule.Exchanges) > 0 && !m.add(foldedCalls(rule), mostMarkdown-closing) {
			fmt.Fprintf(&m.text, "The evidence of %s more is in report.html.\n", plural.Count(len(rules)-i, "finding"))
			return
		}
	}
}

func foldedCalls(rule report.RuleResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary><code>%s</code>: %s</summary>\n\n", rule.ID, plural.Count(len(rule.Exchanges), "call"))
	for i, x := range rule.Exchanges {
		if i == mostSnippets {
			fmt.Fprintf(&b, "and %s more, in report.html.\n\n", plural.Count(len(rule.Exchanges)-i, "call"))
			break
		}
		fmt.Fprintf(&b, "**#%d** %s: %s in %s\n\n%s", x.Number, cell(x.Purpose), cell(answer(x)), duration(x.Duration),
			fenceCode("sh", shorten(x.Curl, longestSnippet)))
		b.WriteString(answerMarkdown(x))
	}
	b.WriteString("</details>\n\n")
	return b.String()
}

func answerMarkdown(x report.Exchange) string {
	switch {
	case x.Failure != nil:
		return cell(x.Failure.Message) + "\n\n"
	case x.Response == nil:
		return ""
	}
	text := cmp.Or(x.Response.Body.Excerpt, x.Response.Body.Text)
	if text == "" {
		return ""
	}
	if pretty, ok := indent(text); ok {
		text = pretty
	}
	return fenceCode("json", shorten(text, longestSnippet))
}

func (m *markdown) leftovers(all []report.Leftover) {
	for i, l := range all {
		line := fmt.Sprintf("- **Not undone:** %s %s of product %s, option %s, slot %s: %s\n", escapeMarkdown(l.Kind), codeCell(cmp.Or(l.Code, "without a code")),
			codeCell(l.ProductID), codeCell(l.OptionID), codeCell(l.Start), cell(l.Reason))
		if !m.add(line, mostMarkdown-closing/2) {
			fmt.Fprintf(&m.text, "- **Not undone:** %d more, in report.html\n", len(all)-i)
			return
		}
	}
}

func (m *markdown) seats(all []report.SlotSeats) {
	for i, s := range all {
		line := fmt.Sprintf("- **Seats left wrong:** product %s, option %s, slot %s: %d before the run, %d after it\n", codeCell(s.ProductID), codeCell(s.OptionID), codeCell(s.Start), s.Before, s.After)
		if !m.add(line, mostMarkdown-closing/2) {
			fmt.Fprintf(&m.text, "- **Seats left wrong:** in %d more, in report.html\n", len(all)-i)
			return
		}
	}
}

func (m *markdown) caller(all []report.CallerFault) {
	for _, fault := range all {
		m.add(fmt.Sprintf("- **The caller:** `%s` (%s), in %s. %s\n", fault.ID, fault.Clause, plural.Count(fault.Calls, "call"), cell(fault.Message)), mostMarkdown-closing/2)
	}
}

func (m *markdown) writeStale(b *report.Baseline) {
	if b == nil {
		return
	}
	for i, entry := range b.Stale {
		if !m.add("- **Stale:** "+cell(entry.Message)+"\n", mostMarkdown-closing/2) {
			fmt.Fprintf(&m.text, "- **Stale:** %d more, in report.html\n", len(b.Stale)-i)
			return
		}
	}
}

func checksumMarkdown(r *report.Result) string {
	if r.Integrity == nil {
		return "<sub>" + escapeMarkdown(checksumWords(r)) + "</sub>"
	}
	return fmt.Sprintf("<sub>SHA-256 <code>%s</code> · suite %s · contract %s · <code>conformance verify report.json</code> shows whether the report is unchanged</sub>",
		r.Integrity.SHA256, escapeMarkdown(r.SuiteVersion), escapeMarkdown(r.ContractVersion))
}

// Catalogue returns the rules as a page of Markdown, by endpoint. Each rule has its id, level and
// clause, what must hold, why, how to fix it, and the rules that it needs as links within the page.
func Catalogue(rules []rule.Rule) []byte {
	var page strings.Builder
	levels := map[rule.Level]int{}
	for _, r := range rules {
		levels[r.Level]++
	}
	fmt.Fprintf(&page, "# The rules of the partner contract\n\n%s: %d MUST, %d SHOULD, %d MAY. A partner that breaks a MUST rule is not conformant.\nA broken SHOULD rule is a warning. The use of what a MAY rule allows is noted.\n",
		plural.Count(len(rules), "rule"), levels[rule.Must], levels[rule.Should], levels[rule.May])
	for _, e := range rule.Endpoints() {
		method, path := route(e)
		fmt.Fprintf(&page, "\n## %s: `%s %s`\n", e, method, path)
		for _, r := range rules {
			if r.Endpoint == e {
				writeEntry(&page, r)
			}
		}
	}
	return []byte(page.String())
}

func writeEntry(page *strings.Builder, r rule.Rule) {
	fmt.Fprintf(page, "\n<a id=\"%s\"></a>\n### `%s`\n\n**%s** (%s): %s.\n\n- Why: %s\n- Fix: %s\n", r.ID, r.ID, r.Level, r.Clause, escapeMarkdown(r.Title), escapeMarkdown(r.Why), escapeMarkdown(r.Fix))
	if len(r.Needs) == 0 {
		return
	}
	links := make([]string, len(r.Needs))
	for i, id := range r.Needs {
		links[i] = fmt.Sprintf("[`%s`](#%s)", id, id)
	}
	fmt.Fprintf(page, "- Needs: %s\n", strings.Join(links, ", "))
}

// marks lists the characters with a meaning in the Markdown of GitHub and GitLab.
const marks = "\\`*_{}[]()~|!$^#+-="

// noWidth is an invisible character.
const noWidth = "&#8203;"

// escapeMarkdown escapes a text so that Markdown shows it unchanged, in one line: no markup, no HTML.
// Characters of no width keep names, numbers and addresses from becoming mentions and links.
func escapeMarkdown(s string) string {
	var b strings.Builder
	for i, char := range s {
		switch {
		case char == '<' || char == '>' || char == '&':
			b.WriteString(html.EscapeString(string(char)))
		case char == '@':
			b.WriteString("@" + noWidth)
		case strings.HasPrefix(s[i:], "://"), char == '.' && strings.EqualFold(s[max(0, i-3):i], "www"):
			b.WriteString(noWidth + string(char))
		case char == '#':
			b.WriteString("\\#" + noWidth)
		case strings.ContainsRune(marks, char):
			b.WriteString("\\" + string(char))
		default:
			b.WriteRune(safetext.Rune(char))
		}
	}
	return b.String()
}

func unescapeMarkdown(s string) string {
	s = strings.ReplaceAll(s, noWidth, "")
	for _, mark := range marks {
		s = strings.ReplaceAll(s, "\\"+string(mark), string(mark))
	}
	return html.UnescapeString(s)
}

// longestCell is the maximum number of bytes of a partner's text in a line.
const longestCell = 400

// cell returns a text that may be the partner's as Markdown, shortened.
func cell(s string) string { return escapeMarkdown(shorten(s, longestCell)) }

func codeCell(s string) string {
	s = strings.Map(safetext.Rune, shorten(s, longestCell))
	fence := strings.Repeat("`", longestRun(s)+1)
	return fence + " " + strings.ReplaceAll(s, "|", "\\|") + " " + fence
}

func fenceCode(language, s string) string {
	fence := strings.Repeat("`", max(3, longestRun(s)+1))
	s = strings.Map(func(char rune) rune {
		if char == '\n' || char == '\t' {
			return char
		}
		return safetext.Rune(char)
	}, s)
	return fence + language + "\n" + s + "\n" + fence + "\n\n"
}

func longestRun(s string) (longest int) {
	run := 0
	for _, char := range s {
		if char != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
