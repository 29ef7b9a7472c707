package main_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// lost lets the mock do what a call asks for and then drops the connection: the
// answer never arrives.
func lost(next http.Handler, w http.ResponseWriter, r *http.Request) {
	next.ServeHTTP(httptest.NewRecorder(), r)
	raw("")(w, r)
}

// first changes the first answer for each endpoint, code and booking id that is asked
// for with the good key.
func first(change change) change {
	var seen sync.Map
	return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+key {
			if _, known := seen.LoadOrStore(r.Method+r.URL.EscapedPath(), true); !known {
				change(next, w, r)
				return
			}
		}
		next.ServeHTTP(w, r)
	}
}

func TestWhateverIsHeldIsUndoneThoughRulesFail(t *testing.T) {
	t.Parallel()
	broken := says(http.StatusInternalServerError, `{"message":"try again"}`)
	for name, partner := range map[string]struct {
		fails  string
		change change
	}{
		"the first release of every code is answered with 500":           {"release.status", only(partnerapi.Release, first(broken))},
		"the first cancellation of every booking is answered with 500":   {"cancel.status", only(partnerapi.Cancel, first(broken))},
		"the first release of every code says that nothing was released": {"release.success", only(partnerapi.Release, first(says(http.StatusOK, `{"success":false}`)))},
		"the answer to the first confirm of a run is lost":               {"confirm.status", only(partnerapi.Confirm, first(lost))},
		"a booking is answered with a broken body": {"confirm.json", only(partnerapi.Confirm, first(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(httptest.NewRecorder(), r)
			text(http.StatusOK, "application/json", `{"externalBookingId":"`)(w, r)
		}))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mock := small(t)
			r := judge(t, between(t, mock, partner.change))
			if failed := r.outcomes(report.Failed); r.code != 1 || !slices.Equal(failed, []string{partner.fails}) {
				t.Errorf("want exit 1 for %q, got %d for %q\n%s", partner.fails, r.code, failed, r.said())
			}
			allUndone(t, r, mock)
		})
	}
}

func TestWhatCannotBeUndoneIsListed(t *testing.T) {
	t.Parallel()
	broken := says(http.StatusInternalServerError, "{}")
	for name, partner := range map[string]struct {
		change       change
		kind, reason string
	}{
		"the answer to every reserve is lost": {only(partnerapi.Reserve, lost), "hold", "reserve was never answered: there may be a hold"},
		"the answer to every confirm is lost": {only(partnerapi.Confirm, lost), "hold", "confirm was never answered: there may be a booking"},
		"release is answered with 500":        {only(partnerapi.Release, broken), "hold", "release was answered with 500 Internal Server Error"},
		"cancel is answered with 500":         {only(partnerapi.Cancel, broken), "booking", "cancel was answered with 500 Internal Server Error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := judge(t, between(t, small(t), partner.change))
			if r.code != 1 || len(r.result.NotUndone) == 0 {
				t.Fatalf("want exit 1 and what was not undone, got %d and %+v\n%s", r.code, r.result.NotUndone, r.said())
			}
			for _, left := range r.result.NotUndone {
				if left.Kind != partner.kind || !strings.Contains(left.Reason, partner.reason) || left.ProductID == "" || left.AvailabilityID == "" || left.Start == "" {
					t.Errorf("want a %s, where it is, and %q, got %+v", partner.kind, partner.reason, left)
				}
			}
			if strings.Count(r.stdout, "\nnot undone: ") != len(r.result.NotUndone) {
				t.Errorf("want a line for each on the screen, got\n%s", r.stdout)
			}
		})
	}
}

func TestAtMostTwoBookingsAreMadeWithAPartnerWithoutCancelAndBothAreListed(t *testing.T) {
	t.Parallel()
	mock, address := startMock(t, mockpartner.Options{Variants: []string{"no-cancel"}})
	r := judge(t, address, ofMock(address)...)
	made, listed := map[string]bool{}, map[string]bool{}
	for _, booking := range mock.Default().Platform().Bookings() {
		made[booking.ID] = true
	}
	for _, left := range r.result.NotUndone {
		listed[left.Code] = true
	}
	if r.code != 0 || len(made) > 2 || !maps.Equal(made, listed) {
		t.Errorf("want exit 0 and at most 2 bookings, all listed, got %d, made %v, listed %v\n%s", r.code, made, listed, r.said())
	}
}
