package twin_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/internal/twin"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas/partnerapi"
)

// check ends the test on an error.
var check = errtest.Check

const key = "the-partners-own-key"

// noon is on a Wednesday.
var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// partner serves a mock until the test ends.
func partner(t *testing.T, o mockpartner.Options) string {
	t.Helper()
	o.AuthKey, o.Now, o.Frozen = key, noon, true
	return mocktest.Start(t, o).URL
}

func learnTwin(t *testing.T, o twin.Options) *twin.Twin {
	t.Helper()
	o.AuthKey, o.Now = key, func() time.Time { return noon }
	twin, err := twin.Learn(t.Context(), o)
	check(t, err)
	return twin
}

// ask calls a partner and returns its status and body.
func ask(t *testing.T, method, address, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	check(t, err)
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	check(t, err)
	defer answer.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(answer.Body); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, text.String()
}

func playTwin(t *testing.T, twin *twin.Twin) string {
	t.Helper()
	scenario, err := mockpartner.ParseScenario("twin.yaml", twin.Scenario)
	if err != nil {
		t.Fatalf("%v\n%s", err, twin.Scenario)
	}
	return partner(t, mockpartner.Options{Scenario: scenario})
}

// slotsOf are an option's slots for 60 days, without their ids: those are the mock's own.
func slotsOf(t *testing.T, base, product, option string) []partnerapi.Slot {
	t.Helper()
	status, text := ask(t, http.MethodPost, base+"/availability", fmt.Sprintf(
		`{"productId":%q,"optionId":%q,"localDateStart":"2026-07-02","localDateEnd":"2026-08-30","units":[{"id":"unit-adult","quantity":1}]}`, product, option))
	var slots []partnerapi.Slot
	if err := json.Unmarshal([]byte(text), &slots); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	for i := range slots {
		slots[i].ID = ""
	}
	return slots
}

func TestATwinSellsWhatThePartnerSells(t *testing.T) {
	t.Parallel()
	original := partner(t, mockpartner.Options{Seed: 3})
	twin := playTwin(t, learnTwin(t, twin.Options{BaseURL: original}))
	_, want := ask(t, http.MethodGet, original+"/products", "")
	if _, got := ask(t, http.MethodGet, twin+"/products", ""); got != want {
		t.Errorf("want\n%s\ngot\n%s", want, got)
	}
	for _, product := range catalog.Default().Products {
		for _, option := range product.Options {
			want, got := slotsOf(t, original, product.ID, option.ID), slotsOf(t, twin, product.ID, option.ID)
			if len(want) != len(got) {
				t.Errorf("%s %s: want %d slots, got %d", product.ID, option.ID, len(want), len(got))
				continue
			}
			for i := range want {
				w, _ := json.Marshal(want[i])
				if g, _ := json.Marshal(got[i]); string(w) != string(g) {
					t.Errorf("%s %s: want\n%s\ngot\n%s", product.ID, option.ID, w, g)
					break
				}
			}
		}
	}
}

// A program that the twin cannot run would answer 500.
func TestATwinAnswersAboutMoreSeatsThanACapacityThatIsAText(t *testing.T) {
	t.Parallel()
	scenario, err := mockpartner.ParseScenario("odd.yaml", []byte(`faults:
  - match: {endpoint: availability, product: last, option: last}
    answered: 200
    jq: 'if length > 1 then .[-1] |= (.status = "AVAILABLE" | .vacancies = 5 | .capacity = "1") else . end'
`))
	check(t, err)
	original := partner(t, mockpartner.Options{Scenario: scenario})
	twin := playTwin(t, learnTwin(t, twin.Options{BaseURL: original}))
	product := catalog.Default().Products[len(catalog.Default().Products)-1]
	status, text := ask(t, http.MethodPost, twin+"/availability", fmt.Sprintf(
		`{"productId":%q,"optionId":%q,"localDateStart":"2026-07-02","localDateEnd":"2026-08-30","units":[{"id":"unit-adult","quantity":1}]}`, product.ID, product.Options[len(product.Options)-1].ID))
	if status != http.StatusOK || !strings.Contains(text, `"capacity":"`) {
		t.Errorf("Expected slots with a capacity that is a text, received %d: %s", status, text)
	}
}

func TestATwinOfATwinIsTheSame(t *testing.T) {
	t.Parallel()
	first := learnTwin(t, twin.Options{BaseURL: partner(t, mockpartner.Options{Seed: 3})})
	second := learnTwin(t, twin.Options{BaseURL: playTwin(t, first)})
	if withoutTimes(first) != withoutTimes(second) {
		t.Errorf("Expected\n%s\nreceived\n%s", first.Scenario, second.Scenario)
	}
}

