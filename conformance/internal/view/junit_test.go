package view

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

func decodeJUnit(t testing.TB, r *report.Result) junitSuites {
	t.Helper()
	content, err := drawJUnit(r)
	if err != nil {
		t.Fatalf("JUnit: %v", err)
	}
	dec := xml.NewDecoder(strings.NewReader(string(content)))
	var root junitSuites
	if err := dec.Decode(&root); err != nil {
		t.Fatalf("junit.xml is not well-formed: %v", err)
	}
	if token, err := dec.Token(); err != io.EOF {
		if text, ok := token.(xml.CharData); !ok || strings.TrimSpace(string(text)) != "" {
			t.Fatalf("junit.xml goes on after its end: %v, %v", token, err)
		}
	}
	return root
}

func caseOf(t *testing.T, root junitSuites, id string) junitCase {
	t.Helper()
	for _, suite := range root.Suites {
		for _, c := range suite.Cases {
			if strings.HasPrefix(c.Name, id+" ") {
				return c
			}
		}
	}
	t.Fatalf("junit.xml has no test case for %s", id)
	return junitCase{}
}

func TestJUnitHasASuiteAnEndpointAndACaseARule(t *testing.T) {
	t.Parallel()
	root := decodeJUnit(t, sampleResult(t))
	if len(root.Suites) != len(partnerapi.Endpoints()) {
		t.Fatalf("%d suites, want one an endpoint", len(root.Suites))
	}
	cases := 0
	for i, e := range partnerapi.Endpoints() {
		suite := root.Suites[i]
		if suite.Name != string(e) {
			t.Errorf("suite %d is %q, want %q", i, suite.Name, e)
		}
		for _, c := range suite.Cases {
			if c.ClassName != "conformance."+string(e) {
				t.Errorf("%q has class name %q, want conformance.%s", c.Name, c.ClassName, e)
			}
		}
		cases += len(suite.Cases)
	}
	if cases != len(rule.All()) {
		t.Errorf("%d test cases, want the catalogue's %d", cases, len(rule.All()))
	}
	for _, one := range rule.All() {
		if c := caseOf(t, root, one.ID); c.Name != one.ID+" "+one.Title || c.Time != "0.014" {
			t.Errorf("case %q took %q, want %q and 0.014", c.Name, c.Time, one.ID+" "+one.Title)
		}
	}
}

func TestJUnitCountsAddUp(t *testing.T) {
	t.Parallel()
	root := decodeJUnit(t, sampleResult(t))
	tests, failures, skipped := 0, 0, 0
	for _, suite := range root.Suites {
		has := junitSuite{}
		for _, c := range suite.Cases {
			has.add(c)
		}
		if suite.Tests != has.Tests || suite.Failures != has.Failures || suite.Skipped != has.Skipped || suite.Errors != 0 {
			t.Errorf("suite %s: want what its cases add up to, %d, %d, %d, got %+v", suite.Name, has.Tests, has.Failures, has.Skipped, suite)
		}
		tests, failures, skipped = tests+suite.Tests, failures+suite.Failures, skipped+suite.Skipped
	}
	if root.Tests != tests || root.Failures != failures || failures != 2 || skipped != 5 || root.Time != "18.420" {
		t.Errorf("want %d tests, 2 failures, 5 skipped in 18.420 s, got %+v, %d, %d", tests, root, failures, skipped)
	}
}

func TestJUnitShowsAFailedRuleWithItsEvidence(t *testing.T) {
	t.Parallel()
	r := sampleResult(t)
	failed := ruleOf(t, r, rule.ReserveVacanciesMany.ID)
	failed.Problems = []string{"first place", "second place"}
	c := caseOf(t, decodeJUnit(t, r), failed.ID)
	if c.Failure == nil || c.Skipped != nil {
		t.Fatalf("a failed rule must be a failure and nothing else: %+v", c)
	}
	if c.Failure.Message != failed.Message || c.Failure.Type != failed.Clause {
		t.Errorf("failure has message %q, type %q", c.Failure.Message, c.Failure.Type)
	}
	for _, want := range []string{failed.Message, "first place", "second place", failed.Why, failed.Fix, reserveExchange().Curl, "#41 reserve 3 seats: 200 in 212 ms", "report.html#" + failed.ID} {
		if !strings.Contains(c.Failure.Text, want) {
			t.Errorf("the failure's text lacks %q:\n%s", want, c.Failure.Text)
		}
	}
}

