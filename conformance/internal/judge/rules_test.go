package judge

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// answer is an answer of that status and body; status 0: none came.
func answer(status int, body string) *probe.Answer {
	exchange := &report.Exchange{Response: &report.Response{Status: status, Header: http.Header{"Content-Type": {"application/json"}}}}
	exchange.Response.Body = report.Body{Text: body, Size: int64(len(body))}
	if status == 0 {
		exchange.Response, exchange.Failure = nil, &report.Failure{Kind: report.Reset, Message: "gone"}
	}
	return &probe.Answer{Exchange: exchange, Raw: []byte(body)}
}

// of is what a finding says: its outcome and the beginning of its message.
func finds(t *testing.T, name string, f Finding, outcome report.Outcome, says string) {
	t.Helper()
	if f.Outcome != outcome || !strings.Contains(f.Message, says) {
		t.Errorf("%s: want %q with %q, got %q with %q", name, outcome, says, f.Outcome, f.Message)
	}
}

func TestChecksOfAnAnswerSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		got   *probe.Answer
		check Check
		says  string // "": nothing
	}{
		{"the status", answer(200, ""), Status(ok), ""},
		{"another status", answer(500, ""), Status([]int{200, 201}), "Expected 200 or 201, received 500"},
		{"no answer", answer(0, ""), Status(ok), "no complete answer: gone"},
		{"success", answer(200, `{"success":true}`), Succeed, ""},
		{"no success", answer(200, `{}`), Succeed, "received no value"},
		{"success in words", answer(200, `{"success":"yes"}`), Succeed, "received yes"},
		{"a refusal", answer(400, `{"message":"full"}`), MatchesSchema(schemas.Refusal), ""},
		{"a refusal without words", answer(400, `{}`), MatchesSchema(schemas.Refusal), "message"},
		{"an object", answer(200, `{}`), scenario.NoObject, ""},
		{"a list", answer(200, `[]`), scenario.NoObject, "another JSON value"},
		{"no JSON", answer(200, `{`), scenario.NoObject, "Expected a JSON object"},
	} {
		if got := test.check(test.got); (got == "") != (test.says == "") || !strings.Contains(got, test.says) {
			t.Errorf("%s: want %q, got %q", test.name, test.says, got)
		}
	}
	for declared, want := range map[string]bool{"application/json; charset=utf-8": true, "application/problem+json": true, "text/html": false, "": false} {
		of := answer(200, "{}").Exchange
		of.Response.Header.Set("Content-Type", declared)
		if flaw, judged := declaresJSON(of); !judged || (flaw == "") != want {
			t.Errorf("%q: want JSON %t, got %q", declared, want, flaw)
		}
	}
}

func TestAHoldIsJudgedByItsLifetimeOnlyIfThatCanBeRead(t *testing.T) {
	t.Parallel()
	booking := func(life time.Duration) *scenario.Booking {
		b := &scenario.Booking{}
		b.Hold = &scenario.Hold{Answer: answer(200, ""), Expires: time.Now().Add(life), Life: life}
		return b
	}
	finds(t, "20 minutes", keepsSeats(booking(20*time.Minute)), "", "")
	finds(t, "a partner without holds", keepsSeats(booking(48*time.Hour)), report.NotApplicable, "keeps no seats")
	never := booking(0)
	never.Hold.Expires = time.Time{}
	if f := holdLife(never); f.Outcome != report.Blocked || f.Cause.ID != rule.ReserveExpiresAt.ID {
		t.Errorf("want a hold without expiry to be blocked by the rule about it, got %+v", f)
	}
}

