package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	nethtml "golang.org/x/net/html"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// pullRequest is report.md as GitHub shows it.
func pullRequest(t testing.TB, r *report.Result) *nethtml.Node {
	t.Helper()
	content := render(t, drawMarkdown, r)
	if len(content) > mostMarkdown {
		t.Fatalf("report.md has %d bytes, want at most %d", len(content), mostMarkdown)
	}
	return renderMarkdown(t, content)
}

// renderMarkdown is Markdown as GitHub shows it.
func renderMarkdown(t testing.TB, content []byte) *nethtml.Node {
	t.Helper()
	var out bytes.Buffer
	reader := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	if err := reader.Convert(content, &out); err != nil {
		t.Fatal(err)
	}
	doc, err := nethtml.Parse(&out)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func tags(n *nethtml.Node, name string) []*nethtml.Node {
	return elements(n, func(e *nethtml.Node) bool { return e.Data == name })
}

func TestMarkdownStatesTheVerdictAndWhatToFix(t *testing.T) {
	t.Parallel()
	doc := pullRequest(t, seal(t, handful(t)))
	if heading := text(tags(doc, "h2")[0]); heading != "Not conformant: partner contract" {
		t.Errorf("the heading is %q", heading)
	}
	rows := tags(doc, "tr")
	if len(rows) != 4 {
		t.Fatalf("the table has %d rows, want a head, two failed and one warned", len(rows))
	}
	failed := ruleOf(t, sampleResult(t), rule.ReserveVacanciesMany.ID)
	for _, want := range []string{"Failed", failed.ID, "MUST", failed.Clause, failed.Message, failed.Why, failed.Fix} {
		found := false
		for _, row := range rows[1:3] {
			found = found || strings.Contains(text(row), want)
		}
		if !found {
			t.Errorf("the table's failed rules lack %q", want)
		}
	}
	if last := text(rows[3]); !strings.Contains(last, "Warned") {
		t.Errorf("the last row is %q, want the warning", last)
	}
	folds := tags(doc, "details")
	if reasons := len(NotJudged(sampleResult(t).Rules)); len(folds) != 3+reasons || hasAttr(folds[0], "open") {
		t.Fatalf("%d folds, want the evidence of three rules, and the rules of %d reasons, folded", len(folds), reasons)
	}
	content := text(doc)
	for _, want := range []string{reserveExchange().Curl, `"reservationConfirmationCode": "R-81F3"`, "2 failed", "1 warned", "https://api.harbour-tours.example/partner/v2"} {
		if !strings.Contains(content, want) {
			t.Errorf("report.md lacks %q", want)
		}
	}
}

func TestMarkdownOfAConformantRunIsShort(t *testing.T) {
	t.Parallel()
	r := sampleResult(t)
	r.Verdict = report.Conformant
	for i := range r.Rules {
		r.Rules[i].Outcome, r.Rules[i].Message, r.Rules[i].Exchanges = report.Passed, "", nil
	}
	doc := pullRequest(t, r)
	if len(tags(doc, "table")) != 0 || !strings.Contains(text(doc), fmt.Sprintf("All %d MUST rules hold.", len(mustRules(r.Rules)))) {
		t.Errorf("it reads %q", text(doc))
	}
}

func TestMarkdownIsNeverLongerThanGitHubTakesAndSaysWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	r := sampleResult(t)
	r.Rules, r.Integrity = r.Rules[:60], &report.Integrity{SHA256: strings.Repeat("a", 64)}
	for i := range r.Rules {
		r.Rules[i].Outcome, r.Rules[i].Message = report.Failed, strings.Repeat("long words ", 100)
		for range 4 {
			x := reserveExchange()
			x.Curl += strings.Repeat(" long", 500)
			r.Rules[i].Exchanges = append(r.Rules[i].Exchanges, x)
		}
		r.NotUndone = append(r.NotUndone, report.Leftover{Kind: "booking", Code: fmt.Sprint(i), Reason: strings.Repeat("no ", 300)})
	}
	content := text(pullRequest(t, r))
	for _, want := range []string{"findings more, in report.html", "findings more is in report.html", "more, in report.html", "SHA-256"} {
		if !strings.Contains(content, want) {
			t.Errorf("it does not say %q", want)
		}
	}
}

func TestMarkdownShowsHostileTextAsText(t *testing.T) {
	t.Parallel()
	hostile := hostileTexts()
	for name, more := range map[string]string{
		"a mention":         "@everyone and @org/team, see #1 and other/repo#2",
		"a link":            "https://evil.example/x www.evil.example [click](https://evil.example) <https://evil.example>",
		"a picture":         "![x](https://evil.example/pixel.png)",
		"a table's end":     "| a | b |\n|---|---|\n| c",
		"backticks":         "``` ` `` ```` \n```\n# heading\n",
		"a fold's end":      "</details></summary></table>",
		"headings and rows": "# a\n## b\n- c\n1. d\n> e\n***\n",
		"mathematics":       "$\\alpha$ $$x$$",
	} {
		hostile[name] = more
	}
	skeletonOf := func(text string) string {
		r := hostileResult(t, text)
		r.Verdict = report.Nonconformant
		return skeleton(pullRequest(t, r))
	}
	harmless := skeletonOf("harmless")
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := skeletonOf(text); got != harmless {
				t.Errorf("%.80q changes the document: %s", text, firstDifference(got, harmless))
			}
		})
	}
}

