package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
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
	mostSlots      = 20_000   // more than one start every five minutes
	largestSlot    = 64 << 10 // in bytes of JSON
	mostSlotsAside = 5        // in the list with their problems
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
// that ctx has ended. Slots that violate their schema or our limits are set aside.
func ReadSlots(ctx context.Context, body []byte, w Window) (*SlotAnswer, error) {
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
	read := slotReader{window: w, starts: map[string]time.Time{}, shared: map[string]bool{}, answer: &SlotAnswer{}}
	i := 0
	for raw := range parts(array) { // one at a time, because a decoded answer needs many times its size
		if i == mostSlots {
			return nil, errManySlots
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		read.add(raw, i)
		i++
	}
	read.answer.Slots = slices.DeleteFunc(read.answer.Slots, func(s domain.Slot) bool { return read.shared[s.ID] })
	read.answer.Kept = slices.DeleteFunc(read.answer.Kept, func(id string) bool { return read.shared[id] })
	return read.answer, nil
}

type slotReader struct {
	window Window
	starts map[string]time.Time // by id
	shared map[string]bool      // ids of slots with different starts: which one the partner books is unknown (AVL-8)
	answer *SlotAnswer
}

func (r *slotReader) add(raw []byte, i int) {
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
		r.keep(r.setAside(raw, i, problems))
		return
	}
	slot.LocalDate = domain.DateIn(slot.Start, r.window.Zone)
	if slot.LocalDate.Before(r.window.From) || slot.LocalDate.After(r.window.To) {
		// It is not in Kept: an earlier slot with this id is no longer in the window.
		r.setAside(raw, i, []schemas.Problem{{Pointer: "/localDateTimeStart", Message: fmt.Sprintf("expected a start from %s to %s in the product's zone",
			r.window.From.Format(partnerapi.DateLayout), r.window.To.Format(partnerapi.DateLayout))}})
		return
	}
	r.answer.Slots = append(r.answer.Slots, slot)
}

// slotOf reads one slot or returns its problems.
func slotOf(raw []byte) (domain.Slot, []schemas.Problem) {
	if len(raw) > largestSlot {
		return domain.Slot{}, []schemas.Problem{{Message: fmt.Sprintf("expected a slot of at most %d bytes, received %d", largestSlot, len(raw))}}
	}
	f, problems := readFields(schemas.Slot, raw)
	if problems != nil {
		return domain.Slot{}, problems
	}
	slot := domain.Slot{
		ID: f.id("id"), Start: f.moment("localDateTimeStart"), End: f.moment("localDateTimeEnd"), Status: f.status("status"),
		Vacancies: f.seats("vacancies"), Capacity: f.seats("capacity"), UnitPricing: f.prices("unitPricing"),
	}
	f.inOrder(slot.Start, slot.End)
	return slot, f.problems
}

// setAside lists a slot with its problems. It returns its raw id, or "" if the id is unreadable.
func (r *slotReader) setAside(raw []byte, i int, problems []schemas.Problem) (id string) {
	_ = json.Unmarshal(member(raw, "id"), &id) // the id stays "" if it is not a string
	if len(r.answer.SetAside) < mostSlotsAside {
		r.answer.SetAside = append(r.answer.SetAside, SlotSetAside{SlotID: readableText(id), Problems: firstProblems(fmt.Sprintf("/%d", i), problems)})
	}
	return id
}

// keep records that a slot that was set aside is not missing.
func (r *slotReader) keep(id string) {
	if id == "" {
		r.answer.HasUnreadableID = true
	} else if storageProblem(id, longestID, false) == "" {
		r.answer.Kept = append(r.answer.Kept, id)
	}
}

// The limits of one slot.
const (
	mostSeats = math.MaxInt32
	firstYear = 2000
	lastYear  = 2200
)

// slotFields reads the fields of a decoded slot or notification that matches its schema. The schema
// and this reader share one decoding. It collects what cannot be stored.
type slotFields struct {
	object     map[string]any
	surrogates bool // lone found half a character in it
	problems   []schemas.Problem
}

