package judge_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/judge"
)

// check ends the test on an error.
var check = errtest.Check

// caseOf is a case of exchanges, each an hour after the last, in both times.
func caseOf(t *testing.T, exchanges ...client.Exchange) judge.Case {
	t.Helper()
	index, err := catalog.DefaultIndex()
	check(t, err)
	now := noon
	for i := range exchanges {
		e := &exchanges[i]
		e.Number, e.Authorized, e.Arrived = uint64(i+1), true, now
		if e.At.IsZero() {
			e.At = now
		}
		e.Request.Header = http.Header{"Content-Type": {"application/json"}}
		now = now.Add(time.Hour)
	}
	return judge.Case{Record: journal.Record{Exchanges: exchanges}, Catalog: index, Form: "Bearer <key>", Now: now, Real: now}
}

func answeredExchange(method, target, request, answer string, after time.Duration) client.Exchange {
	return client.Exchange{
		Method: method, Target: target, Request: client.Message{Body: client.Body(request)},
		Done: true, Delivered: true, Status: 200, Answer: client.Message{Body: client.Body(answer)}, Duration: client.Milliseconds(after),
	}
}

func abandonedExchange(method, target, request string, after time.Duration) client.Exchange {
	e := answeredExchange(method, target, request, "", after)
	e.Delivered, e.Status = false, 0
	e.LeftAfter = new(client.Milliseconds(after))
	return e
}

func TestACallerWaitsUntilTheLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		exchange client.Exchange
		want     client.Outcome
	}{
		"left at the limit":        {abandonedExchange("POST", "/bookings/confirm", confirmBody("x"), 5*time.Second), client.Kept},
		"left a little before":     {abandonedExchange("POST", "/bookings/confirm", confirmBody("x"), 4900*time.Millisecond), client.Kept},
		"left early":               {abandonedExchange("POST", "/bookings/confirm", confirmBody("x"), 4*time.Second), client.Broken},
		"a pull has more time":     {abandonedExchange("GET", "/products", "", 5*time.Second), client.Broken},
		"the probe has less":       {abandonedExchange("GET", "/products?limit=1", "", 5*time.Second), client.Kept},
		"waited for a late answer": {answeredExchange("DELETE", "/bookings/x", "", "", 9900*time.Millisecond), client.Kept},
		"an immediate answer":      {answeredExchange("DELETE", "/bookings/x", "", "", time.Millisecond), client.NotJudged},
	} {
		if got := rule(t, judge.Judge(caseOf(t, c.exchange)), "call.patient"); got.Verdict != c.want {
			t.Errorf("%s: want %s, got %+v", name, c.want, got)
		}
	}
}

func TestConfirmMayBeSentAgainWhereTheAnswerCameTooLate(t *testing.T) {
	t.Parallel()
	reserve := answeredExchange("POST", "/bookings/reserve", party("x", "b-1", two), `{"reservationConfirmationCode":"c","expiresAt":"2026-07-01T14:00:00Z"}`, time.Second)
	confirm := func(after time.Duration) client.Exchange {
		return answeredExchange("POST", "/bookings/confirm", confirmBody("c"), `{"externalBookingId":"x"}`, after)
	}
	underWay := confirm(0)
	underWay.Done, underWay.Delivered = false, false
	// The partner worked on, past the next call.
	leftBehind := abandonedExchange("POST", "/bookings/confirm", confirmBody("c"), 5*time.Second)
	leftBehind.Duration = client.Milliseconds(3 * time.Hour)
	for name, c := range map[string]struct {
		first client.Exchange
		want  client.Outcome
	}{
		"in time":        {confirm(5 * time.Second), client.Broken},
		"late":           {confirm(6 * time.Second), client.Kept},
		"left":           {abandonedExchange("POST", "/bookings/confirm", confirmBody("c"), 5*time.Second), client.Kept},
		"left behind":    {leftBehind, client.Kept},
		"never answered": {underWay, client.Kept},
	} {
		if got := rule(t, judge.Judge(caseOf(t, reserve, c.first, confirm(0))), "confirm.once"); got.Verdict != c.want {
			t.Errorf("%s: want %s, got %+v", name, c.want, got)
		}
	}
	// The mock may notice that the caller has gone only after the next call.
	unnoticed := caseOf(t, reserve, abandonedExchange("POST", "/bookings/confirm", confirmBody("c"), 5*time.Second), confirm(0))
	unnoticed.Exchanges[2].Arrived = unnoticed.Exchanges[1].Arrived.Add(4900 * time.Millisecond)
	if got := rule(t, judge.Judge(unnoticed), "confirm.once"); got.Verdict != client.Kept {
		t.Errorf("want a confirm after the caller left allowed, got %+v", got)
	}
	together := caseOf(t, reserve, underWay, confirm(0))
	together.Exchanges[2].Arrived = together.Exchanges[1].Arrived.Add(time.Second)
	if got := rule(t, judge.Judge(together), "confirm.once"); got.Verdict != client.Broken {
		t.Errorf("want two concurrent confirms held against the caller, got %+v", got)
	}
}

