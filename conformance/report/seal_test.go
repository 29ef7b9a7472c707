package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/rule"
)

func seal(t testing.TB, r *Result) *Result {
	t.Helper()
	sealed, err := Seal(r)
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func render(t testing.TB, view func(*Result) ([]byte, error), r *Result) []byte {
	t.Helper()
	content, err := view(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// verified wants a report that can be read, and returns what became of it.
func verified(t *testing.T, document []byte) *Verification {
	t.Helper()
	v, err := Verify(document, "1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAReportIsUnchangedAsTheRunWroteIt(t *testing.T) {
	t.Parallel()
	r := seal(t, handful(t))
	for _, view := range []func(*Result) ([]byte, error){JSON, HTML} {
		v := verified(t, render(t, view, r))
		if len(v.Changed) != 0 || v.SHA256 != r.Integrity.SHA256 || v.Result.Verdict != Nonconformant {
			t.Errorf("want %s unchanged, got %s with %q changed", r.Integrity.SHA256, v.SHA256, v.Changed)
		}
	}
}

func TestAReportIsUnchangedWhenOnlyItsLayoutIsAnother(t *testing.T) {
	t.Parallel()
	var members map[string]any
	if err := json.Unmarshal(render(t, JSON, seal(t, handful(t))), &members); err != nil {
		t.Fatal(err)
	}
	compact, err := json.Marshal(members) // in another order, too
	if err != nil {
		t.Fatal(err)
	}
	if v := verified(t, compact); len(v.Changed) != 0 {
		t.Errorf("want it unchanged, got %q changed", v.Changed)
	}
}

func TestVerifyNamesWhatWasChanged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, new, want string }{
		{"the verdict", `"verdict": "nonconformant"`, `"verdict": "conformant"`, "verdict"},
		{"the target", `harbour-tours.example/partner/v2",`, `other.example/partner/v2",`, "target"},
		{"the suite's version", `"suite_version": "1.0.0"`, `"suite_version": "1.0.1"`, "suite_version"},
		{"the contract's version", `"contract_version": "0c1d`, `"contract_version": "0c1e`, "contract_version"},
		{"a count", `"failed": 2`, `"failed": 0`, "summary"},
		{"the outcome of a rule", `"outcome": "warned"`, `"outcome": "passed"`, "rules/" + rule.ReserveExpiresWindow.ID},
		{"a member that came", `"verdict":`, `"approved_by": "us", "verdict":`, "approved_by"},
		{"the sum itself", `"integrity": {
    "sha256": "`, `"integrity": {
    "sha256": "00`, "integrity"},
	} {
		text := string(render(t, JSON, seal(t, handful(t))))
		changed := strings.Replace(text, c.old, c.new, 1)
		if changed == text {
			t.Fatalf("%s: the report has no %s", c.name, c.old)
		}
		if v := verified(t, []byte(changed)); !slices.Equal(v.Changed, []string{c.want}) {
			t.Errorf("%s: want %q named, got %q", c.name, c.want, v.Changed)
		}
	}
}

func TestVerifyNamesARuleThatIsGoneOneThatCameAndEvidence(t *testing.T) {
	t.Parallel()
	r := seal(t, handful(t))
	came := *ruleOf(t, r, rule.ReserveCode.ID)
	*ruleOf(t, r, rule.ReserveSoldOut.ID) = came
	ruleOf(t, r, rule.ReserveLimit.ID).Exchanges[0].Duration++
	got := verified(t, render(t, JSON, r)).Changed
	for _, want := range []string{"rules/" + rule.ReserveSoldOut.ID, "rules/" + rule.ReserveCode.ID + "#", "rules/" + rule.ReserveLimit.ID} {
		if !slices.Contains(got, want) {
			t.Errorf("want %q named, got %q", want, got)
		}
	}
}

func TestVerifyTellsAPageThatDoesNotShowItsEvidence(t *testing.T) {
	t.Parallel()
	page := string(render(t, HTML, seal(t, handful(t))))
	if v := verified(t, []byte(strings.Replace(page, "Not conformant", "Conformant", 2))); !slices.Equal(v.Changed, []string{pagePart}) {
		t.Errorf("want the page named, got %q", v.Changed)
	}
	if v := verified(t, []byte(strings.Replace(page, `"outcome":"warned"`, `"outcome":"passed"`, 1))); !slices.Contains(v.Changed, "rules/"+rule.ReserveExpiresWindow.ID) {
		t.Errorf("want the rule in the page's evidence named, got %q", v.Changed)
	}
}

func TestAPageOfAnotherSuiteIsNotJudgedItsReportIs(t *testing.T) {
	t.Parallel()
	r := seal(t, handful(t))
	page := bytes.Replace(render(t, HTML, r), []byte("How to fix it"), []byte("How to mend it"), -1)
	if _, err := Verify(page, "2.0.0"); !errors.Is(err, ErrOtherSuite) || !strings.Contains(err.Error(), "1.0.0, and this is 2.0.0") {
		t.Errorf("want %v with both versions, got %v", ErrOtherSuite, err)
	}
	if v, err := Verify(render(t, JSON, r), "2.0.0"); err != nil || len(v.Changed) != 0 {
		t.Errorf("want report.json unchanged, got %+v, %v", v, err)
	}
}

func TestWhatIsNoReportIsNotVerified(t *testing.T) {
	t.Parallel()
	sealed := render(t, JSON, seal(t, handful(t)))
	twice := bytes.Replace(sealed, []byte(`"verdict":`), []byte(`"verdict": "conformant", "verdict":`), 1)
	for name, document := range map[string][]byte{
		"nothing":                      nil,
		"text":                         []byte("a text"),
		"other JSON":                   []byte(`{"verdict": "conformant"}`),
		"a list":                       []byte(`[1]`),
		"half a report":                sealed[:len(sealed)/2],
		"a report without a sum":       render(t, JSON, handful(t)),
		"a page without a report":      []byte("<!DOCTYPE html><title>Conformant</title>"),
		"a page with half a report":    []byte(embeddedBegin + `{"verdict": ` + embeddedEnd),
		"two members of the same name": twice,
		"deep JSON":                    []byte(strings.Repeat("[", 100_000)),
	} {
		if v, err := Verify(document, "1.0.0"); !errors.Is(err, ErrNoReport) {
			t.Errorf("%s: want %v, got %+v, %v", name, ErrNoReport, v, err)
		}
	}
}

func TestEveryViewShowsTheSum(t *testing.T) {
	t.Parallel()
	r := seal(t, handful(t))
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(r.Integrity.SHA256) {
		t.Fatalf("the sum is %q", r.Integrity.SHA256)
	}
	for _, v := range views() {
		var out bytes.Buffer
		if err := v.write(&out, r); err != nil || !bytes.Contains(out.Bytes(), []byte(r.Integrity.SHA256)) {
			t.Errorf("%s does not show the sum (%v)", v.name, err)
		}
	}
}

func TestAPageOfHostileTextIsVerified(t *testing.T) {
	t.Parallel()
	for name, hostile := range hostileTexts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := hostileResult(t, shorten(hostile, 300))
			r.SuiteVersion = "1.0.0"
			for _, view := range []func(*Result) ([]byte, error){JSON, HTML} {
				if v := verified(t, render(t, view, seal(t, r))); len(v.Changed) != 0 {
					t.Errorf("want it unchanged, got %q changed", v.Changed)
				}
			}
		})
	}
}
