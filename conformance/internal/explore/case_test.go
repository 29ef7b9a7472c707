package explore_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/explore"
	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/pipetest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// atMock calls play with a player at the mock partner whose scenario that is, in a bubble, where time passes only while everything waits.
func atMock(t *testing.T, script string, change func(next http.Handler) http.Handler, play func(t *testing.T, p *scenario.Player)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		options := mockpartner.Options{AuthKey: "a-test-key"}
		if script != "" {
			read, err := mockpartner.ParseScenario("scenario.yaml", []byte(script))
			if err != nil {
				t.Fatal(err)
			}
			options.Scenario = read
		}
		mock, err := mockpartner.New(options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(mock.Close)
		var handler http.Handler = mock
		if change != nil {
			handler = change(mock)
		}
		client := probe.NewClient(probe.Config{
			BaseURL: &url.URL{Scheme: "http", Host: "partner.example"}, AuthType: partnerapi.Bearer, AuthKey: "a-test-key", Dial: pipetest.Serve(t, handler),
		})
		t.Cleanup(client.Close)
		fields := judge.NewFields(client.Redactor().Redact)
		play(t, scenario.NewPlayer(scenario.Config{
			Client: client, Ledger: ledger.New(), Clock: partner.NewClock("", nil, nil), Time: partner.NewTime(context.Background(), time.Hour),
			Bounds: scenario.Bounds{MaxHolds: 500, MaxBookings: 200}, LimitScale: 1, Observer: fields, Depth: plan.Standard,
		}))
		if broken := mock.Default().Invariants(); script == "" && len(broken) > 0 {
			t.Errorf("Expected the mock's ledger to agree, received %v", broken)
		}
	})
}

// newJudge judges by every rule about holds and bookings.
func newJudge() trace.Judge {
	return judge.NewLifecycle(judge.Given{}, func(rule.Rule) bool { return false }, func(rule.Rule, string) {})
}

// casesOf returns the cases of the plan.
func casesOf(t *testing.T, p *scenario.Player) []plan.Case {
	t.Helper()
	cases := scenario.PlayCases(t.Context(), p)
	if len(cases) < 10 {
		t.Fatalf("Expected cases, received %d", len(cases))
	}
	return cases
}

func TestTheStoryOfEachCaseHoldsAtTheReferencePartner(t *testing.T) {
	t.Parallel()
	atMock(t, "", nil, func(t *testing.T, p *scenario.Player) {
		for _, c := range casesOf(t, p)[:8] {
			if played := explore.PlayCase(t.Context(), p, &c, newJudge); played.Flaw != "" || played.Doubtful {
				t.Errorf("%s: Expected no breach, received %q", &c, played.Flaw)
			}
		}
		for _, entry := range p.Ledger.Entries() {
			if entry.MayHold() {
				t.Errorf("Expected everything undone, received %+v", entry)
			}
		}
	})
}

// findMixed returns a case for guests of several types.
func findMixed(t *testing.T, p *scenario.Player) plan.Case {
	t.Helper()
	cases := casesOf(t, p)
	i := slices.IndexFunc(cases, func(c plan.Case) bool { return len(c.Units) == 3 })
	if i < 0 {
		t.Fatal("Expected a case for guests of three types")
	}
	return cases[i]
}

const lastTypeTakesNoSeat = "quirks: [{on: reserve, takes: all-but-one, if: '.party.types == 3'}]"

func TestAStoryThatBreaksIsPlayedUntilOtherCustomersAreUnlikely(t *testing.T) {
	t.Parallel()
	atMock(t, lastTypeTakesNoSeat, nil, func(t *testing.T, p *scenario.Player) {
		c := findMixed(t, p)
		before := p.Client.Calls()
		played := explore.PlayCase(t.Context(), p, &c, newJudge)
		if played.Rule.ID != rule.ReserveVacanciesMixed.ID || !strings.Contains(played.Flaw, "reserve") {
			t.Fatalf("Expected %s to be broken, received %s: %q", rule.ReserveVacanciesMixed.ID, played.Rule.ID, played.Flaw)
		}
		reserves := 0
		for _, x := range p.Client.Exchanges()[before:] {
			if x.Endpoint == partnerapi.Reserve {
				reserves++
			}
		}
		if reserves < 2 || len(played.Shown) == 0 || played.Effect != "" {
			t.Errorf("Expected it played again, with its calls as evidence, received %d reserves and %d calls", reserves, len(played.Shown))
		}
	})
}

