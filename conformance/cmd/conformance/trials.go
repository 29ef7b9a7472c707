package main

import (
	"fmt"
	"io"
	"path/filepath"

	"partnerkit.dev/conformance/internal/selftest"
	"partnerkit.dev/conformance/report"
)

// trials is what a person sees of a selftest: a line for each partner as it is
// judged, what is not as it should be, and the verdict.
type trials struct{ *screen }

func beginTrials(out io.Writer, plan selftest.Plan) trials {
	count, names := map[selftest.Kind]int{}, []string{}
	for _, c := range plan.Cases {
		count[c.Kind]++
		names = append(names, c.Name)
	}
	t := trials{newScreen(out, asItIs, names, "trying")}
	t.printf("trying %d rules: mocks as they are %d, variants %d, defects %d\n\n",
		len(plan.Rules), count[selftest.Lawful], count[selftest.Variant], count[selftest.Defect])
	return t
}

func (t trials) trial(one selftest.Trial) {
	t.step(func() {
		outcome := report.Passed
		if len(one.Problems) > 0 {
			outcome = report.Failed
		}
		t.printf("%s  %-7s  %-*s  %s\n", t.paint(outcome, fmt.Sprintf("%-11s", one.Outcome.Words())), one.Kind, t.width, one.Name, one.Rule)
	})
}

func (t trials) end(dir string, m *selftest.Matrix) {
	t.printf("\n")
	for _, one := range m.Problematic() {
		t.printf("%s  %s %s\n", t.paint(report.Failed, one.Outcome.Words()), one.Kind, one.Name)
		for _, problem := range one.Problems {
			t.printf("    %s\n", oneLine(problem))
		}
		t.printf("    see %s\n", filepath.Join(dir, one.Folder(), "report.html"))
	}
	for _, proof := range m.Unproven() {
		t.printf("%s  %s %s: %s\n", t.paint(report.Failed, "unproven"), proof.Level, proof.ID, proof.Problem)
	}
	outcome := report.Passed
	if !m.Proven {
		outcome = report.Failed
	}
	t.printf("%s\n", t.paint(outcome, m.Verdict()))
}

// asItIs redacts nothing: the mocks' key opens nothing.
func asItIs(text string) string { return text }