func TestACodeThatIsGivenOutAgainIsAnotherHold(t *testing.T) {
	t.Parallel()
	reserve := func(reference string) client.Exchange {
		return answeredExchange("POST", "/bookings/reserve", party("x", reference, two), `{"reservationConfirmationCode":"c","expiresAt":"2026-07-01T20:00:00Z"}`, time.Second)
	}
	verdict := judge.Judge(caseOf(t,
		reserve("b-1"), answeredExchange("DELETE", "/bookings/c", "", "", 0),
		reserve("b-2"), answeredExchange("POST", "/bookings/confirm", confirmBody("c"), "", 0),
		reserve("b-3"), answeredExchange("POST", "/bookings/confirm", confirmBody("c"), "", 0),
	))
	for _, id := range []string{"confirm.once", "confirm.not-released", "confirm.reserved"} {
		if j := rule(t, verdict, id); j.Verdict != client.Kept {
			t.Errorf("want it kept, got %+v", j)
		}
	}
}

func TestAnAnswerIsKnownOnceItHasCome(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]client.Outcome{time.Second: client.Kept, 2 * time.Hour: client.Broken} {
		verdict := judge.Judge(caseOf(t,
			answeredExchange("POST", "/availability", window(day, day), `[{"id":"slot"}]`, took),
			answeredExchange("POST", "/bookings/reserve", party("slot", "b-1", two), `{"reservationConfirmationCode":"c","expiresAt":"2026-07-01T20:00:00Z"}`, took),
			answeredExchange("POST", "/bookings/confirm", confirmBody("c"), "", 0),
		))
		for _, id := range []string{"reserve.fresh", "confirm.reserved"} {
			if j := rule(t, verdict, id); j.Verdict != want {
				t.Errorf("after %s: want it %s, got %+v", took, want, j)
			}
		}
	}
}

func TestACodeThatLooksLikeAMisspeltOneIsItself(t *testing.T) {
	t.Parallel()
	hold := func(reference, code string) client.Exchange {
		return answeredExchange("POST", "/bookings/reserve", party("x", reference, two), fmt.Sprintf(`{"reservationConfirmationCode":%q,"expiresAt":"2026-07-02T20:00:00Z"}`, code), 0)
	}
	verdict := judge.Judge(caseOf(t, hold("b-1", "a b"), hold("b-2", "a%20b"),
		answeredExchange("DELETE", "/bookings/a%2520b", "", "", 0), answeredExchange("DELETE", "/bookings/a%20b", "", "", 0)))
	if j := rule(t, verdict, "call.escaped"); j.Verdict != client.Kept {
		t.Errorf("want both codes named, got %+v", j)
	}
	if j := rule(t, verdict, "release.owed"); j.Judged != 2 {
		t.Errorf("want both holds released, got %+v", j)
	}
}

func TestAnOptionThatThePartnerStillOffersIsNotUnknown(t *testing.T) {
	t.Parallel()
	e := answeredExchange("POST", "/availability", ask("dinner", day, day, `{"id":"unit-adult","quantity":1}`), "[]", 0)
	if j := rule(t, judge.Judge(caseOf(t, e)), "catalog.known"); j.Verdict != client.Kept {
		t.Errorf("want an option that has left the catalog allowed, got %+v", j)
	}
	e.Faults = []string{"made-up"}
	if j := rule(t, judge.Judge(caseOf(t, e)), "catalog.known"); j.Verdict != client.Broken {
		t.Errorf("want the answer of a fault to prove nothing, got %+v", j)
	}
}

