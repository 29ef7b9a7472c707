package suite

import (
	"fmt"
	"time"

	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas"
)

// result sums the run up.
func (s *session) result() *report.Result {
	s.settleLate()
	r := &report.Result{
		Target: report.Target{
			BaseURL: s.redact(s.config.BaseURL.String()), AuthType: s.config.AuthType,
			HandlesTicketDelivery: s.config.HandlesTicketDelivery,
		},
		SuiteVersion:    s.config.Version,
		ContractVersion: schemas.ContractVersion(),
		StartedAt:       s.started.UTC().Truncate(time.Millisecond),
		DurationMS:      time.Since(s.started).Milliseconds(),
		Summary:         map[report.Outcome]int{},
		Coverage:        s.coverage(),
		Latency:         s.latency(),
		Vacancies:       s.vacancies.drawn(s.words),
		Calls:           s.client.Exchanges(),
		NotUndone:       undo.Leftovers(s.ledger, s.words),
		Exploration:     s.explored,
		Pictures:        map[string][]byte{},
		Ledger:          s.words(s.ledger.Name()),
	}
	if s.config.LimitScale != 1 {
		r.LimitScale = s.config.LimitScale
	}
	for _, outcome := range report.Outcomes() {
		r.Summary[outcome] = 0
	}
	r.Rules = s.shownRules()
	for _, one := range r.Rules {
		r.Summary[one.Outcome]++
		if one.Picture != "" {
			r.Pictures[one.Picture] = s.pictures[one.Picture]
		}
	}
	r.Baseline = s.config.Baseline.Against(r.Rules, s.started)
	r.Verdict, r.Reason = s.verdict(r)
	return r
}

// settleLate adds what stories found after the rule about it had been judged,
// and puts causes before their consequences.
func (s *session) settleLate() {
	for id, found := range s.findings {
		r, _ := rule.Lookup(id)
		if known := s.verdicts.get(id); known != nil && (known.Outcome == report.Passed || known.Outcome == report.Inconclusive) {
			s.verdicts.blame(r, found.message(), found.exchanges)
			s.verdicts.get(id).Problems = s.wordsOf(found.problems)
		}
	}
	s.verdicts.settle()
}

// verdict judges the partner; the reason says why it cannot be judged.
func (s *session) verdict(r *report.Result) (report.Verdict, string) {
	switch {
	case r.Summary[report.Failed] > 0:
		return report.Nonconformant, ""
	case s.interrupted():
		return report.Incomplete, "the run was interrupted"
	case s.survey != nil && s.survey.stopped != nil && s.survey.stopped.Rule == nil:
		return report.Incomplete, s.words(s.survey.stopped.Message)
	case s.survey != nil && s.survey.stopped != nil:
		return report.Incomplete, "the partner could not be reached: " + s.words(s.survey.stopped.Message)
	case s.outside != "":
		return report.Incomplete, s.words(s.outside)
	case s.ledger.Trouble() != nil:
		return report.Incomplete, "the ledger could not be written: " + s.ledger.Trouble().Error()
	case s.ranOut.Load():
		return report.Incomplete, fmt.Sprintf("the run's time, %s, was used up before every rule was judged (--max-duration)", s.config.MaxDuration)
	case s.noOffer:
		return report.Incomplete, "nothing can be booked: no slot of the next 60 days is bookable, so holds and bookings were not judged"
	case s.config.Strict && r.Summary[report.Inconclusive] > 0:
		return report.Incomplete, "rules are inconclusive, and the run is strict"
	default:
		return report.Conformant, ""
	}
}
