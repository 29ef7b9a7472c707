// Package journal keeps the exchanges between a mock partner and its callers:
// what was asked, what was answered, byte for byte, in the order of arrival, and
// what was in the platform before and after.
//
// A Journal is a ring, bounded in exchanges and in bytes; the oldest go first.
// Credentials never enter it. It can be queried (Exchanges), waited for (Wait),
// watched (Subscribe) and written as an HTTP archive (WriteHAR).
package journal

import (
	"slices"
	"time"

	"partnerkit.dev/mockpartner/internal/platform"
)

// MaxCopiedBody bounds what is kept of one body that had to be copied, in
// bytes. Bodies that the journal may share are kept whole.
const MaxCopiedBody = 1 << 20

// Entry is an exchange that is under way.
type Entry struct {
	journal *Journal
	entry   *entry
}

// Begin enters a request as it arrives: Caller, Endpoint, Method, Target, Request and
// At. The journal keeps the body's slice, which must not change any more.
func (j *Journal) Begin(e Exchange) Entry {
	e = redacted(e, j.blanked())
	e.Arrived = time.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.arrived++
	e.Number = j.arrived
	kept := &entry{Exchange: e}
	j.entries = append(j.entries, kept)
	j.bytes += weight(kept)
	j.trim()
	j.notify(Arrived, kept)
	return Entry{journal: j, entry: kept}
}

// Consider tells what the faults made of the exchange; the list must not change
// any more.
func (e Entry) Consider(faults []Considered) {
	e.change(func(kept *entry) {
		kept.Considered = faults
		for _, f := range faults {
			if f.Fired {
				kept.Faults = append(slices.Clone(kept.Faults), f.Fault)
			}
		}
	})
}

// Touched tells what the exchange touched in the platform.
func (e Entry) Touched(before, after platform.Facts) {
	e.change(func(kept *entry) { kept.Before, kept.After = &before, &after })
}

// change changes the entry and updates its size, unless it has been dropped.
func (e Entry) change(how func(*entry)) {
	j := e.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.entry.gone {
		return
	}
	j.bytes -= weight(e.entry)
	how(e.entry)
	j.bytes += weight(e.entry)
}

// Left tells that the caller has gone away. Of an exchange that is done it tells
// nothing.
func (e Entry) Left() {
	took := Milliseconds(time.Since(e.entry.Arrived))
	e.journal.mu.Lock()
	defer e.journal.mu.Unlock()
	if !e.entry.Done && e.entry.LeftAfter == nil {
		e.entry.LeftAfter = &took
	}
}

// Delivered tells that the last of the answer goes out; it comes before End. To
// a caller who has left nothing is delivered.
func (e Entry) Delivered() {
	e.journal.mu.Lock()
	defer e.journal.mu.Unlock()
	e.entry.Delivered = e.entry.LeftAfter == nil
}

// Lost tells that the last of the answer could not be sent after all.
func (e Entry) Lost() {
	e.journal.mu.Lock()
	defer e.journal.mu.Unlock()
	e.entry.Delivered = false
}

// End enters the answer. A shared body is one that many answers hold, and that
// never changes: it is counted once.
func (e Entry) End(status int, answer Message, shared bool) {
	took := time.Since(e.entry.Arrived)
	j := e.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.onEnd != nil {
		j.onEnd(e.entry.Endpoint, status, len(e.entry.Faults), took)
	}
	if e.entry.gone {
		return
	}
	j.bytes -= weight(e.entry)
	e.entry.Status, e.entry.Answer, e.entry.Done = status, answer, true
	e.entry.Duration = Milliseconds(took)
	e.entry.shares = shared && len(answer.Body) > 0
	j.bytes += weight(e.entry)
	j.share(e.entry)
	j.trim()
	j.notify(Ended, e.entry)
}
