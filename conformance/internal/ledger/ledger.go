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

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/schemas/partnerapi"
)

// State is where an entry stands.
type State string

// The states.
const (
	Attempted State = "attempted" // reserve is sent, its answer not yet read
	Refused   State = "refused"   // reserve was refused: nothing is held
	Unheard   State = "unheard"   // reserve was sent and never answered: there may be a hold
	Held      State = "held"
	Booked    State = "booked"
	Doubtful  State = "doubtful" // confirm is sent and its answer not read: hold or booking
	Undone    State = "undone"   // released or cancelled
	Kept      State = "kept"     // booked, and the partner takes no cancellations
	Expired   State = "expired"  // never answered, and any hold's time is over
)

func states() []State {
	return []State{Attempted, Refused, Unheard, Held, Booked, Doubtful, Undone, Kept, Expired}
}

// Slot is what a reserve asks for, by the partner's ids.
type Slot struct {
	ProductID      string `json:"product_id"`
	OptionID       string `json:"option_id"`
	AvailabilityID string `json:"availability_id"`
	Start          string `json:"start"` // as the partner writes it
}

// SlotOf names the slot of an offer.
func SlotOf(offer discover.Offer) Slot {
	return Slot{ProductID: offer.Product.ID, OptionID: offer.Option.ID, AvailabilityID: offer.Slot.ID, Start: offer.Slot.StartText}
}

// Entry is one attempt to make a hold, and what became of it.
type Entry struct {
	Slot
	Units     []partnerapi.UnitQuantity
	Reference string    // of the run and the attempt; sent as resellerReference where the request has one
	At        time.Time // of the attempt, by the target's clock

	State     State
	Code      string // of the hold
	ExpiresAt string // as the partner writes it
	BookingID string
	Trouble   string // why it could not be undone

	number int // 1 is the first
}

// Open reports whether there is, or may be, a hold or a booking.
func (e *Entry) Open() bool {
	return e.State != Refused && e.State != Undone && e.State != Expired
}

// Ledger is the account of one run. It is safe for concurrent use.
type Ledger struct {
	head   Head
	now    func() time.Time
	redact func(string) string
	file   *file // nil: it is kept in memory only

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
	l.write(entry, attemptLine)
	return entry
}

// Record changes what became of an entry.
func (l *Ledger) Record(entry *Entry, change func(*Entry)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := *entry
	change(entry)
	if before.State != entry.State || before.Code != entry.Code || before.BookingID != entry.BookingID || before.Trouble != entry.Trouble {
		l.write(entry, changeLine)
	}
}

// write writes a line about an entry, which is on disk before the call that it
// announces is sent.
func (l *Ledger) write(entry *Entry, about func(*Entry, time.Time, func(string) string) line) {
	if l.file == nil || l.trouble != nil {
		return
	}
	safely := entry.State == Attempted || entry.State == Doubtful
	l.trouble = l.file.write(about(entry, l.now(), l.redact), safely)
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
