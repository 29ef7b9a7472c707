package inbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/inbox"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/schemas"
)

// A server waits half a second for the client to close a connection whose request it did not read
// to its end.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

const (
	secret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	valid  = `{"productId":"p","optionId":"o","availabilityId":"s","localDateTimeStart":"2026-07-01T09:00:00+01:00","status":"AVAILABLE","vacancies":9,"capacity":10}`
)

// partner sends webhooks to an inbox.
type partner struct {
	*inbox.Inbox
	t    *testing.T
	base string
}

func open(t *testing.T, address string) partner {
	t.Helper()
	config := inbox.Config{Listen: "127.0.0.1:0", Secret: secret, Redact: probe.NewRedactor("a-key-of-a-partner", secret)}
	if address != "" {
		config.URL, _ = url.Parse(address)
	}
	box, err := inbox.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	return partner{box, t, box.URL()}
}

// send sends a webhook and returns the status and the body of the answer. A header of "" is absent, and one with
// " and " is sent twice.
func (p partner) send(method, path, secret, contentType, body string) (status int, answer string) {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), method, p.base+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	for name, value := range map[string]string{"x-webhook-secret": secret, "Content-Type": contentType} {
		if value != "" {
			request.Header[http.CanonicalHeaderKey(name)] = strings.Split(value, " and ")
		}
	}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func (p partner) notify(body string) (status int, answer string) {
	p.t.Helper()
	return p.send("POST", "/availability/notify", secret, "application/json", body)
}

func TestAWebhookIsAnsweredAsByTheMarketplace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                              string
		method, path, secret, media, body string
		status                            int
		kept                              bool // as a webhook
		schema                            string
	}{
		{"a notification", "POST", "/availability/notify", secret, "application/json; charset=utf-8", valid, 200, true, schemas.AvailabilityNotifyAnswer},
		{"a trigger without a body", "POST", "/sync/trigger", secret, "", "", 200, true, schemas.SyncTriggerAnswer},
		{"a trigger with a body", "POST", "/sync/trigger", secret, "text/plain", "now", 200, true, schemas.SyncTriggerAnswer},
		{"no secret", "POST", "/availability/notify", "", "application/json", valid, 400, true, schemas.ResellerError},
		{"another secret", "POST", "/availability/notify", secret[1:], "application/json", valid, 401, true, schemas.ResellerError},
		{"a trigger with another secret", "POST", "/sync/trigger", "0" + secret, "", "", 401, true, schemas.ResellerError},
		{"the secret twice", "POST", "/availability/notify", secret + " and " + secret, "application/json", valid, 200, true, schemas.AvailabilityNotifyAnswer},
		{"two secrets", "POST", "/availability/notify", secret + " and " + secret[1:], "application/json", valid, 400, true, schemas.ResellerError},
		{"no body", "POST", "/availability/notify", secret, "", "", 400, true, schemas.ResellerError},
		{"a form", "POST", "/availability/notify", secret, "application/x-www-form-urlencoded", valid, 415, true, schemas.ResellerError},
		{"a large body", "POST", "/availability/notify", secret, "application/json", strings.Repeat(" ", 1<<20) + valid, 413, true, schemas.ResellerError},
		{"another method", "PUT", "/availability/notify", secret, "application/json", valid, 405, false, schemas.ResellerError},
		{"another path", "POST", "/notify", secret, "application/json", valid, 404, false, schemas.ResellerError},
		{"a path above", "POST", "/../availability/notify", secret, "application/json", valid, 404, false, schemas.ResellerError},
	} {
		p := open(t, "")
		status, answer := p.send(test.method, test.path, test.secret, test.media, test.body)
		if status != test.status || (p.Count() == 1) != test.kept {
			t.Errorf("%s: want status %d and kept %t, got %d, %d kept: %s", test.name, test.status, test.kept, status, p.Count(), answer)
		}
		if problems := schemas.Validate(test.schema, []byte(answer)); len(problems) > 0 {
			t.Errorf("%s: want an answer of %s, got %v: %s", test.name, test.schema, problems, answer)
		}
	}
}

// The marketplace takes the same notifications: see its package catalog.
func TestTheInboxTakesTheNotificationsThatTheMarketplaceTakes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(sourcetest.Path("schemas/testdata/notifications.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Name   string
		Status int
		Body   json.RawMessage
	}
	if err := json.Unmarshal(text, &all); err != nil || len(all) == 0 {
		t.Fatalf("want notifications, got %d, %v", len(all), err)
	}
	p := open(t, "")
	for i, one := range all {
		status, answer := p.notify(string(one.Body))
		if status != one.Status || p.Contents().Webhooks[i].IsValid() != (one.Status == 200) {
			t.Errorf("%s: want status %d, got %d: %s", one.Name, one.Status, status, answer)
		}
	}
}

