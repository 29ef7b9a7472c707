package selftest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/rule"
)

// Matrix is the kill matrix: the outcome of each partner, and the defects that prove each rule.
type Matrix struct {
	Proven     bool            `json:"proven"` // every trial and every rule is as expected
	StartedAt  time.Time       `json:"started_at"`
	DurationMS int64           `json:"duration_ms"`
	Summary    map[Outcome]int `json:"summary"` // every outcome, including those with 0
	Lawful     []Trial         `json:"lawful"`  // the plain mock and its variants
	Defects    []Trial         `json:"defects"`
	Deep       []Trial         `json:"deep"`  // defects that break a rule in a single instance
	Depth      []Depth         `json:"depth"` // their outcomes, by dimension
	Rules      []Proof         `json:"rules"` // in the catalogue's order
}

// Proof is a rule, and what proves that the suite finds breaches of it.
type Proof struct {
	ID       string     `json:"id"`
	Level    rule.Level `json:"level"`
	KilledBy []string   `json:"killed_by"`         // names of the defects that the rule killed
	Lone     string     `json:"lone,omitempty"`    // why no defect can break it
	Problem  string     `json:"problem,omitempty"` // why it is not proven; empty if it is, or need not be
}

func newMatrix(plan Plan, trials []Trial, began time.Time) *Matrix {
	m := &Matrix{
		StartedAt: began.UTC(), DurationMS: time.Since(began).Milliseconds(),
		Summary: map[Outcome]int{}, Lawful: []Trial{}, Defects: []Trial{}, Deep: []Trial{}, Depth: []Depth{}, Rules: []Proof{},
	}
	for _, outcome := range []Outcome{Killed, Survived, WrongRule, NeverFired, Silent, Flagged} {
		m.Summary[outcome] = 0
	}
	for _, trial := range trials {
		m.Summary[trial.Outcome]++
		switch trial.Kind {
		case Defect:
			m.Defects = append(m.Defects, trial)
		case Deep:
			m.Deep = append(m.Deep, trial)
		default:
			m.Lawful = append(m.Lawful, trial)
		}
	}
	m.Depth = byDimension(m.Deep)
	for _, r := range plan.Rules {
		m.Rules = append(m.Rules, prove(r, m.Defects))
	}
	m.Proven = len(m.ProblemTrials()) == 0 && len(m.UnprovenRules()) == 0
	return m
}

// lone lists the MUST and SHOULD rules that no defect can break, with the reason.
var lone = map[string]string{
	rule.Reachable.ID:     "a partner that breaks it does not answer, and is not judged at all",
	rule.ConfirmFields.ID: "a fallback for fields that no other rule covers",
}

// prove returns which of the defects prove the rule. A MAY rule needs no proof.
func prove(r rule.Rule, defects []Trial) Proof {
	proof := Proof{ID: r.ID, Level: r.Level, Lone: lone[r.ID], KilledBy: []string{}}
	breaks := func(t Trial) bool { return t.Rule == r.ID }
	for _, trial := range defects {
		if breaks(trial) && trial.Outcome == Killed {
			proof.KilledBy = append(proof.KilledBy, trial.Name)
		}
	}
	switch has := slices.ContainsFunc(defects, breaks); {
	case has && proof.Lone != "":
		proof.Problem = "it has a defect, and also a reason why no defect can exist"
	case has && len(proof.KilledBy) == 0:
		proof.Problem = "none of its defects was killed"
	case !has && proof.Lone == "" && r.Level != rule.May:
		proof.Problem = "it has no defect"
	}
	return proof
}

// ProblemTrials lists the trials that have a problem.
func (m *Matrix) ProblemTrials() (some []Trial) {
	for _, trial := range slices.Concat(m.Lawful, m.Defects, m.Deep) {
		if len(trial.Problems) > 0 {
			some = append(some, trial)
		}
	}
	return some
}

// UnprovenRules lists the rules that the self-test does not prove.
func (m *Matrix) UnprovenRules() (some []Proof) {
	for _, proof := range m.Rules {
		if proof.Problem != "" {
			some = append(some, proof)
		}
	}
	return some
}