func TestBookingsAreJudgedByTheirAnswers(t *testing.T) {
	t.Parallel()
	made := answer(200, `{"externalBookingId":"b-1","status":"CONFIRMED","productId":"walk"}`)
	finds(t, "the same booking", SameBooking(made, made), "", "")
	finds(t, "another booking", SameBooking(made, answer(200, `{"externalBookingId":"b-2"}`)), report.Failed, `received booking "b-2"`)
	finds(t, "confirmed", Expect(made, Confirmed), "", "")
	finds(t, "pending", Expect(answer(200, `{"status":"PENDING"}`), Confirmed), report.Failed, `received "PENDING"`)
	finds(t, "the hold's product", Expect(made, Echoes("walk", "morning", "s-1")), "", "")
	finds(t, "another product", Expect(answer(200, `{"productId":"boat"}`), Echoes("walk", "", "")), report.Failed, `productId: expected that of the hold, "walk", received "boat"`)
	finds(t, "tickets", hasTickets(&scenario.Booking{Confirm: answer(200, `{"tickets":[{}]}`)}), "", "")
	finds(t, "no tickets", hasTickets(&scenario.Booking{Confirm: made}), report.NotApplicable, "no tickets")
}

func TestABookingTellsNoContactOfAnotherCustomer(t *testing.T) {
	t.Parallel()
	sent := func(body string) *report.Exchange {
		return &report.Exchange{Request: report.Request{Body: report.Body{Text: body}}}
	}
	ana, ben, none := sent(`{"contact":{"emailAddress":"ana@example.com"}}`), sent(`{"contact":{"emailAddress":"ben@example.com"}}`), sent(`{}`)
	for _, test := range []struct {
		about, booking string
		requests       []*report.Exchange
		wrong          bool
	}{
		{"that of the confirm", `{"contact":{"emailAddress":"Ana@example.com "}}`, []*report.Exchange{ana, ben}, false},
		{"that of the reserve", `{"contact":{"emailAddress":"ben@example.com"}}`, []*report.Exchange{ana, ben}, false},
		{"none", `{"contact":{"fullName":"Ana"}}`, []*report.Exchange{ana}, false},
		{"a masked one", `{"contact":{"emailAddress":"a**@example.com"}}`, []*report.Exchange{ana}, false},
		{"one, where none was sent", `{"contact":{"emailAddress":"shop@example.com"}}`, []*report.Exchange{none}, false},
		{"another", `{"contact":{"emailAddress":"carl@example.com"}}`, []*report.Exchange{ana, ben}, true},
	} {
		if flaw := EchoesContact(answer(200, test.booking), test.requests...); (flaw != "") != test.wrong || strings.Contains(flaw, "carl") {
			t.Errorf("%s: received %q", test.about, flaw)
		}
	}
}

func TestIdsThatComeTwiceAreFound(t *testing.T) {
	t.Parallel()
	codes := requireDistinct("code", func(e ledger.Entry) string { return e.Code })
	entries := func(codes ...string) (all scenario.Record) {
		for _, code := range codes {
			all.Entries = append(all.Entries, ledger.Entry{Code: code})
		}
		all.Exchanges = []*report.Exchange{answer(200, "h-1").Exchange, answer(200, "h-2").Exchange}
		return all
	}
	finds(t, "each its own", codes(entries("h-1", "h-2", "")), "", "")
	finds(t, "one only", codes(entries("h-1")), report.Inconclusive, "fewer than two")
	twice := codes(entries("h-1", "h-2", "h-1"))
	finds(t, "one twice", twice, report.Failed, `received "h-1" twice`)
	if len(twice.Exchanges) != 1 {
		t.Errorf("want the answers that mention it, got %d", len(twice.Exchanges))
	}
	made := []partnerapi.UnitQuantity{{ID: "adult", Quantity: 1}}
	bookings := scenario.Record{Entries: []ledger.Entry{{Units: made, BookingID: "b-1"}, {Units: made, BookingID: "b-2"}, {BookingID: "b-1"}}}
	finds(t, "an unknown code that was confirmed", requireDistinct("id", bookingOf)(bookings), "", "")
	bookings.Entries[2].Units, bookings.Entries[2].Further = made, true
	finds(t, "a code that was booked before", requireDistinct("id", bookingOf)(bookings), "", "")
	bookings.Entries[2].Further = false
	finds(t, "two bookings", requireDistinct("id", bookingOf)(bookings), report.Failed, `received "b-1" twice`)
}

