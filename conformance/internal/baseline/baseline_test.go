package baseline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/baseline"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "known.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, text string) *baseline.Baseline {
	t.Helper()
	b, err := baseline.Read(write(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func day(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateTime, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestAFailureIsKnownByItsReasonUntilTheEndOfItsLastDay(t *testing.T) {
	t.Parallel()
	b := read(t, "# the partner's own words\n- rule: reserve.limit\n  reason: >\n    the new cluster\n    comes in May\n  until: 2027-05-31\n- {rule: cancel.limit, reason: no customer cancels}\n")
	entry, known := b.Covers(rule.ReserveLimit.ID, day(t, "2027-05-31 23:59:59"))
	if !known || entry.Words() != "the new cluster comes in May (until 2027-05-31)" || entry.Line != 2 {
		t.Errorf("want it known on its last day, with its reason, from line 2, got %t, %q, line %d", known, entry.Words(), entry.Line)
	}
	if _, known := b.Covers(rule.ReserveLimit.ID, day(t, "2027-06-01 00:00:00")); known {
		t.Error("want it no longer known on the day after")
	}
	if entry, known := b.Covers(rule.CancelLimit.ID, day(t, "2099-01-01 00:00:00")); !known || entry.Words() != "no customer cancels" {
		t.Errorf("want an entry without a date known for ever, got %t, %q", known, entry.Words())
	}
	if _, known := b.Covers(rule.ConfirmLimit.ID, time.Now()); known {
		t.Error("want no other rule known")
	}
}

func TestAnEntryThatIsNoLongerTrueIsStale(t *testing.T) {
	t.Parallel()
	b := read(t, `
- {rule: reserve.limit, reason: broken still}
- {rule: confirm.limit, reason: fixed}
- {rule: cancel.limt, reason: mistyped}
- {rule: release.limit, reason: promised, until: 2026-01-01}
- {rule: products.limit, reason: could not be judged}
- {rule: availability.limit, reason: is blocked}
`)
	held := b.Compare([]report.RuleResult{
		{ID: "reserve.limit", Outcome: report.Known}, {ID: "confirm.limit", Outcome: report.Passed},
		{ID: "release.limit", Outcome: report.Failed}, {ID: "products.limit", Outcome: report.Inconclusive},
		{ID: "availability.limit", Outcome: report.Blocked},
	}, day(t, "2026-01-02 00:00:00"))
	want := []string{
		":3: confirm.limit passes now: delete this entry",
		`:4: there is no rule "cancel.limt" (did you mean cancel.limit?): correct or delete this entry`,
		":5: release.limit was known until 2026-01-01: delete this entry, or give it a new date",
	}
	if len(held.Stale) != len(want) {
		t.Fatalf("want %d stale entries, got %+v", len(want), held.Stale)
	}
	for i, stale := range held.Stale {
		if stale.Message != b.File+want[i] {
			t.Errorf("want %q, got %q", b.File+want[i], stale.Message)
		}
	}
}

func TestNoBaselineKnowsNothing(t *testing.T) {
	t.Parallel()
	var none *baseline.Baseline
	if _, known := none.Covers(rule.CancelLimit.ID, time.Now()); known || none.Compare(nil, time.Now()) != nil {
		t.Error("want nothing known without a baseline")
	}
	if empty := read(t, "# none yet\n"); len(empty.Entries) != 0 {
		t.Errorf("want no entries of an empty file, got %v", empty.Entries)
	}
}

func TestABaselineThatCannotBeReadIsRefusedByFileAndLine(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]struct{ text, want string }{
		"no list":           {"rule: cancel.limit", ":1: expected a list of known failures"},
		"words":             {"all of it", ":1: expected a list of known failures"},
		"an entry of words": {"- cancel.limit", ":1: "},
		"no rule":           {"- reason: x", ":1: the entry names no rule"},
		"no reason":         {"- rule: cancel.limit\n- rule: x\n  reason: y", ":1: cancel.limit has no reason"},
		"an empty reason":   {"- rule: cancel.limit\n  reason: ' '", ":1: cancel.limit has no reason"},
		"a mistyped key":    {"- rule: cancel.limit\n  reasn: x", ":2: unknown field"},
		"no date":           {"- rule: cancel.limit\n  reason: x\n  until: May", `:1: cancel.limit is known until "May": expected a date, such as 2027-05-31`},
		"a rule twice":      {"- {rule: cancel.limit, reason: x}\n\n- {rule: cancel.limit, reason: y}", ":3: cancel.limit is in line 1 already"},
		"no YAML":           {"- rule: [", ":1: "},
	} {
		path := write(t, wrong.text)
		if _, err := baseline.Read(path); err == nil || !strings.HasPrefix(err.Error(), path+wrong.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: want one line that begins with %q, got %v", name, path+wrong.want, err)
		}
	}
}