func TestARefusedReserveWithAnotherBodyIsABreachWhereTheSamePartyIsTaken(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, refused, want string }{
		{"fields that the contract does not name", `has("notInTheContract")`, rule.ReserveAccepts.ID},
		{"parties of more than one, with any body", `([.units[].quantity] | add) > 1`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			script := "faults: [{match: {endpoint: reserve, body: 'type == \"object\" and (" + test.refused + ")'}, status: 400, body: {message: refused}}]"
			atMock(t, script, nil, func(t *testing.T, p *scenario.Player) {
				cases := casesOf(t, p)
				i := slices.IndexFunc(cases, func(c plan.Case) bool { return c.Body == partner.UnnamedFields && !c.IsSmall() })
				if i < 0 {
					t.Fatal("Expected a case for several guests with fields that the contract does not name")
				}
				if played := explore.PlayCase(t.Context(), p, &cases[i], newJudge); played.Rule.ID != test.want || (played.Flaw == "") != (test.want == "") {
					t.Errorf("Expected %q to be broken, received %s: %q", test.want, played.Rule.ID, played.Flaw)
				}
			})
		})
	}
}

func TestABreachThatShowsNowAndThenIsPlayedUntilItShowsAgain(t *testing.T) {
	t.Parallel()
	atMock(t, "quirks: [{on: confirm, takes: all, if: .count % 3 == 0}]", nil, func(t *testing.T, p *scenario.Player) {
		var found []string
		for _, c := range casesOf(t, p)[:8] {
			if played := explore.PlayCase(t.Context(), p, &c, newJudge); played.Flaw != "" {
				found = append(found, played.Rule.ID)
			}
		}
		if !slices.Contains(found, rule.ConfirmVacancies.ID) {
			t.Errorf("Expected %s to be broken at every third confirm, received %q", rule.ConfirmVacancies.ID, found)
		}
	})
}

func TestABreachThatLosesTheSeatsOfItsSlotIsPlayedAgainInAnother(t *testing.T) {
	t.Parallel()
	atMock(t, "quirks: [{on: cancel, gives: none}]", nil, func(t *testing.T, p *scenario.Player) {
		cases := casesOf(t, p)
		i := slices.IndexFunc(cases, func(c plan.Case) bool {
			left := c.Offer.Slot.Seats(c.Offer.Product)
			return !c.HoldOnly && left.Counted && left.Left < 2*c.Guests()
		})
		if i < 0 {
			t.Fatal("Expected a case that takes most seats of its slot")
		}
		c, slot := cases[i], cases[i].Offer.Key()
		played := explore.PlayCase(t.Context(), p, &c, newJudge)
		if played.Rule.ID != rule.CancelVacancies.ID {
			t.Errorf("Expected %s to be broken, received %s: %q", rule.CancelVacancies.ID, played.Rule.ID, played.Flaw)
		}
		if c.Offer.Key() == slot {
			t.Errorf("Expected the case in the slot that shows the breach, received the first, %s", c.Offer.Slot.ID)
		}
	})
}

func TestAStoryThatBreaksBesideOthersIsDoubtful(t *testing.T) {
	t.Parallel()
	atMock(t, lastTypeTakesNoSeat, nil, func(t *testing.T, p *scenario.Player) {
		c, left := findMixed(t, p), 1
		p.Calls.Interleave(2, func() func() {
			if left--; left < 0 {
				return nil
			}
			return func() {
				if played := explore.PlayCase(t.Context(), p, &c, newJudge); !played.Doubtful || played.Flaw != "" {
					t.Errorf("Expected no verdict while others may be the cause, received %q", played.Flaw)
				}
			}
		})
	})
}

