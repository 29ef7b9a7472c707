package judge

import (
	"strings"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// distinctCodes is the spec that no two holds of a record share a code (RSV-4).
func distinctCodes(of scenarioFunc[scenario.Record]) Spec {
	return spec(rule.ReserveCodeUnique, judgeOnce(of, requireDistinct(codeField, func(e ledger.Entry) string { return e.Code })))
}

// distinctBookings is the spec that no two bookings of a record share an id (CNF-3).
func distinctBookings(of scenarioFunc[scenario.Record]) Spec {
	return spec(rule.ConfirmIDUnique, judgeOnce(of, requireDistinct(bookingField, bookingOf)))
}

// bookingOf returns the booking id of an entry; "" if a code that the partner never returned was confirmed, or one that had
// a booking: that it was is the breach, whichever booking the answer names.
func bookingOf(e ledger.Entry) string {
	if e.Units == nil || e.Further {
		return ""
	}
	return e.BookingID
}

// RecordSpecs returns the specs of the rules about everything that was made in the run. They are
// judged again at the end of the run.
func RecordSpecs() []Spec {
	return []Spec{distinctCodes(scenario.PlayRecord), distinctBookings(scenario.PlayRecord)}
}

// requireDistinct finds two entries of the ledger that share an id.
func requireDistinct(field string, id func(ledger.Entry) string) func(scenario.Record) Finding {
	return func(all scenario.Record) Finding {
		first := map[string]bool{}
		for _, entry := range all.Entries {
			value := id(entry)
			if value != "" && first[value] {
				f := Breach("Expected a unique %s for each, received %q twice", field, value)
				for _, exchange := range all.Exchanges {
					if exchange.Response != nil && strings.Contains(exchange.Response.Body.Text, value) {
						f.Exchanges = append(f.Exchanges, exchange)
					}
				}
				if atOnce(f.Exchanges) {
					f.Message += ", by calls at the same time"
				}
				return f
			}
			first[value] = true
		}
		if len(first) < 2 {
			return Doubt("fewer than two could be made").withRemedy("Offer more bookable slots, or raise --max-holds and --max-bookings.")
		}
		return Finding{}
	}
}

// atOnce reports whether two of the calls were made at the same time.
func atOnce(calls []*report.Exchange) bool {
	for i, call := range calls {
		for _, later := range calls[i+1:] {
			if call.Number != later.Number && later.StartedAt.Before(call.StartedAt.Add(call.Duration)) && call.StartedAt.Before(later.StartedAt.Add(later.Duration)) {
				return true
			}
		}
	}
	return false
}
