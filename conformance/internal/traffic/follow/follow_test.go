package follow_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/traffic/follow"
	"partnerkit.dev/schemas"
)

var start = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// call is a line about a call, a number of seconds after start.
func call(after int, method, path, body string, status int, answer string) string {
	at := start.Add(time.Duration(after) * time.Second)
	return fmt.Sprintf(`{"startedDateTime":%q,"time":20,"_history":"one","_until":%q,
		"request":{"method":%q,"url":"https://partner.example%s","headers":[{"name":"Authorization","value":"Bearer k-1234567890"},{"name":"Content-Type","value":"application/json"}],"postData":{"mimeType":"application/json","text":%q}},
		"response":{"status":%d,"headers":[{"name":"Content-Type","value":"application/json"}],"content":{"text":%q}}}`+"\n",
		at.Format(time.RFC3339), at.Add(time.Second/2).Format(time.RFC3339Nano), method, path, body, status, answer)
}

func reserve(after int) string {
	return call(after, "POST", "/bookings/reserve", `{"productId":"p","optionId":"o","availabilityId":"a","units":[{"id":"unit-adult","quantity":1}]}`, 200,
		fmt.Sprintf(`{"reservationConfirmationCode":"C1","expiresAt":%q}`, start.Add(20*time.Minute).Format(time.RFC3339)))
}

func confirm(after int, id string) string {
	return call(after, "POST", "/bookings/confirm", `{"reservationConfirmationCode":"C1"}`, 200, `{"externalBookingId":"`+id+`","status":"CONFIRMED"}`)
}

func release(after int) string {
	return call(after, "DELETE", "/bookings/C1", `{"reservationConfirmationCode":"C1"}`, 200, `{"success":true}`)
}

func rules(t *testing.T, lines string, options follow.Options) (broken []string) {
	t.Helper()
	var out bytes.Buffer
	if _, _, err := follow.Run(t.Context(), strings.NewReader(lines), &out, options); err != nil {
		t.Fatal(err)
	}
	for decoder := json.NewDecoder(&out); decoder.More(); {
		var f follow.Finding
		if err := decoder.Decode(&f); err != nil {
			t.Fatal(err)
		}
		if f.History != "one" || f.Clause == "" || f.Times < 1 || len(f.Evidence) == 0 {
			t.Errorf("Expected a history, a clause and evidence, received %+v", f)
		}
		for _, call := range f.Evidence { // the marketplace's API shows it unchanged
			text, err := json.Marshal(call)
			if err != nil {
				t.Fatal(err)
			}
			if problems := schemas.Validate("integration/exchange", text); problems != nil {
				t.Errorf("Expected an exchange as the API describes it, received %v in %s", problems, text)
			}
		}
		broken = append(broken, f.Rule)
	}
	return broken
}

func TestAPartialHistoryLeavesOpenWhatMissingCallsMayHaveChanged(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, lines   string
		whole, partly []string
	}{
		{"a confirm after a release may repeat one from before it", reserve(0) + release(1) + confirm(2, "B1"), []string{"confirm.released"}, nil},
		{"a second booking is a breach whatever is missing", reserve(0) + confirm(1, "B1") + confirm(2, "B2"), []string{"confirm.repeat.booking"}, []string{"confirm.repeat.booking"}},
		{"a hold that is refused may have been released", reserve(0) + call(1, "POST", "/bookings/confirm", `{"reservationConfirmationCode":"C1"}`, 400, `{"message":"gone"}`), []string{"confirm.minimal-body"}, nil},
	} {
		for _, of := range []struct {
			partial bool
			want    []string
		}{{false, test.whole}, {true, test.partly}} {
			if got := rules(t, test.lines, follow.Options{Partial: of.partial}); !slices.Equal(got, of.want) {
				t.Errorf("%s, partial %v: expected %v, received %v", test.name, of.partial, of.want, got)
			}
		}
	}
}

func TestHistoriesAreJudgedSeparately(t *testing.T) {
	t.Parallel()
	for what, other := range map[string]string{
		"of another name":    strings.ReplaceAll(confirm(2, "B2"), `"_history":"one"`, `"_history":"two"`),
		"of another address": strings.NewReplacer(`"_history":"one",`, "", "partner.example", "localhost").Replace(confirm(2, "B2")),
		"the same line":      confirm(1, "B1"),
	} {
		if got := rules(t, reserve(0)+confirm(1, "B1")+other, follow.Options{}); got != nil {
			t.Errorf("%s: expected nothing, received %v", what, got)
		}
	}
}
