package judge_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/judge"
	"partnerkit.dev/schemas/partnerapi"
)

func TestACallerThatKeepsTheContractGetsTheVerdictKept(t *testing.T) {
	t.Parallel()
	m := open(t, useAwkwardCodes)
	m.gets("GET", "/products?limit=1", "")
	m.gets("GET", "/products?updated_since=2026-06-30T02:00:00%2B02:00", "")
	m.sync()
	id := m.confirm(m.reserve("b-1"))
	m.gets("POST", partnerapi.CancelPath(id), `{"reason":"The customer is ill."}`)
	m.release(m.reserve("b-2"))
	for i := range 6 { // every shape of a code
		m.release(m.reserve(fmt.Sprintf("b-3-%d", i)))
	}
	expired := m.reserve("b-4")
	m.advance(25 * time.Minute)
	m.arm(`{match: {endpoint: release}, times: 1, status: 500}`)
	if status, _ := m.send("DELETE", partnerapi.ReleasePath(expired), ""); status != 500 {
		t.Fatalf("want the fault, got %d", status)
	}
	m.release(expired)

	verdict := m.verdict()
	if verdict.Verdict != client.Kept || verdict.Exchanges == 0 || len(verdict.Notes) > 0 {
		t.Errorf("want it kept, without a note, got %+v", verdict)
	}
	if open := rulesWith(verdict, client.NotJudged); !slices.Equal(open, []string{"call.patient"}) {
		t.Errorf("want all judged but patience, which nothing tried, got %v", open)
	}
	m.partner.AssertCallerKept(t)
}

func useAwkwardCodes(o *mockpartner.Options) {
	o.Catalog = catalog.Default()
	o.Catalog.Codes = catalog.AwkwardCodes
}

// breach is a caller that breaks one rule, beside lawful calls.
type breach struct {
	rule, how string
	breaks    func(marketplace)
}