func TestTheCatalogsIdsAreComparedInWhateverOrder(t *testing.T) {
	t.Parallel()
	finds(t, "another order", compareIDs("products", []string{"a", "b"}, []string{"b", "a"}), "", "")
	finds(t, "one gone", compareIDs("products", []string{"a", "b"}, []string{"a"}), report.Failed, `"b" is missing`)
	finds(t, "one new", compareIDs("products", []string{"a"}, []string{"a", "b"}), report.Failed, `"b" is new`)
	finds(t, "one changed", compareIDs("products", []string{"a"}, []string{"b"}), report.Failed, `received "b" in place of "a"`)
	v := &scenario.Survey{Products: []discover.Product{{ID: "a"}, {ID: ""}, {ID: ""}, {ID: "a"}}}
	finds(t, "one twice", uniqueProducts(v), report.Failed, `products[3].id: expected a unique id, received that of products[0], "a"`)
	v.Products = []discover.Product{{ID: "a", Options: []discover.Option{{Units: []discover.Unit{{ID: "child"}}}}}}
	finds(t, "no adult", eachOption(withoutAdult)(v), report.Failed, "products[0].options[0]: expected a unit")
}

func TestNonsenseIsRefusedOrIgnored(t *testing.T) {
	t.Parallel()
	unusual := func(answer *probe.Answer, held bool) scenario.MalformedRequest {
		return scenario.MalformedRequest{What: "no guests", Answer: answer, Held: held}
	}
	finds(t, "refused", bearsAll([]scenario.MalformedRequest{unusual(answer(400, ""), false), unusual(answer(200, ""), false)}), "", "")
	crash := bearsAll([]scenario.MalformedRequest{unusual(answer(500, ""), false), unusual(answer(0, ""), false)})
	finds(t, "a crash", crash, report.Failed, "no guests: expected a 4xx, or nothing done, received 500")
	if len(crash.Problems) != 2 || len(crash.Exchanges) != 2 {
		t.Errorf("want both problems with their answers, got %q", crash.Problems)
	}
	finds(t, "held", partiesHoldNothing(&scenario.BadParties{Parties: []scenario.MalformedRequest{unusual(answer(200, ""), true)}}), report.Failed, ": expected a refusal, received a hold")
	finds(t, "not sent", partiesHoldNothing(&scenario.BadParties{Opening: scenario.Opening{Stop: partner.NewStop("no slot")}}), report.Inconclusive, "no slot")
}

func TestLimitsAreJudgedOverAllCalls(t *testing.T) {
	t.Parallel()
	late := []*report.Exchange{answer(200, "").Exchange}
	finds(t, "in time", inTime(scenario.AnswerTimes{Limit: time.Second, Times: []time.Duration{1}}), "", "")
	finds(t, "one late", inTime(scenario.AnswerTimes{Limit: time.Second, Times: []time.Duration{2 * time.Second}, Late: late}), report.Warned, "1 of 1 calls took longer, the worst 2s")
	finds(t, "broken", inTime(scenario.AnswerTimes{Broken: stop(partner.Late, partnerapi.Reserve, partner.Usual)}), report.Failed, "stopped")
	finds(t, "no call", inTime(scenario.AnswerTimes{}), report.Inconclusive, "no call was answered")
	typed := answer(200, `{}`)
	typed.Endpoint = partnerapi.Reserve
	all := scenario.Record{Exchanges: []*report.Exchange{typed.Exchange}}
	finds(t, "JSON", judgeContentType(partnerapi.Reserve)(all), "", "")
	finds(t, "none", judgeContentType(partnerapi.Cancel)(all), report.Inconclusive, "no answer of this endpoint")
	typed.Response.Header.Set("Content-Type", "text/plain")
	finds(t, "text", judgeContentType(partnerapi.Reserve)(all), report.Failed, `received "text/plain"`)
}

