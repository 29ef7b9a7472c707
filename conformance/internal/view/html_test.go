package view

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// parse reads the page of r as a browser does.
func parse(t testing.TB, r *report.Result) *html.Node {
	t.Helper()
	content, err := HTML(r)
	if err != nil {
		t.Fatalf("HTML: %v", err)
	}
	doc, err := html.Parse(bytes.NewReader(content))
	if err != nil {
		t.Fatalf("parse report.html: %v", err)
	}
	return doc
}

// elements returns those for which want holds, in the order of the page.
func elements(n *html.Node, want func(*html.Node) bool) []*html.Node {
	var found []*html.Node
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && want(d) {
			found = append(found, d)
		}
	}
	return found
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func hasClass(n *html.Node, class string) bool {
	return slices.Contains(strings.Fields(attr(n, "class")), class)
}

func byClass(n *html.Node, class string) []*html.Node {
	return elements(n, func(e *html.Node) bool { return hasClass(e, class) })
}

func byID(t testing.TB, n *html.Node, id string) *html.Node {
	t.Helper()
	found := elements(n, func(e *html.Node) bool { return attr(e, "id") == id })
	if len(found) != 1 {
		t.Fatalf("%d elements have the id %q, want 1", len(found), id)
	}
	return found[0]
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func TestHTMLHasAnAnchorForEveryRule(t *testing.T) {
	t.Parallel()
	doc := parse(t, sampleResult(t))
	for _, one := range rule.All() {
		shown := byID(t, doc, one.ID)
		if hasClass(shown.Parent, "finding") {
			shown = shown.Parent
		}
		content := text(shown)
		for _, want := range []string{one.ID, one.Title, string(one.Level), one.Clause, one.Why, one.Fix} {
			if !strings.Contains(content, want) {
				t.Errorf("%s: the page does not show %q", one.ID, want)
			}
		}
	}
}

func TestHTMLLinksOnlyToItsOwnAnchors(t *testing.T) {
	t.Parallel()
	r := sampleResult(t)
	r.NotUndone = []report.Leftover{{Kind: "booking", Code: "B-1"}}
	doc := parse(t, r)
	ids := make(map[string]int)
	for _, e := range elements(doc, func(e *html.Node) bool { return hasAttr(e, "id") }) {
		ids[attr(e, "id")]++
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d elements share the id %q", n, id)
		}
	}
	for _, e := range elements(doc, func(e *html.Node) bool { return hasAttr(e, "href") }) {
		id, own := strings.CutPrefix(attr(e, "href"), "#")
		if !own || ids[id] == 0 {
			t.Errorf("<%s href=%q> leads nowhere in the page", e.Data, attr(e, "href"))
		}
	}
}

func TestHTMLAllowsNothingButItsOwnStyleAndScript(t *testing.T) {
	t.Parallel()
	doc := parse(t, sampleResult(t))
	metas := elements(doc, func(e *html.Node) bool { return attr(e, "http-equiv") == "Content-Security-Policy" })
	if len(metas) != 1 {
		t.Fatalf("%d policies, want 1", len(metas))
	}
	policy := attr(metas[0], "content")
	for _, name := range []string{"style", "script"} {
		found := elements(doc, func(e *html.Node) bool { return e.Data == name })
		if len(found) != 1 {
			t.Fatalf("%d <%s> elements, want 1", len(found), name)
		}
		sum := sha256.Sum256([]byte(text(found[0])))
		want := fmt.Sprintf("%s-src 'sha256-%s'", name, base64.StdEncoding.EncodeToString(sum[:]))
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %q", policy, want)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is too wide: %q", policy)
	}
}

