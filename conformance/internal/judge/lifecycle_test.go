package judge

import (
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// played is a call to the naive partner, and its answer.
type played struct {
	naiveCall
	naiveAnswer
	key     probe.Key
	life    time.Duration
	infants int64                // of the party of a reserve
	special func(act *trace.Act) // may be nil
}

// act is the call to a naive partner.
func (p played) act(n naive) trace.Act {
	act := n.act(p.naiveCall, p.naiveAnswer)
	act.Key, act.Life, act.Party.Infants = p.key, p.life, p.infants
	if p.special != nil {
		p.special(&act)
	}
	return act
}

// writing is a call with that email address in its contact, and echoing one that is answered with it.
func writing(email string, p played) played {
	p.special = func(act *trace.Act) {
		act.Answer.Exchange.Request.Body.Text = contact(email)
	}
	return p
}

func echoing(email string, p played) played {
	sent := writing("sent@example.com", p)
	p.special = func(act *trace.Act) {
		sent.special(act)
		act.Answer.Raw = []byte(strings.Replace(string(act.Answer.Raw), "{", strings.TrimSuffix(contact(email), "}")+",", 1))
	}
	return p
}

func contact(email string) string { return `{"contact":{"emailAddress":"` + email + `"}}` }

func TestABreachBreaksTheRuleOfItsCall(t *testing.T) {
	t.Parallel()
	ok, refused, crash := naiveAnswer{status: 200, success: true}, naiveAnswer{status: 400}, naiveAnswer{status: 500}
	reserve := func(party int, a naiveAnswer) played {
		return played{naiveCall: naiveCall{does: model.Reserve, party: party}, naiveAnswer: a}
	}
	held := func(hold, party int) played { return reserve(party, naiveAnswer{status: 200, id: code(hold)}) }
	about := func(does model.Kind, hold int, a naiveAnswer) played {
		return played{naiveCall: naiveCall{does: does, hold: hold}, naiveAnswer: a}
	}
	booked := func(hold int) played {
		return about(model.Confirm, hold, naiveAnswer{status: 200, id: bookingID(hold)})
	}
	released, cancelled := about(model.Release, 0, ok), about(model.Cancel, 0, ok)
	left := func(n int) played {
		return played{naiveCall: naiveCall{does: model.Look}, naiveAnswer: naiveAnswer{left: n}}
	}
	with := func(key probe.Key, p played) played { p.key = key; return p }
	wide := func(p played) played { p.special = func(act *trace.Act) { act.Wide = true }; return p }
	filled := func(p played) played { p.special = func(act *trace.Act) { act.Filled = true }; return p }
	noKey := with(probe.NoKey, about(model.Confirm, 0, naiveAnswer{status: 401}))
	for name, test := range map[string]struct {
		acts []played
		want rule.Rule
	}{
		"a hold takes no seat":                        {[]played{held(0, 1), left(2)}, rule.ReserveVacanciesOne},
		"a hold for two takes one seat":               {[]played{held(0, 2), left(1)}, rule.ReserveVacanciesMany},
		"a seat that is shown is refused":             {[]played{reserve(1, refused)}, rule.ReserveAccepts},
		"a crash":                                     {[]played{reserve(1, crash)}, rule.ReserveStatus},
		"more than the slot has are held":             {[]played{held(0, 1), left(1), held(1, 2)}, rule.ReserveTooMany},
		"a full slot is held":                         {[]played{held(0, 2), left(0), held(1, 1)}, rule.ReserveSoldOut},
		"a refusal takes seats":                       {[]played{held(0, 1), left(1), reserve(2, refused), left(0)}, rule.ReserveRefusalNoEffect},
		"a refusal without a message":                 {[]played{held(0, 2), left(0), reserve(1, naiveAnswer{status: 400, silent: true})}, rule.ReserveRefusalMessage},
		"a hold that is over":                         {[]played{{naiveCall: naiveCall{does: model.Reserve, party: 1}, naiveAnswer: naiveAnswer{status: 200, id: code(0)}, life: -time.Minute}}, rule.ReserveExpiresLater},
		"a hold of five minutes":                      {[]played{{naiveCall: naiveCall{does: model.Reserve, party: 1}, naiveAnswer: naiveAnswer{status: 200, id: code(0)}, life: 5 * time.Minute}}, rule.ReserveExpiresWindow},
		"a hold without a code":                       {[]played{reserve(1, ok)}, rule.ReserveCode},
		"a code twice":                                {[]played{held(0, 1), held(0, 1)}, rule.ReserveCodeUnique},
		"a live hold is not confirmed":                {[]played{held(0, 1), about(model.Confirm, 0, refused)}, rule.ConfirmStatus},
		"a booking without an id":                     {[]played{held(0, 1), about(model.Confirm, 0, ok)}, rule.ConfirmBookingID},
		"a confirm takes the seats again":             {[]played{held(0, 1), left(1), booked(0), left(0)}, rule.ConfirmVacancies},
		"a repeat has another booking":                {[]played{held(0, 1), booked(0), about(model.Confirm, 0, naiveAnswer{status: 200, id: "another"})}, rule.ConfirmRepeatBooking},
		"a repeat fails":                              {[]played{held(0, 1), booked(0), about(model.Confirm, 0, crash)}, rule.ConfirmRepeatStatus},
		"a released code is booked":                   {[]played{held(0, 1), released, booked(0)}, rule.ConfirmReleased},
		"a refused confirm takes seats":               {[]played{held(0, 1), released, left(2), about(model.Confirm, 0, refused), left(1)}, rule.ConfirmReleasedNoEffect},
		"a cancelled code is booked":                  {[]played{held(0, 1), booked(0), cancelled, booked(0)}, rule.ConfirmCancelled},
		"a group's seats are not returned":            {[]played{held(0, 2), left(0), released, left(1)}, rule.ReleaseVacanciesMany},
		"a release is not found":                      {[]played{held(0, 1), about(model.Release, 0, naiveAnswer{status: 404})}, rule.ReleaseStatus},
		"a second release returns seats":              {[]played{held(0, 1), held(1, 1), left(0), released, left(1), released, left(2)}, rule.ReleaseRepeatVacancies},
		"a second release says no":                    {[]played{held(0, 1), released, about(model.Release, 0, naiveAnswer{status: 200})}, rule.ReleaseRepeatSuccess},
		"a release undoes a booking":                  {[]played{held(0, 1), booked(0), left(1), released, left(2)}, rule.ReleaseConfirmedKeeps},
		"a seat of a full slot is not back":           {[]played{held(0, 2), left(0), released, left(2), reserve(1, refused)}, rule.ReleaseRebookable},
		"a slot stays shut that holds had filled":     {[]played{held(0, 2), released, reserve(1, refused)}, rule.ReleaseRebookable},
		"a slot stays shut that was full before":      {[]played{filled(reserve(1, refused))}, rule.ReleaseRebookable},
		"a cancellation returns nothing":              {[]played{held(0, 1), booked(0), left(1), cancelled, left(1)}, rule.CancelVacancies},
		"a second cancellation frees a seat":          {[]played{held(0, 1), held(1, 1), booked(0), cancelled, left(1), cancelled, left(2)}, rule.CancelRepeatVacancies},
		"a wrong key is accepted":                     {[]played{held(0, 1), with(probe.WrongKey, released)}, rule.ReleaseWrongKey},
		"no key is accepted":                          {[]played{held(0, 1), booked(0), with(probe.NoKey, cancelled)}, rule.CancelMissingKey},
		"a call with a wrong key returns seats":       {[]played{held(0, 1), left(1), with(probe.WrongKey, about(model.Release, 0, naiveAnswer{status: 401})), left(2)}, rule.ReleaseAuthEffect},
		"an unknown code is booked":                   {[]played{about(model.Confirm, trace.None, naiveAnswer{status: 200, id: "x"})}, rule.ConfirmUnknown},
		"an unknown code frees a seat":                {[]played{held(0, 1), left(1), about(model.Release, trace.None, ok), left(2)}, rule.ReleaseUnknown},
		"a held seat is free again without a call":    {[]played{held(0, 1), left(1), about(model.Release, trace.None, ok), left(1), left(2)}, rule.ReserveKeptUntilExpiry},
		"a group's seats are, without a call":         {[]played{held(0, 2), left(0), about(model.Confirm, trace.None, refused), left(0), left(2)}, rule.ReserveKeptUntilExpiry},
		"a held seat is free in a longer window":      {[]played{held(0, 1), left(1), wide(left(2))}, rule.ReserveVacanciesOne},
		"a booking is for the guest of another call":  {[]played{held(0, 1), echoing("x@example.com", booked(0))}, rule.ConfirmEcho},
		"a confirm with no key has made the booking":  {[]played{held(0, 1), writing("x@example.com", noKey), echoing("x@example.com", booked(0))}, rule.ConfirmAuthEffect},
		"a booked seat is free again without a call":  {[]played{held(0, 1), booked(0), left(1), about(model.Cancel, trace.None, ok), left(1), left(2)}, rule.ConfirmVacancies},
		"a released seat is taken without a call":     {[]played{held(0, 1), left(1), released, left(2), about(model.Confirm, trace.None, refused), left(2), left(1)}, rule.ReleaseVacanciesOne},
		"a hold is gone after an unknown code":        {[]played{held(0, 1), about(model.Release, trace.None, ok), about(model.Confirm, 0, refused)}, rule.ReleaseUnknown},
		"a hold is gone after a release with no key":  {[]played{held(0, 1), with(probe.NoKey, about(model.Release, 0, naiveAnswer{status: 401})), about(model.Confirm, 0, refused)}, rule.ReleaseAuthEffect},
		"a booking of another slot than that of hold": {[]played{held(0, 1), about(model.Confirm, 0, naiveAnswer{status: 200, id: "x", elsewhere: true})}, rule.ConfirmEcho},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, judge := naive{left: [2]int{2, 2}}, NewLifecycle(Given{}, nil, nil)
			judge.Open([]model.Seats{{Counted: true, Least: 2}, {Counted: true, Least: 2}})
			for i, p := range test.acts {
				j := judge.Take(p.act(n))
				if last := i == len(test.acts)-1; last && j.Rule.ID != test.want.ID || !last && j.Flaw != "" {
					t.Fatalf("act %d: Expected the last to break %s, received %q of %s", i+1, test.want.ID, j.Flaw, j.Rule.ID)
				}
				n = n.after(p.naiveCall, p.naiveAnswer)
			}
		})
	}
}

