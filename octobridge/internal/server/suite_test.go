package server_test

import (
	"net/url"
	"os"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
)

// isLong reports whether the long forms of the tests run: `make bridge`.
func isLong() bool { return os.Getenv("BRIDGE") != "" }

// judge runs the conformance suite against a bridge: by all rules, or by these.
func judge(t *testing.T, b *bridge, depth string, rules ...string) *report.Result {
	t.Helper()
	address, err := url.Parse(b.url)
	check(t, err)
	outcome, err := suite.Run(t.Context(), suite.Config{
		BaseURL: address, AuthKey: key, HandlesTicketDelivery: true, ClockURL: b.mock.URL + "/_mock/clock", Depth: depth, Rules: rules,
	})
	check(t, err)
	return outcome.Result
}

func isBreach(o report.Outcome) bool { return o == report.Failed || o == report.Warned }

func TestABridgeToAnOCTOSupplierIsConformant(t *testing.T) {
	t.Parallel()
	depth := "quick"
	if isLong() {
		depth = "standard"
	}
	b := start(t, options{mock: mockpartner.Options{Seed: 7}})
	result := judge(t, b, depth)
	for _, r := range result.Rules {
		switch r.Outcome {
		case report.Passed, report.NotApplicable, report.Skipped: // webhooks and random lifecycles
		default:
			t.Errorf("%s %s: %s", r.ID, r.Outcome, r.Message)
		}
	}
	if result.Summary[report.Passed] < 190 || isLong() && result.Verdict != report.Conformant {
		t.Errorf("want it judged by every rule that applies, got %v: %s %s", result.Summary, result.Verdict, result.Reason)
	}
	t.Logf("%s: %d calls, %d holds, %d bookings, %v", depth, result.Coverage.Calls, result.Coverage.Holds, result.Coverage.Bookings, result.Summary)
	requireNothingLeft(t, b)
}

// requireNothingLeft expects that a run has undone everything, and that no seat is lost.
func requireNothingLeft(t *testing.T, b *bridge) {
	t.Helper()
	box := b.mock.Default()
	for _, violation := range box.Invariants() {
		t.Errorf("%s: %s: %s", violation.Invariant, violation.Subject, violation.Message)
	}
	for _, hold := range box.Holds() {
		if hold.State == client.Held {
			t.Errorf("the hold %s was left", hold.Code)
		}
	}
	for _, booked := range box.Bookings() {
		if booked.State != client.Cancelled {
			t.Errorf("the booking %s was left", booked.ID)
		}
	}
}

// What a supplier does with seats, holds and time reaches the marketplace through a bridge, and the suite
// finds it as without one. The first few run in `make test`.
var found = []string{
	"release-gives-one-seat-back", "closed-slot-is-held", "cancel-keeps-the-seats", "hold-takes-a-seat-too-many",
	// The others run in `make bridge`.
	"age-range-upside-down", "available-without-vacancies", "booking-is-pending", "cancel-does-nothing", "cancel-fails",
	"cancel-gives-seats-back-twice", "cancel-of-last-option-keeps-the-seats", "confirm-demands-contact", "confirm-fails-once-done",
	"confirm-gives-seats-back", "confirm-of-last-option-gives-seats-back", "confirm-takes-seats-again", "expired-seats-are-lost",
	"expired-seats-come-back-with-the-release-alone", "freesale-with-vacancies", "full-slot-stays-shut",
	"guest-with-an-emoji-cannot-be-booked", "hold-fails", "hold-of-five-minutes", "hold-takes-no-seats", "hold-takes-no-seats-in-last-option",
	"hold-takes-seats-late", "hold-takes-seats-of-the-next-slot", "holds-never-expire", "last-option-cannot-be-held",
	"long-window-without-its-end", "more-vacancies-than-capacity", "nothing-can-be-held", "only-first-guest-type-counts", "option-ids-drift",
	"option-listed-twice", "oversold-under-load", "party-larger-than-the-slot-is-held", "party-takes-one-seat", "precision-not-the-currencys",
	"product-ids-drift", "product-listed-twice", "refusal-takes-seats", "release-does-nothing", "release-gives-nothing-back",
	"release-gives-seats-back-late", "release-gives-seats-back-twice", "release-gives-seats-of-the-next-slot-back",
	"release-of-last-option-gives-nothing-back", "slot-ends-as-it-starts", "slot-ids-drift", "slot-ids-drift-from-day-50", "slot-ids-shared",
	"slot-outside-the-window", "slots-of-one-option-fail", "sold-out-slot-is-held", "sold-out-with-vacancies", "unit-ids-drift",
	"window-without-its-end",
}

const inMakeTest = 4

func TestDefectsOfTheSupplierAreFoundBehindTheBridge(t *testing.T) {
	t.Parallel()
	rules := map[string]string{}
	for _, d := range mockpartner.Defects() {
		rules[d.Name] = d.Rule
	}
	for i, name := range found {
		t.Run(name, func(t *testing.T) {
			if i >= inMakeTest && !isLong() {
				t.Skip("make bridge does this")
			}
			t.Parallel()
			b := start(t, options{mock: mockpartner.Options{Seed: 7, Defects: []string{name}}})
			own := false
			for _, r := range judge(t, b, "quick", rules[name]).Rules {
				switch {
				case !isBreach(r.Outcome):
				case r.ID == rules[name]:
					own = true
				default:
					t.Errorf("%s %s: %s", r.ID, r.Outcome, r.Message)
				}
			}
			if !own {
				t.Errorf("want %s found broken", rules[name])
			}
		})
	}
}