var breaches = []breach{
	{"call.authorized", "the key alone", func(m marketplace) {
		m.key = m.partner.AuthKey
		m.send("GET", "/products?limit=1", "")
	}},
	{"call.authorized", "another key", func(m marketplace) {
		m.key = "Bearer another"
		m.send("GET", "/products?limit=1", "")
	}},
	{"call.authorized", "no key, and a fault instead of 401", func(m marketplace) {
		m.key = ""
		m.arm(`status: 200`)
		m.send("GET", "/products?limit=1", "")
	}},
	{"call.known", "another method", func(m marketplace) { m.send("HEAD", "/products", "") }},
	{"call.known", "another path", func(m marketplace) { m.send("GET", "/products/", "") }},
	{"call.known", "a path below bookings", func(m marketplace) { m.send("GET", "/bookings/b-1", "") }},
	{"call.escaped", "escaped as a whole path", func(m marketplace) {
		code := m.reserveCodeWith("/")
		m.send("DELETE", (&url.URL{Path: "/bookings/" + code}).EscapedPath(), "")
	}},
	{"call.escaped", "escaped twice", func(m marketplace) {
		code := m.reserveCodeWith("/")
		m.send("DELETE", "/bookings/"+url.PathEscape(partnerapi.EscapeSegment(code)), confirmBody(code))
	}},
	{"call.escaped", "escaped as a query", func(m marketplace) {
		m.send("DELETE", "/bookings/"+url.QueryEscape(m.reserveCodeWith(" ")), "")
	}},
	{"call.escaped", "an unescaped booking id", func(m marketplace) {
		id := m.confirm(m.reserve("b-1"))
		for i := 0; !strings.Contains(id, "/"); i++ {
			id = m.confirm(m.reserve(fmt.Sprint("b-2-", i)))
		}
		m.send("POST", (&url.URL{Path: "/bookings/" + id + "/cancel"}).EscapedPath(), "")
	}},
	{"call.schema", "no code", func(m marketplace) { m.send("POST", "/bookings/confirm", `{}`) }},
	{"call.schema", "no JSON", func(m marketplace) { m.send("POST", "/bookings/reserve", `{"productId":`) }},
	{"call.schema", "no body", func(m marketplace) { m.send("POST", "/availability", "") }},
	{"call.content-type", "a form", func(m marketplace) {
		m.sendAs("POST", "/availability", window(day, day), "application/x-www-form-urlencoded")
	}},
	{"products.form", "another limit", func(m marketplace) { m.gets("GET", "/products?limit=50", "") }},
	{"products.form", "more than the probe", func(m marketplace) { m.gets("GET", "/products?limit=1&page=1", "") }},
	{"products.form", "no date-time", func(m marketplace) { m.send("GET", "/products?updated_since=yesterday", "") }},
	{"catalog.known", "an option that is not sold", func(m marketplace) {
		m.send("POST", "/availability", ask("dinner", day, day, `{"id":"unit-adult","quantity":1}`))
	}},
	{"availability.window", "a month", func(m marketplace) { m.slots(today, "2026-07-31") }},
	{"availability.window", "61 days", func(m marketplace) { m.slots(today, "2026-08-31") }},
	{"availability.window", "yesterday", func(m marketplace) { m.slots("2026-06-30", "2026-06-30") }},
	{"availability.window", "a day that is too far", func(m marketplace) { m.slots("2026-08-31", "2026-08-31") }},
	{"availability.party", "two adults", func(m marketplace) { m.gets("POST", "/availability", ask(option, day, day, two)) }},
	{"availability.party", "a child", func(m marketplace) {
		m.gets("POST", "/availability", ask(option, day, day, `{"id":"unit-child","quantity":1}`))
	}},
	{"availability.party", "no guest", func(m marketplace) {
		m.send("POST", "/availability", ask(option, day, day, `{"id":"unit-adult","quantity":0}`))
	}},
	{"availability.once-per-sync", "twice", func(m marketplace) {
		m.sync()
		m.slots(today, lastDay)
	}},
	{"reserve.fresh", "a slot that no answer showed", func(m marketplace) {
		window, err := m.partner.Default().Platform().Availability(partnerapi.AvailabilityRequest{ProductID: product, OptionID: option, LocalDateStart: day, LocalDateEnd: day})
		m.done(nil, err)
		m.gets("POST", "/bookings/reserve", party(window.Slots[0].ID, "b-1", two))
	}},
	{"reserve.units", "an unknown guest", func(m marketplace) {
		m.send("POST", "/bookings/reserve", party(m.slot(), "b-1", `{"id":"unit-pet","quantity":1}`))
	}},
	{"reserve.units", "none of them", func(m marketplace) {
		m.send("POST", "/bookings/reserve", party(m.slot(), "b-1", two+`,{"id":"unit-child","quantity":0}`))
	}},
	{"reserve.once", "after a lost answer", func(m marketplace) {
		m.arm(`{match: {endpoint: reserve}, times: 1, when: after, fault: CONNECTION_RESET_BY_PEER}`)
		m.send("POST", "/bookings/reserve", party(m.slot(), "b-1", two))
		m.reserve("b-1")
	}},
	{"confirm.reserved", "an unknown code", func(m marketplace) { m.send("POST", "/bookings/confirm", confirmBody("made-up")) }},
	{"confirm.reserved", "a code that only the body of the journal knows", func(m marketplace) {
		m.arm(`{match: {endpoint: reserve}, times: 1, when: after, fault: EMPTY_RESPONSE}`)
		m.send("POST", "/bookings/reserve", party(m.slot(), "b-1", two))
		m.confirm(m.partner.Default().Platform().Holds()[0].Code)
	}},
	{"confirm.once", "though it was answered", func(m marketplace) {
		code := m.reserve("b-1")
		m.confirm(code)
		m.confirm(code)
	}},
	{"confirm.once", "though it was refused", func(m marketplace) {
		code := m.reserve("b-1")
		m.arm(`{match: {endpoint: confirm}, times: 1, status: 500}`)
		m.send("POST", "/bookings/confirm", confirmBody(code))
		m.confirm(code)
	}},
	{"confirm.not-released", "after its release", func(m marketplace) {
		code := m.reserve("b-1")
		m.release(code)
		m.send("POST", "/bookings/confirm", confirmBody(code))
	}},
	{"confirm.not-released", "after a release that was lost", func(m marketplace) {
		code := m.reserve("b-1")
		m.arm(`{match: {endpoint: release}, times: 1, fault: EMPTY_RESPONSE}`)
		m.send("DELETE", partnerapi.ReleasePath(code), "")
		m.confirm(code)
	}},
	{"release.owed", "never", func(m marketplace) {
		m.reserve("b-1")
		m.advance(25 * time.Minute)
	}},
	{"release.repeated", "not after a failure", func(m marketplace) {
		code := m.reserve("b-1")
		m.arm(`{match: {endpoint: release}, status: 500}`)
		m.send("DELETE", partnerapi.ReleasePath(code), "")
		m.advance(time.Hour)
	}},
	{"release.repeated", "not after a lost answer", func(m marketplace) {
		code := m.reserve("b-1")
		m.arm(`{match: {endpoint: release}, when: after, limit_data: {bytes: 3}}`)
		m.send("DELETE", partnerapi.ReleasePath(code), "")
		m.advance(time.Hour)
	}},
	{"release.body", "another code", func(m marketplace) {
		m.send("DELETE", partnerapi.ReleasePath(m.reserve("b-1")), confirmBody("another"))
	}},
	{"cancel.repeated", "not after a failure", func(m marketplace) {
		id := m.confirm(m.reserve("b-1"))
		m.arm(`{match: {endpoint: cancel}, status: 503}`)
		m.send("POST", partnerapi.CancelPath(id), "")
		m.advance(time.Hour)
	}},
	{"call.patient", "abandoned immediately", func(m marketplace) {
		m.arm(`{match: {endpoint: confirm}, when: after, delay: 1m}`)
		code := m.reserve("b-1")
		m.leave("POST", "/bookings/confirm", confirmBody(code))
	}},
}

