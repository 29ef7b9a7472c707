package traffic_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
)

const (
	recordedKey   = "a-key-of-a-partner-7f3a"
	recordedGuest = "Ottilie Winterbottom"
	recordedMail  = "ottilie@example.org"
)

// entry is one line of a recording: a call that began so many seconds after noon.
func entry(second float64, method, path, body string, status int, answer string) string {
	return harEntry(second, method, path, body, status, answer, recordedKey)
}

func harEntry(second float64, method, path, body string, status int, answer, key string) string {
	at := fmt.Sprintf("2026-07-01T12:%02d:%06.3fZ", int(second)/60, second-float64(int(second)/60*60))
	return fmt.Sprintf(`{"startedDateTime":%q,"time":40,"request":{"method":%q,"url":%q,"headers":[{"name":"Authorization","value":"Bearer %s"},{"name":"Content-Type","value":"application/json"}],"postData":{"text":%q}},`+
		`"response":{"status":%d,"headers":[{"name":"Content-Type","value":"application/json"}],"content":{"size":%d,"text":%q}}}`+"\n",
		at, method, "https://partner.example/api"+path, key, body, status, len(answer), answer)
}

func reserve(second float64, reference, code string) string {
	return entry(second, "POST", "/bookings/reserve",
		fmt.Sprintf(`{"productId":"p","optionId":"o","availabilityId":"s","units":[{"id":"unit-adult","quantity":1}],"contact":{"fullName":%q,"emailAddress":%q},"resellerReference":%q}`, recordedGuest, recordedMail, reference),
		200, fmt.Sprintf(`{"reservationConfirmationCode":%q,"expiresAt":"2026-07-01T12:20:00Z"}`, code))
}

func confirm(second float64, code string, status int, answer string) string {
	return entry(second, "POST", "/bookings/confirm", fmt.Sprintf(`{"reservationConfirmationCode":%q,"contact":{"fullName":%q}}`, code, recordedGuest), status, answer)
}

func bookingBody(id string) string {
	return fmt.Sprintf(`{"externalBookingId":%q,"status":"CONFIRMED","contact":{"fullName":%q}}`, id, recordedGuest)
}

func release(second float64, code string) string {
	return entry(second, "DELETE", "/bookings/"+code, "", 200, `{"success":true}`)
}

func cancel(second float64, id string) string {
	return entry(second, "POST", "/bookings/"+id+"/cancel", `{"reason":"ill"}`, 200, `{"success":true}`)
}

func judgeFiles(t *testing.T, files ...string) (*suite.Outcome, error) {
	t.Helper()
	return judgeAddress(t, "", files...)
}