// Infants may have no seat: what their hold takes and returns may be nothing.
func TestSeatsThatStayAsTheyAreShowNothingOfAHoldForInfants(t *testing.T) {
	t.Parallel()
	for infants, want := range map[int64]bool{0: true, 1: false} {
		judged := map[string]bool{}
		n, judge := naive{left: [2]int{2, 2}}, NewLifecycle(Given{}, nil, func(of rule.Rule, _ string) { judged[of.ID] = true })
		judge.Open([]model.Seats{{Counted: true, Least: 2}, {Counted: true, Least: 2}})
		for i, p := range []played{
			{naiveCall: naiveCall{does: model.Reserve, party: 1}, naiveAnswer: naiveAnswer{status: 200, id: code(0)}, infants: infants},
			{naiveCall: naiveCall{does: model.Look}, naiveAnswer: naiveAnswer{left: 1 + int(infants)}},
			{naiveCall: naiveCall{does: model.Release}, naiveAnswer: naiveAnswer{status: 200, success: true}},
			{naiveCall: naiveCall{does: model.Look}, naiveAnswer: naiveAnswer{left: 2}},
		} {
			if j := judge.Take(p.act(n)); j.Flaw != "" {
				t.Errorf("%d infants, act %d: want nothing wrong, got %q of %s", infants, i+1, j.Flaw, j.Rule.ID)
			}
			n = n.after(p.naiveCall, p.naiveAnswer)
		}
		if judged[rule.ReserveVacanciesOne.ID] != want || judged[rule.ReleaseVacanciesOne.ID] != want {
			t.Errorf("%d infants: want the seats judged: %t, got %v", infants, want, judged)
		}
	}
}