// reserveCodeWith reserves until a code holds the text, and releases the others.
func (m marketplace) reserveCodeWith(text string) string {
	m.t.Helper()
	for i := range 20 {
		code := m.reserve(fmt.Sprint("b-", i))
		if strings.Contains(code, text) {
			return code
		}
		m.release(code)
	}
	m.t.Fatalf("no code has a %q", text)
	return ""
}

// leave sends a request and goes away as soon as it has arrived.
func (m marketplace) leave(method, target, body string) {
	m.t.Helper()
	events, err := m.partner.Default().Journal().Subscribe(client.Filter{Method: method, Contains: target})
	m.done(nil, err)
	defer events.Close()
	ctx, leave := context.WithCancel(m.t.Context())
	defer leave()
	request, err := http.NewRequestWithContext(ctx, method, m.partner.URL+target, strings.NewReader(body))
	m.done(nil, err)
	request.Header.Set("Authorization", m.key)
	request.Header.Set("Content-Type", "application/json")
	left := make(chan error)
	go func() {
		_, err := http.DefaultTransport.RoundTrip(request)
		left <- err
	}()
	for _, want := range []journal.EventKind{journal.Arrived, journal.Ended} {
		if event, err := events.Next(m.t.Context()); err != nil || event.Kind != want {
			m.t.Fatalf("want %s, got %+v, %v", want, event, err)
		}
		leave()
	}
	if err := <-left; err == nil {
		m.t.Fatal("want no answer")
	}
}

