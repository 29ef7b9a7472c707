package view

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

var started = time.Date(2026, 7, 1, 9, 30, 0, 0, time.UTC)

// sampleResult is a run over the whole catalogue in which every outcome occurs:
// two rules failed, one warned, and one each was not judged for every reason.
func sampleResult(t testing.TB) *report.Result {
	t.Helper()
	r := &report.Result{
		Verdict:      report.Nonconformant,
		Target:       report.Target{BaseURL: "https://api.harbour-tours.example/partner/v2", AuthType: partnerapi.Bearer},
		SuiteVersion: "1.0.0", ContractVersion: "0c1d2e3f4a5b",
		StartedAt:  started,
		DurationMS: 18_420,
		Coverage:   report.Coverage{Products: 12, Options: 31, OptionsAsked: 31, Slots: 4_218, SlotsReserved: 4, Holds: 22, Bookings: 6, Calls: 164},
		Latency: []report.Latency{
			{Endpoint: partnerapi.Products, Calls: 9, MedianMS: 412, P95MS: 1630, WorstMS: 1802, HealthyLimitMS: 15000, DegradedLimitMS: 15000},
			{Endpoint: partnerapi.Reserve, Calls: 22, MedianMS: 1420, P95MS: 4890, WorstMS: 6204, HealthyLimitMS: 5000, DegradedLimitMS: 10000},
			{Endpoint: partnerapi.Cancel, Calls: 8, MedianMS: 2300, P95MS: 10900, WorstMS: 11250, HealthyLimitMS: 10000, DegradedLimitMS: 10000},
		},
	}
	for _, one := range rule.All() {
		r.Rules = append(r.Rules, report.RuleResult{
			ID: one.ID, Title: one.Title, Endpoint: one.Endpoint, Level: one.Level, Clause: one.Clause,
			Outcome: report.Passed, Why: one.Why, Fix: one.Fix, DurationMS: 14,
		})
	}
	came := func(id string, o report.Outcome, message string, evidence ...report.Exchange) {
		for i := range r.Rules {
			if r.Rules[i].ID == id {
				r.Rules[i].Outcome, r.Rules[i].Message, r.Rules[i].Exchanges = o, message, evidence
				return
			}
		}
		t.Fatalf("the catalogue has no rule %q", id)
	}
	came(rule.ReserveVacanciesMany.ID, report.Failed, "3 guests were reserved, and vacancies went from 12 to 11: expected 9", reserveExchange())
	came(rule.ReserveLimit.ID, report.Failed, "2 of 3 calls took longer than 5 s", timeoutExchange())
	came(rule.ReserveExpiresWindow.ID, report.Warned, "the hold lasts 60 minutes", reserveExchange())
	came(rule.ReserveVacanciesMixed.ID, report.Blocked, "blocked by reserve.vacancies.many.")
	came(rule.ReserveSoldOut.ID, report.Inconclusive, "no slot of the catalog is sold out or closed")
	came(rule.ReserveMissingKey.ID, report.Skipped, "left out by --skip")
	came(rule.ReserveTooMany.ID, report.NotApplicable, "every slot is FREESALE")
	r.Vacancies = []report.SlotVacancies{
		{ProductID: "cruise", OptionID: "sunset", AvailabilityID: "slot-417", Start: "2026-07-09T19:30:00+02:00", Readings: []report.SeatsReading{
			{AtMS: 2100, Left: 12, When: "before reserve"}, {AtMS: 2600, Left: 11, When: "after reserve"}, {AtMS: 4100, Left: 12, When: "after release"},
		}},
		{ProductID: "cruise", OptionID: "dinner", AvailabilityID: "slot-418", Start: "2026-07-11T18:00:00+02:00", Readings: []report.SeatsReading{
			{AtMS: 9000, Left: 2, When: "before reserve"}, {AtMS: 9300, Left: 0, When: "after the last seat was reserved"},
		}},
	}
	reserved, late := reserveExchange(), timeoutExchange()
	r.Calls = []*report.Exchange{&reserved, &late}
	return r
}

// handful is the sample with the rules that did not pass and one that did: as
// much as most tests need, in a tenth of the time.
func handful(t testing.TB) *report.Result {
	t.Helper()
	r := sampleResult(t)
	r.Rules = slices.DeleteFunc(r.Rules, func(one report.RuleResult) bool {
		return one.Outcome == report.Passed && one.ID != rule.ReserveCode.ID
	})
	return r
}

