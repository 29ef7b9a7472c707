package model_test

import (
	"testing"

	"partnerkit.dev/conformance/internal/model"
)

var (
	couple = model.Party{Guests: 2}
	parent = model.Party{Guests: 2, Infants: 1}
)

// slotOf is a model of one slot with so many seats left.
func slotOf(left int64) *model.State {
	return &model.State{Slots: []model.Seats{{Counted: true, Least: left}}}
}

// reserve enters the answer to one more reserve.
func reserve(m *model.State, party model.Party, accepted bool) {
	m.RecordReserve(len(m.Holds), 0, party, accepted)
}

// sees fails the test if the model does not allow exactly these readings of its slot.
func sees(t *testing.T, what string, m *model.State, allowed ...int64) {
	t.Helper()
	want := map[int64]bool{}
	for _, left := range allowed {
		want[left] = true
	}
	for left := int64(-1); left <= 20; left++ {
		if got := m.Slots[0].Allow(left); got != want[left] {
			t.Errorf("%s: want %d left allowed %t, got %t (%s)", what, left, want[left], got, m.Slots[0])
		}
	}
}

func TestSeatsGoWithReserveAndComeBackOnce(t *testing.T) {
	t.Parallel()
	m := slotOf(5)
	reserve(m, couple, true)
	sees(t, "after reserve", m, 3)
	m.RecordRelease(0)
	sees(t, "after release", m, 5)
	m.RecordRelease(0)
	sees(t, "after a second release", m, 5)
	reserve(m, couple, true)
	m.RecordConfirm(1, true, 0)
	sees(t, "after confirm", m, 3)
	m.RecordRelease(1)
	sees(t, "after a release of the booking", m, 3)
	m.Cancelled(1)
	sees(t, "after the cancellation", m, 5)
	m.Cancelled(1)
	sees(t, "after a second cancellation", m, 5)
	reserve(m, couple, false)
	sees(t, "after a refusal", m, 5)
}

func TestInfantsMayTakeASeatOrNone(t *testing.T) {
	t.Parallel()
	m := slotOf(5)
	reserve(m, parent, true)
	sees(t, "with an infant", m, 3, 4)
	m.RecordRelease(0)
	sees(t, "after release", m, 5)
}

func TestAReadingShowsWhetherTheInfantOfTheOnlySuchHoldHasASeat(t *testing.T) {
	t.Parallel()
	m := slotOf(5)
	reserve(m, parent, true)
	m.RecordReading(0, 4)
	sees(t, "with an infant who has no seat", m, 4)
	m.RecordConfirm(0, true, 0)
	sees(t, "after confirm", m, 4)
	m.Cancelled(0)
	sees(t, "after the cancellation", m, 5)

	reserve(m, parent, true)
	reserve(m, parent, true)
	m.RecordReading(0, 2)
	sees(t, "with two infants, of whom any one has a seat", m, 1, 2, 3)
}

func TestAnExpiredHoldGivesItsSeatsBackAtTheReleaseAtTheLatest(t *testing.T) {
	t.Parallel()
	m := slotOf(5)
	reserve(m, couple, true)
	m.RecordExpiry()
	sees(t, "after expiry", m, 3, 4, 5)
	if want := m.WantConfirm(0); want.Accept || !want.Refuse {
		t.Errorf("want an expired hold's confirm refused, got %+v", want)
	}
	m.RecordRelease(0)
	sees(t, "after the release", m, 5)
}

func TestAPartnerWithoutHoldsTakesSeatsAtConfirm(t *testing.T) {
	t.Parallel()
	m := slotOf(3)
	m.Holdless = true
	reserve(m, couple, true)
	reserve(m, couple, true)
	sees(t, "after reserve", m, 3)
	m.RecordConfirm(0, true, 0)
	sees(t, "after confirm", m, 1)
	if want := m.WantConfirm(1); !want.Accept || !want.Refuse {
		t.Errorf("want the second confirm refused lawfully for want of seats, got %+v", want)
	}
	m.RecordRelease(1)
	sees(t, "after the release of the other", m, 1)
	m.Cancelled(0)
	sees(t, "after the cancellation", m, 3)
}

func TestTheAnswersThatReserveAllows(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		left    model.Seats
		party   model.Party
		welcome bool
		want    model.Want
	}{
		{"a party that was taken before, with seats enough", model.Seats{Counted: true, Least: 2}, couple, true, model.Want{Accept: true}},
		{"a party that was never taken", model.Seats{Counted: true, Least: 2}, couple, false, model.Want{Accept: true, Refuse: true}},
		{"more guests than seats", model.Seats{Counted: true, Least: 1}, couple, true, model.Want{Refuse: true}},
		{"seats for all but the infant", model.Seats{Counted: true, Least: 1}, parent, true, model.Want{Accept: true, Refuse: true}},
		{"seats that may not be back yet", model.Seats{Counted: true, Least: 1, More: 1}, couple, true, model.Want{Accept: true, Refuse: true}},
		{"a slot that counts no seats", model.Seats{}, couple, false, model.Want{Accept: true, Refuse: true}},
	} {
		m := &model.State{Slots: []model.Seats{test.left}}
		if got := m.WantReserve(0, test.party, test.welcome); got != test.want {
			t.Errorf("%s: want %+v, got %+v", test.name, test.want, got)
		}
	}
}

func TestASlotWithoutVacanciesMayBeFullOfTheRunsOwnGuests(t *testing.T) {
	t.Parallel()
	m := &model.State{Slots: []model.Seats{{}}}
	wants := func(when string, want model.Want) {
		t.Helper()
		if got := m.WantReserve(0, couple, true); got != want {
			t.Errorf("%s: want %+v, got %+v", when, want, got)
		}
	}
	wants("while it is empty, for a party that was taken before", model.Want{Accept: true})
	reserve(m, couple, true)
	wants("with a hold on it", model.Want{Accept: true, Refuse: true})
	m.RecordRelease(0)
	wants("after the release", model.Want{Accept: true})
}

func TestASecondConfirmMayBeRefusedAndOneTooLateHasToBe(t *testing.T) {
	t.Parallel()
	m := slotOf(9)
	for range 3 {
		reserve(m, couple, true)
	}
	if got := m.WantConfirm(0); got != (model.Want{Accept: true}) {
		t.Errorf("want a live hold confirmed, got %+v", got)
	}
	m.RecordConfirm(0, true, 0)
	if got := m.WantConfirm(0); got != (model.Want{Accept: true, Refuse: true}) {
		t.Errorf("want a booking confirmed again or refused, got %+v", got)
	}
	m.Cancelled(0)
	m.RecordRelease(1)
	for hold := range 2 {
		if got := m.WantConfirm(hold); got != (model.Want{Refuse: true}) {
			t.Errorf("hold %d: want its confirm refused, got %+v", hold, got)
		}
	}
}