func TestABreachBreaksItsRuleAndNoOther(t *testing.T) {
	t.Parallel()
	for _, breach := range breaches {
		t.Run(breach.rule+", "+breach.how, func(t *testing.T) {
			t.Parallel()
			m := open(t, useAwkwardCodes)
			m.gets("GET", "/products?limit=1", "")
			breach.breaks(m)
			verdict := m.verdict()
			if broken := rulesWith(verdict, client.Broken); verdict.Verdict != client.Broken || !slices.Equal(broken, []string{breach.rule}) {
				t.Fatalf("want %s broken alone, got %s", breach.rule, verdict)
			}
			j := rule(t, verdict, breach.rule)
			if len(j.Findings) != 1 || len(j.Findings[0].Exchanges) == 0 || j.More != 0 {
				t.Fatalf("want one finding with its exchanges, got %+v", j)
			}
			if text := verdict.String(); !strings.Contains(text, j.Findings[0].Message) || strings.Contains(text, m.partner.AuthKey) {
				t.Errorf("want the finding in words, and no key, got %s", text)
			}
		})
	}
}

func TestEveryRuleIsBrokenByABreach(t *testing.T) {
	t.Parallel()
	for _, rule := range judge.Rules() {
		if !slices.ContainsFunc(breaches, func(b breach) bool { return b.rule == rule.ID }) {
			t.Errorf("no test breaks %s", rule.ID)
		}
	}
}

func TestCallsThatTheContractAllowsBreakNoRule(t *testing.T) {
	t.Parallel()
	again := func(fault string) func(marketplace) {
		return func(m marketplace) {
			code := m.reserve("b-1")
			m.arm(`{match: {endpoint: confirm}, times: 1, when: after, ` + fault + `}`)
			if status, _ := m.send("POST", "/bookings/confirm", confirmBody(code)); status != 0 {
				m.t.Fatalf("want no answer, got %d", status)
			}
			m.confirm(code)
		}
	}
	for name, c := range map[string]struct {
		judged string // a rule that must be kept
		calls  func(marketplace)
	}{
		"confirm again after a reset":            {"confirm.once", again(`fault: CONNECTION_RESET_BY_PEER`)},
		"confirm again after an empty answer":    {"confirm.once", again(`fault: EMPTY_RESPONSE`)},
		"confirm again after a broken chunk":     {"confirm.once", again(`fault: MALFORMED_RESPONSE_CHUNK`)},
		"confirm again after a truncated answer": {"confirm.once", again(`limit_data: {bytes: 20}`)},
		"confirm after a reserve with slow headers": {"confirm.reserved", func(m marketplace) {
			m.arm(`{match: {endpoint: reserve}, slow_header: {over: 1ms}}`)
			m.confirm(m.reserve("b-1"))
		}},
		"confirm after a reserve that closes late": {"confirm.reserved", func(m marketplace) {
			m.arm(`{match: {endpoint: reserve}, slow_close: {delay: 1ms}}`)
			m.confirm(m.reserve("b-1"))
		}},
		"confirm after a reserve that comes in drops": {"confirm.reserved", func(m marketplace) {
			m.arm(`{match: {endpoint: reserve}, delay: {dribble: {chunks: 3, over: 3ms}}}`)
			m.confirm(m.reserve("b-1"))
		}},
		"a release of an unknown code": {"call.escaped", func(m marketplace) { m.release("a/b") }},
		"a release after the confirm": {"confirm.not-released", func(m marketplace) {
			code := m.reserve("b-1")
			m.confirm(code)
			m.release(code)
		}},
		"a release that is sent twice": {"release.repeated", func(m marketplace) {
			code := m.reserve("b-1")
			m.release(code)
			m.release(code)
		}},
		"an option asked for again after the next pull": {"availability.once-per-sync", func(m marketplace) { m.sync(); m.sync() }},
		"an option asked for late, after the next pull": {"availability.once-per-sync", func(m marketplace) {
			m.gets("GET", "/products", "")
			m.sync()
			m.slots(today, lastDay)
		}},
		"an option asked for again after a failure": {"availability.once-per-sync", func(m marketplace) {
			m.arm(`{match: {endpoint: availability}, times: 1, status: 500}`)
			m.send("POST", "/availability", window(today, lastDay))
			m.sync()
		}},
		"the window of the next day": {"availability.window", func(m marketplace) {
			m.sync()
			m.advance(24 * time.Hour)
			m.slots("2026-07-02", "2026-08-31")
		}},
		"today in the product's zone": {"availability.window", func(m marketplace) {
			m.advance(4 * time.Hour) // one at night in Tokyo
			m.slots("2026-07-02", "2026-08-31")
		}},
		"a cancellation that is not supported": {"cancel.repeated", func(m marketplace) {
			m.arm(`{match: {endpoint: cancel}, status: 405}`)
			m.send("POST", partnerapi.CancelPath(m.confirm(m.reserve("b-1"))), "")
			m.advance(time.Hour)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := open(t)
			c.calls(m)
			verdict := m.verdict()
			if j := rule(t, verdict, c.judged); verdict.Verdict != client.Kept || j.Verdict != client.Kept {
				t.Errorf("want %s kept, and all else, got %s", c.judged, verdict)
			}
		})
	}
}