// seal is a result as every run writes it.
func seal(t testing.TB, r *report.Result) *report.Result {
	t.Helper()
	sealed, err := report.Seal(r)
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func render(t testing.TB, draw func(*report.Result) ([]byte, error), r *report.Result) []byte {
	t.Helper()
	content, err := draw(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func reserveExchange() report.Exchange {
	return report.Exchange{
		Number: 41, Endpoint: partnerapi.Reserve, Purpose: "reserve 3 seats",
		StartedAt: started.Add(2300 * time.Millisecond), Duration: 212 * time.Millisecond,
		Request: report.Request{
			Method: "POST", URL: "https://api.harbour-tours.example/partner/v2/bookings/reserve",
			Header: http.Header{"Authorization": {"Bearer REDACTED"}, "Content-Type": {"application/json"}},
			Body:   report.Body{Text: `{"productId":"cruise","units":[{"id":"unit-adult","quantity":3}]}`, Size: 65},
		},
		Response: &report.Response{
			Status: 200, Proto: "HTTP/1.1", Header: http.Header{"Content-Type": {"application/json"}},
			Body: report.Body{Text: `{"reservationConfirmationCode":"R-81F3","expiresAt":"2026-07-01T10:30:02Z"}`, Size: 75},
		},
		Curl: `curl -X POST -H 'Authorization: Bearer <key>' --data '{"productId":"cruise"}' https://api.harbour-tours.example/partner/v2/bookings/reserve`,
	}
}

func timeoutExchange() report.Exchange {
	x := reserveExchange()
	x.Number, x.Purpose, x.Duration, x.Response = 57, "time a reserve", 12*time.Second, nil
	x.Failure = &report.Failure{Kind: report.Timeout, Message: "the deadline of 12 s passed before the last byte"}
	return x
}

// ruleOf finds the result of a rule.
func ruleOf(t testing.TB, r *report.Result, id string) *report.RuleResult {
	t.Helper()
	for i := range r.Rules {
		if r.Rules[i].ID == id {
			return &r.Rules[i]
		}
	}
	t.Fatalf("the result has no rule %q", id)
	return nil
}

// hostileTexts are what a partner may send to take over the page that shows it.
func hostileTexts() map[string]string {
	return map[string]string{
		"a script":              `<script>alert(1)</script>`,
		"the end of a script":   `</script></style></title></textarea><script>alert(1)</script>`,
		"an event handler":      `"><img src=x onerror=alert(1)>`,
		"quotes":                `' onmouseover='alert(1)' " autofocus onfocus="alert(1)`,
		"a script URL":          `javascript:alert(1)`,
		"a template action":     `{{.Policy}}{{template "page.html" .}}`,
		"a comment":             `<!-- --!> --> <!--<script>`,
		"the end of CDATA":      `]]>]]&gt;<failure/>`,
		"an entity":             `&lt;b&gt;&#60;script&#62;&nbsp;&bogus;`,
		"NUL and controls":      "a\x00b\x01c\x1b[31md\x7fe\u0085f",
		"invalid UTF-8":         "a\xff\xfe\xc3(b\xed\xa0\x80c",
		"turned text":           "abc\u202etxt.exe\u2066\u200f",
		"noncharacters":         "\ufffe\uffff\U0001fffe",
		"a huge text":           strings.Repeat("<b>huge</b>&", 5_000),
		"deep JSON":             strings.Repeat(`[`, 9_000) + strings.Repeat(`]`, 9_000),
		"line separators":       "a\u2028b\u2029c\r\nd\re",
		"a closing tag in JSON": `{"a":"</pre></code></details><h1>"}`,
	}
}

// hostileResult puts text everywhere where a partner's words can come to stand.
func hostileResult(t testing.TB, text string) *report.Result {
	r := handful(t)
	r.Verdict, r.Reason, r.Target.BaseURL = report.Incomplete, text, text
	for _, id := range []string{rule.ReserveVacanciesMany.ID, rule.ReserveLimit.ID, rule.ReserveExpiresWindow.ID, rule.ReserveSoldOut.ID} {
		one := ruleOf(t, r, id)
		one.Message, one.Problems = text, []string{text, text}
		x := reserveExchange()
		x.Purpose, x.Curl = text, text
		x.Request = report.Request{Method: text, URL: text, Header: http.Header{text: {text}}, Body: report.Body{Text: text, Size: 1}}
		x.Response = &report.Response{Status: 200, Proto: text, Header: http.Header{text: {text}}, Body: report.Body{Text: text, Size: 1, Excerpt: text}}
		x.Failure = &report.Failure{Kind: report.FailureKind(text), Message: text}
		one.Exchanges = []report.Exchange{x}
		r.Calls = append(r.Calls, &x)
	}
	for i := range r.Vacancies {
		v := &r.Vacancies[i]
		v.ProductID, v.OptionID, v.AvailabilityID, v.Start, v.Readings[0].When = text, text, text, text, text
	}
	r.NotUndone = []report.Leftover{{Kind: "booking", Code: text, ProductID: text, OptionID: text, AvailabilityID: text, Start: text, Reason: text, ExpiresAt: text}}
	return r
}