// markdown returns the matrix for people: unexpected results first, then every rule, every defect
// and every lawful partner.
func (m *Matrix) markdown() []byte {
	var page bytes.Buffer
	fmt.Fprintf(&page, "# The suite, tested on known partners\n\n%s.\n", m.Verdict())
	m.writeProblems(&page)
	table(&page, "Rules", []string{"rule", "level", "killed by"}, rows(m.Rules, func(p Proof) []string {
		by := strings.Join(p.KilledBy, ", ")
		return []string{p.ID, string(p.Level), cmp.Or(by, reasonFor(p))}
	}))
	table(&page, "Defects", []string{"defect", "breaks", "outcome", "also found"}, rows(m.Defects, func(t Trial) []string {
		return []string{t.Name, t.Rule, t.Outcome.Words(), strings.Join(t.otherFailures(), ", ")}
	}))
	table(&page, "Deep defects by dimension", []string{"dimension", "defects", "killed", "missed", "found by another rule"}, rows(m.Depth, Depth.row))
	table(&page, "Deep defects", []string{"defect", "differs in", "breaks", "outcome", "also found"}, rows(m.Deep, func(t Trial) []string {
		return []string{t.Name, t.Dimension, t.Rule, t.Outcome.Words(), strings.Join(t.otherFailures(), ", ")}
	}))
	table(&page, "Lawful partners", []string{"partner", "outcome", "found"}, rows(m.Lawful, func(t Trial) []string {
		return []string{t.Name, t.Outcome.Words(), strings.Join(t.otherFailures(), ", ")}
	}))
	return page.Bytes()
}

// WriteJSON writes the matrix for machines: the fields and names of its tags, indented. No list in
// it is null.
func (m *Matrix) WriteJSON(out io.Writer) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false) // no browser reads it as HTML
	return encoder.Encode(m)
}

// WriteAll writes selftest.json and selftest.md into dir and returns their paths. Each file is
// written completely or not at all.
func (m *Matrix) WriteAll(dir string) (written []string, err error) {
	var text bytes.Buffer
	if err := m.WriteJSON(&text); err != nil {
		return nil, fmt.Errorf("write selftest.json: %w", err)
	}
	for _, file := range []struct {
		name    string
		content []byte
	}{{"selftest.json", text.Bytes()}, {"selftest.md", m.markdown()}} {
		path := filepath.Join(dir, file.name)
		if err := view.WriteFile(path, file.content); err != nil {
			return written, fmt.Errorf("write %s: %w", path, err)
		}
		written = append(written, path)
	}
	return written, nil
}

// Verdict returns the result of the self-test in a sentence.
func (m *Matrix) Verdict() string {
	word := "Proven"
	if !m.Proven {
		word = "NOT PROVEN"
	}
	killing := 0
	for _, proof := range m.Rules {
		if len(proof.KilledBy) > 0 {
			killing++
		}
	}
	took := (time.Duration(m.DurationMS) * time.Millisecond).Round(100 * time.Millisecond)
	verdict := fmt.Sprintf("%s in %s: %d of %d defects killed, by %d of %d rules; %d of %d lawful partners silent",
		word, took, countKilled(m.Defects), len(m.Defects), killing, len(m.Rules), m.Summary[Silent], len(m.Lawful))
	if len(m.Deep) > 0 {
		verdict += fmt.Sprintf("; %d of %d deep defects killed", countKilled(m.Deep), len(m.Deep))
	}
	return verdict
}

// otherFailures returns the ids of the other rules that failed or warned.
func (t Trial) otherFailures() []string {
	return slices.DeleteFunc(slices.Concat(t.Failed, t.Warned), func(id string) bool { return id == t.Rule })
}

func reasonFor(p Proof) string {
	switch {
	case p.Problem != "":
		return "none: " + p.Problem
	case p.Lone != "":
		return "none: " + p.Lone
	default:
		return "none: an option of the contract, which no partner can break"
	}
}

func (m *Matrix) writeProblems(page *bytes.Buffer) {
	trials := rows(m.ProblemTrials(), func(t Trial) []string {
		return []string{t.Name, t.Outcome.Words(), strings.Join(t.Problems, "; ")}
	})
	proofs := rows(m.UnprovenRules(), func(p Proof) []string { return []string{p.ID, "unproven", p.Problem} })
	if wrong := slices.Concat(trials, proofs); len(wrong) > 0 {
		table(page, "Unexpected results", []string{"partner or rule", "outcome", "why"}, wrong)
	}
}

func rows[T any](all []T, row func(T) []string) (list [][]string) {
	for _, one := range all {
		list = append(list, row(one))
	}
	return list
}

// cell escapes a text for a table cell.
var cell = strings.NewReplacer("|", `\|`, "\r", " ", "\n", " ", "<", "&lt;")

func table(page *bytes.Buffer, title string, head []string, rows [][]string) {
	fmt.Fprintf(page, "\n## %s\n\n| %s |\n|%s\n", title, strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, row := range rows {
		for i := range row {
			row[i] = cell.Replace(row[i])
		}
		fmt.Fprintf(page, "| %s |\n", strings.Join(row, " | "))
	}
}
