package undo_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/schemas/partnerapi"
)

// partner answers each endpoint with one status and body, and notes what it is asked.
type partner struct {
	release, confirm, cancel answer

	mu    sync.Mutex
	asked []string
}

type answer struct {
	status int
	body   string
}

const done = `{"success":true}`

func (p *partner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	endpoint := partnerapi.EndpointOf(r)
	p.mu.Lock()
	p.asked = append(p.asked, string(endpoint)+" "+r.URL.EscapedPath())
	p.mu.Unlock()
	a := map[partnerapi.Endpoint]answer{partnerapi.Release: p.release, partnerapi.Confirm: p.confirm, partnerapi.Cancel: p.cancel}[endpoint]
	w.WriteHeader(a.status)
	_, _ = w.Write([]byte(a.body))
}

// newUndoing is the undoing of one entry, which is as enter makes it.
func newUndoing(t *testing.T, p *partner, enter func(*ledger.Entry)) (undo.Undoing, *ledger.Entry) {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := probe.NewClient(probe.Config{BaseURL: address, AuthKey: "a-key-for-undoing"})
	t.Cleanup(client.Close)
	l := ledger.New()
	entry, err := l.Attempt(ledger.Slot{ProductID: "walk"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.Record(entry, enter)
	return undo.Undoing{Client: client, Ledger: l, Now: time.Now, LimitScale: 1}, entry
}

func TestEachEntryIsUndoneInItsOwnWay(t *testing.T) {
	t.Parallel()
	held := func(e *ledger.Entry) { e.State, e.Code = ledger.Held, "C/1" }
	booked := func(e *ledger.Entry) { e.State, e.Code, e.BookingID = ledger.Booked, "C/1", "B 1" }
	doubtful := func(e *ledger.Entry) { e.State, e.Code = ledger.Doubtful, "C/1" }
	const release, confirm, cancel = "release /bookings/C%2F1", "confirm /bookings/confirm", "cancel /bookings/B%201/cancel"
	fine, broken := answer{200, done}, answer{500, "{}"}
	for name, c := range map[string]struct {
		enter   func(*ledger.Entry)
		partner *partner
		asked   []string
		becomes ledger.State
		problem string
	}{
		"a hold is released": {held, &partner{release: fine}, []string{release}, ledger.Undone, ""},
		"a release that fails is tried again, twice by itself": {held, &partner{release: broken}, []string{release, release, release, release}, ledger.Held, "release was answered with 500 Internal Server Error"},
		"a release without success does not count":             {held, &partner{release: answer{200, `{"success":false}`}}, []string{release, release, release, release}, ledger.Held, "release was answered with 200 OK and success false"},
		"a booking is cancelled":                               {booked, &partner{cancel: fine}, []string{cancel}, ledger.Undone, ""},
		"a booking stays where none is cancelled":              {booked, &partner{cancel: answer{405, ""}}, []string{cancel}, ledger.Kept, "cancel was answered with 405 Method Not Allowed"},
		"a doubtful hold that was none is over":                {doubtful, &partner{release: fine, confirm: answer{400, `{"message":"unknown"}`}}, []string{release, confirm}, ledger.Undone, ""},
		"a doubtful hold that was a booking is cancelled":      {doubtful, &partner{release: fine, confirm: answer{200, `{"externalBookingId":"B 1"}`}, cancel: fine}, []string{release, confirm, cancel}, ledger.Undone, ""},
		"a doubt that cannot be settled stays one":             {doubtful, &partner{release: fine, confirm: broken}, []string{release, confirm, release, confirm}, ledger.Doubtful, "confirm was never answered: there may be a booking"},
		"a doubtful hold that stays is not confirmed":          {doubtful, &partner{release: broken}, []string{release, release, release, release}, ledger.Doubtful, "release was answered with 500 Internal Server Error"},
		"an attempt is given up":                               {func(*ledger.Entry) {}, &partner{}, nil, ledger.Unanswered, "the run ended before reserve was answered: there may be a hold until it expires"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, entry := newUndoing(t, c.partner, c.enter)
			u.All(t.Context())
			if entry.State != c.becomes || entry.Problem != c.problem {
				t.Errorf("want it %s (%q), got %s (%q)", c.becomes, c.problem, entry.State, entry.Problem)
			}
			if !slices.Equal(c.partner.asked, c.asked) {
				t.Errorf("want the calls %q, got %q", c.asked, c.partner.asked)
			}
			if left := undo.Leftovers(u.Ledger, func(text string) string { return text }); (len(left) > 0) != entry.Open() {
				t.Errorf("want it listed where it is open, got %+v", left)
			}
		})
	}
}

func TestAHoldWithoutAKnownCodeEndsWhenItExpires(t *testing.T) {
	t.Parallel()
	u, entry := newUndoing(t, &partner{}, func(e *ledger.Entry) { e.State = ledger.Unanswered })
	u.All(t.Context())
	if left := undo.Leftovers(u.Ledger, func(text string) string { return text }); len(left) != 1 || left[0].ExpiresAt == "" || left[0].Reference == "" {
		t.Errorf("want it listed with its reference and latest expiry, got %+v", left)
	}
	u.Now = func() time.Time { return time.Now().Add(3 * time.Hour) }
	u.All(context.Background())
	if entry.State != ledger.Expired {
		t.Errorf("want it over, got %s", entry.State)
	}
}
