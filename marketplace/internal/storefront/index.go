package storefront

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// entry is an activity in the list. It never changes: an activity that does gets a new
// one, by which pages that show it know that they are old.
type entry struct {
	id      uuid.UUID
	created int64  // microseconds, as the database keeps them
	facets  string // what the filters but q compare with
	words   string // where q is looked for
}

// before is the order of the list.
func (e *entry) before(other *entry) int {
	if order := cmp.Compare(e.created, other.created); order != 0 {
		return order
	}
	return bytes.Compare(e.id[:], other.id[:])
}

func newEntry(r Row) *entry {
	return &entry{id: r.ID, created: r.CreatedAt.UnixMicro(), facets: facetsOf(r), words: wordsOf(r)}
}

// snapshot is the list at one time. It never changes.
type snapshot struct {
	version uint64
	entries []*entry // in the order of the list
	terms   *marketplace.Terms
}

// newEntries makes a list of all rows, which are in its order.
func newEntries(rows []Row) []*entry {
	entries := make([]*entry, 0, len(rows))
	for _, row := range rows {
		if row.Listed {
			entries = append(entries, newEntry(row))
		}
	}
	return entries
}

// merge returns the list with these rows, which are in its order, in the place of what
// it holds of the same activities. What was asked for and is not among them is gone.
func merge(entries []*entry, rows []Row, asked []uuid.UUID) []*entry {
	gone := make(map[uuid.UUID]bool, len(asked))
	for _, id := range asked {
		gone[id] = true
	}
	for _, row := range rows {
		delete(gone, row.ID)
	}
	merged := make([]*entry, 0, len(entries)+len(rows))
	for _, row := range rows {
		fresh := newEntry(row)
		at, known := slices.BinarySearchFunc(entries, fresh, (*entry).before)
		merged = append(merged, entries[:at]...)
		if row.Listed {
			merged = append(merged, fresh)
		}
		if known {
			at++
		}
		entries = entries[at:]
	}
	merged = append(merged, entries...)
	if len(gone) > 0 {
		merged = slices.DeleteFunc(merged, func(e *entry) bool { return gone[e.id] })
	}
	return merged
}
