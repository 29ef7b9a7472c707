package booking_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/octo"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/octobridge/internal/booking"
	"partnerkit.dev/octobridge/internal/store"
	"partnerkit.dev/octobridge/internal/supplier"
	"partnerkit.dev/schemas/partnerapi"
)

// check ends the test on an error.
var check = errtest.Check

const (
	key     = "a-key-for-tests"
	product = "tokyo-market"
	option  = "breakfast"
)

// noon is where the clocks stand until a test moves them, and day is the date of the slot.
var (
	noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	day  = noon.AddDate(0, 0, 9)
)

// supply answers the calls of a bridge in place of the supplier, and may pass them on to it.
type supply func(w http.ResponseWriter, r *http.Request, call string, supplier http.Handler)

// harness is a bridge's service, before the mock partner as an OCTO supplier with a slot of 5 seats.
type harness struct {
	*booking.Service
	box  *mockpartner.Sandbox
	file string // of the store
	url  *url.URL
	slot string

	mu    sync.Mutex
	next  []supply // for the next calls; then they are passed on
	calls []string // in the order in which they came
}

func start(t errtest.T, folder string) (h *harness, stop func()) {
	t.Helper()
	mock, err := mockpartner.New(mockpartner.Options{AuthKey: key, Now: noon, Frozen: true})
	check(t, err)
	h = &harness{box: mock.Default(), file: filepath.Join(folder, "bridge.db")}
	slots, err := h.box.Slots(product, option, day, 1)
	check(t, err)
	h.slot = slots[0].AvailabilityID
	check(t, h.box.SetSlot(product, option, h.slot, client.SlotChange{Capacity: new(5), Vacancies: new(5)}))
	face := mock.OCTO()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.answer(w, r, face) }))
	h.url, err = url.Parse(server.URL)
	check(t, err)
	h.restart(t)
	return h, func() {
		h.Wait()
		server.Close()
		mock.Close()
		_ = h.Store.Close()
	}
}

func newHarness(t *testing.T, next ...supply) *harness {
	t.Helper()
	h, stop := start(t, t.TempDir())
	t.Cleanup(stop)
	h.next = next
	return h
}

// restart replaces the bridge by one that knows only what is stored.
func (h *harness) restart(t errtest.T) {
	t.Helper()
	if h.Service != nil {
		h.Wait()
		check(t, h.Store.Close())
	}
	kept, err := store.Open(context.Background(), h.file, h.box.Now)
	check(t, err)
	h.Service = booking.New(booking.Config{
		Supplier: supplier.New(supplier.Config{URL: h.url, Key: key}), Store: kept, HoldFor: 20 * time.Minute, Log: slog.New(slog.DiscardHandler), Now: h.box.Now,
	})
}

func (h *harness) answer(w http.ResponseWriter, r *http.Request, face http.Handler) {
	parts := strings.Split(r.URL.Path, "/") // /bookings/{uuid}/confirm
	call := r.Method + " " + parts[len(parts)-1]
	switch {
	case r.Method == http.MethodGet:
		call = "find"
	case len(parts) == 2:
		call = "reserve"
	case r.Method == http.MethodPost:
		call = parts[3]
	}
	h.mu.Lock()
	h.calls = append(h.calls, call)
	given := supply(passedOn)
	if len(h.next) > 0 {
		given, h.next = h.next[0], h.next[1:]
	}
	h.mu.Unlock()
	given(w, r, call, face)
}

func passedOn(w http.ResponseWriter, r *http.Request, _ string, supplier http.Handler) {
	supplier.ServeHTTP(w, r)
}

// lostBefore is a call that does not reach the supplier.
func lostBefore(http.ResponseWriter, *http.Request, string, http.Handler) {
	panic(http.ErrAbortHandler)
}

// lostAfter is a call whose answer is lost.
func lostAfter(_ http.ResponseWriter, r *http.Request, _ string, supplier http.Handler) {
	supplier.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// answers is a call that the supplier answers so, without doing anything.
func answers(status int, body string) supply {
	return func(w http.ResponseWriter, _ *http.Request, _ string, _ http.Handler) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// failsAfter is a call that the supplier carries out, and then answers with this status.
func failsAfter(status int) supply {
	return func(w http.ResponseWriter, r *http.Request, _ string, supplier http.Handler) {
		supplier.ServeHTTP(httptest.NewRecorder(), r)
		w.WriteHeader(status)
	}
}

func (h *harness) sets(next ...supply) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next = next
}

// called returns the calls since the last time.
func (h *harness) called() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	calls := strings.Join(h.calls, " ")
	h.calls = nil
	return calls
}

func (h *harness) pass(d time.Duration) { h.box.SetClock(h.box.Now().Add(d)) }

// reserve reserves two seats.
func (h *harness) reserve(ctx context.Context) (code string, err error) {
	answer, err := h.Reserve(ctx, booking.Order{
		ProductID: product, OptionID: option, AvailabilityID: h.slot, Items: []octo.UnitItem{{UnitID: "adult"}, {UnitID: "adult"}}, Reference: "b-1",
	})
	return answer.ReservationConfirmationCode, err
}

func (h *harness) confirm(ctx context.Context, code string) (string, error) {
	answer, err := h.Confirm(ctx, partnerapi.ConfirmRequest{ReservationConfirmationCode: code, Contact: &partnerapi.Contact{FullName: "Ana Maria Sousa"}})
	return string(answer), err
}

// requireSeats expects that many seats of the 5 to be free.
func (h *harness) requireSeats(t errtest.T, want int) {
	t.Helper()
	slots, err := h.box.Slots(product, option, day, 1)
	check(t, err)
	if slots[0].Vacancies != want {
		t.Fatal("want", want, "seats left, got", slots[0].Vacancies)
	}
}

// requireState expects a booking to be in that state, in the store.
func (h *harness) requireState(t errtest.T, code string, want store.State) {
	t.Helper()
	b, found, err := h.Store.Find(context.Background(), code)
	check(t, err)
	if !found && want != "" || b.State != want {
		t.Fatal("want", code, "to be", want, "got", b.State)
	}
}
