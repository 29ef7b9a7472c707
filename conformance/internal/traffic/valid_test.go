package traffic_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/callerrules"
)

const aCatalog = `[{"id":"p","internalName":"P","locale":"en","timeZone":"UTC","instantConfirmation":true,"options":[{"id":"o","internalName":"O","availabilityType":"START_TIME",` +
	`"units":[{"id":"unit-adult","internalName":"Adult","type":"ADULT","pricingFrom":[{"original":3200,"currency":"GBP"}]}]}]}]`

// invalidCalls are calls that no marketplace sends, as functions of the partner's status, answer and time.
func invalidCalls() map[string]func(status int, answer string) string {
	post := func(path, body string) func(int, string) string {
		return func(status int, answer string) string { return entry(5, "POST", path, body, status, answer) }
	}
	reserve := func(units, more string) func(int, string) string {
		return post("/bookings/reserve", `{"productId":"p","optionId":"o","availabilityId":"s","units":`+units+more+`}`)
	}
	window := func(from, to, units string) func(int, string) string {
		return post("/availability", fmt.Sprintf(`{"productId":"p","optionId":"o","localDateStart":%q,"localDateEnd":%q,"units":%s}`, from, to, units))
	}
	const one = `[{"id":"unit-adult","quantity":1}]`
	return map[string]func(int, string) string{
		"half a body":                         post("/bookings/reserve", `{"units":`),
		"no guests":                           reserve(`[{"id":"unit-adult","quantity":0}]`, ""),
		"more guests than can be counted":     reserve(`[{"id":"unit-adult","quantity":1000000000000000000000000000000}]`, ""),
		"a unit that is not sold":             reserve(`[{"id":"unit-dog","quantity":1}]`, ""),
		"a unit a thousand times":             reserve("["+strings.Repeat(`{"id":"unit-adult","quantity":1},`, 999)+`{"id":"unit-adult","quantity":1}]`, ""),
		"a name with a NUL":                   reserve(one, `,"contact":{"fullName":"A\u0000B"}`),
		"a name with half a character":        reserve(one, `,"contact":{"fullName":"A\ud83c"}`),
		"a name of 11,000 letters":            reserve(one, `,"contact":{"fullName":"`+strings.Repeat("x", 11_000)+`"}`),
		"a field twice":                       reserve(one, `,"productId":"q"`),
		"a code that is a number":             post("/bookings/confirm", `{"reservationConfirmationCode":7}`),
		"a guest that is a text":              post("/bookings/confirm", `{"reservationConfirmationCode":"R1","contact":"x"}`),
		"a reason that is a list":             post("/bookings/B1/cancel", `{"reason":[1]}`),
		"a window that ends before it begins": window("2026-07-10", "2026-07-09", one),
		"a window of four months":             window("2026-07-01", "2026-10-31", one),
		"a window in the past":                window("1970-01-01", "1970-01-02", one),
		"a date that no calendar has":         window("2026-02-30", "2026-02-30", one),
		"guests of a unit that is not sold":   window("2026-07-02", "2026-07-02", `[{"id":"unit-dog","quantity":1}]`),
		"a limit below nothing": func(status int, answer string) string {
			return entry(5, "GET", "/products?limit=-1", "", status, answer)
		},
		"a release of two codes": func(status int, answer string) string {
			return entry(5, "DELETE", "/bookings/R1", `{"reservationConfirmationCode":"R2"}`, status, answer)
		},
	}
}

// P15: what a marketplace never sends breaks no MUST rule, whatever is answered, however late, and with whatever key.
func TestAnAnswerToAnInvalidRequestBreaksNoMustRule(t *testing.T) {
	t.Parallel()
	before := entry(1, "GET", "/products", "", 200, aCatalog)
	for what, call := range invalidCalls() {
		late := strings.Replace(call(400, `no`), `"time":40`, `"time":30000`, 1)
		for how, calls := range map[string]string{
			"a crash":           call(500, "<p>oops</p>"),
			"a refusal":         call(400, "<p>no</p>"),
			"a list of nothing": call(200, "[]"),
			"null":              call(200, "null"),
			"words":             strings.ReplaceAll(call(200, "done"), "application/json\"}],\"content\"", "text/plain\"}],\"content\""),
			"late refusals":     late + strings.Replace(late, "12:00:05", "12:00:45", 1),
			"no key":            strings.Replace(call(400, "no"), "Authorization", "X-Other", 1) + entry(6, "GET", "/products?limit=1", "", 200, "[]"),
			"a refused key":     call(401, `{}`) + entry(6, "GET", "/products?limit=1", "", 200, "[]"),
		} {
			outcome, err := judgeFiles(t, before+calls)
			if err != nil {
				t.Fatal(err)
			}
			broken := brokenRules(outcome.Result)
			expected := 0
			if how == "a crash" {
				expected = 1
			}
			if outcome.Result.Verdict != report.Partial || len(broken) != expected || expected == 1 && !strings.HasSuffix(broken[0], ".bad-input") {
				t.Errorf("%s, answered with %s: expected %d SHOULD rule about bad input, received %v", what, how, expected, broken)
			}
			if len(outcome.Result.CallerFaults) == 0 {
				t.Errorf("%s: expected a fault of the caller", what)
			}
		}
	}
}

