package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// What is read of an answer's slots at most.
const (
	mostSlots      = 20_000   // a start every five minutes, day and night, and some
	largestSlot    = 64 << 10 // as it is written, in bytes
	mostSlotsAside = 5        // that are listed with what is wrong
)

// SlotAnswer is what an answer to a pull says of an option's slots.
type SlotAnswer struct {
	Slots    []marketplace.Slot // good ones, each id once; without variation and time
	SetAside []SlotSetAside     // of those that are not, the first few
	// Kept are the ids of slots that are set aside: what they are is not known, but
	// they are not gone.
	Kept []string
	// Nameless: one that is set aside has no id that can be read. It may be any, so
	// none is taken to be gone.
	Nameless bool
}

// SlotSetAside is a slot that cannot be sold as it is.
type SlotSetAside struct {
	SlotID   string    `json:"availability_id"` // "" where it has none that can be read
	Problems []Problem `json:"problems"`
}

var (
	errNoSlots   = errors.New("want an array of slots")
	errManySlots = fmt.Errorf("want at most %d slots", mostSlots)
	errNoUTF8    = errors.New("want JSON in UTF-8")
)

// ReadSlots reads an answer slot by slot. The error says why it is no answer at all
// (AVL-3); a slot that breaks its schema, or that we could not keep, is set aside.
func ReadSlots(body []byte, w Window) (*SlotAnswer, error) {
	if !utf8.Valid(body) {
		return nil, errNoUTF8
	}
	if err := valid(body); err != nil {
		return nil, err
	}
	array := bytes.TrimSpace(body)
	if array[0] != '[' {
		return nil, errNoSlots
	}
	read := slotReader{window: w, present: map[string]bool{}, answer: &SlotAnswer{}}
	i := 0
	for raw := range parts(array) { // one at a time: decoded, an answer takes many times its own size
		if i == mostSlots {
			return nil, errManySlots
		}
		read.add(raw, i)
		i++
	}
	return read.answer, nil
}

type slotReader struct {
	window  Window
	present map[string]bool
	answer  *SlotAnswer
}

func (r *slotReader) add(raw []byte, i int) {
	slot, problems := slotOf(raw)
	if problems == nil && r.present[slot.ID] {
		problems = []schemas.Problem{{Pointer: "/id", Message: "want an id that no other slot of the answer has"}}
	}
	if problems != nil {
		r.keep(r.setAside(raw, i, problems))
		return
	}
	slot.LocalDate = marketplace.DateIn(slot.Start, r.window.Zone)
	if slot.LocalDate.Before(r.window.From) || slot.LocalDate.After(r.window.To) {
		// It is not kept: whatever was known of it in the window is not there any more.
		r.setAside(raw, i, []schemas.Problem{{Pointer: "/localDateTimeStart", Message: fmt.Sprintf("want a start from %s to %s in the product's zone",
			r.window.From.Format(partnerapi.DateLayout), r.window.To.Format(partnerapi.DateLayout))}})
		return
	}
	r.present[slot.ID] = true
	r.answer.Slots = append(r.answer.Slots, slot)
}

// slotOf reads one slot, or says what is wrong with it.
func slotOf(raw []byte) (marketplace.Slot, []schemas.Problem) {
	if len(raw) > largestSlot {
		return marketplace.Slot{}, []schemas.Problem{{Message: fmt.Sprintf("want a slot of at most %d bytes, got %d", largestSlot, len(raw))}}
	}
	f, problems := readFields(schemas.Slot, raw)
	if problems != nil {
		return marketplace.Slot{}, problems
	}
	slot := marketplace.Slot{
		ID: f.id("id"), Start: f.moment("localDateTimeStart"), End: f.moment("localDateTimeEnd"), Status: f.status("status"),
		Vacancies: f.seats("vacancies"), Capacity: f.seats("capacity"), UnitPricing: f.prices("unitPricing"),
	}
	f.inOrder(slot.Start, slot.End)
	return slot, f.problems
}

// setAside lists a slot with what is wrong with it, and returns its id as it is
// written, "" where it has none that can be read.
func (r *slotReader) setAside(raw []byte, i int, problems []schemas.Problem) (id string) {
	_ = json.Unmarshal(member(raw, "id"), &id)
	if len(r.answer.SetAside) < mostSlotsAside {
		r.answer.SetAside = append(r.answer.SetAside, SlotSetAside{SlotID: readable(id), Problems: said(fmt.Sprintf("/%d", i), problems)})
	}
	return id
}

// keep remembers that a slot which is set aside is not gone.
func (r *slotReader) keep(id string) {
	if id == "" {
		r.answer.Nameless = true
	} else if unkept(id, longestID, false) == "" {
		r.answer.Kept = append(r.answer.Kept, id)
	}
}
