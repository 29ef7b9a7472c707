package booking_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/octobridge/internal/booking"
	"partnerkit.dev/octobridge/internal/store"
	"partnerkit.dev/octobridge/internal/supplier"
	"partnerkit.dev/schemas/partnerapi"
)

// step is what a marketplace, or the bridge by itself, does next.
type step string

const (
	reserves step = "reserve"
	confirms step = "confirm"
	releases step = "release"
	cancels  step = "cancel"
	settles  step = "settle"  // what the bridge does every few seconds
	restarts step = "restart" // the bridge is replaced
	waits    step = "wait"    // 3 minutes pass
	expires  step = "expire"  // 20 minutes pass
)

// play plays the steps with one booking, and returns how each ended: ok, refused, or an error.
func (h *harness) play(t *testing.T, steps ...step) (ended []string, code string) {
	t.Helper()
	for _, one := range steps {
		var err error
		switch one {
		case reserves:
			code, err = h.reserve(t.Context())
		case confirms:
			_, err = h.confirm(t.Context(), code)
		case releases:
			err = h.Release(t.Context(), code)
		case cancels:
			b, _, found := h.Store.Find(t.Context(), code)
			check(t, found)
			err = h.Cancel(t.Context(), b.BookingID, "rain")
		case settles:
			h.pass(time.Millisecond)
			h.Settle(t.Context(), h.box.Now())
			continue
		case restarts:
			h.restart(t)
			continue
		case waits:
			h.pass(3 * time.Minute)
			continue
		case expires:
			h.pass(20 * time.Minute)
			continue
		}
		refused := (*booking.Refusal)(nil)
		switch {
		case err == nil:
			ended = append(ended, "ok")
		case errors.As(err, &refused):
			ended = append(ended, "refused")
		default:
			ended = append(ended, "error")
		}
	}
	return ended, code
}

