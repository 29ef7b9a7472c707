package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// The suite tests single calls, in conformance_test.go. The other tests move the clock, send
// concurrent calls, or send calls that no suite sends.
const testKey = "a-key-for-tests"

// partner is a minimal partner behind real HTTP, with a clock that the test moves.
type partner struct {
	t   *testing.T
	url string

	mu   sync.Mutex
	time time.Time
}

// start opens a partner on a Sunday morning, 1 March 2026, before the first start of the day. The
// next day is closed.
func start(t *testing.T) *partner {
	t.Helper()
	p := &partner{t: t, time: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}
	products, err := catalog()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(requireKey(testKey, endpoints(newPlatform(products, p.now))))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

func (p *partner) now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.time
}

func (p *partner) advance(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.time = p.time.Add(by)
}

// send makes one call with the given Authorization header, "" for no header. It returns the
// answer's status and body.
func (p *partner) send(authorization, method, path, body string) (int, []byte) {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		p.t.Fatal(err)
	}
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatalf("%s %s: the connection must not break: %v", method, path, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatalf("%s %s: the answer is cut short: %v", method, path, err)
	}
	return response.StatusCode, answer
}

// call makes one authorized call and reads the answer into out. It fails the test unless the answer
// has the wanted status and a body that matches the schema.
func (p *partner) call(method, path string, body any, wantStatus int, schema string, out any) {
	p.t.Helper()
	text := []byte{}
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			p.t.Fatal(err)
		}
	}
	status, answer := p.send("Bearer "+testKey, method, path, string(text))
	if status != wantStatus {
		p.t.Fatalf("%s %s %s: want %d, got %d: %s", method, path, text, wantStatus, status, answer)
	}
	for _, problem := range schemas.Validate(schema, answer) {
		p.t.Errorf("%s %s: the answer breaks %s: %s", method, path, schema, problem)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		p.t.Fatalf("%s %s: %v in %s", method, path, err, answer)
	}
}

// slots requests the slots of an option of the harbour cruise, dates inclusive.
func (p *partner) slots(optionID, from, to string) []partnerapi.Slot {
	p.t.Helper()
	var slots []partnerapi.Slot
	p.call("POST", partnerapi.AvailabilityPath, window("harbour-cruise", optionID, from, to), 200, schemas.AvailabilityAnswer, &slots)
	return slots
}

func window(productID, optionID, from, to string) partnerapi.AvailabilityRequest {
	return partnerapi.AvailabilityRequest{
		ProductID: productID, OptionID: optionID, LocalDateStart: from, LocalDateEnd: to, Units: adults(1),
	}
}

func adults(n int) []partnerapi.UnitQuantity {
	return []partnerapi.UnitQuantity{{ID: partnerapi.AdultUnitID, Quantity: n}}
}

// boatDay is the day of the slot that most tests book: the small boat with its four seats, on
// Tuesday.
const boatDay = "2026-03-03"

func (p *partner) boat() partnerapi.Slot {
	p.t.Helper()
	slots := p.slots("small-boat", boatDay, boatDay)
	if len(slots) != 1 {
		p.t.Fatalf("want one start of the small boat on %s, got %d", boatDay, len(slots))
	}
	return slots[0]
}

func (p *partner) wantVacancies(want int, when string) {
	p.t.Helper()
	if got := *p.boat().Vacancies; got != want {
		p.t.Errorf("%s: want %d seats left, got %d", when, want, got)
	}
}

func boatFor(n int) partnerapi.ReserveRequest {
	return partnerapi.ReserveRequest{
		ProductID: "harbour-cruise", OptionID: "small-boat",
		AvailabilityID: "small-boat-2026-03-03-1100", Units: adults(n),
	}
}

func (p *partner) reserve(request partnerapi.ReserveRequest) partnerapi.ReserveAnswer {
	p.t.Helper()
	var hold partnerapi.ReserveAnswer
	p.call("POST", partnerapi.ReservePath, request, 200, schemas.ReserveAnswer, &hold)
	return hold
}

func (p *partner) confirm(code string) partnerapi.ConfirmAnswer {
	p.t.Helper()
	var booking partnerapi.ConfirmAnswer
	request := partnerapi.ConfirmRequest{ReservationConfirmationCode: code}
	p.call("POST", partnerapi.ConfirmPath, request, 200, schemas.ConfirmAnswerWithTickets, &booking)
	return booking
}

// wantRefused fails the test unless the answer is a 400 with a message.
func (p *partner) wantRefused(path string, body any) {
	p.t.Helper()
	var refused partnerapi.Refusal
	p.call("POST", path, body, 400, schemas.Refusal, &refused)
}

func (p *partner) release(code string) partnerapi.Done {
	p.t.Helper()
	var done partnerapi.Done
	p.call("DELETE", partnerapi.ReleasePath(code), nil, 200, schemas.ReleaseAnswer, &done)
	return done
}

func (p *partner) cancel(bookingID string) partnerapi.Done {
	p.t.Helper()
	var done partnerapi.Done
	p.call("POST", partnerapi.CancelPath(bookingID), nil, 200, schemas.CancelAnswer, &done)
	return done
}
