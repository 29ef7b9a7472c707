package suite

import (
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

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

func (r *run) scaled(d time.Duration) time.Duration {
	return time.Duration(r.config.LimitScale * float64(d))
}

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

func (r *run) coverage() report.Coverage {
	c := report.Coverage{Calls: len(r.client.Exchanges()), Bookings: r.player.Bookings()}
	if survey := r.player.Surveyed(); survey != nil {
		c.Products, c.OptionsAsked, c.Slots = len(survey.Products), len(survey.Answers), survey.Slots
		for _, product := range survey.Products {
			c.Options += len(product.Options)
			for _, option := range product.Options {
				c.Units += len(option.Units)
			}
		}
	}
	type option struct{ product, option string }
	type unit struct {
		option
		unit string
	}
	products, options, units, slots := map[string]bool{}, map[option]bool{}, map[unit]bool{}, map[ledger.Slot]bool{}
	for _, entry := range r.config.Ledger.Entries() {
		if entry.Code == "" && entry.State != ledger.Unheard {
			continue
		}
		c.Holds++
		of := option{entry.ProductID, entry.OptionID}
		products[entry.ProductID], options[of], slots[entry.Slot] = true, true, true
		for _, guests := range entry.Units {
			units[unit{of, guests.ID}] = true
		}
	}
	c.ProductsReserved, c.OptionsReserved, c.UnitsReserved, c.SlotsReserved = len(products), len(options), len(units), len(slots)
	return c
}

// latency sums up the answer times of each endpoint that was called as the
// marketplace calls it.
func latency(exchanges []*probe.Exchange, scaled func(time.Duration) time.Duration) []report.Latency {
	calls := map[partnerapi.Endpoint][]*probe.Exchange{}
	for _, exchange := range exchanges {
		if exchange.Limit > 0 && (exchange.Failure == nil || exchange.Failure.Kind == probe.Timeout) {
			calls[exchange.Endpoint] = append(calls[exchange.Endpoint], exchange)
		}
	}
	all := []report.Latency{}
	for _, endpoint := range partnerapi.Endpoints() {
		if len(calls[endpoint]) > 0 {
			all = append(all, latencyOf(endpoint, calls[endpoint], scaled))
		}
	}
	return all
}

func latencyOf(endpoint partnerapi.Endpoint, calls []*probe.Exchange, scaled func(time.Duration) time.Duration) report.Latency {
	l := report.Latency{
		Endpoint: endpoint, Calls: len(calls),
		HealthyLimitMS:  milliseconds(scaled(endpoint.Timeout(partnerapi.Healthy))),
		DegradedLimitMS: milliseconds(scaled(endpoint.Timeout(partnerapi.Degraded))),
	}
	took := make([]time.Duration, len(calls))
	for i, call := range calls {
		took[i] = call.Duration
		if call.Duration > call.Limit {
			l.OverHealthy++
		}
		if call.Duration > call.Limit+scaled(endpoint.Timeout(partnerapi.Degraded)-endpoint.Timeout(partnerapi.Healthy)) {
			l.OverDegraded++
		}
	}
	slices.Sort(took)
	l.MedianMS, l.P95MS, l.WorstMS = milliseconds(took[len(took)/2]), milliseconds(took[len(took)*95/100]), milliseconds(took[len(took)-1])
	for _, d := range thinned(took, report.MostTimes) {
		l.TimesMS = append(l.TimesMS, milliseconds(d))
	}
	return l
}

// thinned returns at most n of all, evenly chosen, the first and the last among them.
func thinned[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	chosen := make([]T, n)
	for i := range chosen {
		chosen[i] = all[i*(len(all)-1)/(n-1)]
	}
	return chosen
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// announce tells of what came of a rule, where there is news, and ends the judging with
// the first that failed where that is wanted.
func (r *run) announce(v *judge.Verdict) {
	if v == nil {
		return
	}
	if r.choice.Judged[v.ID] {
		r.config.Progress(r.shown(v))
	}
	if r.config.FailFast && r.failed.Load() == nil {
		r.failed.Store(r.firstFailed())
	}
}

// firstFailed returns the first rule that failed for certain, or nil: one that needs
// a rule which is not judged yet may turn out to be blocked by it.
func (r *run) firstFailed() *rule.Rule {
	for _, one := range rule.All() {
		v := r.verdicts.Get(one.ID)
		if v != nil && r.choice.Judged[one.ID] && r.shown(v).Outcome == report.Failed && !r.isBlocked(one) && r.knowsNeeds(one) {
			return &one
		}
	}
	return nil
}

func (r *run) isBlocked(one rule.Rule) bool {
	outcome, _ := r.verdicts.Decide(one, judge.Finding{})
	return outcome == report.Blocked
}

func (r *run) knowsNeeds(one rule.Rule) bool {
	for _, id := range one.Needs {
		needed, ok := rule.Lookup(id)
		if !ok || r.verdicts.Get(id) == nil || !r.knowsNeeds(needed) {
			return false
		}
	}
	return true
}

// shown is a verdict as reports show it: the breach that the baseline has is known.
func (r *run) shown(v *judge.Verdict) report.RuleResult {
	shown := v.RuleResult
	if shown.Outcome == report.Failed || shown.Outcome == report.Warned {
		if entry, known := r.config.Baseline.Covers(v.ID, r.player.Time.Started()); known {
			shown.Outcome, shown.Known = report.Known, r.client.Redactor().Words(entry.Words())
		}
	}
	return shown
}

// shownRules returns what came of every rule, in the catalogue's order. A rule that
// was run for others only is not judged, unless its breach keeps one of them from
// being judged.
func (r *run) shownRules() []report.RuleResult {
	causes := map[string]bool{}
	for id := range r.choice.Judged {
		if v := r.verdicts.Get(id); v != nil && v.Cause != "" {
			causes[v.Cause] = true
		}
	}
	var all []report.RuleResult
	for _, one := range rule.All() {
		v := r.verdicts.Get(one.ID)
		if v == nil || !r.choice.Judged[one.ID] && !causes[one.ID] {
			v = r.verdicts.Set(one, report.Skipped, r.whySkipped(one))
		}
		all = append(all, r.shown(v))
	}
	return all
}

func (r *run) whySkipped(one rule.Rule) string {
	failed := r.failed.Load()
	switch {
	case !r.choice.Run[one.ID]:
		return "left out by the choice of rules"
	case !r.choice.Judged[one.ID]:
		return "left out by the choice of rules, and run for those that need it"
	case r.player.Time.Interrupted():
		return "the run was interrupted"
	case failed != nil:
		return leftOutAfter(failed.ID)
	default:
		return "left out by Ginkgo's own filters"
	}
}

func leftOutAfter(id string) string {
	return fmt.Sprintf("left out after %s failed (--fail-fast)", id)
}
