package storefront

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// selection is the answer to a question in one version of the list. It is immutable.
type selection struct {
	version uint64
	book    *priceBook
	until   int64 // it may be wrong from then on, in seconds since 1970
	entries []*entry
	keys    []string // of the entries, by which they are ordered; nil: in the order of creation
}

// placeOf returns the place of the entry with that number.
func (s *selection) placeOf(i int) Place {
	at := Place{Created: s.entries[i].created, ID: s.entries[i].id}
	if s.keys != nil {
		at.Key = s.keys[i]
	}
	return at
}

// size returns the approximate memory of the selection, in bytes.
func (s *selection) size() int64 {
	size := overhead + int64(cap(s.entries))*8 + int64(cap(s.keys))*16
	for _, key := range s.keys {
		size += int64(len(key))
	}
	return size
}

// search returns the position of the first entry at or after a place.
func (s *selection) search(to Place) int {
	return sort.Search(len(s.entries), func(i int) bool { return s.placeOf(i).compare(to) >= 0 })
}

// selected returns the answer to a question. A cached answer is brought up to date with the entries that
// have changed since, so that it takes no longer in a longer list.
func (f *Front) selected(now *snapshot, q question) *selection {
	if q.isPlain() {
		return &selection{version: now.version, book: now.book, until: forever, entries: now.byMode[q.Mode]}
	}
	moment := f.now()
	found, _ := f.cache.get(q).(*selection)
	if found == nil || moment.Unix() >= found.until || q.usesPrices() && found.book != now.book {
		return f.selectAll(now, q, moment)
	}
	if found.version == now.version {
		return found
	}
	changes, known := now.changesAfter(found.version)
	if !known {
		return f.selectAll(now, q, moment)
	}
	fresh := found.update(q.ask(now.book, moment), changes)
	fresh.version, fresh.book = now.version, now.book
	f.cache.put(q, fresh, fresh.size())
	return fresh
}

// selectAll decides about every activity.
func (f *Front) selectAll(now *snapshot, q question, moment time.Time) *selection {
	made, _, _ := f.flights.Do(strconv.FormatUint(now.version, 36)+" "+q.name(), func() (any, error) {
		a, fresh := q.ask(now.book, moment), &selection{version: now.version, book: now.book}
		type placed struct {
			*entry
			key string
		}
		var taken []placed
		for _, e := range now.byMode[q.Mode] {
			if key, ok := a.place(e); ok {
				taken = append(taken, placed{e, key})
			}
		}
		if q.sort != ByCreation {
			slices.SortStableFunc(taken, func(a, b placed) int { return strings.Compare(a.key, b.key) })
			fresh.keys = make([]string, len(taken))
		}
		fresh.until, fresh.entries = a.until, make([]*entry, len(taken))
		for i, t := range taken {
			fresh.entries[i] = t.entry
			if fresh.keys != nil {
				fresh.keys[i] = t.key
			}
		}
		f.cache.put(q, fresh, fresh.size())
		return fresh, nil
	})
	return made.(*selection)
}

// update returns the selection after changes.
func (s *selection) update(a *asker, changes []change) *selection {
	fresh := *s
	owned := false // the slices are not those of s
	own := func() {
		if !owned {
			fresh.entries, fresh.keys, owned = slices.Clone(s.entries), slices.Clone(s.keys), true
		}
	}
	a.until = s.until
	for _, c := range changes {
		for _, e := range []*entry{c.before, c.after} {
			if e == nil {
				continue
			}
			key, taken := a.place(e)
			if !taken {
				continue
			}
			own()
			at := fresh.search(Place{key, e.created, e.id})
			if e == c.before {
				fresh.entries = slices.Delete(fresh.entries, at, at+1)
			} else {
				fresh.entries = slices.Insert(fresh.entries, at, e)
			}
			switch {
			case fresh.keys == nil:
			case e == c.before:
				fresh.keys = slices.Delete(fresh.keys, at, at+1)
			default:
				fresh.keys = slices.Insert(fresh.keys, at, key)
			}
		}
	}
	fresh.until = a.until
	return &fresh
}
