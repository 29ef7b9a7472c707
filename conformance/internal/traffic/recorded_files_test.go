package traffic_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"partnerkit.dev/conformance/report"
)

// checkout is a booking that keeps the contract.
var checkout = reserve(1, "a", "R1") + confirm(2, "R1", 200, bookingBody("B1")) + cancel(3, "B1")

// archive returns calls as an HTTP archive.
func archive(calls string) string {
	return `{"log":{"version":"1.2","creator":{"name":"x"},"entries":[` + strings.Join(strings.Split(strings.TrimSpace(calls), "\n"), ",") + `],"pages":[]}}`
}

// inUTF16 returns a text as the redirection of some shells writes it.
func inUTF16(text string, mark bool) string {
	var raw []byte
	if mark {
		raw = []byte{0xff, 0xfe}
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		raw = append(raw, byte(unit), byte(unit>>8))
	}
	return string(raw)
}

// edit returns calls with parts of their text replaced, given as pairs.
func edit(calls string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(calls) }

// A recorder leaves out, moves and repeats what it likes. What it does not tell is neither the partner's nor
// the caller's breach.
func TestWhatAFileDoesNotTellIsNoBreach(t *testing.T) {
	t.Parallel()
	answer := bookingBody("B1")
	encoded := base64.StdEncoding.EncodeToString([]byte(answer))
	confirmed := confirm(2, "R1", 200, answer)
	content := `"content":{"size":` // of an answer
	late := reserve(1, "a", "R1")
	for n := range 1100 { // as many entries are not read ahead
		late += entry(10+float64(n)/10, "GET", "/products?limit=1", "", 200, "[]")
	}
	late += release(2, "R1") + confirm(600, "R1", 400, `{"message":"gone"}`)
	for what, c := range map[string]struct {
		files  []string
		calls  int // that are judged
		unread string
		passed string // a rule that is judged, and holds
	}{
		"the same file twice":              {[]string{checkout, checkout}, 3, "more than once: 3 calls", "confirm.status"},
		"an export inside another":         {[]string{archive(checkout), archive(checkout + release(5, "R1"))}, 4, "more than once: 3 calls", "confirm.status"},
		"two archives in one file":         {[]string{archive(reserve(1, "a", "R1")) + "\n" + archive(confirmed+cancel(3, "B1"))}, 3, "", "confirm.status"},
		"an export without keys":           {[]string{checkout, edit(checkout, `{"name":"Authorization","value":"Bearer `+recordedKey+`"},`, "")}, 3, "more than once: 3 calls", "confirm.status"},
		"an export without answers":        {[]string{edit(checkout, `,"text":"{\"ext`, `,"_left":"{\"ext`, `,"text":"{\"res`, `,"_left":"{\"res`), checkout}, 3, "more than once: 3 calls", "confirm.booking-id"},
		"a session without keys":           {[]string{reserve(1, "a", "R1"), edit(confirmed, `{"name":"Authorization","value":"Bearer `+recordedKey+`"},`, "")}, 2, "", "confirm.status"},
		"Base64 for base64":                {[]string{reserve(1, "a", "R1"), edit(confirmed, `"text":"{\"ext`, `"encoding":"Base64","_text":"{\"ext`, `"response":`, `"response":`, content, `"content":{"text":"`+encoded+`","size":`)}, 2, "", "confirm.booking-id"},
		"an unknown encoding":              {[]string{reserve(1, "a", "R1") + edit(confirmed, content, `"content":{"encoding":"rot13","size":`)}, 2, "response body is unknown or incomplete: 1 call", "confirm.status"},
		"an answer that was not kept":      {[]string{reserve(1, "a", "R1") + edit(confirmed, `,"text":"{\"ext`, `,"_left":"{\"ext`)}, 2, "response body is unknown or incomplete: 1 call", "confirm.status"},
		"an answer that is attached":       {[]string{reserve(1, "a", "R1") + edit(confirmed, content, `"content":{"_file":"a1.json","size":`, `,"text":"{\"ext`, `,"_left":"{\"ext`)}, 2, "response body is unknown or incomplete: 1 call", "confirm.status"},
		"a request that was not kept":      {[]string{reserve(1, "a", "R1") + edit(confirmed, `"postData"`, `"bodySize":60,"_postData"`) + cancel(3, "B1") + confirm(4, "R1", 400, `{"message":"gone"}`)}, 4, "request body is unknown: 1 call", "reserve.status"},
		"a request that is attached":       {[]string{reserve(1, "a", "R1") + edit(confirmed, `"postData":{"text"`, `"postData":{"text":"","_file":"b.json","_left"`) + cancel(3, "B1")}, 3, "request body is unknown: 1 call", "reserve.status"},
		"a reserve that was not kept":      {[]string{edit(reserve(1, "a", "R1"), `"postData"`, `"bodySize":-1,"_postData"`) + confirmed}, 2, "request body is unknown: 1 call", "confirm.booking-id"},
		"a release that was not kept":      {[]string{reserve(1, "a", "R1") + edit(release(2, "R1"), `"postData"`, `"bodySize":38,"_postData"`, `"status":200`, `"status":400`) + confirm(3, "R1", 400, `{"message":"gone"}`)}, 3, "request body is unknown: 1 call", "reserve.status"},
		"a refusal without headers":        {[]string{edit(reserve(1, "a", "R1")+confirm(2, "R1", 400, `{"message":"not JSON"}`), `[{"name":"Authorization","value":"Bearer `+recordedKey+`"},{"name":"Content-Type","value":"application/json"}]`, "[]", `[{"name":"Content-Type","value":"application/json"}]`, "[]")}, 2, "", "reserve.status"},
		"no headers":                       {[]string{edit(checkout, `[{"name":"Authorization","value":"Bearer `+recordedKey+`"},{"name":"Content-Type","value":"application/json"}]`, "[]", `[{"name":"Content-Type","value":"application/json"}]`, "[]")}, 3, "", "confirm.status"},
		"an offset without a colon":        {[]string{archive(edit(checkout, `:01.000Z"`, `:01.000+0000"`, `T12:00:02.000Z"`, ` 14:00:02,000+0200"`))}, 3, "", "confirm.status"},
		"UTF-16":                           {[]string{inUTF16(archive(checkout), true)}, 3, "", "confirm.status"},
		"UTF-16 without a mark":            {[]string{inUTF16(archive(checkout), false)}, 3, "", "confirm.status"},
		"a time that cannot be read":       {[]string{reserve(1, "a", "R1") + edit(release(2, "R1"), `2026-07-01T12:00:02.000Z`, `today`) + confirm(3, "R1", 400, `{"message":"gone"}`)}, 2, "Unreadable: 1 entry", "reserve.status"},
		"an address that cannot be read":   {[]string{reserve(1, "a", "R1") + edit(release(2, "R1"), "/bookings/R1", "/bookings/50%") + confirm(3, "R1", 400, `{"message":"gone"}`)}, 2, "Unreadable: 1 entry", "reserve.status"},
		"an entry of another form":         {[]string{reserve(1, "a", "R1") + edit(release(2, "R1"), `"status":200`, `"status":"200 OK"`) + confirm(3, "R1", 400, `{"message":"gone"}`)}, 2, "Unreadable: 1 entry", "reserve.status"},
		"a catalog out of a cache":         {[]string{checkout + edit(entry(4, "GET", "/products", "", 200, "[]"), `"time"`, `"_fromCache":"disk","time"`)}, 3, "", "confirm.status"},
		"a catalog that has not changed":   {[]string{checkout + edit(entry(4, "GET", "/products", "", 304, ""), `"headers":[{"name":"Auth`, `"headers":[{"name":"If-None-Match","value":"x"},{"name":"Auth`)}, 3, "", "confirm.status"},
		"a redirect that the browser made": {[]string{checkout + edit(entry(4, "GET", "/products", "", 307, ""), `"status":307`, `"status":307,"statusText":"Internal Redirect"`)}, 3, "", "confirm.status"},
		"a call long after its time":       {[]string{late}, 1102, "Too far out of order: 1 call", "reserve.status"},
		"methods in lower case":            {[]string{edit(checkout, `"POST"`, `"post"`)}, 3, "", "confirm.status"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			outcome, err := judgeFiles(t, c.files...)
			if err != nil {
				t.Fatal(err)
			}
			r := outcome.Result
			if ids := brokenRules(r); ids != nil || len(r.CallerFaults) > 0 {
				t.Errorf("Expected nothing, received %v of the partner and %+v of the caller", ids, r.CallerFaults)
			}
			if r.Coverage.Calls != c.calls {
				t.Errorf("Expected %d calls, received %d", c.calls, r.Coverage.Calls)
			}
			if unread := strings.Join(r.Unread, " "); c.unread == "" && unread != "" || !strings.Contains(unread, c.unread) {
				t.Errorf("Expected %q said, received %q", c.unread, unread)
			}
			at := slices.IndexFunc(r.Rules, func(one report.RuleResult) bool { return one.ID == c.passed })
			if got := r.Rules[at]; got.Outcome != report.Passed {
				t.Errorf("%s: expected it to be passed, received %s: %s", c.passed, got.Outcome, got.Message)
			}
		})
	}
}

