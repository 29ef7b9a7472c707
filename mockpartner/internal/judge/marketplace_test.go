package judge_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/internal/judge"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas/partnerapi"
)

// noon is where the tests' clocks stand: a Wednesday, in summer.
var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// What most tests book.
const (
	product = "tokyo-market"
	option  = "breakfast"
	today   = "2026-07-01"
	day     = "2026-07-10"
	lastDay = "2026-08-30"
)

// marketplace is a caller that keeps its side of the contract unless it is told
// to break it.
type marketplace struct {
	t       *testing.T
	partner *mocktest.Server
	key     string // the Authorization header; empty: none
}

func open(t *testing.T, change ...func(*mockpartner.Options)) marketplace {
	t.Helper()
	options := mockpartner.Options{Now: noon, Frozen: true, Seed: 1}
	for _, c := range change {
		c(&options)
	}
	partner := mocktest.Start(t, options)
	return marketplace{t, partner, "Bearer " + partner.AuthKey}
}

// send sends a request and returns status and body; the status is 0 where no
// whole answer came. A body goes out as JSON.
func (m marketplace) send(method, target, body string) (int, string) {
	m.t.Helper()
	return m.sendAs(method, target, body, "application/json")
}

func (m marketplace) sendAs(method, target, body, contentType string) (int, string) {
	m.t.Helper()
	request, err := http.NewRequestWithContext(m.t.Context(), method, m.partner.URL+target, strings.NewReader(body))
	if err != nil {
		m.t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", contentType)
	}
	if m.key != "" {
		request.Header.Set("Authorization", m.key)
	}
	// A transport of its own would send a request again whose connection broke.
	request.Close, request.GetBody = true, nil
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, ""
	}
	return response.StatusCode, string(text)
}

// gets is send for an answer that must come whole and with 200.
func (m marketplace) gets(method, target, body string) string {
	m.t.Helper()
	status, text := m.send(method, target, body)
	if status != http.StatusOK {
		m.t.Fatalf("%s %s: want 200, got %d: %s", method, target, status, text)
	}
	return text
}

func window(from, to string) string {
	return ask(option, from, to, `{"id":"unit-adult","quantity":1}`)
}

func ask(option, from, to, unit string) string {
	return fmt.Sprintf(`{"productId":%q,"optionId":%q,"localDateStart":%q,"localDateEnd":%q,"units":[%s]}`, product, option, from, to, unit)
}

func (m marketplace) slots(from, to string) (slots []partnerapi.Slot) {
	m.t.Helper()
	m.read(m.gets("POST", "/availability", window(from, to)), &slots)
	return slots
}

func (m marketplace) read(text string, value any) {
	m.t.Helper()
	if err := json.Unmarshal([]byte(text), value); err != nil {
		m.t.Fatalf("%v: %s", err, text)
	}
}

// slot asks for a day, as at checkout, and returns a slot that can be booked.
func (m marketplace) slot() string {
	m.t.Helper()
	for _, slot := range m.slots(day, day) {
		if slot.Status.Bookable() && *slot.Vacancies > 5 {
			return slot.ID
		}
	}
	m.t.Fatal("no slot can be booked")
	return ""
}

// party is the body of a reserve.
func party(slot, reference, units string) string {
	return fmt.Sprintf(`{"productId":%q,"optionId":%q,"availabilityId":%q,"units":[%s],"resellerReference":%q}`, product, option, slot, units, reference)
}

const two = `{"id":"unit-adult","quantity":2}`

// reserve checks out and returns the hold's code.
func (m marketplace) reserve(reference string) string {
	m.t.Helper()
	var answer partnerapi.ReserveAnswer
	m.read(m.gets("POST", "/bookings/reserve", party(m.slot(), reference, two)), &answer)
	return answer.ReservationConfirmationCode
}

func named(code string) string {
	body, _ := json.Marshal(partnerapi.ConfirmRequest{ReservationConfirmationCode: code})
	return string(body)
}

// confirm returns the booking's id.
func (m marketplace) confirm(code string) string {
	m.t.Helper()
	var answer partnerapi.ConfirmAnswer
	m.read(m.gets("POST", "/bookings/confirm", named(code)), &answer)
	return answer.ExternalBookingID
}

func (m marketplace) release(code string) {
	m.t.Helper()
	m.gets("DELETE", partnerapi.ReleasePath(code), named(code))
}

// sync is what happens at night.
func (m marketplace) sync() {
	m.t.Helper()
	m.gets("GET", "/products", "")
	m.slots(today, lastDay)
}

func (m marketplace) arm(fault string) {
	m.t.Helper()
	m.done(m.partner.Control.Faults.Arm(m.t.Context(), fault))
}

func (m marketplace) advance(by time.Duration) {
	m.t.Helper()
	m.done(m.partner.Control.Clock.Advance(m.t.Context(), by))
}

func (m marketplace) done(_ any, err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m marketplace) verdict() judge.Verdict {
	m.t.Helper()
	verdict, err := m.partner.Control.Journal.Verdict(m.t.Context())
	m.done(nil, err)
	return verdict
}

// rule returns how the caller stands by one rule.
func rule(t *testing.T, v judge.Verdict, id string) judge.Judgement {
	t.Helper()
	for _, j := range v.Rules {
		if j.ID == id {
			return j
		}
	}
	t.Fatal(errors.New("there is no rule " + id))
	return judge.Judgement{}
}

// with lists the rules of that outcome.
func with(v judge.Verdict, outcome judge.Outcome) (ids []string) {
	for _, j := range v.Rules {
		if j.Verdict == outcome {
			ids = append(ids, j.ID)
		}
	}
	return ids
}