// Another customer takes a seat between two readings, once.
func TestASeatThatAnotherCustomerTookIsNoBreach(t *testing.T) {
	t.Parallel()
	var reads, stolen atomic.Int64
	steal := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if partnerapi.EndpointOf(r) == partnerapi.Reserve && reads.Add(1) == 2 {
				stolen.Add(1)
				next.ServeHTTP(w, r.Clone(r.Context()))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	atMock(t, "", steal, func(t *testing.T, p *scenario.Player) {
		cases := casesOf(t, p)
		if played := explore.PlayCase(t.Context(), p, &cases[0], newJudge); played.Flaw != "" {
			t.Errorf("Expected no breach, received %q", played.Flaw)
		}
	})
}

func TestAWrongKeyThatHasAnEffectIsNamed(t *testing.T) {
	t.Parallel()
	atMock(t, "", acceptsAnyKey(partnerapi.Release), func(t *testing.T, p *scenario.Player) {
		cases := casesOf(t, p)
		i := slices.IndexFunc(cases, func(c plan.Case) bool { return c.Offer.Slot.Seats(c.Offer.Product).Counted && c.Number > 2 })
		played := explore.PlayCase(t.Context(), p, &cases[i], newJudge)
		if played.Flaw == "" {
			t.Error("Expected a release with a wrong key to break a rule")
		}
	})
}

// acceptsAnyKey makes an endpoint serve any caller.
func acceptsAnyKey(endpoint partnerapi.Endpoint) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if partnerapi.EndpointOf(r) == endpoint {
				r.Header.Set("Authorization", "Bearer a-test-key")
			}
			next.ServeHTTP(w, r)
		})
	}
}

func TestLifecyclesOfSeveralHoldsHoldAtTheReferencePartner(t *testing.T) {
	t.Parallel()
	atMock(t, "", nil, func(t *testing.T, p *scenario.Player) {
		casesOf(t, p) // the catalog and the slots are known
		together := explore.PlayTogether(t.Context(), p, newJudge)
		if together.Broken != nil || len(together.Offers) < 3 {
			t.Errorf("Expected lifecycles of several options, and no breach, received %+v of %d", together.Broken, len(together.Offers))
		}
	})
}

func TestASeatThatALifecycleOfSeveralLosesIsFound(t *testing.T) {
	t.Parallel()
	atMock(t, "quirks: [{on: release, gives: one, if: '.party.guests > 1'}]", nil, func(t *testing.T, p *scenario.Player) {
		casesOf(t, p)
		if together := explore.PlayTogether(t.Context(), p, newJudge); together.Broken == nil || together.Does == "" || len(together.Shown) == 0 {
			t.Errorf("Expected the lifecycle that shows it, received %+v", together)
		}
	})
}

// Several lifecycles are played at the same time then. One that fails is played again by itself, and the others still follow.
func TestALifecycleThatFailsBesideOthersEndsNoneOfThem(t *testing.T) {
	t.Parallel()
	slow := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(2 * time.Second) // of the bubble
			next.ServeHTTP(w, r)
		})
	}
	for script, broken := range map[string]bool{"quirks: [{on: release, gives: one, if: '.party.guests > 1'}]": true, "": false} {
		atMock(t, script, slow, func(t *testing.T, p *scenario.Player) {
			casesOf(t, p)
			if p.StoriesAtOnce() < 2 {
				t.Fatal("Expected a partner so slow that stories are played at the same time")
			}
			if together := explore.PlayTogether(t.Context(), p, newJudge); (together.Broken != nil) != broken || len(together.Offers) < 3 {
				t.Errorf("Expected a breach, %t, received %+v in slots of %d options", broken, together.Broken, len(together.Offers))
			}
		})
	}
}

func TestACaseIsPlayedInItsOwnSlot(t *testing.T) {
	t.Parallel()
	atMock(t, "", nil, func(t *testing.T, p *scenario.Player) {
		c := casesOf(t, p)[3]
		explore.PlayCase(t.Context(), p, &c, newJudge)
		for _, entry := range p.Ledger.Entries() {
			if of := ledger.SlotOf(discover.Offer{Product: c.Offer.Product, Option: c.Offer.Option, Slot: c.Offer.Slot}); entry.Slot != of && entry.Units != nil {
				t.Errorf("Expected holds of %+v, received %+v", of, entry.Slot)
			}
		}
	})
}
