package main_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

func TestAnOptionThatIsRefusedHidesNothingAboutTheOthers(t *testing.T) {
	t.Parallel()
	scenario, err := mockpartner.ParseScenario("refused.yaml", []byte(`faults: [{match: {endpoint: reserve, product: lisbon-walk}, status: 400, body: {message: "Not for you"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	_, address := startMock(t, mockpartner.Options{Scenario: scenario})
	r := judge(t, address, ofMock(address)...)
	for _, one := range r.result.Rules {
		if one.ID != "reserve.accepts" && (one.Outcome == report.Failed || one.Outcome == report.Warned || one.Outcome == report.Blocked) {
			t.Errorf("Expected only reserve.accepts to fail, received %s %s: %s", one.ID, one.Outcome, one.Message)
		}
	}
	found := r.rule(t, "reserve.accepts")
	for _, want := range []string{`product "lisbon-walk"`, "Not for you", "(in 1 of the "} {
		if found.Outcome != report.Failed || !strings.Contains(found.Message, want) {
			t.Errorf("Expected the refused option to fail reserve.accepts with %q, received %s: %s", want, found.Outcome, found.Message)
		}
	}
}

func TestABreachInOneOptionIsToldForThatOptionAndBlocksNothingElsewhere(t *testing.T) {
	t.Parallel()
	scenario, err := mockpartner.ParseScenario("one.yaml", []byte(`faults: [{match: {endpoint: release, product: lisbon-walk}, status: 404}]`))
	if err != nil {
		t.Fatal(err)
	}
	_, address := startMock(t, mockpartner.Options{Scenario: scenario})
	r := judge(t, address, ofMock(address, "--depth", "standard", "--reports", "report.json,junit.xml")...)
	found := r.rule(t, "release.status")
	if broken := found.BrokenOptions(); found.Outcome != report.Failed || len(broken) == 0 || len(broken) == len(found.Options) || slices.ContainsFunc(broken, func(o report.OptionResult) bool { return o.ProductID != "lisbon-walk" || o.Message == "" }) {
		t.Errorf("Expected release.status to fail in the options of lisbon-walk alone, received %s: %+v", found.Outcome, found.Options)
	}
	if blocked := r.outcomes(report.Blocked); len(blocked) > 8 {
		t.Errorf("Expected what release.status blocks to be judged in other options, received %q", blocked)
	}
	if junit := r.files(t)["junit.xml"]; !strings.Contains(junit, "(product lisbon-walk, option small-group)") || strings.Contains(junit, "(product paris-audio, option download)") {
		t.Error("Expected a test case for each option that was judged otherwise than most")
	}
	if !strings.Contains(r.stdout, "(in 2 of ") {
		t.Errorf("Expected the summary to say in how many options, received:\n%s", r.stdout)
	}
}

func TestAPartnerThatTakesNoSmallPartiesIsJudgedByLargerOnes(t *testing.T) {
	t.Parallel()
	for variant, notApplicable := range map[string][]string{
		"parties-of-two-at-least":        {"release.vacancies.one", "reserve.party.outside", "reserve.party.within", "reserve.vacancies.one"},
		"one-product-for-three-at-least": {"reserve.party.outside", "reserve.party.within"}, // no option declares its limits
	} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			_, address := startMock(t, mockpartner.Options{Variants: []string{variant}})
			r := judge(t, address, ofMock(address, "--depth", "quick")...)
			without := r.outcomes(report.NotApplicable)
			slices.Sort(without)
			if other := slices.Concat(r.outcomes(report.Failed), r.outcomes(report.Warned), r.outcomes(report.Blocked), r.outcomes(report.Inconclusive)); len(other) > 0 || !slices.Equal(without, notApplicable) {
				t.Errorf("Expected every rule to be judged but %q, received\n%s", notApplicable, r.notPassed())
			}
		})
	}
}

func TestPartnersThatShareSeatsOrStopSellingEarlyAreNotAccused(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"one-pool-for-the-season", "booking-cut-off-shown-as-open"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			sold := catalog.Default()
			sold.Products = sold.Products[:3]
			_, address := startMock(t, mockpartner.Options{Variants: []string{variant}, Catalog: sold})
			r := judge(t, address, ofMock(address, "--depth", "standard")...)
			for _, one := range r.result.Rules {
				if one.Outcome == report.Failed || one.Outcome == report.Warned {
					t.Errorf("Expected no breach, received %s: %s", one.ID, one.Message)
				}
			}
		})
	}
}

func TestA503OfAnEndpointThatServesOtherCallsMayBeALimit(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	limit := func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if calls.Add(1)%5 == 0 {
			text(http.StatusServiceUnavailable, "application/json", `{"message":"Too busy"}`)(w, r)
			return
		}
		next.ServeHTTP(w, r)
	}
	r := judge(t, serveChanged(t, newMock(t, mockpartner.Options{}), changeEndpoint(partnerapi.Reserve, limit)), "--depth", "quick", "--label", "reserve")
	failed := r.outcomes(report.Failed)
	if len(failed) == 0 {
		t.Fatalf("Expected a breach, received none\n%s", r.notPassed())
	}
	for _, id := range failed {
		if message := r.rule(t, id).Message; !strings.Contains(message, "it must answer 429 with Retry-After") || !strings.Contains(message, "--max-rps 5 or with --no-races") {
			t.Errorf("Expected a hint of a limit on calls, received %s: %s", id, message)
		}
	}
}

func TestSlotsThatCannotBeUsedAreBlamedOnce(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, find, with string) ran {
		t.Helper()
		scenario, err := mockpartner.ParseScenario("slots.yaml", fmt.Appendf(nil, `faults: [{match: {endpoint: availability}, answered: 200, replace: {find: %q, with: %q}}]`, find, with))
		if err != nil {
			t.Fatal(err)
		}
		_, address := startMock(t, mockpartner.Options{Scenario: scenario})
		return judge(t, address)
	}
	t.Run("starts that cannot be read block what needs a slot", func(t *testing.T) {
		t.Parallel()
		r := run(t, `(Start":"[-0-9]+)T`, "$1 ")
		if warned := r.outcomes(report.Warned); len(warned) > 0 {
			t.Errorf("Expected no warning about calls that were not made, received %q", warned)
		}
		if one := r.rule(t, "reserve.status"); one.Outcome != report.Blocked || !strings.Contains(one.Message, "availability.slot.start") {
			t.Errorf("Expected reserve.status to be blocked by availability.slot.start, received %s: %s", one.Outcome, one.Message)
		}
	})
	t.Run("slots of one id are not compared with each other", func(t *testing.T) {
		t.Parallel()
		for _, slot := range run(t, `"id":"[^"]*-([0-9]+)"`, `"id":"$1"`).result.Slots {
			if slot.Differs {
				t.Errorf("Expected no slot to differ, as nothing was held, received %+v", slot)
			}
		}
	})
}