func TestBooking_AnswersThatAreLostMakeNoSecondBookingAndLeaveNoHold(t *testing.T) {
	t.Parallel()
	ok := supply(passedOn)
	for _, test := range []struct {
		name  string
		next  []supply
		steps []step
		ended string
		state store.State // "": the booking is forgotten
		seats int         // left, of 5
		calls string      // to the supplier
	}{
		{"a booking from reserve to cancel", nil, []step{reserves, confirms, cancels}, "ok ok ok", store.Cancelled, 5, "reserve confirm cancel"},
		{"a hold that is released", nil, []step{reserves, releases, releases}, "ok ok ok", store.Released, 5, "reserve cancel"},
		{"a booking that is confirmed again has the same answer, and the supplier no second call", nil,
			[]step{reserves, confirms, confirms}, "ok ok ok", store.Confirmed, 3, "reserve confirm"},
		{"a booking that is cancelled again", nil, []step{reserves, confirms, cancels, cancels}, "ok ok ok ok", store.Cancelled, 5, "reserve confirm cancel"},
		{"a booking outlives the release of its code", nil, []step{reserves, confirms, releases}, "ok ok ok", store.Confirmed, 3, "reserve confirm"},
		{"what was cancelled is not confirmed again", nil, []step{reserves, confirms, cancels, confirms}, "ok ok ok refused", store.Cancelled, 5, "reserve confirm cancel"},
		{"what was released is not confirmed", nil, []step{reserves, releases, confirms}, "ok ok refused", store.Released, 5, "reserve cancel"},

		{"reserve is lost on its way: the supplier is asked until it cannot come any more", []supply{lostBefore},
			[]step{reserves, settles, waits, settles, settles}, "error", store.Released, 5, "reserve cancel find cancel find"},
		{"reserve's answer is lost", []supply{lostAfter}, []step{reserves, settles, settles}, "error", store.Released, 5, "reserve cancel"},
		{"reserve's answer is lost, and so is the bridge", []supply{lostAfter}, []step{reserves, restarts, settles}, "error", store.Released, 5, "reserve cancel"},
		{"reserve's answer is a fault", []supply{failsAfter(502)}, []step{reserves, settles}, "error", store.Released, 5, "reserve cancel"},
		{"reserve's answer is nonsense", []supply{answers(200, `{"uuid": "x"}`)}, []step{reserves, waits, settles}, "error", store.Released, 5, "reserve cancel find"},
		{"reserve's expiry is nonsense", []supply{answers(200, `{"uuid": "x", "status": "ON_HOLD", "utcExpiresAt": "soon"}`)},
			[]step{reserves, waits, settles}, "error", store.Released, 5, "reserve cancel find"},
		{"reserve is refused", []supply{answers(400, `{"error": "UNPROCESSABLE_ENTITY", "errorMessage": "Sold out."}`)}, []step{reserves, waits, settles}, "refused", "", 5, "reserve"},
		{"reserve is refused for the bridge's key", []supply{answers(403, `{}`)}, []step{reserves, waits, settles}, "error", "", 5, "reserve"},
		{"reserve makes a booking that has ended", []supply{answers(200, `{"uuid": "x", "status": "EXPIRED"}`)}, []step{reserves, waits, settles}, "refused", "", 5, "reserve"},

		{"confirm is lost on its way, and repeated", []supply{ok, lostBefore}, []step{reserves, confirms, confirms}, "ok error ok", store.Confirmed, 3, "reserve confirm find confirm"},
		{"confirm's answer is lost, and it is repeated", []supply{ok, lostAfter}, []step{reserves, confirms, confirms}, "ok error ok", store.Confirmed, 3, "reserve confirm find"},
		{"confirm's answer is lost, the bridge too, and it is repeated", []supply{ok, lostAfter}, []step{reserves, confirms, restarts, confirms}, "ok error ok", store.Confirmed, 3, "reserve confirm find"},
		{"confirm's answer is lost, and settled", []supply{ok, lostAfter}, []step{reserves, confirms, settles, confirms}, "ok error ok", store.Confirmed, 3, "reserve confirm find"},
		{"confirm is lost on its way, and settled: it is a hold again", []supply{ok, lostBefore}, []step{reserves, confirms, settles}, "ok error", store.Held, 3, "reserve confirm find"},
		{"confirm's answer is lost, and released", []supply{ok, lostAfter}, []step{reserves, confirms, releases}, "ok error ok", store.Confirmed, 3, "reserve confirm find"},
		{"confirm is lost on its way, and released", []supply{ok, lostBefore}, []step{reserves, confirms, releases}, "ok error ok", store.Released, 5, "reserve confirm find cancel"},
		{"confirm's answer and the look at it are lost", []supply{ok, lostAfter, failsAfter(500)}, []step{reserves, confirms, confirms, confirms}, "ok error error ok", store.Confirmed, 3, "reserve confirm find find"},
		{"confirm is refused although it was done", []supply{ok, failsAfter(400)}, []step{reserves, confirms}, "ok ok", store.Confirmed, 3, "reserve confirm find"},
		{"confirm's answer is lost, and a refusal of the look at it says nothing", []supply{ok, lostAfter, answers(405, ``), answers(400, `{"error": "BAD_REQUEST"}`)},
			[]step{reserves, confirms, confirms, settles, confirms}, "ok error error ok", store.Confirmed, 3, "reserve confirm find find find"},
		{"confirm is refused, and the hold lives", []supply{ok, answers(400, `{"error": "BAD_REQUEST", "errorMessage": "No phone."}`)}, []step{reserves, confirms}, "ok refused", store.Held, 3, "reserve confirm find"},
		{"confirm meets a limit of calls", []supply{ok, answers(429, ``)}, []step{reserves, confirms, confirms}, "ok error ok", store.Confirmed, 3, "reserve confirm confirm"},
		{"confirm comes too late", nil, []step{reserves, expires, confirms}, "ok refused", store.Released, 5, "reserve confirm find"},
		{"confirm waits for the supplier", []supply{ok, answers(200, `{"status": "PENDING", "id": "p-1"}`)}, []step{reserves, confirms}, "ok ok", store.Confirmed, 3, "reserve confirm"},

		{"release is lost on its way, and repeated", []supply{ok, lostBefore}, []step{reserves, releases, releases}, "ok error ok", store.Released, 5, "reserve cancel cancel"},
		{"release is lost on its way, and settled", []supply{ok, lostBefore}, []step{reserves, releases, settles}, "ok error", store.Released, 5, "reserve cancel cancel"},
		{"release's answer is lost, and it is repeated", []supply{ok, lostAfter}, []step{reserves, releases, releases}, "ok error ok", store.Released, 5, "reserve cancel cancel"},
		{"release is refused, because the hold has ended", nil, []step{reserves, expires, releases}, "ok ok", store.Released, 5, "reserve cancel"},
		{"release is refused, and the hold lives: it is sent again", []supply{ok, answers(400, `{}`)}, []step{reserves, releases, settles}, "ok error", store.Released, 5, "reserve cancel find cancel"},
		{"a supplier takes DELETE only", []supply{ok, answers(405, ``)}, []step{reserves, releases}, "ok ok", store.Released, 5, "reserve cancel DELETE cancel"},

		{"cancel is lost on its way, and repeated", []supply{ok, ok, lostBefore}, []step{reserves, confirms, cancels, cancels}, "ok ok error ok", store.Cancelled, 5, "reserve confirm cancel cancel"},
		{"cancel's answer is lost, and settled", []supply{ok, ok, lostAfter}, []step{reserves, confirms, cancels, settles}, "ok ok error", store.Cancelled, 5, "reserve confirm cancel cancel"},
		{"cancel is refused, and the booking lives", []supply{ok, ok, answers(400, `{"errorMessage": "Too late."}`)}, []step{reserves, confirms, cancels, cancels}, "ok ok error ok", store.Cancelled, 5, "reserve confirm cancel find cancel"},
		{"cancel is refused, because it was done", []supply{ok, ok, failsAfter(400)}, []step{reserves, confirms, cancels}, "ok ok ok", store.Cancelled, 5, "reserve confirm cancel find"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, test.next...)
			ended, code := h.play(t, test.steps...)
			if got := strings.Join(ended, " "); got != test.ended {
				t.Errorf("want it to end with %s, got %s", test.ended, got)
			}
			if calls := strings.ReplaceAll(h.called(), "DELETE cancel", "DELETE"); calls != strings.ReplaceAll(test.calls, "DELETE cancel", "DELETE") {
				t.Errorf("want the calls %s, got %s", test.calls, calls)
			}
			if code == "" && test.state != "" {
				t.Fatal("want a code")
			}
			h.requireState(t, code, test.state)
			h.requireSeats(t, test.seats)
			if broken := h.box.Invariants(); broken != nil {
				t.Errorf("%+v", broken)
			}
		})
	}
}