func TestAnOptionWithoutAnAdultIsAskedForByItsFirstUnit(t *testing.T) {
	t.Parallel()
	m := open(t, func(o *mockpartner.Options) {
		o.Catalog = catalog.Default()
		for i := range o.Catalog.Products {
			if p := &o.Catalog.Products[i]; p.ID == product {
				p.Options[0].Units = p.Options[0].Units[1:]
			}
		}
	})
	m.gets("POST", "/availability", ask(option, day, day, `{"id":"unit-child","quantity":1}`))
	m.partner.AssertCallerKept(t)
}

func TestRulesThatCannotBeJudgedAreNamedWithTheReason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule, reason string
		calls        func(marketplace)
	}{
		"nothing of the kind": {"release.owed", "no hold was released, and none expired unconfirmed", func(m marketplace) { m.confirm(m.reserve("b-1")) }},
		"a live hold":         {"release.owed", "the hold is still live", func(m marketplace) { m.reserve("b-1") }},
		"a hold that has just expired": {"release.owed", "the hold expired less than a minute ago", func(m marketplace) {
			m.reserve("b-1")
			m.advance(20*time.Minute + 30*time.Second)
		}},
		"a hold whose answer was lost": {"release.owed", "the answer to reserve did not arrive completely: the caller cannot know the code", func(m marketplace) {
			m.arm(`{match: {endpoint: reserve}, when: after, fault: EMPTY_RESPONSE}`)
			m.send("POST", "/bookings/reserve", party(m.slot(), "b-1", two))
			m.advance(time.Hour)
		}},
		"a release that failed just now": {"release.repeated", "the last release failed a short while ago and may still be sent again", func(m marketplace) {
			code := m.reserve("b-1")
			m.arm(`{match: {endpoint: release}, status: 500}`)
			m.send("DELETE", partnerapi.ReleasePath(code), "")
		}},
		"a reserve without a reference": {"reserve.once", "reserve has no resellerReference to know it again by", func(m marketplace) {
			m.gets("POST", "/bookings/reserve", strings.Replace(party(m.slot(), "", two), `,"resellerReference":""`, "", 1))
		}},
		"a slot from before the journal was emptied": {"reserve.fresh", "it may be about something from before the record begins", func(m marketplace) {
			slot := m.slot()
			m.partner.Default().Journal().Clear()
			m.gets("POST", "/bookings/reserve", party(slot, "b-1", two))
		}},
		"a code from before the journal was emptied": {"confirm.reserved", "it may be about something from before the record begins", func(m marketplace) {
			code := m.reserve("b-1")
			m.partner.Default().Journal().Clear()
			m.confirm(code)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := open(t)
			c.calls(m)
			verdict := m.verdict()
			if j := rule(t, verdict, c.rule); verdict.Verdict != client.Kept || j.Verdict != client.NotJudged || j.Reason != c.reason {
				t.Errorf("want %s not judged, since %s, got %s", c.rule, c.reason, verdict)
			}
		})
	}
}

