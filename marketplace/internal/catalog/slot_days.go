package catalog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"time"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// SlotDays has a hash of a partner's slots for each day of an option. If a day's hash is that of the
// last answer, and nothing but pulls has changed its slots since, they are stored as the answer has
// them: a pull neither reads nor writes them.
type SlotDays struct {
	first  time.Time // a date
	hashes []uint64  // of first and the days after it; 0: unknown
}

// slotForm is the version of the form in which slots are read and stored. If it, the contract's
// version or the product's zone differs from that of the last pull, equal days are read again.
const slotForm = "1"

// newSlotDays returns the days of a window without slots.
func newSlotDays(w Window) SlotDays {
	rules := sha256.Sum256([]byte(schemas.ContractVersion() + "." + slotForm + " " + w.Zone.String()))
	return SlotDays{w.From, slices.Repeat([]uint64{binary.BigEndian.Uint64(rules[:])}, w.days())}
}

// add adds a slot's text to a day of the window. The order of slots does not matter.
func (d SlotDays) add(day time.Time, raw []byte) {
	sum := sha256.Sum256(raw)
	d.hashes[daysBetween(d.first, day)] += binary.BigEndian.Uint64(sum[:])
}

// forget makes a day unknown, so that the next pull reads it.
func (d SlotDays) forget(day time.Time) {
	if at := daysBetween(d.first, day); at >= 0 && at < len(d.hashes) {
		d.hashes[at] = 0
	}
}

// hash returns a day's hash; 0: unknown.
func (d SlotDays) hash(day time.Time) uint64 {
	if at := daysBetween(d.first, day); at >= 0 && at < len(d.hashes) {
		return d.hashes[at]
	}
	return 0
}

// Bytes returns the stored form: the days from 1970 to the first one in 4 bytes, and 8 bytes for
// each day. It is nil without days.
func (d SlotDays) Bytes() []byte {
	if len(d.hashes) == 0 {
		return nil
	}
	stored := binary.BigEndian.AppendUint32(make([]byte, 0, 4+8*len(d.hashes)), uint32(daysBetween(time.Unix(0, 0), d.first)))
	for _, hash := range d.hashes {
		stored = binary.BigEndian.AppendUint64(stored, hash)
	}
	return stored
}

// ReadSlotDays reads the stored form. Without one, every day is unknown.
func ReadSlotDays(stored []byte) (d SlotDays) {
	if len(stored) < 4 {
		return d
	}
	d.first = time.Unix(0, 0).UTC().AddDate(0, 0, int(binary.BigEndian.Uint32(stored)))
	for stored = stored[4:]; len(stored) >= 8; stored = stored[8:] {
		d.hashes = append(d.hashes, binary.BigEndian.Uint64(stored))
	}
	return d
}

func daysBetween(a, b time.Time) int { return int(b.Sub(a) / (24 * time.Hour)) }

// days returns the number of days.
func (w Window) days() int { return daysBetween(w.From, w.To) + 1 }

// includes reports whether a date is in the window.
func (w Window) includes(day time.Time) bool { return !day.Before(w.From) && !day.After(w.To) }

// StoredSlots is what is known of an option's stored slots before a pull.
type StoredSlots struct {
	Days       SlotDays    // of the last complete pull
	Edited     []time.Time // days with slots that others have changed since: notifications and bookings
	Currencies []string    // of the slots' own prices
	Capacity   int         // the largest of its slots; 0: unknown
}

// PulledSlots is an answer about an option's slots, compared with the stored ones by their days.
type PulledSlots struct {
	Answer     *SlotAnswer // of the days that may differ
	Read       []Window    // those days, in order
	Skipped    []time.Time // the other days of the window: their slots are stored as the answer has them; not nil
	Days       SlotDays    // once the answer is stored
	Currencies []string    // sorted, of all slots' own prices; nil without own prices
	Slots      int         // valid slots, those of skipped days included
}

// slotText is a slot as it was sent.
type slotText struct {
	raw []byte
	id  []byte    // raw
	day time.Time // zero: its start is not readable
}

// readPull reads the days of an answer that may differ from what is stored. Its errors are those of
// ReadSlots.
func readPull(ctx context.Context, body []byte, w Window, stored StoredSlots) (*PulledSlots, error) {
	array, err := slotArray(body)
	if err != nil {
		return nil, err
	}
	p := &PulledSlots{Days: newSlotDays(w)}
	var texts []slotText
	for raw := range parts(array) {
		if len(texts) == mostSlots {
			return nil, errManySlots
		}
		found := members(raw, "id", "localDateTimeStart")
		text := slotText{raw: raw, id: found[0], day: dayOf(textOf(found[1]), w.Zone)}
		if w.includes(text.day) {
			p.Days.add(text.day, raw)
		}
		texts = append(texts, text)
	}
	p.compare(w, stored)
	return p, p.read(ctx, texts, w, stored)
}

