package main_test

import (
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

// first reports, for each endpoint, code and booking id, whether it is asked for
// with the good key for the first time.
func first() func(r *http.Request) bool {
	var mu sync.Mutex
	seen := map[string]bool{}
	return func(r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		asked := r.Method + r.URL.EscapedPath()
		known := seen[asked]
		seen[asked] = known || r.Header.Get("Authorization") == "Bearer "+key
		return !known && seen[asked]
	}
}

func TestWhateverIsHeldIsUndoneThoughRulesFail(t *testing.T) {
	t.Parallel()
	broken := text(http.StatusInternalServerError, "application/json", `{"message":"try again"}`)
	for _, partner := range []struct {
		name   string
		fails  []string
		change func() func(next http.Handler, w http.ResponseWriter, r *http.Request)
	}{
		{"the first release of every code is answered with 500", []string{"release.status"}, func() func(http.Handler, http.ResponseWriter, *http.Request) {
			isFirst := first()
			return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				if partnerapi.EndpointOf(r) == partnerapi.Release && isFirst(r) {
					broken(w, r)
					return
				}
				next.ServeHTTP(w, r)
			}
		}},
		{"the first cancellation of every booking is answered with 500", []string{"cancel.status"}, func() func(http.Handler, http.ResponseWriter, *http.Request) {
			isFirst := first()
			return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				if partnerapi.EndpointOf(r) == partnerapi.Cancel && isFirst(r) {
					broken(w, r)
					return
				}
				next.ServeHTTP(w, r)
			}
		}},
		{"the first release of every code says that nothing was released", []string{"release.success"}, func() func(http.Handler, http.ResponseWriter, *http.Request) {
			isFirst := first()
			return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				if partnerapi.EndpointOf(r) == partnerapi.Release && isFirst(r) {
					text(http.StatusOK, "application/json", `{"success":false}`)(w, r)
					return
				}
				next.ServeHTTP(w, r)
			}
		}},
		{"the answer to the first confirm of a run is lost", []string{"confirm.status"}, func() func(http.Handler, http.ResponseWriter, *http.Request) {
			isFirst := first()
			return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				if partnerapi.EndpointOf(r) == partnerapi.Confirm && isFirst(r) {
					lost(next, w, r)
					return
				}
				next.ServeHTTP(w, r)
			}
		}},
		{"a booking is answered with a broken body", []string{"confirm.json"}, func() func(http.Handler, http.ResponseWriter, *http.Request) {
			isFirst := first()
			return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				if partnerapi.EndpointOf(r) == partnerapi.Confirm && isFirst(r) {
					next.ServeHTTP(httptest.NewRecorder(), r)
					text(http.StatusOK, "application/json", `{"externalBookingId":"`)(w, r)
					return
				}
				next.ServeHTTP(w, r)
			}
		}},
	} {
		t.Run(partner.name, func(t *testing.T) {
			t.Parallel()
			mock := small(t)
			r := start(t, quickCommand, withKey(), "run", "--base-url", between(t, mock, partner.change())).wait(t)
			if failed := r.outcomes(report.Failed); r.code != 1 || !slices.Equal(failed, partner.fails) {
				t.Errorf("want exit 1 for %q, got %d for %q\n%s", partner.fails, r.code, failed, r.troubles())
			}
			allUndone(t, r, mock)
		})
	}
}

func TestWhatCannotBeUndoneIsListed(t *testing.T) {
	t.Parallel()
	for _, partner := range []struct {
		name   string
		change func(next http.Handler, w http.ResponseWriter, r *http.Request)
		kind   string
		reason string
	}{
		{"the answer to every reserve is lost", func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			if partnerapi.EndpointOf(r) == partnerapi.Reserve {
				lost(next, w, r)
				return
			}
			next.ServeHTTP(w, r)
		}, "hold", "reserve was never answered: there may be a hold"},
		{"the answer to every confirm is lost", func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			if partnerapi.EndpointOf(r) == partnerapi.Confirm {
				lost(next, w, r)
				return
			}
			next.ServeHTTP(w, r)
		}, "hold", "confirm was never answered: there may be a booking"},
		{"release is answered with 500", func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			if partnerapi.EndpointOf(r) == partnerapi.Release {
				http.Error(w, "{}", http.StatusInternalServerError)
				return
			}
			next.ServeHTTP(w, r)
		}, "hold", "release was answered with 500 Internal Server Error"},
		{"release is answered with success false", func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			if partnerapi.EndpointOf(r) == partnerapi.Release {
				text(http.StatusOK, "application/json", `{"success":false}`)(w, r)
				return
			}
			next.ServeHTTP(w, r)
		}, "hold", "release was answered with 200 OK and success false"},
		{"cancel is answered with 500", func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			if partnerapi.EndpointOf(r) == partnerapi.Cancel {
				http.Error(w, "{}", http.StatusInternalServerError)
				return
			}
			next.ServeHTTP(w, r)
		}, "booking", "cancel was answered with 500 Internal Server Error"},
	} {
		t.Run(partner.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, quickCommand, withKey(), "run", "--base-url", between(t, small(t), partner.change)).wait(t)
			if r.code != 1 || len(r.result.NotUndone) == 0 {
				t.Fatalf("want exit 1 and what was not undone, got %d and %+v\n%s", r.code, r.result.NotUndone, r.troubles())
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
	sold := mockpartner.DefaultCatalog()
	sold.NoCancel = true
	mock, err := mockpartner.New(mockpartner.Options{AuthKey: key, Catalog: sold})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mock)
	t.Cleanup(server.Close)
	r := start(t, quickCommand, withKey(), append([]string{"run", "--base-url", server.URL}, ofMock(server.URL)...)...).wait(t)
	bookings := mock.Default().Platform().Bookings()
	if r.code != 0 || len(bookings) > 2 {
		t.Errorf("want exit 0 and at most 2 bookings, got %d and %d\n%s", r.code, len(bookings), r.troubles())
	}
	var made, listed []string
	for _, booking := range bookings {
		made = append(made, booking.ID)
	}
	for _, left := range r.result.NotUndone {
		listed = append(listed, left.Code)
	}
	slices.Sort(made)
	slices.Sort(listed)
	if !slices.Equal(made, listed) {
		t.Errorf("want the bookings %q listed, got %q", made, listed)
	}
}
