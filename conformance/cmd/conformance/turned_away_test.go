package main_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// isNotAccused fails the test if a rule failed or warned, or more than so many are inconclusive.
func (r ran) isNotAccused(t *testing.T, inconclusive int) {
	t.Helper()
	for _, outcome := range []report.Outcome{report.Failed, report.Warned, report.Blocked} {
		for _, id := range r.outcomes(outcome) {
			t.Errorf("expected no rule %s, received %s: %s", outcome, id, r.rule(t, id).Message)
		}
	}
	if open := r.outcomes(report.Inconclusive); len(open) > inconclusive {
		t.Errorf("expected at most %d inconclusive rules, received %q\n%s", inconclusive, open, r.notPassed())
	}
}

// P23: a call that is turned away is sent again when the partner asks for it, and shows nothing
// until it is served.
func TestACallThatIsTurnedAwayIsSentAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		retryAfter string // "": the header is absent
		turnsAway  func(endpoint partnerapi.Endpoint, call int64) bool
	}{
		{"the first call of each endpoint, with a time to wait", "1", func(_ partnerapi.Endpoint, call int64) bool { return call == 1 }},
		{"the first three calls of each endpoint, without one", "", func(_ partnerapi.Endpoint, call int64) bool { return call <= 3 }},
		{"each tenth call that changes something, with no time to wait", "0", func(e partnerapi.Endpoint, call int64) bool {
			return call%10 == 0 && e != partnerapi.Products && e != partnerapi.Availability
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			mock := newMock(t, mockpartner.Options{})
			calls := map[partnerapi.Endpoint]*atomic.Int64{}
			for _, endpoint := range partnerapi.Endpoints() {
				calls[endpoint] = new(atomic.Int64)
			}
			address := serveChanged(t, mock, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
				endpoint := partnerapi.EndpointOf(r)
				if endpoint == "" || !test.turnsAway(endpoint, calls[endpoint].Add(1)) {
					next.ServeHTTP(w, r)
					return
				}
				if test.retryAfter != "" {
					w.Header().Set("Retry-After", test.retryAfter)
				}
				w.WriteHeader(http.StatusTooManyRequests)
			})
			r := judge(t, address, ofMock(address, "--no-races")...)
			r.isNotAccused(t, 6)
			allUndone(t, r, mock)
		})
	}
}

func TestAPartnerThatTurnsAnEndpointAwayForGoodIsNotAccusedOfAnything(t *testing.T) {
	t.Parallel()
	for _, endpoint := range partnerapi.Endpoints() {
		t.Run(string(endpoint), func(t *testing.T) {
			t.Parallel()
			mock := newMock(t, mockpartner.Options{})
			address := serveChanged(t, mock, changeEndpoint(endpoint, func(_ http.Handler, w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "3600")
				w.WriteHeader(http.StatusTooManyRequests)
			}))
			r := judge(t, address, ofMock(address)...)
			for _, outcome := range []report.Outcome{report.Failed, report.Warned} {
				for _, id := range r.outcomes(outcome) {
					t.Errorf("expected no rule %s, received %s: %s", outcome, id, r.rule(t, id).Message)
				}
			}
			if len(r.outcomes(report.Inconclusive)) == 0 {
				t.Errorf("expected rules that could not be judged, received none\n%s", r.notPassed())
			}
		})
	}
}

// connections serves a handler that knows whether a request is the first on its connection.
func connections(t *testing.T, handler func(first bool, w http.ResponseWriter, r *http.Request)) string {
	t.Helper()
	type key struct{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler(r.Context().Value(key{}).(*atomic.Int64).Add(1) == 1, w, r)
	}))
	server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, key{}, new(atomic.Int64))
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// P24: the call is sent again on a fresh connection where that is safe.
func TestAConnectionThatIsClosedBetweenTwoCallsIsNoBreach(t *testing.T) {
	t.Parallel()
	for row, closes := range append(slices.Clone(partnerapi.Endpoints()), "") { // "": all of them
		for column, name := range []string{"before the call", "after the call was served"} {
			if (row+column)%2 == 1 && os.Getenv(soakRuns) == "" {
				continue
			}
			served := column == 1
			t.Run(string(closes)+" "+name, func(t *testing.T) {
				t.Parallel()
				mock := newMock(t, mockpartner.Options{})
				address := connections(t, func(first bool, w http.ResponseWriter, r *http.Request) {
					endpoint := partnerapi.EndpointOf(r)
					if first || endpoint == "" || closes != "" && endpoint != closes {
						mock.ServeHTTP(w, r)
						return
					}
					if served {
						mock.ServeHTTP(httptest.NewRecorder(), r)
					}
					connection, _, err := w.(http.Hijacker).Hijack()
					if err != nil {
						t.Error(err)
						return
					}
					_ = connection.Close()
				})
				r := judge(t, address, ofMock(address, "--no-races")...)
				r.isNotAccused(t, 6)
				if closes != partnerapi.Reserve && closes != "" { // it is unknown whether there is a hold
					allUndone(t, r, mock)
				}
			})
		}
	}
}
