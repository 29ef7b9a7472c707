package ledger

import (
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

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
