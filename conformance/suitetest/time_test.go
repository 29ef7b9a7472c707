package suitetest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/internal/pipetest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// change stands between a run and its partner, and may answer in its place.
type change = func(next http.Handler, w http.ResponseWriter, r *http.Request)

// inBubble judges a mock partner whose answers pass through a change, and hands the result to check.
// Time passes only while everything waits: the contract's own limits apply, however slow the machine is.
func inBubble(t *testing.T, options mockpartner.Options, change change, config suite.Config, check func(t *testing.T, result *report.Result)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		check(t, runInBubble(t.Context(), t, options, change, config))
	})
}

// runInBubble judges that partner in the bubble of its caller.
func runInBubble(ctx context.Context, t *testing.T, options mockpartner.Options, change change, config suite.Config) *report.Result {
	t.Helper()
	mock := mockInBubble(t, options)
	result := judgeInBubble(ctx, t, mock, change, config)
	held := slices.DeleteFunc(mock.Default().Holds(), func(h client.Hold) bool { return h.State != client.Held })
	if len(held) > len(result.NotUndone) {
		t.Errorf("Expected every hold that was left to be listed, received %+v and %+v", held, result.NotUndone)
	}
	return result
}

func mockInBubble(t *testing.T, options mockpartner.Options) *mockpartner.Mock {
	t.Helper()
	time.Sleep(time.Until(began)) // a bubble begins in 2000, whose local times may be of 1999
	options.AuthKey = key
	mock, err := mockpartner.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(mock.Close)
	return mock
}

// judgeInBubble judges a mock partner whose answers pass through a change.
func judgeInBubble(ctx context.Context, t *testing.T, mock *mockpartner.Mock, change change, config suite.Config) *report.Result {
	t.Helper()
	config.Dial = pipetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if change == nil {
			mock.ServeHTTP(w, r)
			return
		}
		change(mock, w, r)
	}))
	config.BaseURL, config.AuthKey = &url.URL{Scheme: "http", Host: "partner.example"}, key
	if config.Depth == "" {
		config.Depth = "quick"
	}
	outcome, err := suite.Run(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	return outcome.Result
}

// began is when the runs in bubbles begin.
var began = time.Date(2026, time.June, 1, 10, 0, 0, 0, time.UTC)

// oneProduct is a catalog whose runs are short.
func oneProduct() *catalog.Catalog { return firstProducts(1) }

func firstProducts(n int) *catalog.Catalog {
	sold := catalog.Default()
	sold.Products = sold.Products[:n]
	return sold
}

// atEndpoint changes the answers of one endpoint.
func atEndpoint(endpoint partnerapi.Endpoint, change change) change {
	return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if partnerapi.EndpointOf(r) == endpoint {
			change(next, w, r)
			return
		}
		next.ServeHTTP(w, r)
	}
}

// delayAnswer lets time pass before each answer.
func delayAnswer(d time.Duration) change {
	return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		time.Sleep(d) // of the bubble
		next.ServeHTTP(w, r)
	}
}

// ignoreRequest never answers.
func ignoreRequest(_ http.Handler, _ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func find(t *testing.T, result *report.Result, id string) report.RuleResult {
	t.Helper()
	i := slices.IndexFunc(result.Rules, func(r report.RuleResult) bool { return r.ID == id })
	if i < 0 {
		t.Fatalf("Expected %s in the report", id)
	}
	return result.Rules[i]
}

// withOutcome returns the ids of the rules with one of the outcomes.
func withOutcome(result *report.Result, outcomes ...report.Outcome) (ids []string) {
	for _, r := range result.Rules {
		if slices.Contains(outcomes, r.Outcome) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

var expiryRules = []string{"reserve.kept-until-expiry", "confirm.expired", "confirm.expired.no-effect", "release.expired.by-itself", "release.expired", "release.expired.vacancies"}

func TestARunWaitsUntilAHoldHasExpired(t *testing.T) {
	t.Parallel()
	var waits atomic.Int64
	config := suite.Config{HandlesTicketDelivery: true, IncludeSlow: true, Waiting: func(time.Time) { waits.Add(1) }}
	inBubble(t, mockpartner.Options{}, nil, config, func(t *testing.T, result *report.Result) {
		if waits.Load() == 0 {
			t.Error("Expected the run to wait")
		}
		for _, id := range expiryRules {
			if r := find(t, result, id); r.Outcome != report.Passed {
				t.Errorf("Expected %s to pass, received %s: %s", id, r.Outcome, r.Message)
			}
		}
	})
}

func TestAnInterruptedWaitJudgesNothingAboutItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		config := suite.Config{HandlesTicketDelivery: true, IncludeSlow: true, Waiting: func(until time.Time) {
			time.AfterFunc(time.Until(until)/2, interrupt)
		}}
		result := runInBubble(ctx, t, mockpartner.Options{}, nil, config)
		for _, id := range expiryRules {
			if r := find(t, result, id); r.Outcome != report.Skipped {
				t.Errorf("Expected %s to be left out, received %s: %s", id, r.Outcome, r.Message)
			}
		}
	})
}

