package view

import (
	"encoding/xml"
	"flag"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
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

var update = flag.Bool("update", false, "write testdata/junit.xml again")

// The file keeps the schema that Jenkins has of JUnit files (junit-10.xsd), which
// GitLab and GitHub read as well. Hold a change against that schema.
func TestJUnitHasASuiteAnEndpointACaseARuleAndTheEvidenceOfWhatFailed(t *testing.T) {
	t.Parallel()
	r := sampleResult(t)
	r.Rules = slices.DeleteFunc(r.Rules, func(one report.RuleResult) bool {
		return one.Outcome == report.Passed && !slices.Contains([]string{rule.ProductsStatus.ID, rule.ReserveCode.ID, rule.CancelStatus.ID}, one.ID)
	})
	ruleOf(t, r, rule.ReserveVacanciesMany.ID).Problems = []string{"first place", "second place"}
	r.Verdict, r.Reason, r.LimitScale = report.Incomplete, "nothing can be booked", 0.05
	r.Integrity = &report.Integrity{SHA256: strings.Repeat("a", 64)}
	const golden = "testdata/junit.xml"
	got := render(t, drawJUnit, r)
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(got) != string(want) {
		t.Errorf("want what is in %s (go test -run JUnit -update writes it), %v, got\n%s", golden, err, got)
	}
}

func TestJUnitOfAnEmptyResultIsAnEmptyList(t *testing.T) {
	t.Parallel()
	if root := decodeJUnit(t, &report.Result{}); root.Tests != 0 || len(root.Suites) != 0 {
		t.Errorf("%+v, want no suites", root)
	}
}

// checkHostileJUnit holds for any text of a partner: the file parses,
// has the same cases, and shows the text where it belongs, as far as XML can hold it.
func checkHostileJUnit(t testing.TB, text string) {
	r := hostileResult(t, text)
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