func TestANotificationIsRead(t *testing.T) {
	t.Parallel()
	p := open(t, "")
	p.notify(valid)
	w := p.Contents().Webhooks[0]
	if !w.IsAbout("p", "o", "s") || w.IsAbout("p", "o", "t") || w.Kind != inbox.Notify || *w.Slot.Vacancies != 9 || *w.Slot.Capacity != 10 ||
		!w.Slot.Start.Equal(time.Date(2026, 7, 1, 8, 0, 0, 0, time.UTC)) || w.Exchange.Response.Status != 200 {
		t.Errorf("want the slot s, got %+v", w)
	}
}

func TestTheIntegrationsAddressMayHaveAnyPathAndHost(t *testing.T) {
	t.Parallel()
	p := open(t, "https://tunnel.example/market/api/v1/partner-integrations/17/")
	if p.URL() != "https://tunnel.example/market/api/v1/partner-integrations/17" {
		t.Errorf("want the address that the partner was given, got %s", p.URL())
	}
	if want := "/market/api/v1/partner-integrations/17/availability/notify"; p.Paths()[0] != want {
		t.Errorf("want %s, got %s", want, p.Paths()[0])
	}
}

func TestRequestsToOtherPathsAreCountedByName(t *testing.T) {
	t.Parallel()
	p := open(t, "")
	for range 9 {
		p.send("POST", "/hooks/notify", secret, "application/json", valid)
	}
	mail := p.Contents()
	if len(mail.Webhooks) != 0 || len(mail.OtherRequests) != 5 || mail.OtherRequests[0] != "POST "+inbox.DefaultPath+"/hooks/notify" {
		t.Errorf("want the first few of other requests, got %+v", mail)
	}
}

func TestOneNotificationOfASlotIsRefusedWith503(t *testing.T) {
	t.Parallel()
	p := open(t, "")
	p.RefuseOnce("p", "o", "s")
	other := strings.Replace(valid, `"s"`, `"t"`, 1)
	for i, test := range []struct {
		body   string
		status int
	}{{other, 200}, {valid, 503}, {valid, 200}} {
		if status, answer := p.notify(test.body); status != test.status {
			t.Errorf("%d: want status %d, got %d: %s", i, test.status, status, answer)
		}
	}
}

func TestNotificationsOfAnExpectedSlotAreKeptHoweverManyOthersArrive(t *testing.T) {
	t.Parallel()
	p := open(t, "")
	p.RefuseOnce("p", "o", "s")
	p.Expect("p", "o", "t")
	for range 20_001 {
		request := httptest.NewRequestWithContext(t.Context(), "POST", p.base+"/sync/trigger", nil)
		request.Header.Set("x-webhook-secret", secret)
		p.ServeHTTP(httptest.NewRecorder(), request)
	}
	many := p.Count()
	for _, slot := range []string{"s", "s", "t", "u"} {
		p.notify(strings.Replace(valid, `"s"`, `"`+slot+`"`, 1))
	}
	var kept []string
	for _, hook := range p.Contents().Webhooks[many:] {
		kept = append(kept, fmt.Sprint(hook.Number-many, " ", hook.Slot.ID, " ", hook.Status))
	}
	if want := []string{"1 s 503", "2 s 200", "3 t 200"}; many != 20_000 || !slices.Equal(kept, want) {
		t.Errorf("want 20,000 webhooks and then %v, got %d and %v", want, many, kept)
	}
}

func TestNoSecretIsKept(t *testing.T) {
	t.Parallel()
	p := open(t, "")
	const another = "the-secret-of-another-integration"
	p.send("POST", "/availability/notify", secret, "application/json", strings.Replace(valid, `"p"`, `"`+secret+`"`, 1))
	p.send("POST", "/availability/notify", another, "application/json; a="+secret, valid)
	p.send("POST", "/"+secret, secret, "", "")
	text, err := json.Marshal([]any{p.Contents(), p.Contents().Webhooks[0].Exchange, p.Contents().Webhooks[1].Exchange})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range p.Contents().Webhooks {
		text = append(text, one.Exchange.Curl...)
	}
	// The ids of a notification are compared, and redacted where they are shown.
	shown := bytes.Replace(text, []byte(`"ProductID":"`+secret), nil, 2)
	if bytes.Contains(shown, []byte(secret)) || bytes.Contains(shown, []byte(another)) {
		t.Errorf("want no secret, got %s", shown)
	}
	if curl := p.Contents().Webhooks[0].Exchange.Curl; !strings.Contains(curl, `"x-webhook-secret: $CONFORMANCE_WEBHOOK_SECRET"`) {
		t.Errorf("want a command with the variable of the secret, got %s", curl)
	}
}

