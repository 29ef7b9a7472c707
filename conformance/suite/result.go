package suite

import (
	"time"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/traffic"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func (r *run) result() *report.Result {
	r.player.Seats.ReportVanished()
	r.verdicts.Settle(r.fields, func(cause, broken string) bool { return r.options.isIndependent(cause, broken, r.coverage) })
	r.announcer.report(true)
	started := r.player.Time.StartTime()
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
		Coverage:        r.measured(),
		Latency:         latency(r.client.Exchanges(), r.config.scaleLimit),
		Vacancies:       r.player.Seats.Vacancies(r.client.Redactor().Words),
		Calls:           r.client.Exchanges(),
		NotUndone:       undo.Leftovers(r.config.Ledger, r.client.Redactor().Words),
		Slots:           r.slots,
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
	result.Rules = r.announcer.rules()
	for i := range result.Rules {
		r.options.tell(&result.Rules[i], r.coverage, r.client.Redactor().Words)
	}
	for _, one := range result.Rules {
		result.Summary[one.Outcome]++
		if one.Picture != "" {
			result.Pictures[one.Picture] = r.pictures[one.Picture]
		}
	}
	result.Baseline = r.config.Baseline.Compare(result.Rules, started)
	result.NarrowedBy = r.config.narrowedBy()
	result.Verdict, result.Reason = r.newEnding().verdict(result)
	return result
}

func (r *run) measured() report.Coverage {
	c := report.Coverage{Rules: r.coverage.ofRules(scenario.KeyForms(r.client)), CasesLeftOut: r.casesLeft, CasesBrief: r.casesBrief, CasesWithoutHolds: r.casesWithoutHolds, Calls: len(r.client.Exchanges()), Bookings: r.player.Account.Bookings()}
	if survey := r.player.LastSurvey(); survey != nil {
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
		if entry.Code == "" && entry.State != ledger.Unanswered {
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

// latency summarizes the answer times of each endpoint, over the calls that a marketplace makes.
func latency(exchanges []*report.Exchange, scaled func(time.Duration) time.Duration) []report.Latency {
	calls := map[partnerapi.Endpoint][]*report.Exchange{}
	for _, exchange := range exchanges {
		if exchange.Limit > 0 && (exchange.Failure == nil || exchange.Failure.Kind == report.Timeout) {
			calls[exchange.Endpoint] = append(calls[exchange.Endpoint], exchange)
		}
	}
	all := []report.Latency{}
	for _, endpoint := range partnerapi.Endpoints() {
		if len(calls[endpoint]) > 0 {
			all = append(all, traffic.Latency(endpoint, calls[endpoint], scaled))
		}
	}
	return all
}