// A breach that is known must not keep the rest of a story from being judged.
func TestAStoryGoesOnAfterARuleThatIsNotJudged(t *testing.T) {
	t.Parallel()
	known := func(r rule.Rule) bool { return r.ID == rule.ReserveVacanciesOne.ID }
	n, judge := naive{left: [2]int{2, 2}}, NewLifecycle(Given{}, known, nil)
	judge.Open([]model.Seats{{Counted: true, Least: 2}, {}})
	judge.Take(n.act(naiveCall{does: model.Reserve, party: 1}, naiveAnswer{status: 200, id: code(0)}))
	n = n.after(naiveCall{does: model.Reserve, party: 1}, naiveAnswer{status: 200})
	if j := judge.Take(n.act(naiveCall{does: model.Look}, naiveAnswer{left: 2})); j.Flaw != "" {
		t.Errorf("Expected no breach of a rule that is not judged, received %q", j.Flaw)
	}
	if j := judge.Take(n.act(naiveCall{does: model.Look}, naiveAnswer{left: 0})); j.Flaw != "" {
		t.Errorf("Expected nothing from seats that are known to be wrong, received %q", j.Flaw)
	}
	if j := judge.Take(n.act(naiveCall{does: model.Release}, naiveAnswer{status: 404})); j.Rule.ID != rule.ReleaseStatus.ID {
		t.Errorf("Expected a breach of %s, received %q of %s", rule.ReleaseStatus.ID, j.Flaw, j.Rule.ID)
	}
}

