package console_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

func TestFormsWorkWithoutScriptAndLeadBackToTheirPage(t *testing.T) {
	t.Parallel()
	v := start(t)
	slot := v.slot()
	path := "/_mock/?product=tokyo-market&slot=" + slot.AvailabilityID
	response, text := v.submit(path, "slot-sell-out", nil)
	if response.StatusCode != 303 || response.Header.Get("Location") != "?product=tokyo-market&slot="+slot.AvailabilityID {
		t.Fatalf("want to be led back, got %s %s: %.300s", response.Status, response.Header.Get("Location"), text)
	}
	if got, _ := v.Default().Platform().Slot("tokyo-market", "breakfast", slot.AvailabilityID); got.Status != partnerapi.StatusSoldOut {
		t.Errorf("want the slot sold out, got %s", got.Status)
	}
	v.submit(path, "slot-vacancies", map[string]string{"number:vacancies": "5"})
	if got, _ := v.Default().Platform().Slot("tokyo-market", "breakfast", slot.AvailabilityID); got.Vacancies != 5 {
		t.Errorf("want 5 seats left, got %+v", got)
	}
	v.submit(path, "slot-close", nil)
	v.submit(path, "slot-open", nil)
	if got, _ := v.Default().Platform().Slot("tokyo-market", "breakfast", slot.AvailabilityID); got.Status != partnerapi.StatusAvailable {
		t.Errorf("want the slot on sale again, got %s", got.Status)
	}
	v.submit("/_mock/", "clock-advance", map[string]string{"text:advance": "90m"})
	if got := v.Default().Clock().Now(); !got.Equal(noon.Add(90 * time.Minute)) {
		t.Errorf("want the clock advanced, got %s", got)
	}
	v.submit("/_mock/", "clock-toggle", nil)
	if v.Default().Clock().IsFrozen() {
		t.Error("want the clock to run")
	}
	v.submit("/_mock/", "defects-age-limit-is-text", nil)
	if page := v.see("/_mock/"); !strings.Contains(page, "Take off") {
		t.Error("want a defect applied")
	}
	v.submit("/_mock/", "defects-age-limit-is-text", nil)
	if page := v.see("/_mock/"); strings.Contains(page, "Take off") {
		t.Error("want the defect taken off")
	}
}

func TestEveryPresetCanBeArmed(t *testing.T) {
	t.Parallel()
	v := start(t)
	page, presets := elements(t, v.see("/_mock/")), 0
	for _, element := range page {
		if id := attribute(element, "id"); element.Data == "form" && strings.HasPrefix(id, "arm-") && id != "arm-own" {
			presets++
			_, values := form(t, page, id)
			if response, text := v.send("POST", "/_mock/", formKind, values.Encode()); response.StatusCode != 303 {
				t.Errorf("%s: want it armed, got %s: %.300s", id, response.Status, text)
			}
		}
	}
	if armed := len(v.Default().Faults().Faults()); armed != presets || presets == 0 {
		t.Errorf("want %d faults armed, got %d", presets, armed)
	}
}

func TestARefusedFormSaysWhyWhereItIsAndKeepsWhatWasEntered(t *testing.T) {
	t.Parallel()
	v := start(t)
	for _, c := range []struct{ id, field, entered, words string }{
		{"clock-advance", "text:advance", "soon", "advance: expected a duration"},
		{"clock-set", "text:set", "<b>", "set: "},
		{"create", "text:name", "Not A Name", "name: expected 1 to 63"},
		{"arm-own", "raw:fault", "stats: 500", `unknown field "stats"`},
		{"create", "number:seed", "many", `seed: expected a whole number, received "many"`},
	} {
		response, page := v.submit("/_mock/", c.id, map[string]string{c.field: c.entered})
		if response.StatusCode != 422 {
			t.Errorf("%s: want 422, got %s", c.id, response.Status)
			continue
		}
		element, values := form(t, elements(t, page), c.id)
		if text := content(element); !strings.Contains(text, c.words) || strings.Count(page, `class="refusal"`) != 1 {
			t.Errorf("%s: want %q in the form and nowhere else, got %s", c.id, c.words, text)
		}
		if got := values.Get(c.field); c.id != "arm-own" && got != c.entered || c.id == "arm-own" && !strings.Contains(content(element), c.entered) {
			t.Errorf("%s: want what was entered kept, got %q", c.id, got)
		}
	}
}

func TestASecretThatWasEnteredIsNotShownAgain(t *testing.T) {
	t.Parallel()
	v := start(t)
	response, page := v.submit("/_mock/", "webhooks-set", map[string]string{"text:url": "ftp://nowhere", "secret:secret": "a-secret-of-webhooks"})
	if response.StatusCode != 422 || strings.Contains(page, "a-secret-of-webhooks") || !strings.Contains(page, "ftp://nowhere") {
		t.Errorf("want the address again and not the secret, got %s", response.Status)
	}
}

