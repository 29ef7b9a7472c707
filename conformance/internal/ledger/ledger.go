// Package ledger records every hold and booking that a run makes. So each one can be released or
// cancelled, whatever happens to the rule that made it or to the run.
//
// An attempt is recorded before reserve is sent, a code and a booking id before they are used, and
// a release or cancellation after it. A ledger from Create is also a JSON file: one line about the
// ledger, then one line for each change. Lines are never rewritten. The file of a killed run shows
// what the run may have left behind.
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

// Ledger is the record of one run. It is safe for concurrent use.
type Ledger struct {
	head   Head
	now    func() time.Time
	redact func(string) string
	file   *file        // nil: kept in memory only
	copied func() error // waits until the file's lines are copied; nil: nothing copies them

	wrongMAC int // number of the first line with a wrong MAC; 0: none

	mu       sync.Mutex
	entries  []*Entry
	writeErr error // why the file could not be written
}

// New returns a ledger that is kept in memory only.
func New() *Ledger { return &Ledger{head: Head{Run: newRun()}, now: time.Now} }

func newRun() string {
	name := make([]byte, 6)
	_, _ = rand.Read(name) // never fails
	return hex.EncodeToString(name)
}

// Head returns what the ledger says about its run.
func (l *Ledger) Head() Head { return l.head }

// Name returns the name of the file, or "" if the ledger is kept in memory only.
func (l *Ledger) Name() string {
	if l.file == nil {
		return ""
	}
	return l.file.handle.Name()
}

// SetClock sets the clock for the time of attempts: the target's clock. Call it before the first
// attempt.
func (l *Ledger) SetClock(now func() time.Time) { l.now = now }

// Await sets a function that returns after the file's lines have been copied. A call that a line
// announces is not sent before copied returns, and not at all if copied returns an error. Call
// Await before the first attempt.
func (l *Ledger) Await(copied func() error) { l.copied = copied }

// Attempt records a reserve that is about to be sent. If it returns an error, the reserve must not
// be sent. Record the result with Record.
func (l *Ledger) Attempt(slot Slot, units []partnerapi.UnitQuantity) (*Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry := l.add(slot, units, Attempted)
	if l.writeErr != nil {
		entry.State = Refused
		return nil, l.writeErr
	}
	return entry, nil
}

// Add records something that no reserve of its own has made, such as a second booking of one code.
// The new entry is not a hold yet.
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

// Record changes the state of an entry.
func (l *Ledger) Record(entry *Entry, change func(*Entry)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := *entry
	change(entry)
	if before.State != entry.State {
		expires, err := time.Parse(time.RFC3339, entry.ExpiresAt)
		entry.Changed, entry.Lapsed = time.Now(), err == nil && before.State == Held && l.now().After(expires)
	}
	if before.State != entry.State || before.Code != entry.Code || before.BookingID != entry.BookingID || before.Problem != entry.Problem {
		l.write(entry, l.change)
	}
}

// write writes a line about an entry. The line is on disk before the call that it announces is
// sent.
func (l *Ledger) write(entry *Entry, about func(*Entry) line) {
	if l.file == nil || l.writeErr != nil {
		return
	}
	safely := entry.State == Attempted || entry.State == Doubtful
	l.writeErr = l.file.write(about(entry), safely)
	if safely && l.writeErr == nil && l.copied != nil {
		l.writeErr = l.copied()
	}
}

func (l *Ledger) attempt(e *Entry) line {
	next := line{
		Entry: e.number, At: e.At, State: e.State, Reference: e.Reference,
		Slot: &Slot{ProductID: l.shorten(e.ProductID), OptionID: l.shorten(e.OptionID), AvailabilityID: l.shorten(e.AvailabilityID), Start: l.shorten(e.Start)},
	}
	for _, unit := range e.Units[:min(len(e.Units), mostUnits)] {
		next.Units = append(next.Units, partnerapi.UnitQuantity{ID: l.shorten(unit.ID), Quantity: unit.Quantity})
	}
	return next
}

func (l *Ledger) change(e *Entry) line {
	next := line{Entry: e.number, At: l.now(), State: e.State, Code: e.Code, ExpiresAt: l.shorten(e.ExpiresAt), BookingID: e.BookingID, Problem: l.shorten(e.Problem)}
	for _, id := range []*string{&next.Code, &next.BookingID} {
		if len(*id) > longestCode || l.redact(*id) != *id {
			*id, next.Problem = "", "the code or booking id contains the auth key, or is longer than 8 KB, so no file stores it"
		}
	}
	return next
}

func (l *Ledger) shorten(text string) string {
	beginning, _ := probe.Beginning(text, longestID, l.redact)
	return beginning
}

// Err returns why the ledger can no longer be written, or nil. What cannot be recorded must not
// be made.
func (l *Ledger) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writeErr
}

// Entries returns a copy of every entry, in the order of the attempts.
func (l *Ledger) Entries() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries := make([]Entry, len(l.entries))
	for i, entry := range l.entries {
		entries[i] = *entry
	}
	return entries
}

// MayHold reports whether an entry about the slot may still take seats. If own is not nil, entries with its
// code do not count. It copies nothing, because a run calls it for every slot that it may use.
func (l *Ledger) MayHold(slot Slot, own *Entry) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.entries, func(e *Entry) bool {
		return e.Slot == slot && e.MayHold() && (own == nil || e.Code != own.Code)
	})
}

// Holds returns the number of holds that were made or may have been made.
func (l *Ledger) Holds() (made int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, entry := range l.entries {
		if entry.Code != "" || entry.State == Attempted || entry.State == Unanswered {
			made++
		}
	}
	return made
}

// Open returns the entries that still have to be undone.
func (l *Ledger) Open() []*Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.entries), func(e *Entry) bool { return !e.Open() })
}

// Close closes the file. A ledger in memory need not be closed.
func (l *Ledger) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.close()
}

// clockMargin is how much the clocks of two machines may differ, and how late a request may still
// be processed.
const clockMargin = time.Minute

// LatestExpiry returns the latest time at which the entry's hold expires. If its reserve was never
// answered, that is the time of the attempt plus the longest hold in this run. If this run has no
// hold, it is the longest hold that partners give (RSV-8).
func (l *Ledger) LatestExpiry(entry Entry) time.Time {
	if expires, err := partnerapi.ParseDateTime(entry.ExpiresAt); err == nil {
		return expires
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	longest := time.Duration(0)
	for _, known := range l.entries {
		if expires, err := partnerapi.ParseDateTime(known.ExpiresAt); err == nil {
			longest = max(longest, expires.Sub(known.At))
		}
	}
	if longest <= 0 {
		longest = partnerapi.HoldlessAfter
	}
	return entry.At.Add(longest + clockMargin)
}

// countPending returns the number of entries that a clean-up can still undo. Their ledger must not be
// overwritten.
func (l *Ledger) countPending() (n int) {
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