func TestSeatsThatAKnownBreachHasLostMayBeRefused(t *testing.T) {
	t.Parallel()
	known := func(r rule.Rule) bool { return r.ID == rule.ReleaseVacanciesMany.ID }
	takeAll(t, known, model.Seats{Counted: true, Least: 2}, rule.Rule{},
		played{naiveCall: naiveCall{does: model.Reserve, party: 2}, naiveAnswer: naiveAnswer{status: 200, id: code(0)}},
		played{naiveCall: naiveCall{does: model.Release}, naiveAnswer: naiveAnswer{status: 200, success: true}},
		played{naiveCall: naiveCall{does: model.Look}, naiveAnswer: naiveAnswer{left: 0}},
		played{naiveCall: naiveCall{does: model.Reserve, hold: 1, party: 1}, naiveAnswer: naiveAnswer{status: 400}},
	)
}

// That the seat of a single guest came back does not show that those of a party do.
func TestAPartyWhoseSeatsWereReturnedInASlotWithoutVacanciesIsNotTheOneToBlame(t *testing.T) {
	t.Parallel()
	takeAll(t, nil, model.Seats{}, rule.ReleaseRebookable,
		played{naiveCall: naiveCall{does: model.Reserve, party: 1}, naiveAnswer: naiveAnswer{status: 200, id: code(0)}},
		played{naiveCall: naiveCall{does: model.Release}, naiveAnswer: naiveAnswer{status: 200, success: true}},
		played{naiveCall: naiveCall{does: model.Reserve, hold: 1, party: 2}, naiveAnswer: naiveAnswer{status: 200, id: code(1)}},
		played{naiveCall: naiveCall{does: model.Release, hold: 1}, naiveAnswer: naiveAnswer{status: 200, success: true}},
		played{naiveCall: naiveCall{does: model.Reserve, hold: 2, party: 1}, naiveAnswer: naiveAnswer{status: 400}},
	)
}

// takeAll judges acts in a slot. Only the last may break a rule: want, or none.
func takeAll(t *testing.T, known func(rule.Rule) bool, slot model.Seats, want rule.Rule, acts ...played) {
	t.Helper()
	n, judge := naive{left: [2]int{2, 2}}, NewLifecycle(Given{}, known, nil)
	judge.Open([]model.Seats{slot, {}})
	for i, p := range acts {
		expected := rule.Rule{}
		if i == len(acts)-1 {
			expected = want
		}
		act := n.act(p.naiveCall, p.naiveAnswer)
		act.Welcome = true
		if j := judge.Take(act); j.Rule.ID != expected.ID {
			t.Errorf("act %d: Expected a breach of %q, received %q of %q", i+1, expected.ID, j.Flaw, j.Rule.ID)
		}
		n = n.after(p.naiveCall, p.naiveAnswer)
	}
}

