package judge

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// acted is a scenario of a hold for two guests, by what its slot had left and how its calls were answered.
type acted struct{ acts []scenario.PlayedAct }

func (t *acted) PlayedActs() ([]scenario.PlayedAct, *partner.Stop) { return t.acts, nil }

// left adds a reading. seen is what it shows after others have moved seats, while it was read again.
func (t acted) left(n int64, seen ...int64) acted {
	read := lookAt(10*len(t.acts), n)
	for _, last := range seen {
		read.Last.Left = last
	}
	act := trace.Act{Does: model.Look, Seats: model.Seats{Counted: true, Least: n}, Moved: read.Last.Left - n}
	return acted{append(slices.Clip(t.acts), scenario.PlayedAct{Act: act, Read: read})}
}

func (t acted) call(does model.Kind, key probe.Key, status int, body string) acted {
	a := answer(status, body)
	a.Endpoint, a.StartedAt = map[model.Kind]partnerapi.Endpoint{
		model.Reserve: partnerapi.Reserve, model.Confirm: partnerapi.Confirm, model.Release: partnerapi.Release, model.Cancel: partnerapi.Cancel,
	}[does], time.Unix(0, int64(len(t.acts)))
	act := trace.Act{
		Does: does, Key: key, Answer: a, Offer: discover.Offer{Slot: discover.Slot{ID: "s-1"}}, Life: 20 * time.Minute,
		Units: []partnerapi.UnitQuantity{{ID: "adult", Quantity: 2}}, Party: model.Party{Guests: 2},
	}
	how := ""
	if key != probe.GoodKey {
		how = key.String()
	}
	return acted{append(slices.Clip(t.acts), scenario.PlayedAct{Act: act, How: how})}
}

func (t acted) held() acted {
	return t.call(model.Reserve, probe.GoodKey, 200, `{"reservationConfirmationCode":"h-1","expiresAt":"2026-07-01T10:20:00Z"}`)
}

func (t acted) booked(id string) acted {
	return t.call(model.Confirm, probe.GoodKey, 200, fmt.Sprintf(`{"externalBookingId":%q,"status":"CONFIRMED"}`, id))
}

func (t acted) cancelled() acted {
	return t.call(model.Cancel, probe.GoodKey, 200, `{"success":true}`)
}

func TestAScenarioAccusesEachRuleThatItsActsBreakAndNoOther(t *testing.T) {
	t.Parallel()
	start := acted{}.left(5).held()
	for name, test := range map[string]struct {
		acted
		broken []rule.Rule
	}{
		"all is well": {start.left(3).booked("b-1").left(3).cancelled().left(5), nil},
		"the hold takes too few, confirm the rest": {start.left(4).booked("b-1").left(3).cancelled().left(5), []rule.Rule{rule.ReserveVacanciesMany}},
		"confirm takes seats again":                {start.left(3).booked("b-1").left(1).cancelled().left(3), []rule.Rule{rule.ConfirmVacancies}},
		"the cancellation returns none":            {start.left(3).booked("b-1").left(3).cancelled().left(3), []rule.Rule{rule.CancelVacancies}},
		"two faults, one about seats":              {start.left(3).booked("b-1").booked("b-2").left(3).cancelled().left(3), []rule.Rule{rule.ConfirmRepeatBooking, rule.CancelVacancies}},
		"a wrong key is answered 403":              {start.left(3).call(model.Confirm, probe.WrongKey, 403, "").left(3), []rule.Rule{rule.ConfirmWrongKey}},
		"a confirm without a key makes a booking that keeps its seats": {
			start.left(3).call(model.Confirm, probe.NoKey, 401, "").call(model.Release, probe.GoodKey, 200, `{"success":true}`).left(3), []rule.Rule{rule.ConfirmAuthEffect},
		},
		"others took two seats while the slot was read again":     {start.left(3, 1).booked("b-1").left(1).cancelled().left(3), nil},
		"others took one seconds later, and the cancel none back": {start.left(3).left(2).booked("b-1").left(2).cancelled().left(2), []rule.Rule{rule.ReserveVacanciesMany, rule.CancelVacancies}},
	} {
		all := judgeActs(test.acts, nil)
		for id, said := range all {
			if wanted := slices.ContainsFunc(test.broken, func(r rule.Rule) bool { return r.ID == id }); (said.Flaw != "") != wanted {
				t.Errorf("%s: expected a breach of %v, received %q of %s", name, test.broken, said.Flaw, id)
			}
		}
		for _, r := range test.broken {
			if all[r.ID].Flaw == "" {
				t.Errorf("%s: expected a breach of %s, received none", name, r.ID)
			}
		}
	}
}

func TestABreachIsToldWithItsReadingsAndTheCallsBetween(t *testing.T) {
	t.Parallel()
	played := acted{}.left(5).held().left(3).booked("b-1").left(1)
	got := tryOf(&played, rule.ConfirmVacancies, true)
	if want := "Expected 3 seats left  (3 ), received 1"; got.Flaw != want || got.Took != 20*time.Millisecond || got.Sure || len(got.Shown) != 4 {
		t.Errorf("Expected %q after 20 ms with 4 exchanges, received %q after %s with %d", want, got.Flaw, got.Took, len(got.Shown))
	}
	if got := tryOf(&played, rule.ReserveVacanciesMany, true); got.Flaw != "" || got.At == nil {
		t.Errorf("Expected no breach of the hold's seats, received %q", got.Flaw)
	}
	if got := tryOf(&played, rule.CancelVacancies, true); got.Flaw == "" || got.Cause.ID != rule.ConfirmVacancies.ID {
		t.Errorf("Expected the breach before the cancellation to be the cause, received %+v", got)
	}
	// What the seats show does not keep a rule about answers from being judged, though this scenario shows nothing about it.
	if got := tryOf(&played, rule.ReleaseStatus, false); got.Flaw != "" || got.Cause != nil {
		t.Errorf("Expected nothing about another call's answer, received %+v", got)
	}
	key := acted{}.left(5).held().call(model.Release, probe.WrongKey, 200, `{"success":true}`)
	if got := tryOf(&key, rule.ReleaseWrongKey, false); got.Flaw != "a wrong key: Expected 401, received 200 OK" || !got.Sure {
		t.Errorf("Expected the key to be named, received %q", got.Flaw)
	}
}