func TestJUnitSkipsWhatIsNoFailureAndSaysWhy(t *testing.T) {
	t.Parallel()
	r := sampleResult(t)
	root := decodeJUnit(t, r)
	for id, want := range map[string]string{
		rule.ReserveExpiresWindow.ID:  "warned: the hold lasts 60 minutes",
		rule.ReserveVacanciesMixed.ID: "blocked: blocked by reserve.vacancies.many.",
		rule.ReserveSoldOut.ID:        "inconclusive: no slot of the catalog is sold out or closed",
		rule.ReserveMissingKey.ID:     "skipped: left out by --skip",
		rule.ReserveTooMany.ID:        "not_applicable: every slot is FREESALE",
	} {
		c := caseOf(t, root, id)
		if c.Skipped == nil || c.Failure != nil || c.Skipped.Message != want {
			t.Errorf("%s: %+v, want skipped with %q", id, c, want)
		}
	}
	if c := caseOf(t, root, rule.ReserveExpiresWindow.ID); c.SystemOut == nil || !strings.Contains(c.SystemOut.Text, "curl") {
		t.Error("a warned rule must keep its evidence in system-out")
	}
	if c := caseOf(t, root, rule.ReserveCode.ID); c.Skipped != nil || c.Failure != nil {
		t.Errorf("a passed rule must be bare: %+v", c)
	}
}

func TestJUnitSaysThatLimitsWereScaledAndWhyARunIsIncomplete(t *testing.T) {
	t.Parallel()
	r := sampleResult(t)
	r.Verdict, r.Reason, r.LimitScale = report.Incomplete, "nothing can be booked", 0.05
	properties := fmt.Sprint(decodeJUnit(t, r).Suites[0].Properties)
	for _, want := range []string{"{limit_scale 0.05}", "{reason nothing can be booked}", "{verdict incomplete}"} {
		if !strings.Contains(properties, want) {
			t.Errorf("properties %s lack %s", properties, want)
		}
	}
}

func TestJUnitOfAnEmptyResultIsAnEmptyList(t *testing.T) {
	t.Parallel()
	if root := decodeJUnit(t, &report.Result{}); root.Tests != 0 || len(root.Suites) != 0 {
		t.Errorf("%+v, want no suites", root)
	}
}

// checkHostileJUnit holds for any text of a partner: the file parses, keeps its schema,
// has the same cases, and shows the text where it belongs, as far as XML can hold it.
func checkHostileJUnit(t testing.TB, text string) {
	r := hostileResult(t, text)
	keepsSchema(t, render(t, drawJUnit, r))
	root := decodeJUnit(t, r)
	if root.Tests != len(r.Rules) || root.Failures != 2 {
		t.Errorf("want %d tests, 2 failures, got %d, %d", len(r.Rules), root.Tests, root.Failures)
	}
	want := oneNewline(xmlText(shorten(text, maxText)))
	for _, suite := range root.Suites {
		for _, c := range suite.Cases {
			if c.Failure != nil && (oneNewline(c.Failure.Message) != want || !strings.Contains(oneNewline(c.Failure.Text), want)) {
				t.Errorf("want %q in the message and in the text, got %q and %q", want, c.Failure.Message, c.Failure.Text)
			}
		}
	}
}

// XML parsers read every end of line as \n.
func oneNewline(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

func TestJUnitHoldsHostileText(t *testing.T) {
	t.Parallel()
	for name, text := range hostileTexts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkHostileJUnit(t, text)
		})
	}
}

func FuzzJUnitHoldsAnyText(f *testing.F) {
	for _, text := range hostileTexts() {
		f.Add(shorten(text, 200))
	}
	f.Fuzz(func(t *testing.T, text string) { checkHostileJUnit(t, text) })
}