func TestHTMLShowsTheVerdictWithItsCounts(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[report.Verdict]string{report.Conformant: "Conformant", report.Nonconformant: "Not conformant", report.Incomplete: "Not judged"} {
		r := sampleResult(t)
		r.Verdict, r.Reason = verdict, "nothing can be booked in the next 60 days"
		top := byClass(parse(t, r), "verdict")[0]
		content := text(top)
		if !strings.Contains(content, want) {
			t.Errorf("%s: the page does not say %q", verdict, want)
		}
		if got := strings.Contains(content, r.Reason[1:]); got != (verdict == report.Incomplete) {
			t.Errorf("%s: the reason is shown: %t", verdict, got)
		}
		for outcome, n := range map[string]int{"Failed": 2, "Warned": 1, "Blocked": 1, "Passed": len(r.Rules) - 7} {
			if !strings.Contains(content, fmt.Sprintf("%d %s", n, outcome)) {
				t.Errorf("%s: the page does not say %d %s", verdict, n, outcome)
			}
		}
	}
}

func TestHTMLSaysLoudlyThatLimitsWereScaled(t *testing.T) {
	t.Parallel()
	r := sampleResult(t)
	if found := byClass(parse(t, r), "scaled"); len(found) != 0 {
		t.Errorf("want no note in a run with the contract's limits, got %q", text(found[0]))
	}
	r.LimitScale = 0.05
	if found := byClass(parse(t, r), "scaled"); len(found) != 1 || !strings.Contains(text(found[0]), "multiplied by 0.05") {
		t.Errorf("want one note in a run with scaled limits, got %d", len(found))
	}
}

func TestHTMLShowsTheEndpointsWithTheirState(t *testing.T) {
	t.Parallel()
	stations := elements(byClass(parse(t, sampleResult(t)), "route")[0], func(e *html.Node) bool { return e.Data == "li" })
	if len(stations) != len(rule.Endpoints()) {
		t.Fatalf("%d stations, want the six endpoints and the webhooks", len(stations))
	}
	for i, e := range rule.Endpoints() {
		want := report.Passed
		if e == partnerapi.Reserve {
			want = report.Failed
		}
		if !strings.Contains(text(stations[i]), string(e)) || attr(stations[i], "class") != string(want) {
			t.Errorf("station %d is %q with state %q, want %s %s", i, text(stations[i]), attr(stations[i], "class"), e, want)
		}
	}
}

func TestHTMLShowsWhatFailedFirstAndFoldsWhatPassed(t *testing.T) {
	t.Parallel()
	doc := parse(t, sampleResult(t))
	var order []string
	for _, section := range []string{"findings", "endpoint-reserve"} {
		for _, e := range byClass(byID(t, doc, section), "rule") {
			order = append(order, attr(e, "data-outcome"))
		}
	}
	urgency := func(outcome string) int { return slices.Index(report.Outcomes(), report.Outcome(outcome)) }
	if !slices.IsSortedFunc(order, func(a, b string) int {
		return min(1, urgency(a)) - min(1, urgency(b)) // failed, then the rest
	}) || order[0] != "failed" || order[len(order)-1] != "passed" {
		t.Errorf("reserve's rules come as %v", order)
	}
	folded := byID(t, doc, rule.ReserveCode.ID).Parent.Parent
	if folded.Data != "details" || hasAttr(folded, "open") {
		t.Errorf("a passed rule stands in an open <%s>", folded.Data)
	}
	found := byClass(byID(t, doc, "findings"), "rule")
	if len(found) != 3 || attr(found[2], "id") != rule.ReserveExpiresWindow.ID {
		t.Errorf("%d findings are shown, want two failed and, last, one warned", len(found))
	}
}

func TestTheSameMistakeAtSeveralEndpointsIsOneFindingWithOneAdvice(t *testing.T) {
	t.Parallel()
	r := sampleResult(t)
	for _, one := range []rule.Rule{rule.ReserveWrongKey, rule.CancelWrongKey} {
		broken := ruleOf(t, r, one.ID)
		broken.Outcome, broken.Message = report.Failed, "Expected 401, received 200"
	}
	found := byID(t, parse(t, r), rule.ReserveWrongKey.ID).Parent
	if found != byID(t, found, rule.CancelWrongKey.ID).Parent || strings.Count(text(found), rule.ReserveWrongKey.Fix) != 1 {
		t.Errorf("Expected both rules and their fix once, received %s", text(found))
	}
	for _, want := range []string{"reserve", "cancel"} {
		if chips := text(byClass(found, "chips")[0]); !strings.Contains(chips, want) {
			t.Errorf("Expected the endpoint %s, received %q", want, chips)
		}
	}
}

