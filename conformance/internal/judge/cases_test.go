package judge

import (
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/schemas/partnerapi"
)

func TestReadsBetweenTheCallsOfACaseChangeNoSeats(t *testing.T) {
	t.Parallel()
	o := &scenario.Opening{Idle: []scenario.Idle{
		{Before: lookAt(0, 4), After: lookAt(10, 4), Stage: model.Held},
		{Before: lookAt(20, 4), After: lookAt(30, 5), Stage: model.Booked},
	}}
	for stage, flaws := range map[model.Stage]int{model.Held: 0, model.Booked: 1, model.Released: 0} {
		found := 0
		for _, m := range idleMoves(o, stage) {
			if m.try().Flaw != "" {
				found++
			}
		}
		if found != flaws {
			t.Errorf("stage %d: Expected %d moves with a flaw, received %d", stage, flaws, found)
		}
	}
}

// A lifecycle with eight holds beside it gives other customers eight chances to take three seats.
func TestTheSameChangeInAnotherPlaceOfALifecycleIsAnotherFlaw(t *testing.T) {
	t.Parallel()
	quiet, three := Move{before: lookAt(0, 4), after: lookAt(10, 3), by: -1}, Move{before: lookAt(0, 4), after: lookAt(10, 0), by: -1}
	second, third := firstUnexpected([]Move{quiet, three, quiet}).try(), firstUnexpected([]Move{quiet, quiet, three}).try()
	if again := firstUnexpected([]Move{quiet, three, three}).try(); second.Off != again.Off || second.Off == third.Off {
		t.Errorf("Expected the same flaw in the same place alone, received %d, %d and %d", second.Off, again.Off, third.Off)
	}
	if held := firstUnexpected([]Move{quiet, quiet}).try(); held.Flaw != "" || held.Off != 0 {
		t.Errorf("Expected no flaw, received %q and %d", held.Flaw, held.Off)
	}
}

func TestASmallPartyIsAcceptedWhereItFits(t *testing.T) {
	t.Parallel()
	option := discover.Option{Units: []discover.Unit{{ID: "adult", Type: partnerapi.Adult}, {ID: "student"}}}
	party := &plan.Case{Offer: discover.Offer{Option: option}, Units: []partnerapi.UnitQuantity{{ID: "adult", Quantity: 1}, {ID: "student", Quantity: 1}}}
	refused := &partner.Stop{Kind: partner.Refused, Message: "reserve was refused"}
	uncounted := lookAt(0, 0)
	uncounted.Counted = false
	for name, test := range map[string]struct {
		before *scenario.Reading
		fits   bool
		broken bool
	}{
		"seats are counted":        {lookAt(0, 9), false, true},
		"perhaps one seat is left": {uncounted, false, false},
		"two lead guests fit":      {uncounted, true, true},
	} {
		got := acceptsCase(&scenario.Booking{Opening: scenario.Opening{Case: party, Before: test.before, Fits: test.fits, Stop: refused}})
		if got.Ends() != test.broken {
			t.Errorf("%s: Expected a breach %t, received %q", name, test.broken, got.Message)
		}
	}
}

func TestASeatThatTheLifecycleHoldsMayBeRefused(t *testing.T) {
	t.Parallel()
	sold := func(taken int64) Try {
		return lastSeat(&scenario.SellOut{
			TooMany: scenario.Act{After: lookAt(0, 2)}, Taken: taken, Full: lookAt(10, 1),
			Refused: &partner.Stop{Kind: partner.Refused, Message: "reserve was refused"},
		})
	}
	if got := sold(0); !strings.Contains(got.Flaw, "Expected a hold of 1 seat, with 1 seat left") {
		t.Errorf("Expected a flaw, received %q", got.Flaw)
	}
	if got := sold(2); !got.Skip {
		t.Errorf("Expected nothing to judge after the lifecycle has taken all seats, received %q", got.Flaw)
	}
}

func TestReleasedSeatsComeBack(t *testing.T) {
	t.Parallel()
	released := judgeRebook(&scenario.SellOut{Taken: 2, Full: lookAt(0, 0), Released: lookAt(10, 0)})
	if !strings.Contains(released.Flaw, "Expected 2 seats left") {
		t.Errorf("Expected a flaw, received %q", released.Flaw)
	}
}