func TestAHoldThatAReleaseOfAnUnknownCodeHasEndedNamesTheRelease(t *testing.T) {
	t.Parallel()
	n, judge := naive{left: [2]int{2, 2}}, NewLifecycle(Given{}, nil, nil)
	judge.Open([]model.Seats{{}, {}})
	judge.Take(n.act(naiveCall{does: model.Reserve, party: 1}, naiveAnswer{status: 200, id: code(0)}))
	n = n.after(naiveCall{does: model.Reserve, party: 1}, naiveAnswer{status: 200})
	judge.Take(n.act(naiveCall{does: model.Release, hold: trace.None}, naiveAnswer{status: 200, success: true}))
	j := judge.Take(n.act(naiveCall{does: model.Confirm}, naiveAnswer{status: 400}))
	if j.Rule.ID != rule.ReleaseUnknown.ID || !strings.Contains(j.Flaw, "400 Bad Request, after a release that must not end the hold") {
		t.Errorf("Expected a breach of %s that names the release, received %q of %s", rule.ReleaseUnknown.ID, j.Flaw, j.Rule.ID)
	}
}

// A call that has ended a hold although it must not is the cause of what becomes of that hold.
func TestAHoldThatAnotherCallHasEndedIsNotAskedFor(t *testing.T) {
	t.Parallel()
	known := func(r rule.Rule) bool { return r.ID == rule.ReleaseUnknown.ID }
	takeAll(t, known, model.Seats{Counted: true, Least: 2}, rule.Rule{},
		played{naiveCall: naiveCall{does: model.Reserve, party: 1}, naiveAnswer: naiveAnswer{status: 200, id: code(0)}},
		played{naiveCall: naiveCall{does: model.Release, hold: trace.None}, naiveAnswer: naiveAnswer{status: 200, success: true}},
		played{naiveCall: naiveCall{does: model.Look}, naiveAnswer: naiveAnswer{left: 2}},
		played{naiveCall: naiveCall{does: model.Confirm}, naiveAnswer: naiveAnswer{status: 400}},
	)
}

// Where confirms are known to be answered wrongly, a hold that was confirmed may be booked, or not: nothing is expected of
// its seats when it is released.
func TestAConfirmWithAWrongStatusMayHaveBooked(t *testing.T) {
	t.Parallel()
	known := func(r rule.Rule) bool { return r.ID == rule.ConfirmStatus.ID }
	for _, status := range []int{201, 202, 500} {
		for _, left := range []int64{1, 2} {
			takeAll(t, known, model.Seats{Counted: true, Least: 2}, rule.Rule{},
				played{naiveCall: naiveCall{does: model.Reserve, party: 1}, naiveAnswer: naiveAnswer{status: 200, id: code(0)}},
				played{naiveCall: naiveCall{does: model.Confirm}, naiveAnswer: naiveAnswer{status: status, id: "b"}},
				played{naiveCall: naiveCall{does: model.Look}, naiveAnswer: naiveAnswer{left: 1}},
				played{naiveCall: naiveCall{does: model.Release}, naiveAnswer: naiveAnswer{status: 200, success: true}},
				played{naiveCall: naiveCall{does: model.Look}, naiveAnswer: naiveAnswer{left: int(left)}},
			)
		}
	}
}

// A confirm that had to be refused may have booked the hold, for its own guest.
func TestABookingHasTheGuestOfTheConfirmThatMadeIt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		intruder naiveAnswer
		want     string
	}{
		"an unknown code was refused":   {naiveAnswer{status: 400}, rule.ConfirmEcho.ID},
		"an unknown code was confirmed": {naiveAnswer{status: 200, id: "b"}, ""},
	} {
		n, judge := naive{left: [2]int{2, 2}}, NewLifecycle(Given{}, func(r rule.Rule) bool { return r.ID == rule.ConfirmUnknown.ID }, nil)
		judge.Open([]model.Seats{{Counted: true, Least: 2}, {}})
		judge.Take(n.act(naiveCall{does: model.Reserve, party: 1}, naiveAnswer{status: 200, id: code(0)}))
		n = n.after(naiveCall{does: model.Reserve, party: 1}, naiveAnswer{status: 200})
		judge.Take(n.act(naiveCall{does: model.Confirm, hold: trace.None}, test.intruder))
		confirm := n.act(naiveCall{does: model.Confirm}, naiveAnswer{status: 200, id: "b"})
		confirm.Answer = answer(200, `{"externalBookingId":"b","status":"CONFIRMED","contact":{"emailAddress":"ana@example.com"}}`)
		confirm.Answer.Endpoint, confirm.Offer.Slot.ID = partnerapi.Confirm, ""
		confirm.Answer.Exchange.Request.Body.Text = `{"contact":{"emailAddress":"ben@example.com"}}`
		if j := judge.Take(confirm); j.Rule.ID != test.want {
			t.Errorf("%s: Expected %q, received %q of %s", name, test.want, j.Flaw, j.Rule.ID)
		}
	}
}