func TestTwoAnswersToOneRequestAreComparedLineByLine(t *testing.T) {
	t.Parallel()
	r := sampleResult(t)
	broken := ruleOf(t, r, rule.ReserveVacanciesMany.ID)
	again := reserveExchange()
	again.Number, again.Response.Status = 43, 400
	again.Response.Body.Text = strings.ReplaceAll(again.Response.Body.Text, "R-81F3", "R-99AA")
	broken.Exchanges = append(broken.Exchanges, again)
	pair := byClass(byID(t, parse(t, r), broken.ID), "pair")
	if len(pair) != 1 {
		t.Fatalf("Expected one comparison, received %d", len(pair))
	}
	var marked []string
	for _, line := range elements(pair[0], func(e *html.Node) bool { return e.Data == "mark" }) {
		marked = append(marked, strings.Trim(text(line), " ,"))
	}
	want := []string{"200", `"reservationConfirmationCode": "R-81F3"`, "400", `"reservationConfirmationCode": "R-99AA"`}
	if !slices.Equal(marked, want) {
		t.Errorf("Expected %q to be marked, received %q", want, marked)
	}
}

func TestHTMLShowsTheEvidence(t *testing.T) {
	t.Parallel()
	r := sampleResult(t)
	failed := ruleOf(t, r, rule.ReserveVacanciesMany.ID)
	failed.Problems = []string{"slots[3].vacancies: expected 9, received 11"}
	cut := ruleOf(t, r, rule.ReserveExpiresWindow.ID)
	cut.Exchanges[0].Response = &report.Response{Status: 200, Body: report.Body{Text: `{"a":1}`, Size: 14_000_000, Cut: true, Excerpt: `units[2]: {"original": 22.5}`}}
	r.NotUndone = []report.Leftover{{Kind: "booking", Code: "BK-417", ProductID: "cruise", Reason: "cancel answered 404"}, {Kind: "hold", Reason: "no answer came"}}
	doc := parse(t, r)
	for id, wanted := range map[string][]string{
		failed.ID: {
			failed.Message, failed.Problems[0], "Evidence: 1 call", "#41", "reserve 3 seats", "212 ms", "2.3 s into the run",
			"POST https://api.harbour-tours.example/partner/v2/bookings/reserve\nAuthorization: Bearer REDACTED\nContent-Type: application/json\n",
			"{\n  \"productId\": \"cruise\",\n  \"units\": [\n    {\n      \"id\": \"unit-adult\",\n      \"quantity\": 3\n    }\n  ]\n}",
			"HTTP/1.1 200\nContent-Type: application/json\n",
			"{\n  \"reservationConfirmationCode\": \"R-81F3\",\n  \"expiresAt\": \"2026-07-01T10:30:02Z\"\n}", "75 bytes",
			failed.Exchanges[0].Curl,
		},
		rule.ReserveLimit.ID: {"timeout", "the deadline of 12 s passed before the last byte", "none after 12 s"},
		cut.ID:               {`{"a":1}`, "13.4 MiB, the beginning is shown", `units[2]: {"original": 22.5}`},
		"not-undone":         {"booking BK-417", "cruise", "cancel answered 404", "hold without a code", "no answer came", "cancel the bookings by hand"},
	} {
		content := text(byID(t, doc, id))
		for _, want := range wanted {
			if !strings.Contains(content, want) {
				t.Errorf("want %q at %s, got\n%s", want, id, content)
			}
		}
	}
}

