package main_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// broken is a mock partner under the hands of somebody who breaks it: what it
// remembers of the calls, and how to reach its platform.
type broken struct {
	mock *mockpartner.Mock

	mu        sync.Mutex
	holds     map[string]partnerapi.ReserveRequest // by code
	confirmed map[string]string                    // booking id by code
	booked    map[string]string                    // code by booking id
	ended     map[string]bool                      // codes and booking ids that were released or cancelled
	calls     map[partnerapi.Endpoint]int
}

func newBroken() *broken {
	return &broken{
		holds: map[string]partnerapi.ReserveRequest{}, confirmed: map[string]string{}, booked: map[string]string{},
		ended: map[string]bool{}, calls: map[partnerapi.Endpoint]int{},
	}
}

// take lets b know its mock, before the mock serves.
func (b *broken) take(mock *mockpartner.Mock) { b.mock = mock }

// exchange is one call to the mock partner, as a hook sees it: the request
// before it is served, or the answer before it is sent.
type exchange struct {
	*broken
	endpoint partnerapi.Endpoint
	request  *http.Request
	body     []byte // of the request
	id       string // the path's code or booking id
	status   int
	header   http.Header
	answer   []byte
}

// hook changes an exchange. Before hooks answer by setting a status; after hooks
// change the answer that the mock made.
type hook struct {
	before func(*exchange)
	after  func(*exchange)
}

// around is the mock's hook: it plays h round every call.
func (b *broken) around(h hook) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			e := b.begin(r)
			if h.before != nil {
				h.before(e)
			}
			if e.status == 0 {
				e.request.Body = io.NopCloser(bytes.NewReader(e.body))
				e.request.ContentLength = int64(len(e.body))
				recorder := httptest.NewRecorder()
				next.ServeHTTP(recorder, e.request)
				e.status, e.header, e.answer = recorder.Code, recorder.Header(), recorder.Body.Bytes()
			}
			if h.after != nil {
				h.after(e)
			}
			b.remember(e)
			for name, values := range e.header {
				w.Header()[name] = values
			}
			w.Header().Del("Content-Length")
			w.WriteHeader(e.status)
			_, _ = w.Write(e.answer)
		})
	}
}

func (b *broken) begin(r *http.Request) *exchange {
	body, _ := io.ReadAll(r.Body)
	e := &exchange{broken: b, request: r, body: body, header: http.Header{"Content-Type": {"application/json"}}}
	segments := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	switch {
	case segments[0] == "products":
		e.endpoint = partnerapi.Products
	case segments[0] == "availability":
		e.endpoint = partnerapi.Availability
	case len(segments) == 3:
		e.endpoint = partnerapi.Cancel
	case r.Method == http.MethodDelete:
		e.endpoint = partnerapi.Release
	case segments[1] == "reserve":
		e.endpoint = partnerapi.Reserve
	default:
		e.endpoint = partnerapi.Confirm
	}
	if e.endpoint == partnerapi.Release || e.endpoint == partnerapi.Cancel {
		e.id, _ = url.PathUnescape(segments[1])
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls[e.endpoint]++
	return e
}

// remember notes what the mock did, for later hooks.
func (b *broken) remember(e *exchange) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.status/100 != 2 {
		return
	}
	switch e.endpoint {
	case partnerapi.Reserve:
		var request partnerapi.ReserveRequest
		var answer partnerapi.ReserveAnswer
		_, _ = json.Unmarshal(e.body, &request), json.Unmarshal(e.answer, &answer)
		b.holds[answer.ReservationConfirmationCode] = request
	case partnerapi.Confirm:
		var answer partnerapi.ConfirmAnswer
		_ = json.Unmarshal(e.answer, &answer)
		b.confirmed[e.code()] = answer.ExternalBookingID
		b.booked[answer.ExternalBookingID] = e.code()
	case partnerapi.Release, partnerapi.Cancel:
		b.ended[e.id] = true
	}
}

// code is the code that a confirm names.
func (e *exchange) code() string {
	var request partnerapi.ConfirmRequest
	_ = json.Unmarshal(e.body, &request)
	return request.ReservationConfirmationCode
}

// reserve is the request of a reserve.
func (e *exchange) reserve() partnerapi.ReserveRequest {
	var request partnerapi.ReserveRequest
	_ = json.Unmarshal(e.body, &request)
	return request
}

// heldBy is the reserve that made the hold of a code.
func (e *exchange) heldBy(code string) (partnerapi.ReserveRequest, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	request, ok := e.holds[code]
	return request, ok
}

func (e *exchange) codeOf(bookingID string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.booked[bookingID]
}

func (e *exchange) hasEnded(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ended[id]
}

func (e *exchange) isConfirmed(code string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.confirmed[code] != ""
}

func (e *exchange) ok() bool { return e.status/100 == 2 }

// reply answers with a status and a JSON value; nil is no body.
func (e *exchange) reply(status int, value any) {
	e.status, e.answer = status, nil
	if value != nil {
		e.answer, _ = json.Marshal(value)
	}
}

// edit changes the answer as decoded JSON.
func (e *exchange) edit(change func(map[string]any)) {
	var object map[string]any
	if json.Unmarshal(e.answer, &object) == nil {
		change(object)
		e.answer, _ = json.Marshal(object)
	}
}

// products changes the products of a catalog.
func (e *exchange) products(change func([]any) []any) {
	var array []any
	if json.Unmarshal(e.answer, &array) == nil {
		e.answer, _ = json.Marshal(change(array))
	}
}

// slots changes the slots of an availability answer.
func (e *exchange) slots(change func([]any) []any) { e.products(change) }

// move gives the slot of a reserve so many vacancies more.
func (e *exchange) move(request partnerapi.ReserveRequest, seats int) {
	_ = e.mock.Default().Platform().AdjustVacancies(request.ProductID, request.OptionID, request.AvailabilityID, seats)
}

// vacancies is what is left in the slot of a reserve.
func (e *exchange) vacancies(request partnerapi.ReserveRequest) int {
	for _, slot := range e.mock.Default().Platform().Slots() {
		if slot.ProductID == request.ProductID && slot.OptionID == request.OptionID && slot.AvailabilityID == request.AvailabilityID {
			return slot.Vacancies
		}
	}
	return -1
}

func party(request partnerapi.ReserveRequest) int {
	n := 0
	for _, unit := range request.Units {
		n += unit.Quantity
	}
	return n
}

func (e *exchange) platform() *platform.Platform { return e.mock.Default().Platform() }

// holdOf finds a hold of the platform.
func (e *exchange) holdOf(code string) (platform.Hold, bool) {
	for _, hold := range e.platform().Holds() {
		if hold.Code == code {
			return hold, true
		}
	}
	return platform.Hold{}, false
}
