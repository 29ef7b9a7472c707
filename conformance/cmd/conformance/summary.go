package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/internal/safetext"
)

// The maximum number of lines of each list of a summary, and of all lists together, so that the
// summary fits a screen of 24 lines.
const (
	mostOfAList  = 5
	mostOfLists  = 16
	leastOfAList = 2
)

// summary shows the result of a run: first what may be long, then what fits a screen.
type summary struct {
	*terminal
	width int // of the longest id of a rule
	room  int // lines left for the lists
}

func (s *summary) show(r *report.Result) {
	r = r.Completed()
	s.exploration(r.Exploration)
	for _, left := range r.NotUndone {
		s.printf("not undone: %s\n", leftover(left))
	}
	if len(r.NotUndone) > 0 {
		s.note("Run 'conformance cleanup %s' to try again.\n\n", r.Ledger)
	}
	s.seats(view.Differing(r.Slots))
	if r.Baseline != nil {
		for _, stale := range r.Baseline.Stale {
			s.printf("%s %s\n", s.paint(report.Failed, "stale"), safetext.Line(stale.Message))
		}
	}
	heading, sentence := view.VerdictWords(r)
	s.printf("%s. %s\n", s.paint(view.Seal(r), heading), safetext.Line(sentence))
	isWarned := func(one report.RuleResult) bool { return one.Outcome == report.Warned }
	s.causes(r, "Fix in this order:", func(one report.RuleResult) bool { return !isWarned(one) })
	s.notJudged(r)
	s.causes(r, s.paint(report.Warned, "Warned:"), isWarned)
	s.known(r)
	s.caller(r.CallerFaults)
	s.printSlowEndpoints(r.Latency)
	s.counts(r)
}

// seats shows the slots that were not left as they were before the run.
func (s *summary) seats(differing []report.SlotSeats) {
	var lines []string
	for _, one := range differing {
		lines = append(lines, fmt.Sprintf("product %q, option %q, slot %q at %s: %d before, %d after", one.ProductID, one.OptionID, one.AvailabilityID, one.Start, one.Before, one.After))
	}
	s.list(s.paint(report.Failed, fmt.Sprintf("Seats left wrong in %s, unless other customers changed them:", plural.Count(len(lines), "slot"))), lines)
}

// list shows the heading and as many lines as there is room for.
func (s *summary) list(heading string, lines []string) {
	most := min(mostOfAList, s.room)
	if len(lines) == 0 || most < leastOfAList {
		return
	}
	s.printf("%s\n", heading)
	s.room -= min(most, 1+len(lines))
	for i, line := range lines {
		if i == most-2 && len(lines) > most-1 {
			s.printf("  and %d more, in the report\n", len(lines)-i)
			return
		}
		s.printf("  %s\n", s.fitLine(safetext.Line(line)))
	}
}

// fitLine cuts a line that the terminal would break.
func (t *terminal) fitLine(line string) string {
	const indent = 2
	if most := t.columns - indent; t.columns > 0 && utf8.RuneCountInString(line) > most {
		return string([]rune(line)[:most-1]) + "…"
	}
	return line
}

// causes shows some of the causes.
func (s *summary) causes(r *report.Result, heading string, wanted func(report.RuleResult) bool) {
	var lines []string
	for _, cause := range r.Causes {
		at := slices.IndexFunc(r.Rules, func(one report.RuleResult) bool { return one.ID == cause.Rules[0] })
		one := r.Rules[at]
		if !wanted(one) {
			continue
		}
		line := one.ID + ": " + one.Title + inOptions(one) + "."
		if also := len(cause.Rules) - 1; also > 0 {
			line += " The same at " + plural.Count(also, "other endpoint") + "."
		}
		if waits := view.WaitWords(cause); waits != "" {
			line += " " + strings.ToUpper(waits[:1]) + waits[1:] + "."
		}
		lines = append(lines, line)
	}
	s.list(heading, lines)
}

// known shows what is broken and in the baseline.
func (s *summary) known(r *report.Result) {
	var lines []string
	for _, one := range r.Rules {
		if one.Outcome == report.Known {
			lines = append(lines, fmt.Sprintf("%-*s  known: %s", s.width, one.ID, one.Known))
		}
	}
	s.list(s.paint(report.Known, "Known:"), lines)
}

// inOptions says in how many options a broken rule fails, if it holds in others.
func inOptions(one report.RuleResult) string {
	broken := len(one.BrokenOptions())
	if broken == len(one.Options) {
		return ""
	}
	return fmt.Sprintf(" (in %d of %s)", broken, plural.Count(len(one.Options), "option"))
}

// notJudged shows why MUST rules were not judged, except for what the causes say.
func (s *summary) notJudged(r *report.Result) {
	var lines []string
	for _, group := range view.NotJudged(r.Rules) {
		isCause := slices.ContainsFunc(r.Causes, func(c report.Cause) bool { return slices.Contains(c.Rules, group.IDs[0]) })
		if !group.Waits && !isCause {
			lines = append(lines, group.String())
		}
	}
	s.list("MUST rules not judged:", lines)
}

// caller shows the faults of the caller of recorded traffic.
func (s *summary) caller(all []report.CallerFault) {
	var lines []string
	for _, fault := range all {
		lines = append(lines, fmt.Sprintf("%s, %s: %s", fault.ID, plural.Count(fault.Calls, "call"), fault.Message))
	}
	s.list("What the caller got wrong:", lines)
}

