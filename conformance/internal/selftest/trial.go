package selftest

import (
	"context"
	"path/filepath"
	"time"

	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/report"
)

// Outcome is what came of one trial.
type Outcome string

// The outcomes: of a defect one of the first four, of a lawful partner one of the
// last two.
const (
	Killed     Outcome = "killed"      // the rule that it breaks was found broken, and no other
	Survived   Outcome = "survived"    // the rule was not found broken
	WrongRule  Outcome = "wrong_rule"  // another MUST rule failed, or another is said to be the cause
	NeverFired Outcome = "never_fired" // nor could it be: a fault never fired, or the quirks changed no answer
	Silent     Outcome = "silent"      // nothing was found
	Flagged    Outcome = "flagged"     // a rule failed, warned or was left open, or a hold was left
)

// Outcomes lists every outcome.
func Outcomes() []Outcome {
	return []Outcome{Killed, Survived, WrongRule, NeverFired, Silent, Flagged}
}

// Trial is a case, and what came of it.
type Trial struct {
	Kind     Kind     `json:"kind"`
	Name     string   `json:"name"`
	Rule     string   `json:"rule,omitempty"` // id of the rule that a defect breaks
	Outcome  Outcome  `json:"outcome"`
	Failed   []string `json:"failed"`   // ids of the rules that failed, a defect's own among them
	Warned   []string `json:"warned"`   // ids of those that warned, a defect's own among them
	Idle     []string `json:"idle"`     // names of the faults that never fired
	Problems []string `json:"problems"` // why it is not as it should be; empty where it is
	TookMS   int64    `json:"took_ms"`
}

// Folder is the name of the folder with the report of a trial that went wrong.
func (t Trial) Folder() string { return string(t.Kind) + "-" + t.Name }

// Try has the suite judge the case's partner, and writes the report of that into
// dir. A partner that is late is tried again where that went wrong: a busy machine
// makes others late too. The error says why no report came of it.
func (b *Bench) Try(ctx context.Context, dir string, c Case) (Trial, error) {
	trial, err := b.tryOnce(ctx, dir, c)
	if err == nil && len(trial.Problems) > 0 && c.isAboutTime() {
		return b.tryOnce(ctx, dir, c)
	}
	return trial, err
}

func (b *Bench) tryOnce(ctx context.Context, dir string, c Case) (Trial, error) {
	began := time.Now()
	s, err := b.serve(c)
	if err != nil {
		return Trial{}, err
	}
	defer s.close()
	result, err := b.judge(ctx, dir, s)
	if err != nil {
		return Trial{}, err
	}
	trial := Trial{
		Kind: c.Kind, Name: c.Name, Rule: c.Rule,
		Failed: with(result, report.Failed), Warned: with(result, report.Warned), Idle: s.idle(), Problems: []string{},
	}
	if c.Kind == Defect {
		err = b.weighDefect(&trial, result, s)
	} else {
		trial.weighLawful(result, s)
	}
	trial.TookMS = time.Since(began).Milliseconds()
	if err == nil && len(trial.Problems) > 0 {
		err = draw(dir, result)
	}
	return trial, err
}

// draw writes the page of a run that went wrong. The run itself wrote the report for
// machines alone: most of the pages would be read by nobody.
func draw(dir string, result *report.Result) error {
	page, err := view.HTML(result)
	if err != nil {
		return err
	}
	return view.WriteFile(filepath.Join(dir, "report.html"), page)
}

// with returns the ids of the rules of that outcome.
func with(result *report.Result, outcome report.Outcome) []string {
	ids := []string{}
	for _, r := range result.Rules {
		if r.Outcome == outcome {
			ids = append(ids, r.ID)
		}
	}
	return ids
}