// dayOf returns the date of a slot's start, or zero if it is not readable. Go's parser is quick, and
// accepts some texts that the contract does not: such a slot is set aside when it is read, and its day
// is not skipped.
func dayOf(start string, zone *time.Location) time.Time {
	at, err := time.Parse(time.RFC3339, start)
	if err != nil {
		at, err = partnerapi.ParseDateTime(start)
	}
	if err != nil {
		return time.Time{}
	}
	return domain.DateIn(at, zone)
}

// compare finds the days that are stored as the answer has them.
func (p *PulledSlots) compare(w Window, stored StoredSlots) {
	p.Skipped, p.Read = []time.Time{}, nil
	for day := w.From; !day.After(w.To); day = day.AddDate(0, 0, 1) {
		last := len(p.Read) - 1
		switch hash := stored.Days.hash(day); {
		case hash != 0 && hash == p.Days.hash(day) && !slices.ContainsFunc(stored.Edited, day.Equal):
			p.Skipped = append(p.Skipped, day)
		case last >= 0 && p.Read[last].To.AddDate(0, 0, 1).Equal(day):
			p.Read[last].To = day
		default:
			p.Read = append(p.Read, Window{Zone: w.Zone, From: day, To: day})
		}
	}
}

// skips reports whether a day is stored as the answer has it.
func (p *PulledSlots) skips(day time.Time) bool {
	_, skips := slices.BinarySearchFunc(p.Skipped, day, time.Time.Compare)
	return skips
}

// read reads the slots of the days that are not skipped.
func (p *PulledSlots) read(ctx context.Context, texts []slotText, w Window, stored StoredSlots) error {
	read := newSlotReader(w)
	var ids []string // by text; "" for one that was skipped or set aside
	var skipped []slotText
	for i, text := range texts {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		id := ""
		if p.skips(text.day) {
			skipped = append(skipped, text)
		} else if id = read.add(text.raw, i); id == "" {
			p.Days.forget(text.day) // the next answer may be valid
		}
		ids = append(ids, id)
	}
	for _, text := range skipped {
		// Of slots with one id and different starts none is sold, so both have to be read.
		if len(read.starts) > 0 && read.has(textOf(text.id)) {
			p.compare(w, StoredSlots{})
			return p.read(ctx, texts, w, StoredSlots{})
		}
	}
	for i, id := range ids {
		if read.shared[id] {
			p.Days.forget(texts[i].day) // one of them may go
		}
	}
	p.Answer = read.finish()
	if p.Answer.HasUnreadableID {
		for _, days := range p.Read { // slots that are missing stay open
			for day := days.From; !day.After(days.To); day = day.AddDate(0, 0, 1) {
				p.Days.forget(day)
			}
		}
	}
	p.Slots = len(p.Answer.Slots) + len(skipped)
	p.Currencies = p.currencies(skipped, stored)
	return nil
}

// currencies returns those of the answer's own prices. The skipped slots have no other currencies than
// the stored ones, to which notifications may have added some.
func (p *PulledSlots) currencies(skipped []slotText, stored StoredSlots) []string {
	if len(p.Read) == 0 && len(stored.Edited) == 0 {
		return stored.Currencies
	}
	list := OwnCurrencies(p.Answer.Slots...)
	if slices.ContainsFunc(stored.Currencies, func(currency string) bool { return !slices.Contains(list, currency) }) {
		for _, text := range skipped {
			for price := range parts(member(text.raw, "unitPricing")) { // null has no parts
				list = addSorted(list, textOf(member(price, "currency")))
			}
		}
	}
	return list
}

// OwnCurrencies returns the sorted currencies of slots' own prices; nil without own prices.
func OwnCurrencies(slots ...domain.Slot) (list []string) {
	for _, slot := range slots {
		for _, price := range slot.UnitPricing {
			list = addSorted(list, price.Currency)
		}
	}
	return list
}

func addSorted(list []string, text string) []string {
	at, known := slices.BinarySearch(list, text)
	if known {
		return list
	}
	return slices.Insert(list, at, text)
}

// textOf decodes a raw JSON string; "" for anything else.
func textOf(raw []byte) (text string) {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if plain := raw[1 : len(raw)-1]; !bytes.ContainsRune(plain, '\\') {
		return string(plain)
	}
	_ = json.Unmarshal(raw, &text) // valid JSON, checked before
	return text
}