// printSlowEndpoints names the endpoints that answered too late.
func (s *summary) printSlowEndpoints(all []report.Latency) {
	for _, l := range all {
		if l.OverHealthy > 0 {
			s.printf("Slow: %s took up to %s of the %s allowed; %s\n", l.Endpoint, view.Milliseconds(l.WorstMS), view.Milliseconds(l.HealthyLimitMS), strings.TrimSpace(givenUp(l)))
		}
	}
}

func (s *summary) counts(r *report.Result) {
	counts := []string{plural.Count(r.Summary[report.Passed], "rule") + " passed"}
	for _, outcome := range report.Outcomes() {
		if n := r.Summary[outcome]; n > 0 && outcome != report.Passed {
			counts = append(counts, fmt.Sprintf("%d %s", n, outcomeWords(outcome)))
		}
	}
	c := r.Coverage
	var short []string
	if c.CasesLeftOut > 0 {
		short = append(short, fmt.Sprintf("no time for %s of the plan", plural.Count(c.CasesLeftOut, "case")))
	}
	if c.CasesBrief > 0 {
		short = append(short, fmt.Sprintf("time for only some calls of %s of the plan", plural.Count(c.CasesBrief, "case")))
	}
	if len(short) > 0 {
		s.printf("There was %s. %s\n", strings.Join(short, ", and "), view.MoreTime)
	}
	if c.CasesWithoutHolds > 0 {
		s.printf("There were too few holds for %s of the plan. %s\n", plural.Count(c.CasesWithoutHolds, "case"), view.MoreHolds)
	}
	s.printf("%s, in %s\n", strings.Join(counts, ", "), view.Milliseconds(float64(r.DurationMS)))
	if c.CallsNotJudged > 0 {
		s.printf("%s passed without being judged\n", plural.Count(c.CallsNotJudged, "call"))
	}
	if r.Recorded {
		s.printf("%s, %s, %s; %s, %s\n", plural.Count(c.Calls, "call"), plural.Count(c.Holds, "hold"), plural.Count(c.Bookings, "booking"),
			plural.Count(c.Products, "product"), plural.Count(c.Options, "option"))
		return
	}
	s.printf("%s, %s, %s; %s, slots of %d of %s, %s\n", plural.Count(c.Calls, "call"), plural.Count(c.Holds, "hold"), plural.Count(c.Bookings, "booking"),
		plural.Count(c.Products, "product"), c.OptionsAsked, plural.Count(c.Options, "option"), plural.Count(c.Slots, "slot"))
}

// reports names the files that were written.
func (t *terminal) reports(files []string, sum string) {
	if len(files) == 0 {
		return
	}
	var names []string
	for _, file := range files {
		names = append(names, filepath.Base(file))
	}
	t.printf("Reports in %s: %s\n", filepath.Dir(files[0]), strings.Join(names, ", "))
	t.printf("SHA-256 of the report: %s\n", sum)
}

func leftover(l report.Leftover) string {
	text := l.Kind
	if l.Code != "" {
		text += fmt.Sprintf(" %q", l.Code)
	}
	text += fmt.Sprintf(" of product %q, option %q, slot %q at %s: %s", l.ProductID, l.OptionID, l.AvailabilityID, l.Start, l.Reason)
	switch {
	case l.ExpiresAt != "" && l.Code == "":
		text += fmt.Sprintf("; reference %s; it has expired by %s", l.Reference, l.ExpiresAt)
	case l.ExpiresAt != "":
		text += "; it expires at " + l.ExpiresAt
	}
	return safetext.Line(text)
}
func (t *terminal) times(all []report.Latency) {
	if len(all) == 0 {
		return
	}
	const row = "%-14s %6v %9s %9s %9s %9s%s\n"
	t.printf(row, "answer times", "calls", "median", "95%", "worst", "limit", "")
	ms := view.Milliseconds
	for _, l := range all {
		t.printf(row, l.Endpoint, l.Calls, ms(l.MedianMS), ms(l.P95MS), ms(l.WorstMS), ms(l.HealthyLimitMS), givenUp(l))
	}
	t.printf("\n")
}

// givenUp returns how many calls the marketplace would not have waited for, in words, or "" if
// there are none.
func givenUp(l report.Latency) string {
	if l.OverHealthy == 0 {
		return ""
	}
	return fmt.Sprintf("   the marketplace would abandon %d while the partner is HEALTHY, %d while DEGRADED", l.OverHealthy, l.OverDegraded)
}

func (s *summary) exploration(e *report.Exploration) {
	if e == nil {
		return
	}
	s.printf("%d of %d random lifecycles played, of %d steps; --explore %d --seed %d plays them again\n", e.Played, e.Lifecycles, e.Steps, e.Lifecycles, e.Seed)
	if e.Broken == nil {
		return
	}
	s.printf("\nThe shortest lifecycle that fails, cut down from %s by playing %d more:\n", plural.Count(e.Broken.Drawn, "step"), e.Broken.Tries)
	for _, slot := range e.Broken.Slots {
		s.printf("  %s\n", safetext.Line(slot))
	}
	for i, step := range e.Broken.Steps {
		s.printf("  %2d. %s\n      Expected %s\n      Received %s\n", i+1, safetext.Line(step.Does), safetext.Line(step.Want), safetext.Line(step.Got))
		for _, curl := range step.Curl {
			s.printf("      %s\n", safetext.Line(curl))
		}
	}
	s.printf("\n")
}
