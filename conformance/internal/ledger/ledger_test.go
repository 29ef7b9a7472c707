package ledger_test

import (
	"fmt"
	"sync"
	"testing"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/schemas/partnerapi"
)

func slot(product string) ledger.Slot { return ledger.Slot{ProductID: product} }

// attempt enters a reserve for one adult.
func attempt(t *testing.T, l *ledger.Ledger, product string) *ledger.Entry {
	t.Helper()
	return attemptFor(t, l, product, 1)
}

func attemptFor(t *testing.T, l *ledger.Ledger, product string, guests int) *ledger.Entry {
	t.Helper()
	entry, err := l.Attempt(slot(product), []partnerapi.UnitQuantity{{ID: "unit-adult", Quantity: guests}})
	if err != nil {
		t.Fatal(err)
	}
	return entry
}

func TestOnlyWhatIsRefusedOrUndoneNeedsNoUndoing(t *testing.T) {
	t.Parallel()
	for state, open := range map[ledger.State]bool{
		ledger.Attempted: true, ledger.Unanswered: true, ledger.Held: true, ledger.Booked: true, ledger.Doubtful: true,
		ledger.Kept:    true,
		ledger.Refused: false, ledger.Undone: false, ledger.Expired: false,
	} {
		l := ledger.New()
		l.Record(attempt(t, l, "walk"), func(e *ledger.Entry) { e.State = state })
		if got := len(l.Open()) == 1; got != open {
			t.Errorf("%s: want open %t, got %t", state, open, got)
		}
	}
}

func TestEntriesAreACopyInTheOrderOfTheirAttempts(t *testing.T) {
	t.Parallel()
	l := ledger.New()
	for i := range 5 {
		entry := attemptFor(t, l, "walk", i+1)
		if i%2 == 0 {
			l.Record(entry, func(e *ledger.Entry) { e.State = ledger.Undone })
		}
	}
	if open := l.Open(); len(open) != 2 || open[0].Units[0].Quantity != 2 || open[1].Units[0].Quantity != 4 {
		t.Errorf("want the second and the fourth open, got %d", len(open))
	}
	l.Entries()[0].State = ledger.Held
	for i, entry := range l.Entries() {
		if guests := entry.Units[0].Quantity; guests != i+1 || entry.State == ledger.Held {
			t.Errorf("entry %d: want the attempt of %d guests as it was, got %+v", i, i+1, entry)
		}
	}
}

func TestManyMayUseALedgerConcurrently(t *testing.T) {
	t.Parallel()
	const many = 50
	l := ledger.New()
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			entry := attempt(t, l, "walk")
			l.Record(entry, func(e *ledger.Entry) { e.State, e.Code = ledger.Held, fmt.Sprint(i) })
			l.Entries()
			l.Open()
		})
	}
	all.Wait()
	codes := map[string]bool{}
	for _, entry := range l.Entries() {
		codes[entry.Code] = true
	}
	if len(codes) != many || len(l.Open()) != many {
		t.Errorf("want %d holds of their own, got %d codes and %d open", many, len(codes), len(l.Open()))
	}
}