func judgeAddress(t *testing.T, only string, files ...string) (*suite.Outcome, error) {
	t.Helper()
	dir, names := t.TempDir(), []string{}
	for i, text := range files {
		names = append(names, filepath.Join(dir, fmt.Sprintf("%d.jsonl", i)))
		if err := os.WriteFile(names[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return suite.JudgeRecorded(t.Context(), suite.Recorded{Files: names, Only: only})
}

func brokenRules(r *report.Result) (ids []string) {
	for _, one := range r.Rules {
		if one.Outcome == report.Failed || one.Outcome == report.Warned {
			ids = append(ids, one.ID)
		}
	}
	return ids
}

func TestARecordingIsJudgedFromCallToCall(t *testing.T) {
	t.Parallel()
	refused := `{"message":"gone"}`
	for what, c := range map[string]struct {
		calls  []string
		broken []string
		caller []string
	}{
		"a booking that keeps the contract": {calls: []string{reserve(1, "a", "R1"), confirm(2, "R1", 200, bookingBody("B1")), cancel(3, "B1"), release(4, "R1")}},
		"a refusal after the release": {
			calls:  []string{reserve(1, "a", "R1"), release(2, "R1"), confirm(3, "R1", 400, refused)},
			caller: []string{"confirm.not-released"},
		},
		"a booking after the release": {
			calls:  []string{reserve(1, "a", "R1"), release(2, "R1"), confirm(3, "R1", 200, bookingBody("B1"))},
			broken: []string{"confirm.released"}, caller: []string{"confirm.not-released"},
		},
		"a second booking for one code": {
			calls:  []string{reserve(1, "a", "R1"), confirm(2, "R1", 200, bookingBody("B1")), confirm(3, "R1", 200, bookingBody("B2"))},
			broken: []string{"confirm.repeat.booking"}, caller: []string{"confirm.once"},
		},
		"two bookings with one id": {
			calls:  []string{reserve(1, "a", "R1"), reserve(2, "b", "R2"), confirm(3, "R1", 200, bookingBody("B1")), confirm(4, "R2", 200, bookingBody("B1"))},
			broken: []string{"confirm.booking-id.unique"},
		},
		"one code for two holds": {
			calls: []string{reserve(1, "a", "R1"), reserve(2, "b", "R1")}, broken: []string{"reserve.code.unique"},
		},
		"a live hold that is refused": {
			calls: []string{reserve(1, "a", "R1"), confirm(2, "R1", 400, refused)}, broken: []string{"confirm.status"},
		},
		"a hold that may just have expired": {calls: []string{reserve(1, "a", "R1"), confirm(1170, "R1", 400, refused)}},
		"a hold that has expired":           {calls: []string{reserve(1, "a", "R1"), confirm(1300, "R1", 200, bookingBody("B1"))}, broken: []string{"confirm.expired"}},
		"a release and a confirm at the same time": {
			calls: []string{reserve(1, "a", "R1"), confirm(2, "R1", 400, refused), release(2.01, "R1")},
		},
		"two cancellations at the same time, one of which says no": {
			calls: []string{reserve(1, "a", "R1"), confirm(2, "R1", 200, bookingBody("B1")), cancel(3, "B1"), entry(3.01, "POST", "/bookings/B1/cancel", `{}`, 200, `{"success":false}`)},
		},
		"a code from before the recording": {calls: []string{confirm(2, "R9", 200, bookingBody("B9")), cancel(3, "B9")}},
		"a reserve that is sent again": {
			calls: []string{reserve(1, "a", "R1"), reserve(2, "a", "R2")}, caller: []string{"reserve.once"},
		},
		"bad input that breaks the partner": {
			calls:  []string{reserve(1, "a", "R1"), entry(2, "POST", "/bookings/confirm", `{"reservationConfirmationCode":7}`, 500, refused), entry(3, "POST", "/bookings/reserve", `{"units":`, 400, refused)},
			broken: []string{"confirm.bad-input"}, caller: []string{"call.schema"},
		},
		"a key that is refused once in between": {
			calls:  []string{reserve(1, "a", "R1"), entry(2, "GET", "/products", "", 401, refused), entry(3, "GET", "/products?limit=1", "", 200, `[]`)},
			broken: []string{"products.auth.accepted"},
		},
		"a key that one endpoint accepts, and another refuses": { // the first may accept any key
			calls: []string{reserve(1, "a", "R1"), entry(2, "POST", "/bookings/confirm", `{"reservationConfirmationCode":"R1"}`, 401, refused), reserve(3, "b", "R2")},
		},
		"another booking while the first is cancelled": {
			calls: []string{
				reserve(1, "a", "R1"), confirm(2, "R1", 200, bookingBody("B1")),
				strings.ReplaceAll(confirm(3, "R1", 200, bookingBody("B2")), `"time":40`, `"time":2500`), cancel(4, "B1"), confirm(6, "R1", 200, bookingBody("B3")),
			},
			broken: []string{"cancel.race"}, caller: []string{"confirm.once"},
		},
		"two bookings after the cancellation": {
			calls: []string{
				reserve(1, "a", "R1"), confirm(2, "R1", 200, bookingBody("B1")), cancel(3, "B1"),
				confirm(4, "R1", 200, bookingBody("B2")), confirm(5, "R1", 200, bookingBody("B3")),
			},
			broken: []string{"confirm.cancelled"},
		},
		"two late calls in a row": {
			calls:  []string{strings.ReplaceAll(entry(1, "GET", "/products?limit=1", "", 200, `[]`)+entry(20, "GET", "/products?limit=1", "", 200, `[]`), `"time":40`, `"time":9000`)},
			broken: []string{"products.probe.limit"},
		},
		"a key that is refused from then on": {
			calls: []string{reserve(1, "a", "R1"), entry(2, "GET", "/products", "", 401, refused), entry(3, "GET", "/products", "", 401, refused)},
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			outcome, err := judgeFiles(t, strings.Join(c.calls, ""))
			if err != nil {
				t.Fatal(err)
			}
			if ids := brokenRules(outcome.Result); !slices.Equal(ids, c.broken) {
				t.Errorf("want broken %v, got %v", c.broken, ids)
			}
			var caller []string
			for _, fault := range outcome.Result.CallerFaults {
				caller = append(caller, fault.ID)
			}
			if !slices.Equal(caller, c.caller) {
				t.Errorf("want the caller to break %v, got %v", c.caller, caller)
			}
			want := report.Partial
			if len(c.broken) > 0 && !strings.HasSuffix(c.broken[0], ".bad-input") { // a SHOULD
				want = report.Nonconformant
			}
			if outcome.Result.Verdict != want {
				t.Errorf("want %s, got %s", want, outcome.Result.Verdict)
			}
		})
	}
}

func TestTheOrderOfFilesDoesNotMatter(t *testing.T) {
	t.Parallel()
	first, second := reserve(1, "a", "R1")+confirm(3, "R1", 200, bookingBody("B1")), release(2, "R1")+cancel(4, "B1")
	for _, files := range [][]string{{first, second}, {second, first}} {
		outcome, err := judgeFiles(t, files...)
		if err != nil {
			t.Fatal(err)
		}
		if ids := brokenRules(outcome.Result); !slices.Equal(ids, []string{"confirm.released"}) {
			t.Errorf("want confirm.released broken, got %v", ids)
		}
	}
}

// encodings are the ways in which an answer may repeat a text.
func encodings(text string) []string {
	quoted, _ := json.Marshal(text + `"`)
	twice, _ := json.Marshal(string(quoted))
	return []string{
		text, strings.ToUpper(text), url.QueryEscape(text), url.PathEscape(text), url.QueryEscape(url.QueryEscape(text)), string(twice), html.EscapeString(text),
		base64.StdEncoding.EncodeToString([]byte(text)), base64.RawURLEncoding.EncodeToString([]byte("for " + text)), hex.EncodeToString([]byte(text)),
	}
}

func TestReportsOfARecordingNameNoKeyAndNoCustomer(t *testing.T) {
	t.Parallel()
	var forms []string
	for _, secret := range []string{recordedKey, recordedGuest, recordedMail} {
		forms = append(forms, encodings(secret)...)
	}
	text, _ := json.Marshal(map[string]string{"message": "no seat for " + strings.Join(forms, ", ")})
	body := string(text)
	outcome, err := judgeFiles(t, reserve(1, "a", "R1")+release(2, "R1")+confirm(3, "R1", 200, bookingBody("B1"))+confirm(4, "R1", 500, body)+
		reserve(5, "b", "R2")+confirm(6, "R2", 409, body)+entry(7, "POST", "/bookings/reserve", `{"contact":{"fullName":["`+recordedGuest+`"]}}`, 500, "<p>"+recordedGuest))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files, _, err := outcome.WriteReports(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range append(forms, "Ottilie", "ottilie") {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s holds %q", filepath.Base(file), secret)
			}
		}
	}
}

func TestARecordingWithoutCallsOfTheContractIsRefused(t *testing.T) {
	t.Parallel()
	for what, text := range map[string]string{
		"other calls":    entry(1, "GET", "/about", "", 200, "{}"),
		"no recording":   `{"name":"x"}`,
		"a broken entry": reserve(1, "a", "R1") + `{"startedDateTime":}`,
		"nothing":        "",
	} {
		if outcome, err := judgeFiles(t, text); err == nil {
			t.Errorf("%s: want an error, got %s", what, outcome.Result.Verdict)
		}
	}
}

func TestTheLastEntryOfARecordingMayBeCutShort(t *testing.T) {
	t.Parallel()
	outcome, err := judgeFiles(t, reserve(1, "a", "R1")+`{"startedDateTime":`)
	if err != nil || outcome.Result.Coverage.Calls != 1 {
		t.Errorf("Expected the one call that is whole judged, received %+v and %v", outcome, err)
	}
}

// A recording shows calls, not why they were answered. A rule does not pass because of an answer that
// may be a breach of it.
func TestARecordedAnswerThatMayBeABreachPassesNoRule(t *testing.T) {
	t.Parallel()
	catalog := entry(1, "GET", "/products", "", 200, `[{"id":"p","internalName":"P","locale":"en","timeZone":"UTC","allowFreesale":false,"instantConfirmation":true,"instantDelivery":false,"availabilityRequired":true,"availabilityType":"START_TIME","deliveryFormats":[],"deliveryMethods":[],"redemptionMethod":"DIGITAL","options":[{"id":"o","default":true,"internalName":"O","availabilityLocalStartTimes":["10:00"],"cancellationCutoff":"0 hours","restrictions":{},"units":[{"id":"unit-adult","internalName":"Adult","type":"ADULT","restrictions":{}}]}]}]`)
	closed := entry(2, "POST", "/availability", `{"productId":"p","optionId":"o","localDateStart":"2026-07-02","localDateEnd":"2026-07-02","units":[{"id":"unit-adult","quantity":1}]}`, 200,
		`[{"id":"s","localDateTimeStart":"2026-07-02T10:00:00Z","localDateTimeEnd":"2026-07-02T11:00:00Z","status":"SOLD_OUT","vacancies":0,"capacity":9}]`)
	refused := entry(3, "POST", "/bookings/reserve", `{"productId":"p","optionId":"o","availabilityId":"s","units":[{"id":"unit-adult","quantity":1}]}`, 400, `{"message":"sold out"}`)
	strange := entry(4, "POST", "/bookings/reserve", `{"productId":"p","optionId":"o","availabilityId":"t","units":[{"id":"unit-adult","quantity":1}],"colour":"red"}`, 400, `{"message":"sold out, or strange"}`)
	for _, c := range []struct {
		name, calls, rule string
		want              report.Outcome
	}{
		{"a sold-out slot is refused", catalog + closed + refused, "reserve.sold-out", report.Passed},
		{"a sold-out slot is held after a refusal", catalog + closed + refused + reserve(5, "r-1", "C-1"), "reserve.sold-out", report.Inconclusive},
		{"a call with an unknown field is refused", catalog + strange, "reserve.unknown-fields", report.Skipped},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			found, err := judgeFiles(t, c.calls)
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(found.Result.Rules, func(r report.RuleResult) bool { return r.ID == c.rule })
			if got := found.Result.Rules[at]; got.Outcome != c.want {
				t.Errorf("want %s, got %s: %s", c.want, got.Outcome, got.Message)
			}
		})
	}
}
