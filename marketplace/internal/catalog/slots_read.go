package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"
	"unicode/utf8"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// The limits of an answer's slots.
const (
	mostSlots      = 20_000 // more than one start every five minutes
	mostSlotsAside = 5      // in the list with their problems
)

// SlotAnswer is the content of an answer about an option's slots.
type SlotAnswer struct {
	Slots    []domain.Slot  // valid slots, each id once; without variation and time
	SetAside []SlotSetAside // the first few invalid slots
	// Kept are the ids of slots that were set aside. Their content is unknown, but they are not
	// missing. An id of slots with different starts is not in it, so that it is not sold.
	Kept []string
	// HasUnreadableID means that a slot without a readable id was set aside. It may be any slot, so no
	// slot counts as missing.
	HasUnreadableID bool
}

// Lacks reports whether the answer has no slot with that id, valid or set aside.
func (a *SlotAnswer) Lacks(id string) bool {
	return !a.HasUnreadableID && !slices.Contains(a.Kept, id) && !slices.ContainsFunc(a.Slots, func(s domain.Slot) bool { return s.ID == id })
}

// SlotSetAside is a slot that is invalid and not sold.
type SlotSetAside struct {
	SlotID   string    `json:"availability_id"` // "": no readable id
	Problems []Problem `json:"problems"`
}

var (
	errNoSlots   = errors.New("expected an array of slots")
	errManySlots = fmt.Errorf("expected at most %d slots", mostSlots)
	errNoUTF8    = errors.New("expected JSON in UTF-8")
)

// ReadSlots reads an answer slot by slot. The error says why it is not a valid answer (AVL-3), or
// that ctx has ended. Slots that violate their schema are set aside.
func ReadSlots(ctx context.Context, body []byte, w Window) (*SlotAnswer, error) {
	p, err := readPull(ctx, body, w, StoredSlots{})
	if err != nil {
		return nil, err
	}
	return p.Answer, nil
}

// slotArray returns the array of an answer, or why it is not a valid answer.
func slotArray(body []byte) ([]byte, error) {
	if !utf8.Valid(body) {
		return nil, errNoUTF8
	}
	if err := checkJSON(body); err != nil {
		return nil, err
	}
	array := bytes.TrimSpace(body)
	if array[0] != '[' {
		return nil, errNoSlots
	}
	return array, nil
}

// slotReader reads the slots of an answer, one at a time, because a decoded answer needs many times
// its size.
type slotReader struct {
	window Window
	starts map[string]time.Time // by id
	shared map[string]bool      // ids of slots with different starts: which one the partner books is unknown (AVL-8)
	answer *SlotAnswer
}

func newSlotReader(w Window) *slotReader {
	return &slotReader{window: w, starts: map[string]time.Time{}, shared: map[string]bool{}, answer: &SlotAnswer{}}
}

// has reports whether a slot with that id was read.
func (r *slotReader) has(id string) bool { _, has := r.starts[id]; return has }

// finish returns the answer.
func (r *slotReader) finish() *SlotAnswer {
	r.answer.Slots = slices.DeleteFunc(r.answer.Slots, func(s domain.Slot) bool { return r.shared[s.ID] })
	r.answer.Kept = slices.DeleteFunc(r.answer.Kept, func(id string) bool { return r.shared[id] })
	return r.answer
}

// add reads a slot. It returns its id, or "" if the slot was set aside.
func (r *slotReader) add(raw []byte, i int) string {
	slot, problems := slotOf(raw)
	if problems == nil {
		first, known := r.starts[slot.ID]
		r.starts[slot.ID] = slot.Start
		if known {
			r.shared[slot.ID] = r.shared[slot.ID] || !first.Equal(slot.Start)
			problems = []schemas.Problem{{Pointer: "/id", Message: "expected an id that no other slot of the answer has"}}
		}
	}
	if problems != nil {
		r.keep(r.setAside(raw, i, problems), problems)
		return ""
	}
	slot.LocalDate = domain.DateIn(slot.Start, r.window.Zone)
	if !r.window.includes(slot.LocalDate) {
		// It is not in Kept: an earlier slot with this id is no longer in the window.
		r.setAside(raw, i, []schemas.Problem{{Pointer: "/localDateTimeStart", Message: fmt.Sprintf("expected a start from %s to %s in the product's zone",
			r.window.From.Format(partnerapi.DateLayout), r.window.To.Format(partnerapi.DateLayout))}})
		return ""
	}
	r.answer.Slots = append(r.answer.Slots, slot)
	return slot.ID
}