func TestADayMayBeOffByAMinuteAtMidnight(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 7, 1, 15, 0, 0, 0, time.UTC) // in Tokyo
	for off, want := range map[time.Duration]client.Outcome{
		-2 * time.Minute: client.Broken, -30 * time.Second: client.Kept, time.Second: client.Kept, 30 * time.Second: client.Kept,
	} {
		e := answeredExchange("POST", "/availability", window("2026-07-02", "2026-08-31"), "[]", 0)
		e.At = midnight.Add(off)
		if got := rule(t, judge.Judge(caseOf(t, e)), "availability.window"); got.Verdict != want {
			t.Errorf("%s: want %s, got %+v", off, want, got)
		}
	}
}

func TestRetriesAreDueByEitherClock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		now, real time.Duration // since the failure
		want      client.Outcome
	}{
		"neither":             {29 * time.Minute, 29 * time.Minute, client.NotJudged},
		"the sandbox's clock": {31 * time.Minute, 0, client.Broken},
		"real time":           {0, 31 * time.Minute, client.Broken},
	} {
		failed := answeredExchange("DELETE", "/bookings/x", "", "", 0)
		failed.Status = 500
		one := caseOf(t, failed)
		one.Now, one.Real = noon.Add(c.now), noon.Add(c.real)
		if got := rule(t, judge.Judge(one), "release.repeated"); got.Verdict != c.want {
			t.Errorf("%s: want %s, got %+v", name, c.want, got)
		}
	}
}

// A journal whose every exchange breaks rules makes no huge answer.
func TestTheVerdictOfManyBreachesIsBounded(t *testing.T) {
	t.Parallel()
	var slots strings.Builder
	for i := range 300 {
		fmt.Fprintf(&slots, `,{"id":"slot-%d"}`, i)
	}
	shared := client.Body("[" + slots.String()[1:] + "]")
	var exchanges []client.Exchange
	for i := range 300 {
		asked := answeredExchange("POST", "/availability", window(today, lastDay), "", 0)
		asked.Answer.Body = shared
		code, slot := fmt.Sprintf("a/%d", i), "x"
		if i == 0 {
			slot = strings.Repeat("x", 2000)
		}
		exchanges = append(exchanges, asked,
			answeredExchange("POST", "/bookings/reserve", party(slot, "b-1", two), fmt.Sprintf(`{"reservationConfirmationCode":%q}`, code), 0),
			answeredExchange("POST", "/bookings/confirm", confirmBody("c"), "", 0),
			answeredExchange("DELETE", "/bookings/"+code, "", "", 0))
	}
	one := caseOf(t, exchanges...)
	for i := range one.Exchanges {
		one.Exchanges[i].Authorized = false
	}
	verdict := judge.Judge(one)
	text, err := json.Marshal(verdict)
	if err != nil || len(text) > 2<<20 {
		t.Errorf("want at most 2 MB, got %d bytes, %v", len(text), err)
	}
	j := rule(t, verdict, "call.authorized")
	if len(j.Findings) != 20 || j.More != len(exchanges)-20 {
		t.Errorf("want 20 findings and the number of the others, got %d and %d", len(j.Findings), j.More)
	}
	body := rule(t, verdict, "reserve.fresh").Findings[0].Exchanges[0].Request
	if len(body.Body) != 1<<10 || !body.Truncated {
		t.Errorf("want bodies cut, got %d bytes", len(body.Body))
	}
}

func TestEveryRuleCitesClausesOfTheContract(t *testing.T) {
	t.Parallel()
	contract, err := os.ReadFile(sourcetest.Path("docs/contract.md"))
	check(t, err)
	seen := map[string]bool{}
	for _, rule := range judge.Rules() {
		if seen[rule.ID] || rule.Title == "" || rule.Why == "" {
			t.Errorf("want an id of its own, a title and a reason, got %+v", rule)
		}
		seen[rule.ID] = true
		for _, clause := range strings.Split(rule.Clause, ", ") {
			if !strings.Contains(string(contract), "| "+clause+" |") {
				t.Errorf("%s: the contract has no clause %q", rule.ID, clause)
			}
		}
	}
}
