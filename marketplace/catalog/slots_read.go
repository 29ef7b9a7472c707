package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"partnerkit.dev/marketplace"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// mostSlots is how many slots an answer may have: a start every five minutes, day and
// night, and some. mostSlotsAside is how many of those that are set aside are listed.
const (
	mostSlots      = 20_000
	mostSlotsAside = 20
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
	// One slot at a time: decoded, an answer takes ten times its own size.
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if start, err := decoder.Token(); err != nil || start != json.Delim('[') {
		return nil, notSlots(err)
	}
	read := slotReader{window: w, present: map[string]bool{}, answer: &SlotAnswer{}}
	for i := 0; decoder.More(); i++ {
		if i == mostSlots {
			return nil, errManySlots
		}
		before := decoder.InputOffset()
		var value any
		if err := decoder.Decode(&value); err != nil {
			return nil, notSlots(err)
		}
		read.add(value, body[before:decoder.InputOffset()], fmt.Sprintf("/%d", i))
	}
	if _, err := decoder.Token(); err != nil { // the array's end
		return nil, notSlots(err)
	}
	if rest := bytes.TrimSpace(body[decoder.InputOffset():]); len(rest) > 0 {
		return nil, errNoSlots
	}
	return read.answer, nil
}

// notSlots says in words why a body cannot be read.
func notSlots(err error) error {
	if err != nil {
		return fmt.Errorf("want JSON: %w", err)
	}
	return errNoSlots
}

type slotReader struct {
	window  Window
	present map[string]bool
	answer  *SlotAnswer
}

func (r *slotReader) add(value any, raw []byte, at string) {
	slot, problems := slotOf(value, raw)
	if problems == nil && r.present[slot.ID] {
		problems = []schemas.Problem{{Pointer: "/id", Message: "want an id that no other slot of the answer has"}}
	}
	if problems != nil {
		r.keep(idOf(value))
		r.setAside(value, at, problems)
		return
	}
	slot.LocalDate = marketplace.DateIn(slot.Start, r.window.Zone)
	if slot.LocalDate.Before(r.window.From) || slot.LocalDate.After(r.window.To) {
		// Whatever was known of it in the window is not there any more.
		r.setAside(value, at, []schemas.Problem{{Pointer: "/localDateTimeStart", Message: fmt.Sprintf("want a start from %s to %s in the product's zone",
			r.window.From.Format(partnerapi.DateLayout), r.window.To.Format(partnerapi.DateLayout))}})
		return
	}
	r.present[slot.ID] = true
	r.answer.Slots = append(r.answer.Slots, slot)
}

// slotOf reads one slot, or says what is wrong with it.
func slotOf(value any, raw []byte) (marketplace.Slot, []schemas.Problem) {
	if problems := schemas.ValidateValue(schemas.Slot, value); problems != nil {
		return marketplace.Slot{}, problems
	}
	f := slotFields{object: value.(map[string]any), halved: lone(raw)} // the schema wants one
	slot := marketplace.Slot{
		ID: f.id("id"), Start: f.moment("localDateTimeStart"), End: f.moment("localDateTimeEnd"), Status: f.status("status"),
		Vacancies: f.seats("vacancies"), Capacity: f.seats("capacity"), UnitPricing: f.prices("unitPricing"),
	}
	f.inOrder(slot.Start, slot.End)
	return slot, f.problems
}

// idOf is a slot's id as it is written, "" where it has none that can be read.
func idOf(value any) string {
	object, _ := value.(map[string]any)
	id, _ := object["id"].(string)
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

func (r *slotReader) setAside(value any, at string, problems []schemas.Problem) {
	if len(r.answer.SetAside) < mostSlotsAside {
		r.answer.SetAside = append(r.answer.SetAside, SlotSetAside{SlotID: readable(idOf(value)), Problems: said(at, problems)})
	}
}