func TestAwaitEndsWhenEnoughHasArrivedOrTimeIsUp(t *testing.T) {
	t.Parallel()
	p := open(t, "")
	three := func(m inbox.Contents) bool { return len(m.Webhooks) == 3 }
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if p.Await(over, three) {
		t.Error("want nothing without time")
	}
	var sending sync.WaitGroup
	for range 3 {
		sending.Go(func() { p.notify(valid) })
	}
	if !p.Await(t.Context(), three) {
		t.Error("want three webhooks")
	}
	sending.Wait()
}

func TestAnAddressThatIsTakenIsNamed(t *testing.T) {
	t.Parallel()
	p := open(t, "")
	address, _ := url.Parse(p.URL())
	if _, err := inbox.Open(inbox.Config{Listen: address.Host}); err == nil || !strings.Contains(err.Error(), address.Host) || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("want an error that names the address, got %v", err)
	}
}

func TestANotificationIsComparedWithAvailability(t *testing.T) {
	t.Parallel()
	counted := func(n int64) discover.Seats { return discover.Seats{Counted: true, Left: n} }
	slot := func(status string, capacity int64) discover.Slot {
		return discover.ReadSlot(map[string]any{"id": "s", "status": status, "capacity": json.Number(jsonOf(capacity))})
	}
	for _, test := range []struct {
		name   string
		fields string // fields of the notification
		slot   discover.Slot
		seats  discover.Seats
		want   string // "": they agree
	}{
		{"the same", `{"status":"AVAILABLE","vacancies":9,"capacity":10}`, slot("AVAILABLE", 10), counted(9), ""},
		{"few seats under another name", `{"status":"LIMITED","vacancies":2}`, slot("AVAILABLE", 10), counted(2), ""},
		{"other vacancies", `{"status":"AVAILABLE","vacancies":10}`, slot("AVAILABLE", 10), counted(9), "vacancies: availability has 9, the notification 10"},
		{"another capacity", `{"status":"AVAILABLE","vacancies":9,"capacity":9}`, slot("AVAILABLE", 10), counted(9), "capacity: availability has 10, the notification 9"},
		{"only a status", `{"status":"AVAILABLE"}`, slot("AVAILABLE", 10), counted(9), ""},
		{"another status", `{"status":"CLOSED"}`, slot("AVAILABLE", 10), counted(9), "status: availability has AVAILABLE, the notification CLOSED"},
		{"sold out, and notified so", `{"status":"SOLD_OUT"}`, slot("AVAILABLE", 10), counted(0), ""},
		{"sold out, and shown by its vacancies alone", `{"status":"AVAILABLE","vacancies":0}`, slot("SOLD_OUT", 10), counted(0), ""},
		{"sold out, and notified as available", `{"status":"AVAILABLE"}`, slot("SOLD_OUT", 10), counted(0), "status: availability has SOLD_OUT, the notification AVAILABLE"},
		{"left out, and closed", `{"status":"CLOSED"}`, discover.Slot{}, discover.Seats{}, ""},
		{"left out, and notified as available", `{"status":"AVAILABLE"}`, discover.Slot{}, discover.Seats{}, "status: availability does not have the slot, the notification has AVAILABLE"},
		{"uncounted", `{"status":"FREESALE"}`, slot("FREESALE", 10), discover.Seats{}, ""},
	} {
		var fields map[string]any
		decoder := json.NewDecoder(strings.NewReader(test.fields))
		decoder.UseNumber()
		if err := decoder.Decode(&fields); err != nil {
			t.Fatal(err)
		}
		w := &inbox.Webhook{Slot: discover.ReadSlot(fields)}
		if got := w.Differs(test.slot, test.seats); got != test.want {
			t.Errorf("%s: want %q, got %q", test.name, test.want, got)
		}
	}
}

func jsonOf(n int64) string {
	text, _ := json.Marshal(n)
	return string(text)
}