// readFields decodes a text and validates it by a schema.
func readFields(schema string, raw []byte) (*slotFields, []schemas.Problem) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil || !utf8.Valid(raw) || len(bytes.TrimSpace(raw[decoder.InputOffset():])) > 0 {
		return nil, schemas.Validate(schema, raw) // it says where the text is not JSON
	}
	if problems := schemas.ValidateValue(schema, value); problems != nil {
		return nil, problems
	}
	return &slotFields{object: value.(map[string]any), surrogates: hasSurrogate(raw)}, nil // the schemas require objects
}

func (f *slotFields) addProblem(pointer, message string, args ...any) {
	f.problems = append(f.problems, schemas.Problem{Pointer: pointer, Message: fmt.Sprintf(message, args...)})
}

// id reads an identifier.
func (f *slotFields) id(name string) string {
	id, _ := f.object[name].(string)
	if wanted := storageProblem(id, longestID, f.surrogates); wanted != "" {
		f.addProblem("/"+name, "%s", wanted)
	}
	return id
}

func (f *slotFields) status(name string) partnerapi.SlotStatus {
	status, _ := f.object[name].(string)
	return partnerapi.SlotStatus(status)
}

// moment reads a date-time, or zero if it is absent. The database stores microseconds.
func (f *slotFields) moment(name string) time.Time {
	text, given := f.object[name].(string)
	if !given {
		return time.Time{}
	}
	moment, err := partnerapi.ParseDateTime(text)
	if year := moment.UTC().Year(); err != nil || year < firstYear || year > lastYear {
		f.addProblem("/"+name, "expected a year from %d to %d", firstYear, lastYear)
	}
	return moment.UTC().Truncate(time.Microsecond)
}

// inOrder requires the end, if any, after the start (AVL-11).
func (f *slotFields) inOrder(start, end time.Time) {
	if f.problems == nil && !end.IsZero() && !end.After(start) {
		f.addProblem("/localDateTimeEnd", "expected an end after the start")
	}
}

// seats reads a number of seats, or nil if it is absent.
func (f *slotFields) seats(name string) *int {
	number, given := f.object[name].(json.Number)
	if !given {
		return nil
	}
	seats := integer(number)
	if seats > mostSeats {
		f.addProblem("/"+name, "expected at most %d seats", mostSeats)
	}
	read := int(seats)
	return &read
}

// prices reads unit prices, or nil if they are absent (AVL-6).
func (f *slotFields) prices(name string) []partnerapi.UnitPricing {
	list, given := f.object[name].([]any)
	if !given {
		return nil
	}
	if len(list) > mostUnits {
		f.addProblem("/"+name, "expected at most %d prices", mostUnits)
		return nil
	}
	prices := make([]partnerapi.UnitPricing, len(list))
	for i, entry := range list {
		one := slotFields{object: entry.(map[string]any), surrogates: f.surrogates} // the schema requires an object
		prices[i] = one.price()
		for _, problem := range one.problems {
			f.problems = append(f.problems, problem.WithPrefix(fmt.Sprintf("/%s/%d", name, i)))
		}
	}
	return prices
}

// price reads a unit's price: the amount from original, otherwise retail, otherwise price; the
// guest's type from unitType, otherwise type.
func (f *slotFields) price() partnerapi.UnitPricing {
	price := partnerapi.UnitPricing{UnitID: f.id("unitId")}
	price.Currency, _ = f.object["currency"].(string)
	for _, name := range []string{"price", "retail", "original"} {
		if amount, given := f.object[name].(json.Number); given {
			price.Original = integer(amount)
		}
	}
	for _, name := range []string{"type", "unitType"} {
		if kind, given := f.object[name].(string); given {
			price.UnitType = partnerapi.UnitType(kind)
		}
	}
	if precision, given := f.object["currencyPrecision"].(json.Number); given {
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
