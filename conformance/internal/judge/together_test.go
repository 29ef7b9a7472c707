package judge

import (
	"testing"

	"partnerkit.dev/conformance/internal/explore"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/rule"
)

func TestEveryFailedStepOfALifecycleBreaksTheRuleOfItsCall(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		act  explore.Act
		want rule.Rule
	}{
		{"a live hold is not confirmed", explore.Act{Does: model.Confirm, On: model.Held}, rule.ConfirmStatus},
		{"its confirm moves seats of another", explore.Act{Does: model.Confirm, On: model.Held, Seats: true}, rule.ConfirmVacancies},
		{"a booking id is given out twice", explore.Act{Does: model.Confirm, On: model.Held, ID: true}, rule.ConfirmIDUnique},
		{"a repeat has another booking", explore.Act{Does: model.Confirm, On: model.Booked, ID: true}, rule.ConfirmRepeatBooking},
		{"a released code is booked", explore.Act{Does: model.Confirm, On: model.Released}, rule.ConfirmReleased},
		{"a group's seats are not given back", explore.Act{Does: model.Release, On: model.Held, Guests: 2, Seats: true}, rule.ReleaseVacanciesMany},
		{"a release undoes a booking", explore.Act{Does: model.Release, On: model.Booked, Seats: true}, rule.ReleaseConfirmedKeeps},
		{"a second cancellation frees a seat", explore.Act{Does: model.Cancel, On: model.Cancelled, Seats: true}, rule.CancelRepeatVacancies},
		{"a refusal takes seats", explore.Act{Does: model.Reserve, Guests: 9, Seats: true}, rule.ReserveRefusalNoEffect},
		{"more than the slot has are held", explore.Act{Does: model.Reserve, Guests: 9, Accepted: true}, rule.ReserveTooMany},
		{"an unknown code frees a seat", explore.Act{Does: explore.ReleaseUnknown, Seats: true}, rule.ReleaseUnknown},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got, known := brokenBy(test.act); !known || got.ID != test.want.ID {
				t.Errorf("want %s, got %s", test.want.ID, got.ID)
			}
		})
	}
	if r, known := brokenBy(explore.Act{Does: explore.Wait}); known {
		t.Errorf("want no rule for a step that calls nothing, got %s", r.ID)
	}
}