// withoutTimes is a scenario without its answer times, which depend on what else the machine does.
func withoutTimes(twin *twin.Twin) string {
	head, rest, timed := strings.Cut(string(twin.Scenario), "\n# The median")
	if !timed {
		return head
	}
	_, rest, _ = strings.Cut(rest, "\n\n")
	return head + "\n" + rest
}

func TestThePartnerIsOnlyReadAndNotMoreOftenThanAllowed(t *testing.T) {
	t.Parallel()
	var called []string
	counted := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			called = append(called, r.Method+" "+r.URL.Path)
			next.ServeHTTP(w, r)
		})
	}
	twin := learnTwin(t, twin.Options{BaseURL: partner(t, mockpartner.Options{Around: counted}), MaxCalls: 6})
	if len(called) != 6 || twin.Calls != 6 {
		t.Errorf("want 6 calls, got %v", called)
	}
	for _, call := range called {
		if call != "GET /products" && call != "POST /availability" {
			t.Errorf("want the partner to be read only, got %s", call)
		}
	}
	if notes := strings.Join(twin.Notes, "\n"); !strings.Contains(notes, "raise --max-calls") || !strings.Contains(notes, "The slots of 10 options of 12 were not seen") {
		t.Errorf("want a note about what is missing, got %s", notes)
	}
}

func TestAPartnerThatCannotBeReadIsAnErrorThatSaysWhy(t *testing.T) {
	t.Parallel()
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(refuses.Close)
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("[]")) }))
	t.Cleanup(empty.Close)
	noArchive := filepath.Join(t.TempDir(), "notes.txt")
	check(t, os.WriteFile(noArchive, []byte("{}"), 0o600))
	two := filepath.Join(t.TempDir(), "two.har")
	entry := `{"startedDateTime":"2026-07-01T12:00:00Z","request":{"method":"GET","url":"%s/products"},"response":{"status":200,"content":{"text":"[]"}}}` + "\n"
	check(t, os.WriteFile(two, []byte(fmt.Sprintf(entry, "http://one.example")+fmt.Sprintf(entry, "http://two.example/api")), 0o600))
	for _, c := range []struct {
		options twin.Options
		want    string
	}{
		{twin.Options{}, "expected the address of a partner or a recording"},
		{twin.Options{BaseURL: "partner.example"}, "expected the partner's base URL"},
		{twin.Options{BaseURL: "http://user:hidden@partner.example"}, "leave them out"},
		{twin.Options{BaseURL: refuses.URL}, "expected 200, received 401: check the key and --auth-type"},
		{twin.Options{BaseURL: "http://127.0.0.1:1"}, "does not answer"},
		{twin.Options{BaseURL: empty.URL}, twin.ErrNothing.Error()},
		{twin.Options{Recordings: []string{"no-such.har"}}, "read no-such.har: no such file"},
		{twin.Options{Recordings: []string{noArchive}}, "expected an HTTP archive"},
		{twin.Options{Recordings: []string{two}}, "choose one with --only: http://one.example (1 call), http://two.example/api (1 call)"},
		{twin.Options{Recordings: []string{two}, Only: "http://three.example"}, "--only http://three.example: the recording has no calls to this base address, but to http://one.example (1 call)"},
		{twin.Options{Recordings: []string{two}, Only: "http://two.example:80/api/"}, twin.ErrNothing.Error()},
		{twin.Options{Recordings: []string{two}, Only: "two.example"}, "--only: expected the partner's base URL"},
	} {
		c.options.AuthKey = key
		if _, err := twin.Learn(t.Context(), c.options); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("want %s, got %v", c.want, err)
		}
	}
}

// planted are what must not get into a twin.
var planted = map[string]string{
	"key":   key,
	"name":  "Zoë Müller-Lüdenscheidt",
	"mail":  "zoe.mueller@example.org",
	"phone": "+351 912 345 678",
	"code":  "HOLD/7%2F x+y-9",
	"id":    "BOOKING-ä-4711",
}

// encodings are the ways in which a text may have got into a file.
func encodings(text string) map[string]string {
	quoted, _ := json.Marshal(text)
	twice, _ := json.Marshal(string(quoted))
	return map[string]string{
		"plain": text, "JSON": strings.Trim(string(quoted), `"`), "JSON twice": strings.Trim(string(twice), `"`), "query": url.QueryEscape(text), "path": url.PathEscape(text),
		"base64": base64.StdEncoding.EncodeToString([]byte(text)), "base64 for URLs": base64.RawURLEncoding.EncodeToString([]byte(text)), "hex": hex.EncodeToString([]byte(text)),
		"upper case": strings.ToUpper(text), "lower case": strings.ToLower(text),
	}
}