func TestAPartialVerdictNamesTheRest(t *testing.T) {
	t.Parallel()
	m := open(t)
	m.sync() // perhaps not the only one
	m.partner.Default().Journal().Clear()
	m.slots(today, lastDay)
	m.slots(today, lastDay)
	j := rule(t, m.verdict(), "availability.once-per-sync")
	want := []client.Unjudged{{Count: 1, Reason: "it may be about something from before the record begins"}}
	if j.Verdict != client.Kept || j.Judged != 1 || !slices.Equal(j.Unjudged, want) {
		t.Errorf("want one call judged and one not, got %+v", j)
	}
}

func TestAVerdictStatesWhatTheJournalHasLost(t *testing.T) {
	t.Parallel()
	m := open(t, func(o *mockpartner.Options) { o.Journal.Exchanges = 3 })
	m.sync()
	m.partner.Default().Journal().Clear()
	code := m.reserve("b-1")
	m.gets("GET", "/products?limit=1", "")
	m.gets("GET", "/products?limit=1", "")
	m.confirm(code)
	verdict := m.verdict()
	if verdict.Cleared != 2 || verdict.Dropped != 2 || verdict.Exchanges != 3 || len(verdict.Notes) != 2 {
		t.Errorf("want 2 cleared and 2 dropped, 3 left, got %+v", verdict)
	}
	if verdict.Verdict != client.Kept {
		t.Errorf("want nothing held against the caller, got %s", verdict)
	}
}

func TestWithoutExchangesThereIsNothingToJudge(t *testing.T) {
	t.Parallel()
	m := open(t)
	if verdict := m.verdict(); verdict.Verdict != client.NothingToJudge || len(verdict.Rules) != len(judge.Rules()) {
		t.Fatalf("want nothing to judge, by every rule, got %+v", verdict)
	}
}

func TestEachSandboxIsJudgedByItself(t *testing.T) {
	t.Parallel()
	m := open(t)
	m.gets("GET", "/products?limit=1", "")
	_, err := m.partner.Control.CreateSandbox(t.Context(), client.Spec{Name: "mine"})
	m.done(nil, err)
	m.gets("GET", "/s/mine/products?limit=9", "")
	m.partner.AssertCallerKept(t)
	if verdict, err := m.partner.Control.Sandbox("mine").Journal.Verdict(t.Context()); err != nil || !slices.Equal(rulesWith(verdict, client.Broken), []string{"products.form"}) {
		t.Fatalf("want the probe of the sandbox judged, got %s, %v", verdict, err)
	}
}

// failures records what an assertion says.
type failures struct {
	testing.TB
	message string
}

func (f *failures) Helper() {}

func (f *failures) Errorf(format string, args ...any) { f.message += fmt.Sprintf(format, args...) }

func TestTheAssertionFailsInReadableWords(t *testing.T) {
	t.Parallel()
	m := open(t)
	test := &failures{TB: t}
	m.partner.AssertCallerKept(test)
	if !strings.Contains(test.message, "sandbox default: nothing to judge: no call was made that a rule applies to.\n0 exchanges: 0 rules broken, 0 kept, ") {
		t.Errorf("want a test without calls to fail, got %q", test.message)
	}
	m.gets("GET", "/products?limit=2", "")
	test.message = ""
	m.partner.AssertCallerKept(test)
	for _, want := range []string{
		"(products.form, PRD-13, PRD-14)", "GET /products?limit=2: expected no query", "#1 2026-07-01 12:00:00 GET /products?limit=2 -> 200 after",
		"1 exchange: 1 rule broken, ", "  reserve.once                no reserve has a resellerReference\n",
	} {
		if !strings.Contains(test.message, want) {
			t.Errorf("want %q, got %s", want, test.message)
		}
	}
}