func TestConfirm_AnswersAlwaysTheSame(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	code, err := h.reserve(t.Context())
	check(t, err)
	first, err := h.confirm(t.Context(), code)
	check(t, err)
	h.restart(t)
	again, err := h.confirm(t.Context(), code)
	check(t, err)
	if again != first {
		t.Errorf("want %s, got %s", first, again)
	}
	var answer partnerapi.ConfirmAnswer
	check(t, json.Unmarshal([]byte(first), &answer))
	booked := h.box.Bookings()[0]
	if answer.ExternalBookingID != booked.ID || answer.Status != partnerapi.StatusConfirmed || len(answer.Tickets) == 0 {
		t.Errorf("want the supplier's booking %s, got %s", booked.ID, first)
	}
	if guest := booked.Order.Contact; guest.FullName != "Ana Maria Sousa" || booked.Order.ResellerReference != "b-1" {
		t.Errorf("want the guest and the reference of the marketplace, got %+v, %+v", guest, booked.Order)
	}
}

// A marketplace that has left does not know the code, so it cannot release the hold.
func TestReserve_AHoldWhoseCallerHasLeftIsReleased(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	h := newHarness(t, func(w http.ResponseWriter, r *http.Request, _ string, supplier http.Handler) {
		<-left
		supplier.ServeHTTP(w, r)
	})
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		for h.called() == "" {
		}
		leave()
	}()
	if _, err := h.reserve(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("want %v, got %v", context.Canceled, err)
	}
	close(left)
	h.Wait()
	h.requireSeats(t, 5)
	if holds := h.box.Holds(); len(holds) != 1 || holds[0].State != client.Released {
		t.Errorf("want one hold that was released, got %+v", holds)
	}
}

// Two calls about one booking never overlap, or the supplier would be asked for both.
func TestBooking_ConfirmAndReleaseAtTheSameTimeHaveOneOutcome(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	code, err := h.reserve(t.Context())
	check(t, err)
	released := make(chan error)
	go func() { released <- h.Release(t.Context(), code) }()
	_, confirmed := h.confirm(t.Context(), code)
	check(t, <-released) // a release is always accepted
	booked := 0
	for _, b := range h.box.Bookings() {
		if b.State != client.Cancelled {
			booked++
		}
	}
	if booked != 1 && confirmed == nil || booked != 0 && confirmed != nil {
		t.Errorf("want the booking exactly if it was confirmed, got %d, %v", booked, confirmed)
	}
}

// odd is a supplier that is lawful, and unlike the mock.
type odd struct{ reserved, confirmed, found string }

