// Package journal records the exchanges between a mock partner and its callers. It keeps requests
// and answers byte for byte, in the order of arrival, and the platform's state before and after.
//
// A Journal is a ring, limited in exchanges and in bytes; the oldest exchanges are dropped first.
// Credentials are never stored. It can be queried (Exchanges), waited for (Wait), watched
// (Subscribe) and written as an HTTP archive (WriteHAR).
package journal

import (
	"slices"
	"time"

	"partnerkit.dev/mockpartner/client"
)

// MaxCopiedBody is the maximum size that is kept of a body that must be copied, in bytes. Bodies
// that the journal may share are kept completely.
const MaxCopiedBody = 1 << 20

// Entry is an exchange in progress.
type Entry struct {
	journal *Journal
	entry   *entry
}

// Begin records a request as it arrives: Caller, Endpoint, Method, Target, Request and At. The
// journal keeps the body's slice, which must not change any more.
func (j *Journal) Begin(e client.Exchange) Entry {
	e = redactExchange(e, j.allRedactors())
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

// Consider records the faults' decisions about the exchange. The list must not change any more.
func (e Entry) Consider(faults []client.Considered) {
	e.change(func(kept *entry) {
		kept.Considered = faults
		for _, f := range faults {
			if f.Fired {
				kept.Faults = append(slices.Clone(kept.Faults), f.Fault)
			}
		}
	})
}

// RecordTouched records the platform's objects that the exchange concerned.
func (e Entry) RecordTouched(before, after client.Facts) {
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

// RecordLeft records that the caller has disconnected. It has no effect on an exchange that is done.
func (e Entry) RecordLeft() {
	took := client.Milliseconds(time.Since(e.entry.Arrived))
	e.journal.mu.Lock()
	defer e.journal.mu.Unlock()
	if !e.entry.Done && e.entry.LeftAfter == nil {
		e.entry.LeftAfter = &took
	}
}

// RecordDelivered records that the end of the answer is being sent. It is called before End. An answer to
// a caller that has left is not delivered.
func (e Entry) RecordDelivered() {
	e.journal.mu.Lock()
	defer e.journal.mu.Unlock()
	e.entry.Delivered = e.entry.LeftAfter == nil
}

// RecordLost records that the end of the answer could not be sent.
func (e Entry) RecordLost() {
	e.journal.mu.Lock()
	defer e.journal.mu.Unlock()
	e.entry.Delivered = false
}

// End records the answer. A shared body is one that many answers contain and that never changes;
// its bytes count only once.
func (e Entry) End(status int, answer client.Message, shared bool) {
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
	e.entry.Duration = client.Milliseconds(took)
	e.entry.shares = shared && len(answer.Body) > 0
	j.bytes += weight(e.entry)
	j.share(e.entry)
	j.trim()
	j.notify(Ended, e.entry)
}
