package selftest

import (
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/rule"
)

// Matrix is the kill matrix: what came of each partner, and which defects prove
// each rule.
type Matrix struct {
	Proven     bool            `json:"proven"` // every trial and every rule is as it should be
	StartedAt  time.Time       `json:"started_at"`
	DurationMS int64           `json:"duration_ms"`
	Summary    map[Outcome]int `json:"summary"` // every outcome, 0 where there is none
	Lawful     []Trial         `json:"lawful"`  // the mock as it is, and its variants
	Defects    []Trial         `json:"defects"`
	Rules      []Proof         `json:"rules"` // in the catalogue's order
}

// Proof is a rule, and what proves that the suite can find it broken.
type Proof struct {
	ID       string     `json:"id"`
	Level    rule.Level `json:"level"`
	KilledBy []string   `json:"killed_by"`         // names of the defects that it killed
	Lone     string     `json:"lone,omitempty"`    // why no defect can break it
	Problem  string     `json:"problem,omitempty"` // why it is not proven; empty where it is, or need not be
}

func newMatrix(plan Plan, trials []Trial, began time.Time) *Matrix {
	m := &Matrix{
		StartedAt: began.UTC(), DurationMS: time.Since(began).Milliseconds(),
		Summary: map[Outcome]int{}, Lawful: []Trial{}, Defects: []Trial{}, Rules: []Proof{},
	}
	for _, outcome := range []Outcome{Killed, Survived, WrongRule, NeverFired, Silent, Flagged} {
		m.Summary[outcome] = 0
	}
	for _, trial := range trials {
		m.Summary[trial.Outcome]++
		if trial.Kind == Defect {
			m.Defects = append(m.Defects, trial)
		} else {
			m.Lawful = append(m.Lawful, trial)
		}
	}
	for _, r := range plan.Rules {
		m.Rules = append(m.Rules, prove(r, m.Defects))
	}
	m.Proven = len(m.Problematic()) == 0 && len(m.Unproven()) == 0
	return m
}

// lone are the MUST and SHOULD rules that no defect can break, and why.
var lone = map[string]string{
	rule.Reachable.ID:     "a partner that breaks it does not answer, and is not judged at all",
	rule.ConfirmFields.ID: "a net below the rules of all fields that there are",
}

// prove says which of the defects prove the rule. A rule that is there for the
// taking, a MAY, needs no proof.
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
		proof.Problem = "there is a defect that breaks it, and the reason why there can be none"
	case has && len(proof.KilledBy) == 0:
		proof.Problem = "no defect that breaks it was killed"
	case !has && proof.Lone == "" && r.Level != rule.May:
		proof.Problem = "there is no defect that breaks it"
	}
	return proof
}

// Problematic returns the trials that did not come out as they should.
func (m *Matrix) Problematic() (some []Trial) {
	for _, trial := range slices.Concat(m.Lawful, m.Defects) {
		if len(trial.Problems) > 0 {
			some = append(some, trial)
		}
	}
	return some
}

// Unproven returns the rules that nothing proves.
func (m *Matrix) Unproven() (some []Proof) {
	for _, proof := range m.Rules {
		if proof.Problem != "" {
			some = append(some, proof)
		}
	}
	return some
}
