package suite

import (
	"fmt"
	"time"

	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas"
)

// result sums the run up.
func (r *run) result() *report.Result {
	r.verdicts.Settle(r.fields)
	started := r.player.Time.Started()
	result := &report.Result{
		Target: report.Target{
			BaseURL: r.client.Redactor().Redact(r.config.BaseURL.String()), AuthType: r.config.AuthType,
			HandlesTicketDelivery: r.config.HandlesTicketDelivery,
		},
		SuiteVersion:    r.config.Version,
		ContractVersion: schemas.ContractVersion(),
		StartedAt:       started.UTC().Truncate(time.Millisecond),
		DurationMS:      time.Since(started).Milliseconds(),
		Summary:         map[report.Outcome]int{},
		Coverage:        r.coverage(),
		Latency:         latency(r.client.Exchanges(), r.scaled),
		Vacancies:       r.player.Seats.Vacancies(r.client.Redactor().Words),
		Calls:           r.client.Exchanges(),
		NotUndone:       undo.Leftovers(r.config.Ledger, r.client.Redactor().Words),
		Exploration:     r.player.Explored,
		Pictures:        map[string][]byte{},
		Ledger:          r.client.Redactor().Words(r.config.Ledger.Name()),
	}
	if r.config.LimitScale != 1 {
		result.LimitScale = r.config.LimitScale
	}
	for _, outcome := range report.Outcomes() {
		result.Summary[outcome] = 0
	}
	result.Rules = r.shownRules()
	for _, one := range result.Rules {
		result.Summary[one.Outcome]++
		if one.Picture != "" {
			result.Pictures[one.Picture] = r.pictures[one.Picture]
		}
	}
	result.Baseline = r.config.Baseline.Against(result.Rules, started)
	result.Verdict, result.Reason = r.verdict(result)
	return result
}

// scaled is a time of the contract as this run takes it.
func (r *run) scaled(d time.Duration) time.Duration {
	return time.Duration(r.config.LimitScale * float64(d))
}

// verdict judges the partner; the reason says why it cannot be judged.
func (r *run) verdict(result *report.Result) (report.Verdict, string) {
	survey, words := r.player.Surveyed(), r.client.Redactor().Words
	var catalog *scenario.Stop
	outside := ""
	if survey != nil {
		catalog, outside = survey.Stop, survey.Outside
	}
	switch {
	case result.Summary[report.Failed] > 0:
		return report.Nonconformant, ""
	case r.player.Time.Interrupted():
		return report.Incomplete, "the run was interrupted"
	case catalog.OnlyMissing():
		return report.Incomplete, words(catalog.Message)
	case catalog != nil:
		return report.Incomplete, "the partner could not be reached: " + words(catalog.Message)
	case outside != "":
		return report.Incomplete, words(outside)
	case r.config.Ledger.Trouble() != nil:
		return report.Incomplete, "the ledger could not be written: " + r.config.Ledger.Trouble().Error()
	case r.player.Time.RanOut():
		return report.Incomplete, fmt.Sprintf("the run's time, %s, was used up before every rule was judged (--max-duration)", r.config.MaxDuration)
	case r.player.Book.Traits().NothingFree:
		return report.Incomplete, "nothing can be booked: no slot of the next 60 days is bookable, so holds and bookings were not judged"
	case r.config.Strict && result.Summary[report.Inconclusive] > 0:
		return report.Incomplete, "rules are inconclusive, and the run is strict"
	default:
		return report.Conformant, ""
	}
}