// A partner that says all it knows in every answer, in every encoding.
func TestNoKeyAndNoGuestGetsIntoATwin(t *testing.T) {
	t.Parallel()
	var all []string
	for _, secret := range planted {
		for _, form := range encodings(secret) {
			all = append(all, form)
		}
	}
	entry := func(second int, method, path, body string, status int, answer any) map[string]any {
		text, err := json.Marshal(answer)
		check(t, err)
		return map[string]any{
			"startedDateTime": noon.Add(time.Duration(second) * time.Second), "time": 20,
			"request": map[string]any{
				"method": method, "url": "https://partner.example/api" + path, "headers": []any{map[string]any{"name": "Authorization", "value": "Bearer " + key}},
				"postData": map[string]any{"mimeType": "application/json", "text": body},
			},
			"response": map[string]any{"status": status, "headers": []any{map[string]any{"name": "X-Guest", "value": planted["name"]}}, "content": map[string]any{"size": len(text), "text": string(text)}},
		}
	}
	contact := fmt.Sprintf(`"contact":{"fullName":%q,"emailAddress":%q,"phoneNumber":%q}`, planted["name"], planted["mail"], planted["phone"])
	code, _ := json.Marshal(planted["code"])
	product := map[string]any{
		"id": "p", "internalName": "Walk with " + strings.Join(all, " and "), "locale": "en", "timeZone": "UTC", "instantConfirmation": true, "reference": planted["mail"],
		"options": []any{map[string]any{
			"id": "o", "internalName": planted["phone"], "availabilityType": "START_TIME", "cancellationCutoff": base64.StdEncoding.EncodeToString([]byte("for " + planted["name"])),
			"units": []any{map[string]any{"id": "unit-adult", "internalName": planted["code"], "type": "ADULT", "pricingFrom": []any{map[string]any{"original": 1, "currency": "EUR"}}}},
		}},
	}
	reported := map[string]any{"message": strings.Join(all, " "), "contact": map[string]any{"fullName": planted["name"]}}
	archive, err := json.Marshal(map[string]any{"log": map[string]any{"version": "1.2", "entries": []any{
		entry(0, "GET", "/products", "", 200, []any{product}),
		entry(1, "POST", "/availability", `{"productId":"p","optionId":"o","localDateStart":"2026-07-02","localDateEnd":"2026-07-03","units":[{"id":"unit-adult","quantity":1}]}`, 200, []any{
			map[string]any{"id": planted["code"], "localDateTimeStart": "2026-07-02T09:00:00Z", "localDateTimeEnd": "2026-07-02T10:00:00Z", "status": planted["name"], "vacancies": 3, "unitPricing": []any{map[string]any{"unitId": planted["mail"], "original": 1, "currency": "EUR"}}},
		}),
		entry(2, "POST", "/bookings/reserve", `{"productId":"p","optionId":"o","availabilityId":"s","units":[{"id":"unit-adult","quantity":1}],`+contact+`}`, 200,
			map[string]any{"reservationConfirmationCode": planted["code"], "expiresAt": "2026-07-01T12:20:02Z", "for": reported}),
		entry(3, "POST", "/bookings/confirm", `{"reservationConfirmationCode":`+string(code)+`,`+contact+`}`, 200, map[string]any{"externalBookingId": planted["id"], "status": planted["name"], "told": reported,
			"tickets": []any{map[string]any{"redemptionMethod": planted["name"], "deliveryOptions": []any{map[string]any{"deliveryFormat": planted["id"], "deliveryMethod": "TICKET", "deliveryValue": planted["code"]}}}}}),
		entry(4, "POST", "/bookings/confirm", `{"reservationConfirmationCode":"other",`+contact+`}`, 422, reported),
		entry(5, "DELETE", partnerapi.ReleasePath(planted["code"]), "", 404, reported),
		entry(6, "POST", partnerapi.CancelPath(planted["id"]), `{"reason":"`+planted["mail"]+`"}`, 409, reported),
	}}})
	check(t, err)
	file := filepath.Join(t.TempDir(), "shop.har")
	check(t, os.WriteFile(file, archive, 0o600))
	twin := learnTwin(t, twin.Options{Recordings: []string{file}})
	for name, secret := range planted {
		for encoding, form := range encodings(secret) {
			if bytes.Contains(twin.Scenario, []byte(form)) || strings.Contains(strings.Join(twin.Notes, "\n"), form) {
				t.Errorf("the twin has the %s, %s:\n%s", name, encoding, twin.Scenario)
			}
		}
	}
	if twin.Products != 1 || twin.Slots != 1 {
		t.Errorf("want the product and its slot learned from the recording alone, got %+v", twin)
	}
}
