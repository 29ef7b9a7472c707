package judge

import (
	"fmt"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// slots returns slots that had 5 seats and have that many now, with the run's reserves for each.
func slots(count int, after int64, entries ...ledger.Entry) (all []scenario.SlotAfter) {
	for i := range count {
		all = append(all, scenario.SlotAfter{Slot: ledger.Slot{AvailabilityID: fmt.Sprint(i)}, Before: 5, After: after, Entries: entries})
	}
	return all
}

func TestSeatsThatAreNotBackAfterTheRunBreakTheRuleAboutTheirEffect(t *testing.T) {
	t.Parallel()
	one := []partnerapi.UnitQuantity{{Quantity: 1}}
	released := ledger.Entry{State: ledger.Undone, Units: one}
	cancelled := ledger.Entry{State: ledger.Undone, BookingID: "B", Units: one}
	refused := ledger.Entry{State: ledger.Refused, Units: one}
	lapsed := ledger.Entry{State: ledger.Undone, Lapsed: true, Units: one}
	held := ledger.Entry{State: ledger.Held, Units: []partnerapi.UnitQuantity{{Quantity: 2}}}
	failed := ledger.Entry{State: ledger.Refused, Problem: "reserve was answered with 500", Units: one}
	malformed := ledger.Entry{State: ledger.Refused}
	alone := slots(200, 5)
	for name, test := range map[string]struct {
		all    []scenario.SlotAfter
		others bool
		breaks string
	}{
		"as before":                                   {slots(20, 5, released), false, ""},
		"too many after releases":                     {slots(3, 6, released, refused), false, rule.ReleaseVacanciesOne.ID},
		"too few after cancellations":                 {append(slots(3, 4, cancelled, released), slots(20, 5, released)...), false, rule.CancelVacancies.ID},
		"too few after refused reserves":              {append(slots(3, 4, refused), slots(20, 5, released)...), false, rule.ReserveRefusalNoEffect.ID},
		"too few where holds have expired":            {slots(3, 4, lapsed, released), false, rule.ReleaseExpiredVacancies.ID},
		"as few as may be held":                       {slots(3, 3, held, released), false, ""},
		"fewer than may be held":                      {slots(3, 2, held, released), false, rule.ReleaseVacanciesOne.ID},
		"a reserve that failed may have made a hold":  {slots(3, 4, failed), false, ""},
		"malformed reserves have a rule of their own": {slots(3, 4, malformed, released), false, ""},
		"other customers were seen, elsewhere":        {slots(3, 4, released), true, rule.ReleaseVacanciesOne.ID},
		"other customers were seen, in a slot":        {append(slots(3, 4, released), slots(1, 4)...), true, ""},
		"other customers take seats everywhere":       {append(slots(20, 4, released), slots(100, 4)...), false, ""},
		"more than the run has ever held":             {slots(3, 0, released), false, ""},
		"one of many":                                 {append(slots(1, 4, released), slots(150, 5, released)...), false, ""},
	} {
		of, f := Afterwards(append(test.all, alone...), test.others)
		if of.ID != test.breaks || (f.Outcome == report.Failed) != (test.breaks != "") {
			t.Errorf("%s: Expected %q, received %q: %s", name, test.breaks, of.ID, f.Message)
		}
	}
}

func TestAHoldThatHadExpiredWhenItWasReleasedHasLapsed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	l := ledger.New()
	l.SetClock(func() time.Time { return now })
	for _, test := range []struct {
		expires string
		lapsed  bool
	}{{now.Add(time.Minute).Format(time.RFC3339), false}, {now.Add(-time.Minute).Format(time.RFC3339), true}, {"soon", false}} {
		entry, err := l.Attempt(ledger.Slot{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		l.Record(entry, func(e *ledger.Entry) { e.State, e.ExpiresAt = ledger.Held, test.expires })
		l.Record(entry, func(e *ledger.Entry) { e.State = ledger.Undone })
		if entry.Lapsed != test.lapsed {
			t.Errorf("a hold until %s, released at %s: Expected lapsed %t", test.expires, now, test.lapsed)
		}
	}
}
