package selftest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/mockpartner"
)

// allKilled are the trials of all defects, as if the suite had killed each.
func allKilled() (trials []Trial) {
	for _, d := range mockpartner.Defects() {
		trials = append(trials, Trial{Kind: Defect, Name: d.Name, Rule: d.Rule, Outcome: Killed})
	}
	return trials
}

func TestEveryRuleHasADefectOrTheReasonWhyNoneCanBreakIt(t *testing.T) {
	t.Parallel()
	for _, proof := range newMatrix(WholePlan(), allKilled(), time.Now()).UnprovenRules() {
		t.Errorf("%s: %s", proof.ID, proof.Problem)
	}
	for id := range lone {
		if _, err := rule.Find(id); err != nil {
			t.Errorf("want reasons of rules only, got one of %s", id)
		}
	}
}

func TestEveryDefectNamesARule(t *testing.T) {
	t.Parallel()
	for _, d := range mockpartner.Defects() {
		if _, err := rule.Find(d.Rule); err != nil {
			t.Errorf("defect %s: there is no rule %s", d.Name, d.Rule)
		}
	}
}

func TestARuleWithoutAKilledDefectIsUnproven(t *testing.T) {
	t.Parallel()
	killed := Trial{Kind: Defect, Name: "found", Rule: rule.ReserveCode.ID, Outcome: Killed}
	survived := Trial{Kind: Defect, Name: "missed", Rule: rule.ReserveCode.ID, Outcome: Survived}
	ofLone := Trial{Kind: Defect, Name: "stray", Rule: rule.Reachable.ID, Outcome: Killed}
	for _, test := range []struct {
		name    string
		rule    rule.Rule
		defects []Trial
		want    string
	}{
		{"one that is killed", rule.ReserveCode, []Trial{killed, survived}, ""},
		{"one that survived", rule.ReserveCode, []Trial{survived}, "none of its defects was killed"},
		{"none", rule.ReserveCode, nil, "it has no defect"},
		{"none of a SHOULD rule", rule.ReserveExpiresWindow, nil, "it has no defect"},
		{"none of a MAY rule", rule.CancelSupported, nil, ""},
		{"none of a rule that cannot be broken", rule.Reachable, nil, ""},
		{"one of a rule that cannot be broken", rule.Reachable, []Trial{ofLone}, "it has a defect, and also a reason why no defect can exist"},
	} {
		matrix := newMatrix(Plan{Rules: []rule.Rule{test.rule}}, test.defects, time.Now())
		if got := matrix.Rules[0].Problem; got != test.want {
			t.Errorf("%s: want %q, got %q", test.name, test.want, got)
		}
		if matrix.Proven != (test.want == "") {
			t.Errorf("%s: want proven %t, got %t", test.name, test.want == "", matrix.Proven)
		}
	}
}

func TestNoOtherPackageOfTheSuiteKnowsTheMockPartner(t *testing.T) {
	t.Parallel()
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir(), filepath.Ext(path) != ".go", strings.HasSuffix(path, "_test.go"), filepath.Dir(path) == "selftest":
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", path), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imported := range file.Imports {
			if strings.HasPrefix(imported.Path.Value, `"partnerkit.dev/mockpartner`) {
				t.Errorf("want %s without the mock partner, got the import %s", path, imported.Path.Value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