func TestAPartnerWithFewSlotsIsNotTakenForOneWithOtherCustomers(t *testing.T) {
	t.Parallel()
	var slots []string
	for _, at := range []string{"10:00", "12:00", "22:00"} {
		slots = append(slots, fmt.Sprintf(`{at: %q, lasts: 1h, left: [15, 15, 15, 15, 15%s]}`, at, strings.Repeat(", none", 65)))
	}
	scenario, err := mockpartner.ParseScenario("few.yaml", fmt.Appendf(nil, `catalog: {products: [{
  id: soon, internalName: Soon, locale: en, timeZone: Europe/Paris, instantConfirmation: true,
  options: [{id: tour, internalName: Tour, availabilityType: START_TIME, units: [{id: unit-adult, internalName: Adult, type: ADULT, pricingFrom: [{original: 2500, currency: EUR}]}]}],
  schedules: {tour: {calendar: {from: 2026-06-01, days: 70, slots: [%s]}}}}]}
`, strings.Join(slots, ", ")))
	if err != nil {
		t.Fatal(err)
	}
	_, address := startMock(t, mockpartner.Options{Scenario: scenario, Now: time.Date(2026, time.June, 1, 1, 0, 0, 0, time.UTC)})
	r := judge(t, address, ofMock(address, "--depth", "standard")...)
	if open := r.outcomes(report.Inconclusive); r.code != 0 || len(open) > 1 {
		t.Errorf("Expected exit 0 and at most one rule to be inconclusive, received %d, %q", r.code, open)
	}
}