func TestHTMLDrawsAnswerTimesAgainstTheirLimits(t *testing.T) {
	t.Parallel()
	rows := elements(byID(t, parse(t, sampleResult(t)), "latency"), func(e *html.Node) bool { return e.Data == "li" })
	want := []struct{ state, label string }{
		{"passed", "products: slowest answer 1.8 s of 15 s allowed"},
		{"warned", "reserve: slowest answer 6.2 s of 5 s allowed"},
		{"failed", "cancel: slowest answer 11.2 s of 10 s allowed"},
	}
	if len(rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(rows), len(want))
	}
	for i, row := range rows {
		picture := elements(row, func(e *html.Node) bool { return e.Data == "svg" })[0]
		if attr(row, "class") != want[i].state || attr(picture, "aria-label") != want[i].label {
			t.Errorf("row %d is %q, %q: want %+v", i, attr(row, "class"), attr(picture, "aria-label"), want[i])
		}
	}
}

func TestHTMLOfAnEmptyResultIsAPage(t *testing.T) {
	t.Parallel()
	doc := parse(t, &report.Result{Verdict: report.Incomplete, Reason: "connection refused"})
	if content := text(byClass(doc, "verdict")[0]); !strings.Contains(content, "Connection refused.") {
		t.Errorf("the page says %q", content)
	}
}

// skeleton is all of a page but its text: no text of a partner may change it.
func skeleton(doc *html.Node) string {
	var b strings.Builder
	for n := range doc.Descendants() {
		switch n.Type {
		case html.ElementNode:
			fmt.Fprintf(&b, "%s %q\n", n.Data, n.Attr)
		case html.CommentNode:
			fmt.Fprintf(&b, "comment %q\n", n.Data)
		}
	}
	return b.String()
}

// checkHostileHTML holds for any text of a partner: it leaves the skeleton as
// that of a harmless text, and stands in the page to be read.
func checkHostileHTML(t testing.TB, hostile, harmless string) {
	doc := parse(t, hostileResult(t, hostile))
	if got := skeleton(doc); got != harmless {
		t.Fatalf("%.80q changes the page: %s", hostile, firstDifference(got, harmless))
	}
	message := text(byClass(byID(t, doc, rule.ReserveVacanciesMany.ID), "message")[0])
	want := oneNewline(string(makeLegible([]byte(strings.ReplaceAll(shorten(hostile, maxText), "\x00", "\uFFFD")))))
	if message != want {
		t.Errorf("the message reads %.200q, want %.200q", message, want)
	}
}

func firstDifference(got, want string) string {
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			return fmt.Sprintf("element %d is %s, expected %s", i, gotLines[i], wantLines[i])
		}
	}
	return fmt.Sprintf("%d elements, expected %d", len(gotLines), len(wantLines))
}

func TestHTMLShowsHostileTextAsText(t *testing.T) {
	t.Parallel()
	harmless := skeleton(parse(t, hostileResult(t, "harmless")))
	for name, hostile := range hostileTexts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkHostileHTML(t, hostile, harmless)
		})
	}
}

func TestHTMLOfHugeEvidenceStaysBounded(t *testing.T) {
	t.Parallel()
	content, err := HTML(hostileResult(t, strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000)+strings.Repeat("<&>", 500_000)))
	if err != nil {
		t.Fatal(err)
	}
	if len(content) > 16<<20 {
		t.Errorf("the page has %d bytes", len(content))
	}
}

func FuzzHTMLShowsAnyTextAsText(f *testing.F) {
	harmless := skeleton(parse(f, hostileResult(f, "harmless")))
	for _, hostile := range hostileTexts() {
		f.Add(shorten(hostile, 200))
	}
	f.Fuzz(func(t *testing.T, hostile string) {
		if hostile == "" || strings.Contains(hostile, "reserve.") {
			t.Skip("an empty text leaves its element out, and a rule's id becomes a link")
		}
		checkHostileHTML(t, hostile, harmless)
	})
}
