package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/mockpartner/internal/clock"

	"go.uber.org/goleak"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// check ends the test on an error.
var check = errtest.Check

// Whatever a sender starts has ended when it is closed.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is where the tests' frozen clocks begin.
var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

const (
	secret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	// An option whose seats are counted, and a day on which it has slots.
	product, option, day = "tokyo-market", "breakfast", "2026-07-10"
)

// call is a webhook that a marketplace received.
type call struct {
	path, secret, contentType string
	presented                 bool // some secret
	body                      string
}

// marketplace takes webhooks.
type marketplace struct {
	t      *testing.T
	url    string
	arrive chan struct{} // a call is being answered

	mu     sync.Mutex
	calls  []call
	answer func(n int, w http.ResponseWriter) // the n-th call, from 1
}

func open(t *testing.T) *marketplace {
	m := &marketplace{t: t, answer: func(_ int, w http.ResponseWriter) {
		fmt.Fprint(w, `{"success":1,"data":{"updated":true}}`)
	}}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.url = server.URL + "/api/v1/partner-integrations/tokyo"
	return m
}

func (m *marketplace) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		m.t.Errorf("%s: %v", r.URL.Path, err)
	}
	presented := r.Header.Values(partnerapi.WebhookSecretHeader)
	m.mu.Lock()
	m.calls = append(m.calls, call{
		path:        r.Method + " " + strings.TrimPrefix(r.URL.Path, "/api/v1/partner-integrations/tokyo"),
		secret:      strings.Join(presented, ","),
		presented:   len(presented) > 0,
		contentType: r.Header.Get("Content-Type"),
		body:        string(body),
	})
	n, answer := len(m.calls), m.answer
	m.mu.Unlock()
	select {
	case m.arrive <- struct{}{}:
	default: // no one reads it
	}
	answer(n, w)
}

func (m *marketplace) answers(answer func(n int, w http.ResponseWriter)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answer = answer
}

// hangs leaves every call without an answer until the test ends.
func (m *marketplace) hangs() {
	gone := make(chan struct{})
	m.t.Cleanup(func() { close(gone) })
	m.answers(func(int, http.ResponseWriter) { <-gone })
}

func (m *marketplace) receivedCalls() []call {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]call(nil), m.calls...)
}

// notifications returns the notifications, which must keep the contract's schema.
func (m *marketplace) notifications() (list []partnerapi.Notification) {
	m.t.Helper()
	for _, c := range m.receivedCalls() {
		if c.path != "POST /availability/notify" {
			continue
		}
		for _, problem := range schemas.Validate(schemas.AvailabilityNotifyRequest, []byte(c.body)) {
			m.t.Errorf("notify: %s: %s", problem, c.body)
		}
		if c.contentType != "application/json" {
			m.t.Errorf("notify: want application/json, got %q", c.contentType)
		}
		var n partnerapi.Notification
		check(m.t, json.Unmarshal([]byte(c.body), &n))
		list = append(list, n)
	}
	return list
}

// vacancies returns the vacancies that the notifications state, in their order.
func (m *marketplace) vacancies() (list []int) {
	m.t.Helper()
	for _, n := range m.notifications() {
		list = append(list, *n.Vacancies)
	}
	return list
}

// partner is a platform with a frozen clock and a sender.
type partner struct {
	*platform.Platform
	t      *testing.T
	clock  *clock.Virtual
	sender *webhook.Sender
	slots  []partnerapi.Slot // of the day and the days after it
}

func run(t *testing.T) partner {
	t.Helper()
	return runAt(t, clock.NewFrozen(noon))
}

func runAt(t *testing.T, clock *clock.Virtual) partner {
	t.Helper()
	index, err := catalog.DefaultIndex()
	check(t, err)
	business, err := platform.New(platform.Config{Catalog: index, Clock: clock, Seed: 1})
	check(t, err)
	p := partner{Platform: business, t: t, clock: clock, sender: webhook.New(business, clock, func(string) {})}
	t.Cleanup(p.sender.Close)
	window, err := business.Availability(partnerapi.AvailabilityRequest{
		ProductID: product, OptionID: option, LocalDateStart: day, LocalDateEnd: "2026-07-20",
		Units: []partnerapi.UnitQuantity{{ID: partnerapi.AdultUnitID, Quantity: 1}},
	})
	check(t, err)
	p.slots = window.Slots
	for _, slot := range p.slots[:3] {
		p.set(slot.ID, 9)
	}
	return p
}

// set gives the slot so many of ten seats.
func (p partner) set(slotID string, vacancies int) {
	p.t.Helper()
	change := client.SlotChange{Status: new(partnerapi.StatusAvailable), Capacity: new(10), Vacancies: new(vacancies)}
	if vacancies < 4 {
		change.Status = nil
	}
	check(p.t, p.SetSlot(product, option, slotID, change))
}

func (p partner) reserve(slotID string, adults int) client.Hold {
	p.t.Helper()
	hold, err := p.Reserve(partnerapi.ReserveRequest{
		ProductID: product, OptionID: option, AvailabilityID: slotID,
		Units: []partnerapi.UnitQuantity{{ID: partnerapi.AdultUnitID, Quantity: adults}},
	}, nil)
	check(p.t, err)
	return hold
}

// patience limits how long a test waits. It is far longer than a busy machine needs.
const patience = 10 * time.Minute

// config is how webhooks go to the marketplace, with waits that no test notices.
func config(m *marketplace, change ...func(*webhook.Config)) webhook.Config {
	c := webhook.Config{URL: m.url, Secret: secret, Timeout: script.Duration(patience), Retries: script.Retries{Backoff: script.Duration(time.Millisecond), Max: script.Duration(5 * time.Millisecond)}}
	for _, ch := range change {
		ch(&c)
	}
	return c
}

func (p partner) notifies(m *marketplace, change ...func(*webhook.Config)) {
	p.t.Helper()
	check(p.t, p.sender.Configure(config(m, change...)))
}

// ends waits until so many webhooks have ended.
func (p partner) ends(n int) []client.Delivery {
	p.t.Helper()
	return p.endsAs(webhook.Filter{}, n)
}

func (p partner) endsAs(f webhook.Filter, n int) []client.Delivery {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	if seen := p.sender.Wait(ctx, f, n); seen != n {
		p.t.Fatalf("want %d webhooks to end, got %d: %+v", n, seen, p.sender.Status(webhook.Filter{}, 100))
	}
	return p.sender.Status(f, 1000).Deliveries
}

func withFault(f script.WebhookFault) func(*webhook.Config) {
	return func(c *webhook.Config) { c.Faults = append(c.Faults, f) }
}

func onCauses(causes ...client.Cause) func(*webhook.Config) {
	return func(c *webhook.Config) { c.On = causes }
}
