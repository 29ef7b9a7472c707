package platform

import (
	"strings"
	"time"
)

// find finds the hold with that code, or a similar one if a quirk of the case allows it.
func (l *lifecycle) find(code string, c Case, now time.Time) (*storedHold, bool) {
	if hold, ok := l.stock.state.holds.Get(code); ok {
		return hold, true
	}
	return nearest(l, code, c, now, l.stock.state.holds, func(h *storedHold) (string, *storedHold) { return h.Code, h })
}

func (l *lifecycle) findBooking(id string, now time.Time) (*storedBooking, bool) {
	if booking, ok := l.stock.state.bookings.Get(id); ok {
		return booking, true
	}
	return nearest(l, id, OnCancel, now, l.stock.state.bookings, func(b *storedBooking) (string, *storedHold) { return b.ID, holdOf(b) })
}

// nearest returns the newest item that a quirk confuses with the requested one.
func nearest[V any](l *lifecycle, asked string, c Case, now time.Time, all table[string, V], of func(V) (string, *storedHold)) (found V, ok bool) {
	newest := uint64(0)
	for _, q := range l.stock.conduct.Load().Quirks {
		if q.Finds == "" || q.On != c {
			continue
		}
		for _, one := range all.all() {
			id, hold := of(one)
			if !q.Finds.matches(asked, id) || !l.stock.concerns(q, hold.slot, now) || ok && hold.number < newest {
				continue
			}
			if q.decides(l.stock.seed, describeHold(l.stock, hold, now), int(hold.number)) {
				found, newest, ok = one, hold.number, true
			}
		}
	}
	return found, ok
}

// Nearly is how a code may differ from the one it is mistaken for.
type Nearly string

const (
	OtherCase Nearly = "other-case" // upper and lower case are the same
	Shorter   Nearly = "shorter"    // a prefix of at least 8 bytes
	Longer    Nearly = "longer"     // the code with more text after it
	Padded    Nearly = "padded"     // spaces around it are ignored
	SameStart Nearly = "same-start" // the first 8 bytes are equal
	SameEnd   Nearly = "same-end"   // the last 8 bytes are equal
)

func allNearly() []Nearly { return []Nearly{OtherCase, Shorter, Longer, Padded, SameStart, SameEnd} }

// nearLength is the number of bytes that a partner compares if it compares only the start or end.
const nearLength = 8

func (n Nearly) matches(asked, known string) bool {
	long := len(asked) >= nearLength && len(known) >= nearLength
	switch n {
	case OtherCase:
		return strings.EqualFold(asked, known)
	case Shorter:
		return long && strings.HasPrefix(known, asked)
	case Longer:
		return strings.HasPrefix(asked, known)
	case Padded:
		return strings.TrimSpace(asked) == strings.TrimSpace(known)
	case SameStart:
		return long && asked[:nearLength] == known[:nearLength]
	default:
		return long && asked[len(asked)-nearLength:] == known[len(known)-nearLength:]
	}
}