func TestEscapedTextReadsAsItWas(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`a+b&c'd`, `sk_live_1*2`, `<b>&amp;</b>`, `x|y\z`, "@who #1 https://a.b www.c", "[3].vacancies: expected 9, received 11"} {
		if got := unescapeMarkdown(escapeMarkdown(text)); got != text {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

func TestTheCatalogueShowsEveryRuleWholeAndItsLinksLeadToRules(t *testing.T) {
	t.Parallel()
	doc := renderMarkdown(t, Catalogue(rule.All()))
	shown := strings.Join(strings.Fields(text(doc)), " ")
	for _, r := range rule.All() {
		for _, want := range []string{r.ID, string(r.Level) + " (" + r.Clause + "): " + r.Title + ".", "Why: " + r.Why, "Fix: " + r.Fix} {
			if !strings.Contains(shown, want) {
				t.Errorf("%s: want %q on the page", r.ID, want)
			}
		}
		byID(t, doc, r.ID)
	}
	for _, link := range elements(doc, func(e *nethtml.Node) bool { return hasAttr(e, "href") }) {
		if id, own := strings.CutPrefix(attr(link, "href"), "#"); !own {
			t.Errorf("want links within the page only, got %q", attr(link, "href"))
		} else {
			byID(t, doc, id)
		}
	}
}

// pair returns two equal reports in which every rule passed.
func pair(t *testing.T) (old, new *report.Result) {
	t.Helper()
	made := func() *report.Result {
		r := sampleResult(t)
		for i := range r.Rules {
			r.Rules[i].Outcome, r.Rules[i].Message = report.Passed, ""
		}
		return r
	}
	return made(), made()
}

func TestAComparisonIsSummedUpInASentence(t *testing.T) {
	t.Parallel()
	old, new := pair(t)
	if c := report.Compare(old, new); len(Sections(c))+len(c.Remarks) > 0 || c.HasRegressed() || CompareWords(c) != "0 newly failing, 0 still failing, 0 fixed" {
		t.Errorf("Expected no change between equal reports, received %q", CompareWords(c))
	}
	new.Rules, old.Rules = new.Rules[1:], old.Rules[:len(old.Rules)-1]
	new.Latency = []report.Latency{old.Latency[0]}
	new.Latency[0].P95MS += 1501
	c := report.Compare(old, new)
	if want := "0 newly failing, 0 still failing, 0 fixed, 1 new rule, 1 rule removed, 1 endpoint slower"; CompareWords(c) != want {
		t.Errorf("want %q, got %q", want, CompareWords(c))
	}
	if !strings.HasSuffix(SlowerWords(c.Slower[0]), ", before 1.63 s; limit 15 s") {
		t.Errorf("Expected the times to be reported, received %q", SlowerWords(c.Slower[0]))
	}
}

func TestAComparisonIsWrittenForPullRequestsAndPrograms(t *testing.T) {
	t.Parallel()
	for name, hostile := range hostileTexts() {
		old, new := pair(t)
		broken := ruleOf(t, new, rule.ReserveLimit.ID)
		broken.Outcome, broken.Message, new.Target.BaseURL = report.Failed, hostile, hostile
		c := report.Compare(old, new)
		page := string(CompareMarkdown(c))
		if !strings.HasPrefix(page, "## 1 newly failing, 0 still failing, 0 fixed") || !strings.Contains(page, "| MUST | passed, now failed | ") {
			t.Errorf("%s: Expected the breach to be reported, received\n%.2000s", name, page)
		}
		doc := renderMarkdown(t, []byte(page))
		if stray := append(tags(doc, "script"), append(tags(doc, "img"), tags(doc, "a")...)...); len(stray) > 0 || len(tags(doc, "td")) != 4 {
			t.Errorf("%s: want a partner's words as text in a row of four, got\n%.2000s", name, page)
		}
		for _, line := range strings.Split(page, "\n") {
			if strings.HasPrefix(line, "| ") && len(line) > 8*longestCell {
				t.Errorf("%s: want short rows, got one of %d bytes", name, len(line))
			}
		}
		text, err := json.Marshal(c)
		if err != nil || !strings.Contains(string(text), `"broke":[{"id":"reserve.limit"`) || !strings.Contains(string(text), `"fixed":[]`) {
			t.Errorf("%s: want the lists as JSON, none of them null, got %.300s, %v", name, text, err)
		}
	}
}
