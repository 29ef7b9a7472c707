// Package ledger keeps account of every hold and booking that a run makes, so
// that each is released or cancelled again, whatever becomes of the rule that
// made it, or of the run itself.
//
// An attempt is entered before reserve is sent, a code and a booking id before
// they are used, and what was undone after it was. A ledger that was made with
// Create is a file as well: JSON, a line for what the ledger is about and then one
// for each change, of which none is ever rewritten. Whoever opens the file of a run
// that was killed knows what it may have left behind.
package ledger

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// Ledger is the account of one run. It is safe for concurrent use.
type Ledger struct {
	head   Head
	now    func() time.Time
	redact func(string) string
	file   *file // nil: it is kept in memory only

	doubtful int // number of the first line that has not the right MAC; 0: all have

	mu      sync.Mutex
	entries []*Entry
	trouble error // the file could not be written
}

// New returns a ledger that is kept in memory only.
func New() *Ledger { return &Ledger{head: Head{Run: newRun()}, now: time.Now} }

// newRun returns a name for a run that no other has.
func newRun() string {
	name := make([]byte, 6)
	_, _ = rand.Read(name) // never fails
	return hex.EncodeToString(name)
}

// Head says what the ledger is about.
func (l *Ledger) Head() Head { return l.head }

// Name is that of the file; "" where it is kept in memory only.
func (l *Ledger) Name() string {
	if l.file == nil {
		return ""
	}
	return l.file.handle.Name()
}

// Tell names the clock that tells the time of attempts, the target's. It is to
// be called before the first of them.
func (l *Ledger) Tell(now func() time.Time) { l.now = now }

// Attempt enters a reserve that is about to be sent. Where it cannot be entered
// the error says why, and nothing may be sent. What comes of it is entered with
// Record.
func (l *Ledger) Attempt(slot Slot, units []partnerapi.UnitQuantity) (*Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry := l.add(slot, units, Attempted)
	if l.trouble != nil {
		entry.State = Refused
		return nil, l.trouble
	}
	return entry, nil
}

// Add enters what no reserve of its own has made, such as a second booking of one
// code. Nothing is held yet.
func (l *Ledger) Add(slot Slot, units []partnerapi.UnitQuantity) *Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.add(slot, units, Refused)
}

func (l *Ledger) add(slot Slot, units []partnerapi.UnitQuantity, state State) *Entry {
	entry := &Entry{Slot: slot, Units: units, At: l.now(), State: state, number: len(l.entries) + 1}
	entry.Reference = fmt.Sprintf("conformance-%s-%d", l.head.Run, entry.number)
	l.entries = append(l.entries, entry)
	l.write(entry, l.attempt)
	return entry
}

// Record changes what became of an entry.
func (l *Ledger) Record(entry *Entry, change func(*Entry)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := *entry
	change(entry)
	if before.State != entry.State || before.Code != entry.Code || before.BookingID != entry.BookingID || before.Trouble != entry.Trouble {
		l.write(entry, l.change)
	}
}

// write writes a line about an entry, which is on disk before the call that it
// announces is sent.
func (l *Ledger) write(entry *Entry, about func(*Entry) line) {
	if l.file == nil || l.trouble != nil {
		return
	}
	safely := entry.State == Attempted || entry.State == Doubtful
	l.trouble = l.file.write(about(entry), safely)
}

func (l *Ledger) attempt(e *Entry) line {
	next := line{
		Entry: e.number, At: e.At, State: e.State, Reference: e.Reference,
		Slot: &Slot{ProductID: l.shown(e.ProductID), OptionID: l.shown(e.OptionID), AvailabilityID: l.shown(e.AvailabilityID), Start: l.shown(e.Start)},
	}
	for _, unit := range e.Units[:min(len(e.Units), mostUnits)] {
		next.Units = append(next.Units, partnerapi.UnitQuantity{ID: l.shown(unit.ID), Quantity: unit.Quantity})
	}
	return next
}

func (l *Ledger) change(e *Entry) line {
	next := line{Entry: e.number, At: l.now(), State: e.State, Code: e.Code, ExpiresAt: l.shown(e.ExpiresAt), BookingID: e.BookingID, Trouble: l.shown(e.Trouble)}
	for _, id := range []*string{&next.Code, &next.BookingID} {
		if len(*id) > longestCode || l.redact(*id) != *id {
			*id, next.Trouble = "", "the code or booking id holds the auth key, or is longer than 8 KB: no file keeps it"
		}
	}
	return next
}

// shown is text without the key, and cut.
func (l *Ledger) shown(text string) string {
	beginning, _ := probe.Beginning(text, longestID, l.redact)
	return beginning
}

// Trouble returns why the ledger can no longer be written, or nil. What is not
// on record must not be made.
func (l *Ledger) Trouble() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trouble
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

// Open returns the entries that are open.
func (l *Ledger) Open() []*Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.entries), func(e *Entry) bool { return !e.Open() })
}

// Close ends the writing. A ledger that is kept in memory only needs none.
func (l *Ledger) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.close()
}

// clockMargin is how much the clocks of two machines may differ, and how late a
// request may be worked on.
const clockMargin = time.Minute

// LatestExpiry returns when the entry's hold ends by itself at the latest. Of one
// that was never answered that is the time of the attempt and the longest hold
// that the partner has given in this run or, where it has given none, the longest
// that any gives (RSV-8).
func (l *Ledger) LatestExpiry(entry Entry) time.Time {
	if expires, err := partnerapi.ParseDateTime(entry.ExpiresAt); err == nil {
		return expires
	}
	longest := time.Duration(0)
	for _, known := range l.Entries() {
		if expires, err := partnerapi.ParseDateTime(known.ExpiresAt); err == nil {
			longest = max(longest, expires.Sub(known.At))
		}
	}
	if longest <= 0 {
		longest = partnerapi.HoldlessAfter
	}
	return entry.At.Add(longest + clockMargin)
}

// pending returns how many entries a clean-up can still do something about:
// their ledger must not be overwritten.
func (l *Ledger) pending() (n int) {
	for _, entry := range l.Open() {
		switch entry.State {
		case Booked, Doubtful:
			n++
		case Attempted, Held:
			if l.now().Before(l.LatestExpiry(*entry)) {
				n++
			}
		}
	}
	return n
}
