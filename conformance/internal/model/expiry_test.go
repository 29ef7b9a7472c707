package model

import "testing"

func TestSeatsOfAnExpiredHoldThatAreBackStayThere(t *testing.T) {
	t.Parallel()
	state := State{Slots: []Seats{{Counted: true, Least: 5}}}
	state.RecordReserve(0, 0, Party{Guests: 2}, true)
	state.RecordExpiry()
	if got := state.Slots[0].String(); got != "3 to 5 left" {
		t.Errorf("Expected 3 to 5 left after the expiry, received %s", got)
	}
	state.RecordReading(0, 3)
	if got := state.Slots[0].String(); got != "3 to 5 left" {
		t.Errorf("Expected that they may still come back, received %s", got)
	}
	state.RecordReading(0, 5)
	if got := state.Slots[0].String(); got != "5 left" {
		t.Errorf("Expected that they stay, received %s", got)
	}
	if state.RecordRelease(0); state.Slots[0].String() != "5 left" {
		t.Errorf("Expected the release to return nothing more, received %s", state.Slots[0])
	}
}

func TestAHoldOfWhichNothingIsKnownMayHaveItsSeatsOrNot(t *testing.T) {
	t.Parallel()
	state := State{Slots: []Seats{{Counted: true, Least: 5}}}
	state.RecordReserve(0, 0, Party{Guests: 2}, true)
	state.RecordUnknown(0)
	if got := state.Slots[0].String(); got != "3 to 5 left" || state.WantConfirm(0) != (Want{Accept: true, Refuse: true}) {
		t.Errorf("Expected 3 to 5 left and any answer to a confirm, received %s and %+v", got, state.WantConfirm(0))
	}
	state.RecordConfirm(0, true, 0)
	if state.Holds[0].Stage != Booked {
		t.Error("Expected a confirm that was accepted to show a booking")
	}
}
