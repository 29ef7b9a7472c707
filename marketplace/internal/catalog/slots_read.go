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

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// What is read of an answer's slots at most.
const (
	mostSlots      = 20_000   // a start every five minutes, day and night, and some
	largestSlot    = 64 << 10 // in bytes of JSON
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

// Lacks reports whether there is no slot of that id, not even one that is set aside.
func (a *SlotAnswer) Lacks(id string) bool {
	return !a.Nameless && !slices.Contains(a.Kept, id) && !slices.ContainsFunc(a.Slots, func(s marketplace.Slot) bool { return s.ID == id })
}

// SlotSetAside is a slot that is invalid and not sold.
type SlotSetAside struct {
	SlotID   string    `json:"availability_id"` // "" where it has none that can be read
	Problems []Problem `json:"problems"`
}

var (
	errNoSlots   = errors.New("expected an array of slots")
	errManySlots = fmt.Errorf("expected at most %d slots", mostSlots)
	errNoUTF8    = errors.New("expected JSON in UTF-8")
)

// ReadSlots reads an answer slot by slot. The error says why it is no answer at all
// (AVL-3), or that ctx has ended; a slot that breaks its schema, or that we could not
// keep, is set aside.
func ReadSlots(ctx context.Context, body []byte, w Window) (*SlotAnswer, error) {
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
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
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
		problems = []schemas.Problem{{Pointer: "/id", Message: "expected an id that no other slot of the answer has"}}
	}
	if problems != nil {
		r.keep(r.setAside(raw, i, problems))
		return
	}
	slot.LocalDate = marketplace.DateIn(slot.Start, r.window.Zone)
	if slot.LocalDate.Before(r.window.From) || slot.LocalDate.After(r.window.To) {
		// It is not kept: whatever was known of it in the window is not there any more.
		r.setAside(raw, i, []schemas.Problem{{Pointer: "/localDateTimeStart", Message: fmt.Sprintf("expected a start from %s to %s in the product's zone",
			r.window.From.Format(partnerapi.DateLayout), r.window.To.Format(partnerapi.DateLayout))}})
		return
	}
	r.present[slot.ID] = true
	r.answer.Slots = append(r.answer.Slots, slot)
}

// slotOf reads one slot, or says what is wrong with it.
func slotOf(raw []byte) (marketplace.Slot, []schemas.Problem) {
	if len(raw) > largestSlot {
		return marketplace.Slot{}, []schemas.Problem{{Message: fmt.Sprintf("expected a slot of at most %d bytes, received %d", largestSlot, len(raw))}}
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

// setAside lists a slot with its problems, and returns its raw id, or "" if the id
// cannot be read.
func (r *slotReader) setAside(raw []byte, i int, problems []schemas.Problem) (id string) {
	_ = json.Unmarshal(member(raw, "id"), &id) // else it stays ""
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

// What is kept of a slot at most.
const (
	mostSeats = math.MaxInt32
	firstYear = 2000
	lastYear  = 2200
)

// slotFields reads the fields of a decoded slot, or of news of one, that keeps its
// schema: one decoding serves the schema and us. It collects what we could not keep.
type slotFields struct {
	object   map[string]any
	halved   bool // lone has found half a character in it
	problems []schemas.Problem
}

// readFields decodes what a schema judges, and has it judged.
func readFields(schema string, raw []byte) (*slotFields, []schemas.Problem) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil || !utf8.Valid(raw) || len(bytes.TrimSpace(raw[decoder.InputOffset():])) > 0 {
		return nil, schemas.Validate(schema, raw) // it says what is no JSON, and where
	}
	if problems := schemas.ValidateValue(schema, value); problems != nil {
		return nil, problems
	}
	return &slotFields{object: value.(map[string]any), halved: lone(raw)}, nil // the schemas want objects
}

func (f *slotFields) wrong(pointer, message string, args ...any) {
	f.problems = append(f.problems, schemas.Problem{Pointer: pointer, Message: fmt.Sprintf(message, args...)})
}

// id reads an identifier of the partner's.
func (f *slotFields) id(name string) string {
	id, _ := f.object[name].(string)
	if wanted := unkept(id, longestID, f.halved); wanted != "" {
		f.wrong("/"+name, "%s", wanted)
	}
	return id
}

func (f *slotFields) status(name string) partnerapi.SlotStatus {
	status, _ := f.object[name].(string)
	return partnerapi.SlotStatus(status)
}

// moment reads a date-time, zero where it is absent. The database knows microseconds.
func (f *slotFields) moment(name string) time.Time {
	text, given := f.object[name].(string)
	if !given {
		return time.Time{}
	}
	moment, err := partnerapi.ParseDateTime(text)
	if year := moment.UTC().Year(); err != nil || year < firstYear || year > lastYear {
		f.wrong("/"+name, "expected a year from %d to %d", firstYear, lastYear)
	}
	return moment.UTC().Truncate(time.Microsecond)
}

// inOrder wants an end after its start, where there is one (AVL-11).
func (f *slotFields) inOrder(start, end time.Time) {
	if f.problems == nil && !end.IsZero() && !end.After(start) {
		f.wrong("/localDateTimeEnd", "expected an end after the start")
	}
}

// seats reads a number of seats, nil where it is absent.
func (f *slotFields) seats(name string) *int {
	number, given := f.object[name].(json.Number)
	if !given {
		return nil
	}
	seats := integer(number)
	if seats > mostSeats {
		f.wrong("/"+name, "expected at most %d seats", mostSeats)
	}
	read := int(seats)
	return &read
}

// prices reads unit prices, nil where they are absent (AVL-6).
func (f *slotFields) prices(name string) []partnerapi.UnitPricing {
	list, given := f.object[name].([]any)
	if !given {
		return nil
	}
	if len(list) > mostUnits {
		f.wrong("/"+name, "expected at most %d prices", mostUnits)
		return nil
	}
	prices := make([]partnerapi.UnitPricing, len(list))
	for i, entry := range list {
		one := slotFields{object: entry.(map[string]any), halved: f.halved} // the schema wants one
		prices[i] = one.price()
		for _, problem := range one.problems {
			f.problems = append(f.problems, problem.Under(fmt.Sprintf("/%s/%d", name, i)))
		}
	}
	return prices
}

// price reads a unit's price: the amount from original, else retail, else price; the
// guest's type from unitType, else type.
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

// integer is an integer of 64 bits, which the schema has seen it is. It may be written
// 10.0 or 1e3.
func integer(number json.Number) int64 {
	if read, err := number.Int64(); err == nil {
		return read
	}
	exact, _ := new(big.Rat).SetString(number.String())
	return exact.Num().Int64()
}