func TestRacesAreJudgedByTheirAnswersAndByTheSeats(t *testing.T) {
	t.Parallel()
	held := func(code string) *probe.Answer {
		return answer(200, `{"reservationConfirmationCode":"`+code+`","expiresAt":"2026-07-01T10:20:00Z"}`)
	}
	released := func(status int) *probe.Answer {
		a := answer(status, `{"success":true}`)
		a.Endpoint = partnerapi.Release
		return a
	}
	attempt := func(code string, answer *probe.Answer, ms int) *scenario.Hold {
		if code != "" {
			answer = held(code)
		}
		answer.Endpoint = partnerapi.Reserve
		answer.StartedAt, answer.Duration = time.Unix(0, 0).Add(time.Duration(ms)*time.Millisecond), 10*time.Millisecond
		return &scenario.Hold{Code: code, Answer: answer, Guests: 1}
	}
	pair := func(of *scenario.Hold) *scenario.Hold { of.Guests = 2; return of }
	full := answer(400, `{"message":"full"}`)
	race := func(left int64, attempts ...*scenario.Hold) Try {
		return lastSeats(&scenario.LastSeats{Party: 1, Scarce: lookAt(0, 1), Full: lookAt(100, left), Attempts: attempts})
	}
	for _, test := range []struct {
		name string
		got  Try
		flaw string
		sure bool
	}{
		{"one seat, one hold", race(0, attempt("a", nil, 10), attempt("", full, 10)), "", false},
		{"one seat, two holds", race(0, attempt("a", nil, 10), attempt("b", nil, 10)), "expected 1 hold and 0 left, received 2 holds and 0 left", false},
		{"a code twice", race(0, attempt("a", nil, 10), attempt("a", nil, 10)), `received "a" again`, true},
		{"a hold without a code", race(0, attempt("a", nil, 10), attempt("", answer(200, "{}"), 10)), "reservationConfirmationCode: expected one, received none", true},
		{"two seats, parties of two, and only refusals", lastSeats(&scenario.LastSeats{
			Party: 2, Scarce: lookAt(0, 2), Full: lookAt(100, 2), Attempts: []*scenario.Hold{pair(attempt("", full, 10)), pair(attempt("", full, 20))},
		}), "Expected a hold for 2 guests, with 2 seats left; received only refusals", false},
		{"a crash", race(0, attempt("a", nil, 10), attempt("", answer(500, ""), 10)), "received 500", true},
		{"two releases, of which one fails", releasedTwice(&scenario.LastSeats{
			Full: lookAt(0, 0), Swapped: lookAt(100, 1), Look: lookAt(50, 1), Releases: []*probe.Answer{released(200), released(404)},
		}), "Expected 200, received 404", true},
		{"two confirms, after which the seats could not be read", confirmedTwice(&scenario.Twice{
			Opening: scenario.Opening{Stop: partner.NewStop("turned away")}, Confirms: []*probe.Answer{answer(200, ""), answer(200, "")},
		}), "", false},
		{"two cancellations, after which the seats could not be read", cancelledTwice(&scenario.Twice{
			Opening: scenario.Opening{Stop: partner.NewStop("turned away")}, Cancels: []*probe.Answer{answer(200, ""), answer(200, "")},
		}), "", false},
		{"not played", lastSeats(&scenario.LastSeats{Opening: scenario.Opening{Stop: partner.NewStop("no slot")}}), "", false},
	} {
		if (test.got.Flaw == "") != (test.flaw == "") || !strings.Contains(test.got.Flaw, test.flaw) || test.got.Sure != test.sure {
			t.Errorf("%s: want %q, sure %t, got %q, %t", test.name, test.flaw, test.sure, test.got.Flaw, test.got.Sure)
		}
	}
	for left, want := range map[int64][]string{0: {rule.ReserveRace.ID}, 2: {rule.ReserveRace.ID, rule.ReserveKeptUntilExpiry.ID}} {
		r := newRound("a race", lookAt(0, 1), nil, lookAt(100, left), false)
		r.Suspects = []rule.Rule{rule.ReserveRace}
		r.end(1, "expected 1 left")
		if got := list(r.Suspects, func(of rule.Rule) string { return of.ID }); !slices.Equal(got, want) {
			t.Errorf("%d left in place of 1: want the suspects %v, got %v", left, want, got)
		}
	}
	for opened, want := range map[bool]string{false: rule.ReserveAccepts.ID, true: rule.ReleaseRebookable.ID} {
		refused := lastSeats(&scenario.LastSeats{Party: 2, Opened: opened, Scarce: lookAt(0, 2), Full: lookAt(100, 2), Attempts: []*scenario.Hold{pair(attempt("", full, 10))}})
		if refused.Cause == nil || refused.Cause.ID != want {
			t.Errorf("only refusals, in a slot that was full before: %t: want %s, got %+v", opened, want, refused.Cause)
		}
	}
}