// Seats that were counted minutes before a hold ends say nothing about its last minutes.
func TestAHoldIsNotKeptWhereItsLastMinutesCouldNotBeRead(t *testing.T) {
	t.Parallel()
	var silent atomic.Int64 // from this time on
	config := suite.Config{HandlesTicketDelivery: true, IncludeSlow: true, Waiting: func(until time.Time) {
		silent.Store(until.Add(-4 * time.Minute).UnixNano())
	}}
	unread := atEndpoint(partnerapi.Availability, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if from := silent.Load(); from > 0 && time.Now().UnixNano() > from {
			http.Error(w, "", http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
	inBubble(t, mockpartner.Options{}, unread, config, func(t *testing.T, result *report.Result) {
		if r := find(t, result, "reserve.kept-until-expiry"); r.Outcome != report.Blocked {
			t.Errorf("Expected what was not read to stay open, received %s: %s", r.Outcome, r.Message)
		}
	})
}

func TestHoldsThatExpireWithinAMinuteAreWaitedForWithoutAFlag(t *testing.T) {
	t.Parallel()
	inBubble(t, mockpartner.Options{HoldFor: 45 * time.Second}, nil, suite.Config{HandlesTicketDelivery: true}, func(t *testing.T, result *report.Result) {
		for _, id := range expiryRules {
			if r := find(t, result, id); r.Outcome != report.Passed {
				t.Errorf("Expected %s to pass, received %s: %s", id, r.Outcome, r.Message)
			}
		}
		if took := time.Duration(result.DurationMS) * time.Millisecond; took < 45*time.Second || took > suite.DefaultMaxDuration {
			t.Errorf("Expected the wait within the run's own time, received %s", took)
		}
	})
	inBubble(t, mockpartner.Options{HoldFor: 20 * time.Minute}, nil, suite.Config{}, func(t *testing.T, result *report.Result) {
		if r := find(t, result, "confirm.expired"); r.Outcome != report.Skipped || !strings.Contains(r.Remedy, "--include-slow, which waits about 1200 s") {
			t.Errorf("Expected the flag and the seconds, received %s: %s", r.Outcome, r.Remedy)
		}
	})
}

func TestTheEstimateOfASlowPartnerIsHonest(t *testing.T) {
	t.Parallel()
	skipLongIfShort(t)
	var first suite.Estimate
	run := func(most time.Duration, check func(took time.Duration, c report.Coverage)) {
		config := suite.Config{Depth: "standard", MaxDuration: most, HandlesTicketDelivery: true, Estimating: func(e suite.Estimate) { first = e }}
		inBubble(t, mockpartner.Options{}, delayAnswer(250*time.Millisecond), config, func(_ *testing.T, result *report.Result) {
			check(time.Duration(result.DurationMS)*time.Millisecond, result.Coverage)
		})
	}
	whole := 0
	var share, said float64
	run(0, func(took time.Duration, c report.Coverage) {
		if s := time.Duration(first.Seconds) * time.Second; took < s*3/4 || took > s*5/4 {
			t.Errorf("Expected what was estimated, %q, received %s", first, took)
		}
		said, share = first.Share, float64(c.Calls)
	})
	enough, err := time.ParseDuration(first.MaxDuration)
	if err != nil {
		t.Fatal(err)
	}
	run(enough, func(took time.Duration, c report.Coverage) {
		if s := time.Duration(first.Seconds) * time.Second; first.Share < 1 || took < s*3/4 || took > s*5/4 || c.CasesLeftOut+c.CasesBrief > 0 {
			t.Errorf("Expected the complete plan in %q, received %s and %+v", first, took, c)
		}
		whole = c.Calls
	})
	if share /= float64(whole); said < share-0.1 || said > share+0.1 {
		t.Errorf("Expected %.2f of the plan, as estimated, received %.2f", said, share)
	}
}

func TestMostOfThePlanIsPlayedAtASlowPartner(t *testing.T) {
	t.Parallel()
	skipLongIfShort(t)
	for call, least := range map[time.Duration]float64{100 * time.Millisecond: 0.9, 300 * time.Millisecond: 0.5} {
		inBubble(t, mockpartner.Options{}, delayAnswer(call), suite.Config{Depth: "standard", HandlesTicketDelivery: true}, func(t *testing.T, result *report.Result) {
			if open := withOutcome(result, report.Failed, report.Warned, report.Blocked, report.Inconclusive); len(open) > 0 {
				t.Errorf("Expected every rule to be judged at %s a call, received %q", call, open)
			}
			if c, planned := result.Coverage, plan.Standard.UsualCalls().Calls; float64(c.Calls) < least*float64(planned) || c.CasesLeftOut > 0 {
				t.Errorf("Expected %.0f %% of %d calls at %s a call, received %+v", 100*least, planned, call, c)
			}
		})
	}
}

// Stories of several customers at the same time see each other's holds where slots share their seats.
func TestASlowPartnerWhoseSlotsShareSeatsIsNotAccused(t *testing.T) {
	t.Parallel()
	skipLongIfShort(t)
	options := mockpartner.Options{Variants: []string{"one-pool-for-the-season"}}
	inBubble(t, options, delayAnswer(100*time.Millisecond), suite.Config{Depth: "standard", HandlesTicketDelivery: true}, func(t *testing.T, result *report.Result) {
		if open := withOutcome(result, report.Failed, report.Warned, report.Blocked, report.Inconclusive); len(open) > 0 {
			t.Errorf("Expected every rule to pass, received %q", open)
		}
	})
}

func TestWhatOnlyACaseShowsIsFoundAtASlowPartnerToo(t *testing.T) {
	t.Parallel()
	scenario, err := mockpartner.ParseScenario("three-types.yaml", []byte("quirks: [{on: reserve, takes: all-but-one, if: '.party.types == 3'}]"))
	if err != nil {
		t.Fatal(err)
	}
	inBubble(t, mockpartner.Options{Scenario: scenario}, delayAnswer(100*time.Millisecond), suite.Config{Depth: "standard", HandlesTicketDelivery: true}, func(t *testing.T, result *report.Result) {
		if failed := withOutcome(result, report.Failed); !slices.Equal(failed, []string{"reserve.vacancies.mixed"}) {
			t.Errorf("Expected reserve.vacancies.mixed to fail, received %q", failed)
		}
	})
}

func TestHoldsOfSeveralAreWaitedForToo(t *testing.T) {
	t.Parallel()
	skipLongIfShort(t)
	config := suite.Config{IncludeSlow: true, Depth: "standard", Rules: []string{"confirm.expired"}}
	inBubble(t, mockpartner.Options{Catalog: oneProduct(), HoldFor: 15 * time.Second, Defects: []string{"expired-mixed-party-is-booked"}}, nil, config, func(t *testing.T, result *report.Result) {
		if r := find(t, result, "confirm.expired"); r.Outcome != report.Failed || !strings.Contains(r.Message, " and ") {
			t.Errorf("Expected a booked code of a mixed party, received %s: %s", r.Outcome, r.Message)
		}
	})
}

func TestAPartnerThatTakesTwoSecondsForEveryReserveAndConfirmIsJudgedInFull(t *testing.T) {
	t.Parallel()
	slow := func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if endpoint := partnerapi.EndpointOf(r); endpoint == partnerapi.Reserve || endpoint == partnerapi.Confirm {
			time.Sleep(2 * time.Second) // of the bubble
		}
		next.ServeHTTP(w, r)
	}
	for _, depth := range []string{"quick", "standard"} {
		inBubble(t, mockpartner.Options{}, slow, suite.Config{Depth: depth, HandlesTicketDelivery: true}, func(t *testing.T, result *report.Result) {
			if open := withOutcome(result, report.Failed, report.Blocked, report.Inconclusive); len(open) > 0 {
				t.Errorf("%s: Expected every rule to be judged, received %q", depth, open)
			}
			if took := time.Duration(result.DurationMS) * time.Millisecond; took > 3*time.Minute {
				t.Errorf("%s: Expected an end within the contract's 3 minutes, received %s", depth, took)
			}
			if c := result.Coverage; depth == "standard" && c.CasesLeftOut == 0 {
				t.Error("Expected some cases of the plan left out")
			}
		})
	}
}

func TestRandomLifecyclesEndInTimeAtASlowPartner(t *testing.T) {
	t.Parallel()
	config := suite.Config{LabelFilter: "availability.lifecycle", Explore: suite.MostLifecycles, Seed: 1, MaxDuration: 30 * time.Second}
	inBubble(t, mockpartner.Options{}, delayAnswer(50*time.Millisecond), config, func(t *testing.T, result *report.Result) {
		if took := time.Duration(result.DurationMS) * time.Millisecond; took > time.Minute {
			t.Errorf("Expected an end soon after 30 s, received one after %s", took)
		}
	})
}

func TestARunThatUsesItsTimeUpSaysSoAndIsIncomplete(t *testing.T) {
	t.Parallel()
	inBubble(t, mockpartner.Options{}, atEndpoint(partnerapi.Reserve, delayAnswer(2*time.Second)), suite.Config{MaxDuration: 10 * time.Second}, func(t *testing.T, result *report.Result) {
		if result.Verdict != report.Incomplete || !strings.Contains(result.Reason, "--max-duration") {
			t.Errorf("Expected an incomplete run because of --max-duration, received %s because %q", result.Verdict, result.Reason)
		}
	})
}

// One slow answer is bad luck (LIM-3), whichever call it is.
func TestAPartnerThatTurnsCallsAwayIsNotAccusedOfIt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takes int64 // calls at the same time
		want  report.Outcome
	}{
		"all but one: they never met": {1, report.Inconclusive},
		"some: enough of them met":    {4, report.Passed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var within atomic.Int64
			turnsAway := func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				if partnerapi.EndpointOf(r) == partnerapi.Availability || partnerapi.EndpointOf(r) == partnerapi.Products {
					next.ServeHTTP(w, r)
					return
				}
				defer within.Add(-1)
				if within.Add(1) > test.takes {
					w.WriteHeader(http.StatusTooManyRequests)
					return
				}
				time.Sleep(150 * time.Millisecond) // of the bubble, so that all calls of a race meet
				next.ServeHTTP(w, r)
			}
			config := suite.Config{LabelFilter: `/\.race$/`, HandlesTicketDelivery: true}
			inBubble(t, mockpartner.Options{}, turnsAway, config, func(t *testing.T, result *report.Result) {
				for _, id := range []string{"reserve.race", "confirm.race", "release.race", "cancel.race"} {
					got := find(t, result, id)
					if test.want == report.Passed && got.Outcome == report.Inconclusive && strings.Contains(got.Message, "429") {
						continue // in its one round it was a call that had to meet the others
					}
					if got.Outcome != test.want || test.want == report.Inconclusive && !strings.Contains(got.Message, "429") {
						t.Errorf("Expected %s %s, received %s: %s", id, test.want, got.Outcome, got.Message)
					}
				}
			})
		})
	}
}

