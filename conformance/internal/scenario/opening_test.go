package scenario

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// lastSeat is a partner that sells one slot, with one seat left. It refuses so many reserves before it
// makes a hold, as if another customer had had the seat meanwhile.
func lastSeat(t *testing.T, refusals int) (p *Player, calls map[string]int) {
	t.Helper()
	calls = map[string]int{}
	tomorrow := time.Now().UTC().AddDate(0, 0, 2).Format(time.DateOnly)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		calls[r.Method+" "+r.URL.Path]++
		switch r.URL.Path {
		case "/products":
			fmt.Fprint(w, `[{"id":"capsule","title":"Flight","timeZone":"Etc/UTC","locale":"en","defaultCurrency":"EUR","options":[{"id":"flight","title":"Flight","units":[{"id":"unit-adult","type":"ADULT"}]}]}]`)
		case "/availability":
			fmt.Fprintf(w, `[{"id":"s","localDateTimeStart":"%sT10:00:00Z","localDateTimeEnd":"%sT11:00:00Z","status":"AVAILABLE","vacancies":1,"capacity":1}]`, tomorrow, tomorrow)
		case "/bookings/reserve":
			if calls["POST /bookings/reserve"] <= refusals {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"message":"sold out"}`)
				return
			}
			fmt.Fprintf(w, `{"reservationConfirmationCode":"R-1","expiresAt":%q}`, time.Now().Add(20*time.Minute).UTC().Format(time.RFC3339))
		}
	}))
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return NewPlayer(Config{
		Client: probe.NewClient(probe.Config{BaseURL: address, AuthType: partnerapi.Bearer, AuthKey: "a-test-key"}),
		Ledger: ledger.New(), Clock: partner.NewClock("", nil), Time: partner.NewTime(t.Context(), time.Minute),
		Bounds: Bounds{MaxHolds: 10, MaxBookings: 10}, LimitScale: 1, Observer: &countingObserver{}, Depth: plan.Standard,
	}), calls
}

func TestARefusalAmongOtherCustomersCountsOnlyIfItIsRepeated(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		refusals int
		others   int // how often other customers were seen
		refused  bool
		reserves int
	}{
		{"others had the seat", 1, 1, false, 2},
		{"others had the seat twice", 2, 1, false, 3},
		{"it is refused each time", 99, 1, true, mostRefusals},
		{"it is refused once, and no one else is seen", 1, 0, true, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, calls := lastSeat(t, test.refusals)
			p.Seats.run.Moves = test.others
			opened := p.open(context.Background(), seat("reserve 1 seat", ""))
			if opened.Stop == nil {
				t.Fatalf("want a stop, got a hold: %+v", opened.Hold)
			}
			if refused := opened.Stop.Kind == partner.Refused || opened.Stop.Kind == partner.NoneAccepted; refused != test.refused {
				t.Errorf("want refused %t, got %v: %s", test.refused, opened.Stop.Kind, opened.Stop.Message)
			}
			if reserves := calls["POST /bookings/reserve"]; reserves != test.reserves {
				t.Errorf("want %d reserves, got %d", test.reserves, reserves)
			}
			if releases := calls["DELETE /bookings/R-1"]; (releases == 1) == test.refused {
				t.Errorf("want the hold released unless all were refused, got %d releases", releases)
			}
		})
	}
}