// A hold that ends before the seats are counted shows nothing of how others are kept.
func TestAHoldThatWasReleasedDoesNotShowWhetherHoldsKeepSeats(t *testing.T) {
	t.Parallel()
	judge := NewLifecycle(Given{}, nil, nil)
	judge.Open([]model.Seats{{Counted: true, Least: 2}, {}})
	n := naive{left: [2]int{2, 2}}
	for i, p := range []played{
		{naiveCall: naiveCall{does: model.Reserve, party: 1}, naiveAnswer: naiveAnswer{status: 200, id: code(0)}},
		{naiveCall: naiveCall{does: model.Look}, naiveAnswer: naiveAnswer{left: 1}},
		{naiveCall: naiveCall{does: model.Reserve, party: 1}, naiveAnswer: naiveAnswer{status: 200, id: code(1)}},
		{naiveCall: naiveCall{does: model.Release, hold: 1}, naiveAnswer: naiveAnswer{status: 200, success: true}},
		{naiveCall: naiveCall{does: model.Look}, naiveAnswer: naiveAnswer{left: 1}},
		{naiveCall: naiveCall{does: model.Confirm}, naiveAnswer: naiveAnswer{status: 200, id: "b"}},
		{naiveCall: naiveCall{does: model.Look}, naiveAnswer: naiveAnswer{left: 1}},
	} {
		act := n.act(p.naiveCall, p.naiveAnswer)
		if act.Does == model.Reserve {
			act.Life = 2 * partnerapi.HoldlessAfter
		}
		if j := judge.Take(act); j.Flaw != "" {
			t.Fatalf("act %d: Expected no breach, received %q", i+1, j.Flaw)
		}
		n = n.after(p.naiveCall, p.naiveAnswer)
	}
}

// A partner whose holds expire far ahead keeps their seats or not (RSV-8); the first reading shows it.
func TestAHoldThatNeedNotKeepSeatsIsJudgedByWhatItDoes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ afterHold, afterConfirm int }{
		"the hold takes the seat":    {1, 1},
		"the confirm takes the seat": {2, 1},
	} {
		n, judge := naive{left: [2]int{2, 2}}, NewLifecycle(Given{}, nil, nil)
		judge.Open([]model.Seats{{Counted: true, Least: 2}, {}})
		hold := n.act(naiveCall{does: model.Reserve, party: 1}, naiveAnswer{status: 200, id: code(0)})
		hold.Life = 2 * partnerapi.HoldlessAfter
		judge.Take(hold)
		n = n.after(naiveCall{does: model.Reserve, party: 1}, naiveAnswer{status: 200})
		for _, p := range []played{
			{naiveCall: naiveCall{does: model.Release, hold: trace.None}, naiveAnswer: naiveAnswer{status: 200, success: true}},
			{naiveCall: naiveCall{does: model.Look}, naiveAnswer: naiveAnswer{left: test.afterHold}},
			{naiveCall: naiveCall{does: model.Confirm}, naiveAnswer: naiveAnswer{status: 200, id: "b"}},
			{naiveCall: naiveCall{does: model.Look}, naiveAnswer: naiveAnswer{left: test.afterConfirm}},
		} {
			if j := judge.Take(n.act(p.naiveCall, p.naiveAnswer)); j.Flaw != "" {
				t.Errorf("%s: Expected no breach, received %q", name, j.Flaw)
			}
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