func TestAHoldForNobodyIsAWarning(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"no guests", "a unit that is not sold"} {
		outcome, err := judgeFiles(t, entry(1, "GET", "/products", "", 200, aCatalog)+invalidCalls()[what](200, `{"reservationConfirmationCode":"R1","expiresAt":"2026-07-01T12:20:00Z"}`))
		if err != nil {
			t.Fatal(err)
		}
		if broken := brokenRules(outcome.Result); !slices.Equal(broken, []string{rule.ReserveNobody.ID}) {
			t.Errorf("%s: expected %s warned, received %v", what, rule.ReserveNobody.ID, broken)
		}
	}
}

// The suite marks its own bad input: it is judged like any other, and is no fault of the caller.
func TestAMarkedRequestIsNoFaultOfItsCaller(t *testing.T) {
	t.Parallel()
	valid := entry(5, "POST", "/availability", `{"productId":"p","optionId":"o","localDateStart":"2026-07-02","localDateEnd":"2026-07-02","units":[{"id":"unit-adult","quantity":1}]}`, 500, "oops")
	for what, call := range map[string]string{"an invalid body": invalidCalls()["half a body"](500, "oops"), "a body that looks valid": valid} {
		outcome, err := judgeFiles(t, entry(1, "GET", "/products", "", 200, aCatalog)+strings.Replace(call, `"time":40`, `"time":40,"_bad_input":true`, 1))
		if err != nil {
			t.Fatal(err)
		}
		if broken := brokenRules(outcome.Result); len(broken) != 1 || !strings.HasSuffix(broken[0], ".bad-input") || len(outcome.Result.CallerFaults) > 0 {
			t.Errorf("%s: expected a SHOULD rule about bad input and no fault of the caller, received %v and %v", what, broken, outcome.Result.CallerFaults)
		}
	}
}

// What a recording leaves out may break the rule that the other answers keep.
func TestARuleAboutABodyDoesNotPassWhileAnAnswerIsIncomplete(t *testing.T) {
	t.Parallel()
	asked := func(second float64) string {
		return entry(second, "POST", "/availability", `{"productId":"p","optionId":"o","localDateStart":"2026-07-02","localDateEnd":"2026-07-02","units":[{"id":"unit-adult","quantity":1}]}`, 200,
			`[{"id":"s","localDateTimeStart":"2026-07-02T10:00:00Z","localDateTimeEnd":"2026-07-02T11:00:00Z","status":"AVAILABLE","vacancies":5,"capacity":9}]`)
	}
	incomplete := strings.Replace(strings.Replace(asked(3), `"content":{"size":`, `"content":{"size":9`, 1), `9}]`, `9},`, 1)
	for calls, want := range map[string]report.Outcome{asked(2): report.Passed, asked(2) + incomplete: report.Inconclusive} {
		outcome, err := judgeFiles(t, entry(1, "GET", "/products", "", 200, aCatalog)+calls)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(outcome.Result.Rules, func(r report.RuleResult) bool { return r.ID == rule.SlotWithinCapacity.ID })
		if got := outcome.Result.Rules[at]; got.Outcome != want {
			t.Errorf("%s: expected %s, received %s: %s", calls, want, got.Outcome, got.Message)
		}
	}
}

// A valid question is read once. What depends on its time, its catalog and its answer is judged each time.
func TestAQuestionThatIsAskedAgainIsJudgedAgain(t *testing.T) {
	t.Parallel()
	const times = 3
	invalid := invalidCalls()
	for what, of := range map[string]struct {
		call   string
		fault  callerrules.Rule
		breach string
	}{
		"a window in the past":  {call: invalid["a window in the past"](200, "[]"), fault: callerrules.Window},
		"a unit that is unsold": {call: invalid["guests of a unit that is not sold"](200, "[]"), fault: callerrules.Units},
		"a body that is wrong":  {call: invalid["a date that no calendar has"](200, "[]"), fault: callerrules.BodySchema},
		"an answer that is not JSON": {breach: rule.AvailabilityJSON.ID, call: entry(5, "POST", "/availability",
			`{"productId":"p","optionId":"o","localDateStart":"2026-07-02","localDateEnd":"2026-07-02","units":[{"id":"unit-adult","quantity":1}]}`, 200, "oops")},
	} {
		calls := entry(1, "GET", "/products", "", 200, aCatalog)
		for second := range times {
			calls += strings.Replace(of.call, "12:00:05", fmt.Sprintf("12:00:%d", 10+second), 1)
		}
		outcome, err := judgeFiles(t, calls)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range outcome.Result.CallerFaults {
			if fault.ID != of.fault.ID || fault.Calls != times {
				t.Errorf("%s: expected the fault %q in %d calls, received %q in %d", what, of.fault.ID, times, fault.ID, fault.Calls)
			}
		}
		if broken := brokenRules(outcome.Result); of.breach != "" && !slices.Contains(broken, of.breach) {
			t.Errorf("%s: expected a breach of %s, received %v", what, of.breach, broken)
		}
		if of.breach == "" && len(outcome.Result.CallerFaults) != 1 {
			t.Errorf("%s: expected one fault, received %v", what, outcome.Result.CallerFaults)
		}
	}
}
