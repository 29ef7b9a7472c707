package scenario

import (
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

// shop is a partner that sells one slot. It refuses some reserves and confirms, as if other customers had
// had the seats meanwhile.
type shop struct {
	left              int  // seats
	moving            bool // seats come and go
	uncounted         bool
	refusals          int // of reserves, before one makes a hold
	confirmRefusals   int // the same for confirms
	leftAfterRefusals int // seats after a refused confirm
	holdsFor          time.Duration
	calls             map[string]int
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	s.calls[r.URL.Path]++
	refuse := func() {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"message":"sold out"}`)
	}
	switch day := time.Now().UTC().AddDate(0, 0, 2).Format(time.DateOnly); r.URL.Path {
	case "/products":
		fmt.Fprint(w, `[{"id":"capsule","title":"Flight","timeZone":"Etc/UTC","locale":"en","defaultCurrency":"EUR","options":[{"id":"flight","title":"Flight","units":[{"id":"unit-adult","type":"ADULT"}]}]}]`)
	case "/availability":
		status := partnerapi.StatusAvailable
		if s.left == 0 {
			status = partnerapi.StatusSoldOut
		}
		if s.moving {
			s.left = 3 - s.left
		}
		seats := fmt.Sprintf(`,"vacancies":%d,"capacity":9`, s.left)
		if s.uncounted {
			seats = ""
		}
		fmt.Fprintf(w, `[{"id":"s","localDateTimeStart":"%[1]sT10:00:00Z","localDateTimeEnd":"%[1]sT11:00:00Z","status":%[2]q%[3]s}]`, day, status, seats)
	case "/bookings/reserve":
		if s.calls[r.URL.Path] <= s.refusals {
			refuse()
			return
		}
		fmt.Fprintf(w, `{"reservationConfirmationCode":"R-1","expiresAt":%q}`, time.Now().Add(s.holdsFor).UTC().Format(time.RFC3339))
	case "/bookings/confirm":
		if s.calls[r.URL.Path] <= s.confirmRefusals {
			s.left = s.leftAfterRefusals
			refuse()
			return
		}
		fmt.Fprint(w, `{"externalBookingId":"B-1"}`)
	}
}

// player returns a player at the shop, who has seen other customers so often.
func (s *shop) player(t *testing.T, others int) *Player {
	t.Helper()
	s.calls = map[string]int{}
	return playerAt(t, s, others)
}

// playerAt returns a player at a partner, who has seen other customers so often.
func playerAt(t *testing.T, at http.Handler, others int) *Player {
	t.Helper()
	server := httptest.NewServer(at)
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := NewPlayer(Config{
		Client: probe.NewClient(probe.Config{BaseURL: address, AuthType: partnerapi.Bearer, AuthKey: "a-test-key"}),
		Ledger: ledger.New(), Clock: partner.NewClock("", nil, nil), Time: partner.NewTime(t.Context(), time.Minute),
		Bounds: Bounds{MaxHolds: 10, MaxBookings: 10}, LimitScale: 1, Observer: &countingObserver{}, Depth: plan.Standard,
	})
	p.Seats.run.Moves = others
	return p
}

func TestARefusalAmongOtherCustomersCountsOnlyIfItIsRepeated(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		refusals  int
		others    int // how often other customers were seen
		moving    bool
		uncounted bool
		refused   bool
		reserves  int
	}{
		{"others had the seat", 1, 1, false, false, false, 2},
		{"others had the seat twice", 2, 1, false, false, false, 3},
		{"it is refused each time", 99, 1, false, false, true, mostRefusals},
		{"it is refused once, and no one else is seen", 1, 0, false, false, true, 1},
		{"it is refused once, and others are seen only then", 1, 0, true, false, false, 2},
		{"others may have had a seat that is not counted", 1, 0, false, true, false, 2},
		{"a seat that is not counted is refused each time, also for more guests", 99, 0, false, true, true, mostRefusals + mostLeast - 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			partnerShop := &shop{left: 1, refusals: test.refusals, moving: test.moving, uncounted: test.uncounted, holdsFor: 20 * time.Minute}
			opened := partnerShop.player(t, test.others).open(t.Context(), seat("reserve 1 seat", ""))
			if opened.Stop == nil {
				t.Fatalf("want a stop, got a hold: %+v", opened.Hold)
			}
			if refused := opened.Stop.Kind == partner.Refused || opened.Stop.Kind == partner.NoneAccepted; refused != test.refused {
				t.Errorf("want refused %t, got %v: %s", test.refused, opened.Stop.Kind, opened.Stop.Message)
			}
			if reserves := partnerShop.calls["/bookings/reserve"]; reserves != test.reserves {
				t.Errorf("want %d reserves, got %d", test.reserves, reserves)
			}
			if releases := partnerShop.calls["/bookings/R-1"]; (releases == 1) == test.refused {
				t.Errorf("want the hold released unless all were refused, got %d releases", releases)
			}
		})
	}
}

func TestOnlyAHoldThatKeepsNoSeatsMayBeRefusedOnceTheyAreGone(t *testing.T) {
	t.Parallel()
	const holdless, keeps = 100 * 365 * 24 * time.Hour, 20 * time.Minute
	for _, test := range []struct {
		name      string
		holdsFor  time.Duration
		refusals  int
		left      int // seats, after the refusal
		others    int
		uncounted bool
		booked    bool
		stop      partner.Kind // if it is not
		confirms  int
	}{
		{"others took the seat", holdless, 9, 0, 1, false, false, partner.NothingToTest, 1},
		{"others had the seat for a moment", holdless, 1, 1, 1, false, true, 0, 2},
		{"others may have had a seat that is not counted for a moment", holdless, 1, 1, 0, true, true, 0, 2},
		{"the seat is there", holdless, 9, 1, 1, false, false, partner.WrongStatus, mostRefusals},
		{"the seat is there, and no one else is seen", holdless, 1, 1, 0, false, false, partner.WrongStatus, 1},
		{"the hold keeps its seat", keeps, 1, 0, 1, false, false, partner.WrongStatus, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			partnerShop := &shop{left: 1, uncounted: test.uncounted, confirmRefusals: test.refusals, leftAfterRefusals: test.left, holdsFor: test.holdsFor}
			p := partnerShop.player(t, test.others)
			var opening Opening
			p.begin(t.Context(), &opening, seat("reserve 1 seat", "")).book("confirm", true, "")
			if stop := opening.Stop; (stop == nil) != test.booked || stop != nil && stop.Kind != test.stop {
				t.Errorf("want booked %t, else stop %d, got %+v", test.booked, test.stop, stop)
			}
			if confirms := partnerShop.calls["/bookings/confirm"]; confirms != test.confirms {
				t.Errorf("want %d confirms, got %d", test.confirms, confirms)
			}
		})
	}
}

func TestARepeatedLifecycleOfAQuickRunEndsWithTheHoldThatTakesNoSeat(t *testing.T) {
	t.Parallel()
	const holdless, keeps = 100 * 365 * 24 * time.Hour, 20 * time.Minute
	for _, test := range []struct {
		name            string
		quick, repeated bool
		holdsFor        time.Duration
		ended           bool
	}{
		{"it is repeated", true, true, keeps, true},
		{"it is played for the first time", true, false, keeps, false},
		{"the run may make many calls", false, true, keeps, false},
		{"holds keep no seats here", true, true, holdless, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			partnerShop := &shop{left: 5, holdsFor: test.holdsFor}
			p := partnerShop.player(t, 0)
			p.Calls.Sparing, p.Seats.again = test.quick, test.repeated
			var opening Opening
			p.begin(t.Context(), &opening, seat("reserve 1 seat", "")).book("confirm", true, "")
			if ended := opening.Stop != nil && opening.Stop.Kind == partner.SeatsWrong; ended != test.ended {
				t.Errorf("want it ended %t, got %+v", test.ended, opening.Stop)
			}
			if released, booked := partnerShop.calls["/bookings/R-1"] == 1, partnerShop.calls["/bookings/confirm"] == 1; released != test.ended || booked == test.ended {
				t.Errorf("want either a release or a confirm, got %v", partnerShop.calls)
			}
		})
	}
}