func TestAReserveBetweenTwoReadingsIsExplainedByOtherCustomersOnlyWhereTheyCanBeTheReason(t *testing.T) {
	t.Parallel()
	before, after := lookAt(0, 0), lookAt(100, 0)
	for _, test := range []struct {
		name       string
		got        Try
		flaw, sure bool
	}{
		{"refused, as it should be", judgeReserve(before, scenario.Act{Answer: answer(400, "")}, nil, 400), false, false},
		{"held, and others may have given a seat back", judgeReserve(before, scenario.Act{Answer: answer(200, ""), After: after}, nil, 400), true, false},
		{"a crash", judgeReserve(before, scenario.Act{Answer: answer(500, ""), After: after}, nil, 400), true, true},
		{"not sent", judgeReserve(before, scenario.Act{}, nil, 400), false, false},
	} {
		if (test.got.Flaw != "") != test.flaw || test.got.Sure != test.sure || (test.got.Stop != nil) != (test.name == "not sent") {
			t.Errorf("%s: got %+v", test.name, test.got)
		}
	}
}

func TestFindingsAreBoundedAndCounted(t *testing.T) {
	t.Parallel()
	const many = 3 * mostFindings
	fields := NewFields(strings.Clone)
	for number := range many {
		fields.add(rule.SlotID, "Expected an id", &report.Exchange{Number: number, Response: &report.Response{}}, map[string]any{"id": "x"}, "/id")
	}
	finding := fields.Finding(rule.SlotID.ID)
	if len(finding.Problems) != mostFindings || len(finding.Exchanges) != mostFindings {
		t.Errorf("want %d of %d findings kept, got %d with %d exchanges", mostFindings, many, len(finding.Problems), len(finding.Exchanges))
	}
	if got, want := finding.Message, "Expected an id (and 59 more)"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}

func slotAt(id, start string) discover.Slot {
	begins, err := time.Parse(time.RFC3339, start)
	if err != nil {
		panic(err)
	}
	return discover.Slot{ID: id, StartText: start, Start: begins, End: begins.Add(time.Hour), Status: "AVAILABLE"}
}

func answerOf(from, to string, slots ...discover.Slot) scenario.SlotAnswer {
	return scenario.SlotAnswer{
		Question: scenario.Question{
			Product: discover.Product{ID: "walk", Zone: time.UTC}, Option: discover.Option{ID: "morning"}, Window: discover.Window{From: from, To: to},
		},
		Slots: slots, Exchange: &report.Exchange{},
	}
}

