package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// send sends a request with the marketplace's key, and returns the answer and its body.
func (b *bridge) send(t testing.TB, method, path, body string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, b.url+path, strings.NewReader(body))
	check(t, err)
	request.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(request)
	check(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(t, err)
	return answer, string(text)
}

// refusing is a supplier that answers one call so, and passes on the others.
func refusing(method, path string, status int, body string) func(http.Handler) http.Handler {
	return func(supplier http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != method || r.URL.Path != path {
				supplier.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
	}
}

const window = `{"productId": "tokyo-market", "optionId": "breakfast", "localDateStart": "2026-07-10", "localDateEnd": "2026-07-10", "units": [{"id": "unit-adult", "quantity": 1}]}`

func TestErrors_NameTheCallOfOCTOBehindThem(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status int
		body   string
		want   int
		octo   string
	}{
		{400, `{"error": "INVALID_OPTION_ID", "errorMessage": "No such option."}`, 400, `{"call":"POST /availability","status":400,"error":"INVALID_OPTION_ID","detail":"No such option."}`},
		{401, `{"error": "UNAUTHORIZED", "errorMessage": "No key."}`, 502, `{"call":"POST /availability","status":401,"error":"UNAUTHORIZED","detail":"No key."}`},
		{403, `<html>`, 502, `{"call":"POST /availability","status":403}`},
		{429, `{}`, 429, `{"call":"POST /availability","status":429}`},
		{500, `{"errorMessage": "Oops.\u001b[2J"}`, 502, `{"call":"POST /availability","status":500,"detail":"Oops.`},
		{302, ``, 502, `{"call":"POST /availability","status":302}`},
		{200, `{"slots": []}`, 502, `{"call":"POST /availability","detail":"the answer is not as OCTO has it: `},
	} {
		b := start(t, options{around: refusing(http.MethodPost, "/availability", test.status, test.body)})
		answer, body := b.send(t, http.MethodPost, partnerapi.AvailabilityPath, window)
		if answer.StatusCode != test.want || !strings.Contains(body, `"octo":`+test.octo) || strings.Contains(body, "\u001b") || strings.Contains(body, `\u001b`) {
			t.Errorf("%d: want %d and %s, got %d and %s", test.status, test.want, test.octo, answer.StatusCode, body)
		}
		if retry := answer.Header.Get("Retry-After"); (retry == "7") != (test.status == 429) {
			t.Errorf("%d: got Retry-After %q", test.status, retry)
		}
	}
}

func TestErrors_ASupplierThatDoesNotAnswerIsNamed(t *testing.T) {
	t.Parallel()
	b := start(t, options{around: func(supplier http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/bookings" {
				panic(http.ErrAbortHandler)
			}
			supplier.ServeHTTP(w, r)
		})
	}})
	_, id := b.slot(t)
	answer, body := b.send(t, http.MethodPost, partnerapi.ReservePath, order(id, 1))
	if answer.StatusCode != http.StatusBadGateway || !strings.Contains(body, `"octo":{"call":"POST /bookings"`) {
		t.Errorf("got %d %s", answer.StatusCode, body)
	}
}

// slot returns a slot with many seats, and its id.
func (b *bridge) slot(t testing.TB) (partnerapi.Slot, string) {
	t.Helper()
	box := b.mock.Default()
	slots, err := box.Slots("tokyo-market", "breakfast", box.Now().AddDate(0, 0, 9), 7) // the market has days of rest
	check(t, err)
	id := slots[0].AvailabilityID
	check(t, box.SetSlot("tokyo-market", "breakfast", id, client.SlotChange{Capacity: new(1 << 30), Vacancies: new(1 << 30)}))
	date := slots[0].Start.Format("2006-01-02")
	_, body := b.send(t, http.MethodPost, partnerapi.AvailabilityPath, strings.ReplaceAll(window, "2026-07-10", date))
	var shown []partnerapi.Slot
	check(t, json.Unmarshal([]byte(body), &shown))
	return shown[0], id
}

func order(slot string, guests int) string {
	return fmt.Sprintf(`{"productId": "tokyo-market", "optionId": "breakfast", "availabilityId": %q, "units": [{"id": "unit-adult", "quantity": %d}]}`, slot, guests)
}

