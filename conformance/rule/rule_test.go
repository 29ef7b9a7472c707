package rule_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/schemas"
)

// fewestClauses is how many clauses the contract has at least.
const fewestClauses = 60

// onlyAdvised names the rules that are weaker than the clause they stand for,
// with the reason.
var onlyAdvised = map[string]string{
	"content-type":           "the marketplace reads JSON whatever it is declared as",
	"confirm.repeat.status":  "what counts is that there is no second booking, which is a rule of its own",
	"release.repeat.success": "the status alone ends the marketplace's repeats, which is a rule of its own",
	"cancel.repeat.success":  "the status alone ends the marketplace's repeats, which is a rule of its own",
}

func TestEveryRuleHasAnIDOfItsOwnALevelAndItsWords(t *testing.T) {
	t.Parallel()
	contract, seen := clauses(t), map[string]bool{}
	wellFormed := regexp.MustCompile(`^[a-z]+(\.[a-z]+(-[a-z]+)*)+$`)
	for _, r := range rule.All() {
		for what, holds := range map[string]bool{
			"an id such as reserve.vacancies.one": wellFormed.MatchString(r.ID),
			"an id that begins with an endpoint":  slices.Contains(rule.Endpoints(), r.Endpoint) && strings.HasPrefix(r.ID, string(r.Endpoint)+"."),
			"an id of its own":                    !seen[r.ID],
			"one of the three levels":             slices.Contains([]rule.Level{rule.Must, rule.Should, rule.May}, r.Level),
			"a clause of docs/contract.md":        contract[r.Clause] != "",
			"a title without a full stop":         r.Title != "" && !strings.HasSuffix(r.Title, "."),
			"a why of whole sentences":            len(r.Why) > 1 && strings.HasSuffix(r.Why, "."),
			"a fix of whole sentences":            len(r.Fix) > 1 && strings.HasSuffix(r.Fix, "."),
		} {
			if !holds {
				t.Errorf("%s: want %s, got %+v", r.ID, what, r)
			}
		}
		seen[r.ID] = true
	}
}

func TestARuleIsAdviceWhereItsClauseIs(t *testing.T) {
	t.Parallel()
	contract := clauses(t)
	advised := map[string]bool{}
	for _, r := range rule.All() {
		_, words, _ := strings.Cut(r.ID, ".")
		excused := onlyAdvised[r.ID] != "" || onlyAdvised[words] != ""
		switch says := contract[r.Clause]; {
		case r.Level == rule.Should:
			advised[r.Clause] = true
			if strings.Contains(says, "SHOULD:") == excused {
				t.Errorf("%s: want the clause of a SHOULD rule to say SHOULD, or the reason why the rule is weaker; %s says %q", r.ID, r.Clause, says)
			}
		case r.Level == rule.Must && strings.HasPrefix(says, "SHOULD:"):
			t.Errorf("%s: want no MUST where %s only says SHOULD: %q", r.ID, r.Clause, says)
		}
	}
	for id, says := range contract {
		if strings.Contains(says, "SHOULD:") && !strings.HasPrefix(id, "GEN-") && !advised[id] {
			t.Errorf("%s: want a SHOULD rule for what it advises: %q", id, says)
		}
	}
}

func TestNeedsAreRulesAndFormNoCircle(t *testing.T) {
	t.Parallel()
	const inProgress, done = 1, 2
	state := map[string]int{}
	var visit func(id string, way []string)
	visit = func(id string, way []string) {
		r, err := rule.Find(id)
		switch {
		case err != nil:
			t.Errorf("want needs that are rules, got %s", strings.Join(append(way, id), " -> "))
		case state[id] == inProgress:
			t.Errorf("want needs without a circle, got %s", strings.Join(append(way, id), " -> "))
		case state[id] == 0:
			state[id] = inProgress
			for _, need := range r.Needs {
				visit(need, append(slices.Clone(way), id))
			}
			state[id] = done
		}
	}
	for _, r := range rule.All() {
		visit(r.ID, nil)
	}
}

func TestARuleBuildsOnWhatItNeedsAtAnyDistance(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		of   rule.Rule
		id   string
		want bool
	}{
		{"what it needs itself", rule.ReleaseVacanciesOne, rule.ReleaseSuccess.ID, true},
		{"what its needs need", rule.ReleaseVacanciesOne, rule.ReleaseStatus.ID, true},
		{"not itself", rule.ReleaseSuccess, rule.ReleaseSuccess.ID, false},
		{"the first rule: nothing", rule.Reachable, rule.Reachable.ID, false},
	} {
		if got := rule.BuildsOn(test.of, test.id); got != test.want {
			t.Errorf("%s: want BuildsOn(%s, %s) %t, got %t", test.name, test.of.ID, test.id, test.want, got)
		}
	}
}

func TestEveryClauseThatASchemaOrTheAPIsDocumentsCiteExists(t *testing.T) {
	t.Parallel()
	known, clause, cited := clauseIDs(t), regexp.MustCompile(`\b(GEN|AUTH|PRD|AVL|RSV|CNF|REL|CAN|LIM|WHK|EXT)-[0-9]+\b`), 0
	err := fs.WalkDir(schemas.Files(), ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(schemas.Files(), file)
		for _, id := range clause.FindAllString(string(text), -1) {
			cited++
			if !slices.Contains(known, id) {
				t.Errorf("%s cites %s, which docs/contract.md does not have", file, id)
			}
		}
		return err
	})
	if err != nil || cited < 50 {
		t.Errorf("only %d citations were found: %v", cited, err)
	}
}

// rows reads the contract: a row is a clause, its id and its text.
func rows(t *testing.T) [][]string {
	t.Helper()
	text, err := os.ReadFile(sourcetest.Path("docs/contract.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^\| ([A-Z]+-\d+) \| (.+) \|$`).FindAllStringSubmatch(string(text), -1)
	if len(found) < fewestClauses {
		t.Fatalf("want the clauses of the contract, got only %d rows", len(found))
	}
	return found
}

// clauseIDs are the ids of the contract's clauses, in its order.
func clauseIDs(t *testing.T) (ids []string) {
	t.Helper()
	for _, row := range rows(t) {
		ids = append(ids, row[1])
	}
	return ids
}

// clauses are the texts of the contract's clauses by their ids.
func clauses(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, row := range rows(t) {
		if texts[row[1]] != "" {
			t.Errorf("want one clause %s in the contract, got two", row[1])
		}
		texts[row[1]] = row[2]
	}
	return texts
}

func TestEveryClauseOfTheContractHasARuleOrAReasonInTheContractsOrder(t *testing.T) {
	t.Parallel()
	var got []string
	for _, clause := range rule.Coverage() {
		got = append(got, clause.ID)
		if (len(clause.Rules) > 0) == (clause.Reason != "") {
			t.Errorf("%s: want rules, or in unjudged the reason why none can judge it from outside, got %v and %q", clause.ID, clause.Rules, clause.Reason)
		}
	}
	if want := clauseIDs(t); !slices.Equal(got, want) {
		t.Errorf("want the clauses of the contract\n%v\ngot\n%v", want, got)
	}
}