func TestASingleLateAnswerIsAWarningAtMost(t *testing.T) {
	t.Parallel()
	for endpoint, calls := range map[partnerapi.Endpoint][]int64{
		partnerapi.Products: {1, 4}, partnerapi.Availability: {1, 5}, partnerapi.Reserve: {1, 2, 4, 7}, partnerapi.Confirm: {1, 2, 3, 5}, partnerapi.Release: {1}, partnerapi.Cancel: {1},
	} {
		for _, late := range calls {
			t.Run(fmt.Sprintf("%s, call %d", endpoint, late), func(t *testing.T) {
				t.Parallel()
				var call atomic.Int64
				inBubble(t, mockpartner.Options{Catalog: oneProduct()}, atEndpoint(endpoint, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
					if call.Add(1) == late {
						ignoreRequest(next, w, r)
						return
					}
					next.ServeHTTP(w, r)
				}), suite.Config{}, func(t *testing.T, result *report.Result) {
					if failed := withOutcome(result, report.Failed); len(failed) > 0 {
						t.Errorf("Expected no failure, received %q", failed)
					}
					if limit := find(t, result, string(endpoint)+".limit"); limit.Outcome != report.Warned || len(limit.Exchanges) != 1 {
						t.Errorf("Expected a warning with the one late call, received %s and %d exchanges", limit.Outcome, len(limit.Exchanges))
					}
				})
			})
		}
	}
}

