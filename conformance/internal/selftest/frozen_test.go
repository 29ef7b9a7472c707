package selftest_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/selftest"
)

// frozenMatrix is the kill matrix: for each partner and depth, the outcome, the rules that the run found broken, and
// those that a recording of it shows to be broken. SOAK=1 go test -run KillMatrix -timeout 2h -update writes it.
const frozenMatrix = "testdata/matrix.tsv"

var update = flag.Bool("update", false, "write the kill matrix")

// sampled is the interval of the lines that are tried without SOAK.
const sampled = 150

func TestTheKillMatrixIsAsFrozen(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out the frozen matrix, which takes a minute")
	}
	whole := os.Getenv("SOAK") != ""
	text, err := os.ReadFile(frozenMatrix)
	if err != nil {
		t.Fatal(err)
	}
	frozen := strings.Split(strings.TrimSpace(string(text)), "\n")
	cases, names := frozenCases()
	if *update && whole {
		lines := trials(t, cases)
		if err := os.WriteFile(frozenMatrix, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	var listed []string
	for _, line := range frozen {
		fields := strings.SplitN(line, "\t", 4)
		listed = append(listed, strings.Join(fields[:3], "\t"))
	}
	if !slices.Equal(listed, names) {
		t.Fatalf("Expected a line for every partner and depth in %s, received %d for %d; write it with -update", frozenMatrix, len(listed), len(names))
	}
	if !whole {
		cases, frozen = sample(cases), sample(frozen)
	}
	for i, line := range trials(t, cases) {
		if line != frozen[i] {
			t.Errorf("Expected %q, received %q", frozen[i], line)
		}
	}
}

func sample[T any](all []T) (some []T) {
	for i := sampled / 2; i < len(all); i += sampled {
		some = append(some, all[i])
	}
	return some
}

// frozenCases returns the partners at the depths of the matrix, and the beginnings of their lines: defects at quick,
// lawful partners at standard.
func frozenCases() (cases []frozenCase, names []string) {
	for _, c := range selftest.WholePlan().Cases {
		depth := plan.Standard
		if c.Kind == selftest.Defect {
			depth = plan.Quick
		}
		cases = append(cases, frozenCase{c, depth})
		names = append(names, fmt.Sprintf("%s\t%s\t%s", depth, c.Kind, c.Name))
	}
	return cases, names
}

// frozenCase is a partner at a depth of the matrix.
type frozenCase struct {
	selftest.Case
	depth plan.Depth
}

// trials judges the partners and returns their lines.
func trials(t *testing.T, cases []frozenCase) (lines []string) {
	t.Helper()
	for _, depth := range []plan.Depth{plan.Standard, plan.Quick} {
		var same []selftest.Case
		for _, c := range cases {
			if c.depth == depth {
				same = append(same, c.Case)
			}
		}
		matrix, err := selftest.Run(t.Context(), selftest.Plan{Cases: same, Depth: string(depth)}, selftest.Config{
			Now: selftest.Begin, Dir: t.TempDir(), Parallel: runtime.NumCPU(), Recorded: true, Progress: func(selftest.Trial) {},
		})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]selftest.Trial{}
		for _, trial := range slices.Concat(matrix.Lawful, matrix.Defects, matrix.Deep) {
			found[trial.Name] = trial
			for _, problem := range trial.Problems {
				if strings.HasPrefix(problem, selftest.Contradiction) {
					t.Errorf("%s: %s", trial.Name, problem)
				}
			}
		}
		for _, c := range same {
			lines = append(lines, line(depth, found[c.Name]))
		}
	}
	return lines
}

func line(depth plan.Depth, trial selftest.Trial) string {
	list := func(ids []string) string { return cmp.Or(strings.Join(slices.Sorted(slices.Values(ids)), ","), "-") }
	var recorded []string
	if trial.Recorded != nil {
		recorded = *trial.Recorded
	}
	return strings.Join([]string{string(depth), string(trial.Kind), trial.Name, string(trial.Outcome), list(slices.Concat(trial.Failed, trial.Warned)), list(recorded)}, "\t")
}
