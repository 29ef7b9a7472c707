// Package ledger keeps account of every hold and booking that a run makes, so
// that each is released or cancelled again, whatever becomes of the rule that
// made it.
package ledger

import (
	"slices"
	"sync"

	"partnerkit.dev/conformance/discover"
)

// State is where an entry stands.
type State string

// The states.
const (
	Attempted State = "attempted" // reserve was sent, its answer not yet read
	Refused   State = "refused"   // reserve was refused: nothing is held
	Unheard   State = "unheard"   // reserve was sent and never answered: there may be a hold
	Held      State = "held"
	Booked    State = "booked"
	Doubtful  State = "doubtful" // confirm was sent and its answer not read: hold or booking
	Undone    State = "undone"   // released or cancelled
)

// Entry is one hold, and the booking that it became.
type Entry struct {
	Offer     discover.Offer
	Guests    int64
	State     State
	Code      string
	ExpiresAt string
	BookingID string
	Trouble   string // why it could not be undone
}

// Ledger is the account of one run. It is safe for concurrent use.
type Ledger struct {
	mu      sync.Mutex
	entries []*Entry
}

// Attempt records a reserve that is about to be sent. The entry is filled in
// with Record as answers come.
func (l *Ledger) Attempt(offer discover.Offer, guests int64) *Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry := &Entry{Offer: offer, Guests: guests, State: Attempted}
	l.entries = append(l.entries, entry)
	return entry
}

// Record changes an entry.
func (l *Ledger) Record(entry *Entry, change func(*Entry)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(entry)
}

// Entries returns a copy of all entries, in the order of their attempts.
func (l *Ledger) Entries() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries := make([]Entry, len(l.entries))
	for i, entry := range l.entries {
		entries[i] = *entry
	}
	return entries
}

// Open returns the entries that have still to be undone.
func (l *Ledger) Open() []*Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.entries), func(e *Entry) bool {
		return e.State == Refused || e.State == Undone
	})
}