func (o odd) answer(w http.ResponseWriter, _ *http.Request, call string, _ http.Handler) {
	body := map[string]string{"reserve": o.reserved, "confirm": o.confirmed, "find": o.found, "cancel": `{"status": "CANCELLED"}`}[call]
	answers(http.StatusOK, body)(w, nil, call, nil)
}

func (h *harness) standsIn(o odd, calls int) {
	for range calls {
		h.next = append(h.next, o.answer)
	}
}

func TestReserve_ASupplierWithoutHoldsIsCancelledUnlessItIsConfirmedInTime(t *testing.T) {
	t.Parallel()
	immediate := odd{reserved: `{"status": "CONFIRMED", "id": "o-1"}`, confirmed: `{"status": "CONFIRMED", "id": "o-1"}`, found: `{"status": "CONFIRMED", "id": "o-1"}`}
	for _, test := range []struct {
		steps []step
		ended string
		state store.State
		calls string
	}{
		{[]step{reserves, confirms}, "ok ok", store.Confirmed, "reserve confirm"},
		{[]step{reserves, releases}, "ok ok", store.Released, "reserve cancel"},
		{[]step{reserves, expires, settles}, "ok", store.Released, "reserve cancel"},
		{[]step{reserves, expires, confirms, settles}, "ok refused", store.Released, "reserve cancel"},
	} {
		h := newHarness(t)
		h.standsIn(immediate, 5)
		ended, code := h.play(t, test.steps...)
		if got := strings.Join(ended, " "); got != test.ended {
			t.Errorf("%v: want %s, got %s", test.steps, test.ended, got)
		}
		if calls := h.called(); calls != test.calls {
			t.Errorf("%v: want the calls %s, got %s", test.steps, test.calls, calls)
		}
		h.requireState(t, code, test.state)
	}
}

func TestConfirm_NoTwoBookingsHaveOneID(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.standsIn(odd{
		reserved: `{"status": "ON_HOLD", "utcExpiresAt": "2026-07-01T12:20:00Z"}`, confirmed: `{"status": "CONFIRMED", "id": "o-1", "supplierReference": "SAME"}`,
	}, 6)
	ids := map[string]string{}
	for _, want := range []string{"SAME", "o-1", ""} {
		code, err := h.reserve(t.Context())
		check(t, err)
		if want == "" {
			want = code
		}
		text, err := h.confirm(t.Context(), code)
		check(t, err)
		var answer partnerapi.ConfirmAnswer
		check(t, json.Unmarshal([]byte(text), &answer))
		if answer.ExternalBookingID != want || ids[answer.ExternalBookingID] != "" {
			t.Errorf("want the id %s, got %s", want, text)
		}
		ids[answer.ExternalBookingID] = code
	}
}

// A supplier may ignore the uuid that the bridge has chosen.
func TestReserve_ASuppliersOwnUUIDIsUsedFromThenOn(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	confirmedAt := ""
	h.sets(odd{reserved: `{"status": "ON_HOLD", "uuid": "of/its own"}`}.answer, func(w http.ResponseWriter, r *http.Request, call string, _ http.Handler) {
		confirmedAt = r.URL.EscapedPath()
		answers(http.StatusOK, `{"status": "CONFIRMED"}`)(w, r, call, nil)
	})
	h.play(t, reserves, confirms)
	if want := "/bookings/of%2Fits%20own/confirm"; confirmedAt != want {
		t.Errorf("want %s, got %s", want, confirmedAt)
	}
}

func TestErrors_NameTheCallOfOCTO(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		next supply
		want string
	}{
		{answers(400, `{"error": "UNPROCESSABLE_ENTITY", "errorMessage": "Sold out."}`), "POST /bookings: 400 UNPROCESSABLE_ENTITY: Sold out."},
		{answers(503, `busy`), "POST /bookings: 503"},
		{answers(200, `[]`), "POST /bookings: the answer is not as OCTO has it: "},
		{answers(200, `{}`), "POST /bookings: the answer is no booking: it has no status"},
		{answers(200, `{"status": "EXPIRED"}`), "POST /bookings: the booking has the status EXPIRED"},
		{lostBefore, "POST /bookings: "},
	} {
		_, err := newHarness(t, test.next).reserve(t.Context())
		behind := err
		if refused := (*booking.Refusal)(nil); errors.As(err, &refused) {
			behind = refused.Behind
		}
		if answer := (*supplier.Refusal)(nil); behind == nil || !strings.Contains(behind.Error(), test.want) || errors.As(err, &answer) && answer.Call != "POST /bookings" {
			t.Errorf("want %q, got %v", test.want, behind)
		}
	}
}