func TestRequests_AreRefusedByTheNameOfWhatIsWrong(t *testing.T) {
	t.Parallel()
	b := start(t, options{})
	_, slot := b.slot(t)
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/products?limit=0", "", 400, "limit: expected a number of at least 1"},
		{"GET", "/products?updated_since=yesterday", "", 400, "updated_since: "},
		{"GET", "/product", "", 404, "there is no such path"},
		{"PUT", "/products", "", 405, "this path has other methods"},
		{"POST", "/availability", `{"productId": 7}`, 400, "productId: "},
		{"POST", "/availability", strings.Replace(window, "breakfast", "supper", 1), 400, `there is no product "tokyo-market" with an option "supper"`},
		{"POST", "/bookings/reserve", order(slot, 1<<40), 400, "Parties of more than 1,000 guests cannot be booked."},
		{"POST", "/bookings/reserve", strings.Replace(order(slot, 1), "unit-adult", "unit-alien", 1), 400, `There is no guest type "unit-alien" here.`},
		{"POST", "/bookings/reserve", `{"a": "` + strings.Repeat("x", 1<<20) + `"}`, 413, "too large"},
		{"POST", "/bookings/confirm", `{"reservationConfirmationCode": "unknown"}`, 400, "There is no reservation with this code."},
		{"DELETE", "/bookings/one", `{"reservationConfirmationCode": "another"}`, 400, "the body names another code than the path"},
		{"DELETE", "/bookings/a%2Fb%00%FF", "", 200, `{"success":true}`},
		{"POST", "/bookings/unknown/cancel", "", 200, `{"success":true}`},
	} {
		answer, body := b.send(t, test.method, test.path, test.body)
		if answer.StatusCode != test.status || !strings.Contains(strings.ReplaceAll(body, `\"`, `"`), test.want) {
			t.Errorf("%s %s %.60s: want %d %s, got %d %.300s", test.method, test.path, test.body, test.status, test.want, answer.StatusCode, body)
		}
	}
}

// A marketplace probes once a minute, and a supplier's catalog may be large.
func TestProducts_AProbeReadsACatalogThatIsNotOld(t *testing.T) {
	t.Parallel()
	var reads atomic.Int64
	b := start(t, options{mock: mockpartner.Options{Frozen: true}, around: func(supplier http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { reads.Add(1); supplier.ServeHTTP(w, r) })
	}})
	for _, test := range []struct {
		path     string
		products int
		reads    int64
	}{
		{"/products?limit=1", 1, 1}, {"/products?limit=2", 2, 1}, {"/products", 8, 2}, {"/products?limit=20", 8, 2},
	} {
		_, body := b.send(t, http.MethodGet, test.path, "")
		var shown []partnerapi.Product
		check(t, json.Unmarshal([]byte(body), &shown))
		if len(shown) != test.products || reads.Load() != test.reads {
			t.Errorf("%s: want %d products and %d reads, got %d and %d", test.path, test.products, test.reads, len(shown), reads.Load())
		}
	}
}

func TestBooking_GoesThroughTheBridge(t *testing.T) {
	t.Parallel()
	b := start(t, options{})
	_, slot := b.slot(t)
	_, body := b.send(t, http.MethodPost, partnerapi.ReservePath, order(slot, 2))
	var held partnerapi.ReserveAnswer
	check(t, json.Unmarshal([]byte(body), &held))
	_, body = b.send(t, http.MethodPost, partnerapi.ConfirmPath, fmt.Sprintf(`{"reservationConfirmationCode": %q, "contact": {"fullName": "Ana"}}`, held.ReservationConfirmationCode))
	var booked partnerapi.ConfirmAnswer
	check(t, json.Unmarshal([]byte(body), &booked))
	if booked.Status != partnerapi.StatusConfirmed || len(booked.Tickets) == 0 || booked.AvailabilityID != slot {
		t.Errorf("got %s", body)
	}
	if _, body = b.send(t, http.MethodPost, partnerapi.CancelPath(booked.ExternalBookingID), ""); body != `{"success":true}` {
		t.Errorf("got %s", body)
	}
	requireNothingLeft(t, b)
}

// A marketplace cancels bookings with any supplier in the same way, and a booking must not seem cancelled.
func TestCancel_IsNotImplementedWhereTheSupplierRefuses(t *testing.T) {
	t.Parallel()
	b := start(t, options{mock: mockpartner.Options{Variants: []string{"no-cancel"}}})
	_, slot := b.slot(t)
	_, body := b.send(t, http.MethodPost, partnerapi.ReservePath, order(slot, 2))
	var held partnerapi.ReserveAnswer
	check(t, json.Unmarshal([]byte(body), &held))
	_, body = b.send(t, http.MethodPost, partnerapi.ConfirmPath, fmt.Sprintf(`{"reservationConfirmationCode": %q}`, held.ReservationConfirmationCode))
	var booked partnerapi.ConfirmAnswer
	check(t, json.Unmarshal([]byte(body), &booked))
	answer, body := b.send(t, http.MethodPost, partnerapi.CancelPath(booked.ExternalBookingID), "")
	if answer.StatusCode != http.StatusNotImplemented || !strings.Contains(body, `"octo":{"call":"POST /bookings/{uuid}/cancel","status":400,"error":"UNPROCESSABLE_ENTITY"`) {
		t.Errorf("got %d %s", answer.StatusCode, body)
	}
}