func TestEachBaseAddressHasAHistoryOfItsOwn(t *testing.T) {
	t.Parallel()
	direct := checkout + release(9, "R1")
	both := direct + edit(checkout, "https://partner.example/api", "http://localhost:8090") // the same session, seen by a proxy
	for only, want := range map[string]string{
		"":                                 "the recording has calls to several base addresses, each with a history of its own: choose one with --only: https://partner.example/api (4 calls), http://localhost:8090 (3 calls)",
		"https://other.example":            "--only https://other.example: the recording has no calls to this base address, but to https://partner.example/api (4 calls), http://localhost:8090 (3 calls)",
		"partner.example":                  "--only: expected the partner's base URL, such as https://partner.example/api, received \"partner.example\"",
		"https://partner.example/api":      "",
		"HTTPS://Partner.Example:443/api/": "",
	} {
		switch outcome, err := judgeAddress(t, only, both); {
		case want != "":
			if err == nil || err.Error() != want {
				t.Errorf("%q: expected %s, received %v", only, want, err)
			}
		case err != nil:
			t.Errorf("%q: %v", only, err)
		default:
			if r := outcome.Result; r.Coverage.Calls != 4 || brokenRules(r) != nil || r.CallerFaults != nil || r.Target.BaseURL != "https://partner.example/api" {
				t.Errorf("%q: expected 4 calls to it without a fault, received %+v", only, r)
			}
		}
	}
}

// A call whose request is unknown may be about any hold, and so is each call at the same time.
func TestAConfirmOfAnUnknownCodeLeavesEveryHoldOpen(t *testing.T) {
	t.Parallel()
	unknown := edit(confirm(2, "R1", 200, bookingBody("B1")), `"postData"`, `"bodySize":60,"_postData"`)
	for what, calls := range map[string]string{
		"after it":         reserve(1, "a", "R1") + unknown + release(3, "R1") + confirm(4, "R1", 400, `{"message":"gone"}`),
		"at the same time": reserve(1, "a", "R1") + confirm(1.98, "R1", 400, `{"message":"gone"}`) + unknown,
	} {
		outcome, err := judgeFiles(t, calls)
		if err != nil {
			t.Fatal(err)
		}
		if r := outcome.Result; brokenRules(r) != nil {
			t.Errorf("%s: expected nothing, received %v", what, brokenRules(r))
		}
	}
}