func TestFormsOnlyMakeCallsThatChangeSomething(t *testing.T) {
	t.Parallel()
	v := start(t)
	for _, body := range []string{
		"", "call=x", "call=x+GET+/journal/events", "call=x+POST+clock", "call=x+TRACE+/clock", "call=x+POST+//evil.example/",
		"call=x+POST+/", "call=x+POST+/../../products", "call=x+POST+/clock%3f%0d%0a", "call=x+POST+/nothing", "call=x+DELETE+/clock",
	} {
		if response, text := v.send("POST", "/_mock/", formKind, body); response.StatusCode != 422 || !strings.Contains(text, `role="alert"`) {
			t.Errorf("%s: want it refused on the page, got %s: %.200s", body, response.Status, text)
		}
	}
	if response, _ := v.send("POST", "/_mock/", formKind, "x="+strings.Repeat("x", 5<<20)); response.StatusCode != 400 {
		t.Errorf("want a form that is too large refused, got %s", response.Status)
	}
	if response, _ := v.send("POST", "/_mock/", formKind, "x=%zz"); response.StatusCode != 400 {
		t.Errorf("want a broken form refused, got %s", response.Status)
	}
}

func TestAMenuHasTheCurlLineOfEachControl(t *testing.T) {
	t.Parallel()
	v := start(t)
	v.submit("/_mock/", "create", map[string]string{"text:name": "mine"})
	for path, lines := range map[string]map[string]string{
		"/_mock/?curl=yes": {
			"clock-toggle":  `curl --data-binary '{"freeze":false}' '` + v.URL + `/_mock/clock'`,
			"clock-advance": `curl --data-binary '{"advance":"5m"}' '` + v.URL + `/_mock/clock'`,
			"clock-next":    `curl -X POST '` + v.URL + `/_mock/clock/next'`,
			"journal-clear": `curl -X DELETE '` + v.URL + `/_mock/journal'`,
		},
		"/s/mine/_mock/?curl=yes&product=tokyo-market&slot=" + v.slot().AvailabilityID: {
			"slot-sell-out": `curl -X PATCH --data-binary '{"availabilityId":"` + v.slot().AvailabilityID + `","optionId":"breakfast","productId":"tokyo-market","status":"SOLD_OUT"}' '` + v.URL + `/s/mine/_mock/slots'`,
			"reset-mine":    `curl -X POST '` + v.URL + `/s/mine/_mock/sandboxes/mine/reset'`,
		},
	} {
		page := elements(t, v.see(path))
		menu := map[string]string{}
		for _, element := range page {
			if id, isLine := strings.CutSuffix(attribute(element, "id"), "-curl"); isLine {
				menu[id] = content(element)
			}
		}
		for id, want := range lines {
			if menu[id] != want {
				t.Errorf("%s: want %s, got %s", id, want, menu[id])
			}
		}
		for _, element := range page {
			if element.Data == "form" && attribute(element, "method") == "post" && menu[attribute(element, "id")] == "" {
				t.Errorf("want the curl line of %s", attribute(element, "id"))
			}
		}
	}
	guarded := start(t, func(o *mockpartner.Options) { o.ControlToken = "a-control-token" })
	request, err := http.NewRequestWithContext(t.Context(), "GET", guarded.URL+"/_mock/?curl=yes", nil)
	check(t, err)
	request.Header.Set("Authorization", "Bearer a-control-token")
	response, err := http.DefaultTransport.RoundTrip(request)
	check(t, err)
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil || strings.Contains(string(page), "a-control-token") || !strings.Contains(string(page), "Bearer $MOCKPARTNER_CONTROL_TOKEN") {
		t.Errorf("want lines with the token's variable and without the token, %v", err)
	}
}

func TestASandboxHasItsOwnConsoleAndLeavesItForTheRootWhenItIsDeleted(t *testing.T) {
	t.Parallel()
	v := start(t)
	v.submit("/_mock/", "create", map[string]string{"text:name": "mine", "text:now": "2027-01-01T00:00:00Z", "number:seed": "18446744073709551615"})
	box, ok := v.Sandbox("mine")
	if !ok || box.Platform().Seed() != 1<<64-1 {
		t.Fatal("want a sandbox with its seed")
	}
	if page := v.see("/s/mine/_mock/"); !strings.Contains(page, "Fri 1 Jan 2027") || !strings.Contains(page, `href="/_mock/"`) {
		t.Error("want the sandbox's clock, and the way to the others")
	}
	v.submit("/s/mine/_mock/", "clock-advance", map[string]string{"text:advance": "1h"})
	if !v.Default().Clock().Now().Equal(noon) || box.Clock().Now().Hour() != 1 {
		t.Error("want the sandbox's clock moved alone")
	}
	if response, _ := v.submit("/s/mine/_mock/", "delete-mine", nil); response.Header.Get("Location") != "/_mock/" {
		t.Errorf("want to be led to the root, got %s", response.Header.Get("Location"))
	}
	if _, ok := v.Sandbox("mine"); ok {
		t.Error("want the sandbox gone")
	}
}