func TestIDsStayWithTheirSlots(t *testing.T) {
	t.Parallel()
	nine, ten := "2026-07-01T09:00:00Z", "2026-07-01T10:00:00Z"
	for name, test := range map[string]struct {
		first, second []discover.Slot
		says          string // "": they stay
	}{
		"the same":               {[]discover.Slot{slotAt("a", nine)}, []discover.Slot{slotAt("a", nine)}, ""},
		"another order":          {[]discover.Slot{slotAt("a", nine), slotAt("b", ten)}, []discover.Slot{slotAt("b", ten), slotAt("a", nine)}, ""},
		"another offset":         {[]discover.Slot{slotAt("a", nine)}, []discover.Slot{slotAt("a", "2026-07-01T11:00:00+02:00")}, ""},
		"one gone":               {[]discover.Slot{slotAt("a", nine), slotAt("b", ten)}, []discover.Slot{slotAt("b", ten)}, ""},
		"one new":                {[]discover.Slot{slotAt("a", nine)}, []discover.Slot{slotAt("a", nine), slotAt("b", ten)}, ""},
		"two at a time, swapped": {[]discover.Slot{slotAt("a", nine), slotAt("b", nine)}, []discover.Slot{slotAt("b", nine), slotAt("a", nine)}, ""},
		"another id":             {[]discover.Slot{slotAt("a", nine)}, []discover.Slot{slotAt("x", nine)}, `keep its id "a", received "x"`},
		"ids by position":        {[]discover.Slot{slotAt("0", nine), slotAt("1", ten)}, []discover.Slot{slotAt("0", ten)}, `expected id "0" to stay`},
		"one of two at a time":   {[]discover.Slot{slotAt("a", nine), slotAt("b", nine)}, []discover.Slot{slotAt("a", nine), slotAt("c", nine)}, `keep its id "b", received "c"`},
	} {
		failure := keepsIDs(answerOf("2026-07-01", "2026-07-01", test.first...), answerOf("2026-07-01", "2026-07-01", test.second...)).Message
		if (failure == "") != (test.says == "") || !strings.Contains(failure, test.says) {
			t.Errorf("%s: want %q, got %q", name, test.says, failure)
		}
	}
}

// lookAt is a look at a slot, so many milliseconds after the first.
func lookAt(ms int, left int64) *scenario.Reading {
	look := scenario.Look{Left: left, Exchange: &report.Exchange{StartedAt: time.Unix(0, 0).Add(time.Duration(ms) * time.Millisecond)}}
	return &scenario.Reading{Counted: true, First: look, Last: look}
}

func TestOnlyWhatMovesWithTheStepsOfALifecycleIsItsChange(t *testing.T) {
	t.Parallel()
	before, held, released := lookAt(0, 5), lookAt(10, 4), lookAt(110, 4)
	// Another customer reserved while nothing was done, and the hold was released then.
	held.Last = lookAt(100, 3).Last
	m := Move{before: before, via: []*scenario.Reading{held}, after: released}
	if seats, took := m.seatChange(); seats != 0 || took != 20*time.Millisecond {
		t.Errorf("want no seats and 20 ms, got %d and %s", seats, took)
	}
	held.First.Left = 5 // the hold took none
	if got, want := m.String(), "Expected 5 seats left  (5 ), received 6"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}

func TestEveryRuleHasOneSpecAndNeedsOnlyRulesThatHaveOne(t *testing.T) {
	t.Parallel()
	specs := map[string]int{}
	for _, group := range Groups() {
		for _, spec := range group.Specs {
			specs[spec.Rule.ID]++
			if len(spec.Steps) == 0 {
				t.Errorf("%s: want steps", spec.Rule.ID)
			}
		}
	}
	for _, r := range rule.All() {
		if specs[r.ID] != 1 {
			t.Errorf("%s: want one spec, got %d", r.ID, specs[r.ID])
		}
		delete(specs, r.ID)
	}
	for id := range specs {
		t.Errorf("want a rule %s in the catalogue", id)
	}
}