// slotOf reads one slot or returns its problems.
func slotOf(raw []byte) (domain.Slot, []schemas.Problem) {
	f, problems := readFields(schemas.Slot, raw)
	if problems != nil {
		return domain.Slot{}, problems
	}
	slot := domain.Slot{
		ID: f.text("id"), Start: f.moment("localDateTimeStart"), End: f.moment("localDateTimeEnd"), Status: partnerapi.SlotStatus(f.text("status")),
		Vacancies: f.seats("vacancies"), Capacity: f.seats("capacity"), UnitPricing: f.prices("unitPricing"),
	}
	return slot, checkOrder(slot.Start, slot.End)
}

// setAside lists a slot with its problems. It returns its raw id, or "" if the id is unreadable.
func (r *slotReader) setAside(raw []byte, i int, problems []schemas.Problem) (id string) {
	_ = json.Unmarshal(member(raw, "id"), &id) // the id stays "" if it is not a string
	if len(r.answer.SetAside) < mostSlotsAside {
		r.answer.SetAside = append(r.answer.SetAside, SlotSetAside{SlotID: readableText(id), Problems: firstProblems(fmt.Sprintf("/%d", i), problems)})
	}
	return id
}

// keep records that a slot that was set aside is not missing. An id that is itself a problem is that
// of no stored slot.
func (r *slotReader) keep(id string, problems []schemas.Problem) {
	if id == "" {
		r.answer.HasUnreadableID = true
	} else if !slices.ContainsFunc(problems, func(p schemas.Problem) bool { return p.Pointer == "/id" }) {
		r.answer.Kept = append(r.answer.Kept, id)
	}
}

// slotFields are the fields of a decoded slot or notification that matches its schema. The schema
// and their readers share one decoding.
type slotFields map[string]any

// readFields decodes a text and validates it by a schema.
func readFields(schema string, raw []byte) (slotFields, []schemas.Problem) {
	value, problems := schemas.ReadValid(schema, raw)
	if problems != nil {
		return nil, problems
	}
	return value.(map[string]any), nil // the schemas require objects
}

func (f slotFields) text(name string) string {
	text, _ := f[name].(string)
	return text
}

// moment reads a date-time, or zero if it is absent. The database stores microseconds.
func (f slotFields) moment(name string) time.Time {
	moment, _ := partnerapi.ParseDateTime(f.text(name)) // the schema requires a date-time
	return moment.UTC().Truncate(time.Microsecond)
}

// checkOrder requires the end, if any, after the start (AVL-11).
func checkOrder(start, end time.Time) []schemas.Problem {
	if end.IsZero() || end.After(start) {
		return nil
	}
	return []schemas.Problem{{Pointer: "/localDateTimeEnd", Message: "expected an end after the start"}}
}

// seats reads a number of seats, or nil if it is absent.
func (f slotFields) seats(name string) *int {
	number, given := f[name].(json.Number)
	if !given {
		return nil
	}
	return new(int(integer(number)))
}

// prices reads unit prices, or nil if they are absent (AVL-6).
func (f slotFields) prices(name string) []partnerapi.UnitPricing {
	list, given := f[name].([]any)
	if !given {
		return nil
	}
	prices := make([]partnerapi.UnitPricing, len(list))
	for i, entry := range list {
		prices[i] = slotFields(entry.(map[string]any)).price() // the schema requires an object
	}
	return prices
}

// price reads a unit's price: the amount from original, otherwise retail, otherwise price; the
// guest's type from unitType, otherwise type.
func (f slotFields) price() partnerapi.UnitPricing {
	price := partnerapi.UnitPricing{UnitID: f.text("unitId"), Currency: f.text("currency")}
	for _, name := range []string{"price", "retail", "original"} {
		if amount, given := f[name].(json.Number); given {
			price.Original = integer(amount)
		}
	}
	for _, name := range []string{"type", "unitType"} {
		if kind, given := f[name].(string); given {
			price.UnitType = partnerapi.UnitType(kind)
		}
	}
	if precision, given := f["currencyPrecision"].(json.Number); given {
		read := int(integer(precision))
		price.CurrencyPrecision = &read
	}
	return price
}

// integer returns a number that the schema found to be a 64-bit integer. It may be written as 10.0
// or 1e3.
func integer(number json.Number) int64 {
	if read, err := number.Int64(); err == nil {
		return read
	}
	exact, _ := new(big.Rat).SetString(number.String())
	return exact.Num().Int64()
}