func TestAnswersBeyondTheLimitAreOneFindingAtEveryEndpoint(t *testing.T) {
	t.Parallel()
	for _, action := range []string{
		"delay: 1m", "delay: {dribble: {chunks: 2, over: 1m}}", "slow_header: {over: 1m}", "slow_close: {delay: 1m}",
	} {
		for _, endpoint := range partnerapi.Endpoints() {
			t.Run(string(endpoint)+" "+action, func(t *testing.T) {
				t.Parallel()
				scenario, err := mockpartner.ParseScenario("fault.yaml", fmt.Appendf(nil, "faults:\n  - match: {endpoint: %s}\n    when: after\n    %s\n", endpoint, action))
				if err != nil {
					t.Fatal(err)
				}
				inBubble(t, mockpartner.Options{Catalog: oneProduct(), Scenario: scenario}, nil, suite.Config{}, func(t *testing.T, result *report.Result) {
					if failed, want := withOutcome(result, report.Failed), []string{string(endpoint) + ".limit"}; !slices.Equal(failed, want) {
						t.Errorf("Expected %q to fail, received %q", want, failed)
					}
				})
			})
		}
	}
}

func TestALateAnswerToBadInputIsNoBreachOfALimit(t *testing.T) {
	t.Parallel()
	odd := func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if strings.Contains(string(body), "2030-0") {
			ignoreRequest(next, w, r)
			return
		}
		next.ServeHTTP(w, r)
	}
	config := suite.Config{LabelFilter: "/bad-input|availability/"}
	inBubble(t, mockpartner.Options{}, atEndpoint(partnerapi.Availability, odd), config, func(t *testing.T, result *report.Result) {
		if r := find(t, result, "availability.bad-input"); r.Outcome != report.Warned || len(r.Exchanges) > 4 {
			t.Errorf("Expected a few calls without an answer, and no further ones, received %s with %d calls", r.Outcome, len(r.Exchanges))
		}
		for _, id := range []string{"availability.limit", "availability.aim"} {
			if r := find(t, result, id); r.Outcome != report.Passed {
				t.Errorf("Expected %s to pass, received %s: %s", id, r.Outcome, r.Message)
			}
		}
		for _, l := range result.Latency {
			if l.OverHealthy != 0 {
				t.Errorf("Expected no call that the marketplace would give up, received %+v", l)
			}
		}
	})
}

// A booking would keep its seats when the hold's code is released, and so does a release that returns none.
func TestAReleaseThatReturnsNoSeatsIsNotBlamedOnAConfirmWithAWrongKey(t *testing.T) {
	t.Parallel()
	skipLongIfShort(t)
	for seed, sold := range map[uint64]*catalog.Catalog{1: catalog.Default(), 2: firstProducts(2), 3: firstProducts(2)} { // they decide what is played where
		inBubble(t, mockpartner.Options{Defects: []string{"release-gives-nothing-back"}, Seed: seed, Catalog: sold}, nil, suite.Config{Depth: "standard"}, func(t *testing.T, result *report.Result) {
			failed := withOutcome(result, report.Failed)
			if !slices.Contains(failed, "release.vacancies.one") || slices.Contains(failed, "confirm.auth.no-effect") {
				t.Errorf("Expected release.vacancies.one to fail, and not the rule about wrong keys, received %q", failed)
			}
		})
	}
}
