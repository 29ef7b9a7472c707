package ledger_test

import (
	"fmt"
	"sync"
	"testing"

	"partnerkit.dev/conformance/discover"
	"partnerkit.dev/conformance/ledger"
)

func offer(product string) discover.Offer {
	return discover.Offer{Product: discover.Product{ID: product}}
}

func TestAnAttemptIsOpenBeforeItsAnswerIsKnown(t *testing.T) {
	t.Parallel()
	var l ledger.Ledger
	l.Attempt(offer("walk"), 3)
	entries := l.Entries()
	if len(entries) != 1 || entries[0].State != ledger.Attempted || entries[0].Guests != 3 || entries[0].Offer.Product.ID != "walk" {
		t.Errorf("want the attempt with its offer and guests, got %+v", entries)
	}
	if open := l.Open(); len(open) != 1 {
		t.Errorf("want an attempt to be open: its answer may be lost, got %d", len(open))
	}
}

func TestOnlyWhatIsRefusedOrUndoneNeedsNoUndoing(t *testing.T) {
	t.Parallel()
	for state, open := range map[ledger.State]bool{
		ledger.Attempted: true, ledger.Unheard: true, ledger.Held: true, ledger.Booked: true, ledger.Doubtful: true,
		ledger.Refused: false, ledger.Undone: false,
	} {
		var l ledger.Ledger
		l.Record(l.Attempt(offer("walk"), 1), func(e *ledger.Entry) { e.State = state })
		if got := len(l.Open()) == 1; got != open {
			t.Errorf("%s: want open %t, got %t", state, open, got)
		}
	}
}

func TestEntriesKeepTheOrderOfTheirAttempts(t *testing.T) {
	t.Parallel()
	var l ledger.Ledger
	for i := range 5 {
		entry := l.Attempt(offer("walk"), int64(i))
		if i%2 == 0 {
			l.Record(entry, func(e *ledger.Entry) { e.State = ledger.Undone })
		}
	}
	for i, entry := range l.Entries() {
		if entry.Guests != int64(i) {
			t.Errorf("entry %d: want the attempt of %d guests, got %d", i, i, entry.Guests)
		}
	}
	open := l.Open()
	if len(open) != 2 || open[0].Guests != 1 || open[1].Guests != 3 {
		t.Errorf("want the open ones in the same order, got %d of them", len(open))
	}
	if again := l.Entries(); len(again) != 5 {
		t.Errorf("want Open to leave the ledger whole, got %d of 5 entries", len(again))
	}
}

func TestEntriesAreACopy(t *testing.T) {
	t.Parallel()
	var l ledger.Ledger
	l.Attempt(offer("walk"), 1)
	l.Entries()[0].State = ledger.Undone
	if state := l.Entries()[0].State; state != ledger.Attempted {
		t.Errorf("want the account unchanged by its reader, got %s", state)
	}
}

func TestManyMayKeepAccountAtOnce(t *testing.T) {
	t.Parallel()
	const many = 50
	var l ledger.Ledger
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			entry := l.Attempt(offer("walk"), 1)
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
