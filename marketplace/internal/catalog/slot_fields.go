package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"time"
	"unicode/utf8"

	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// What is kept of a slot at most.
const (
	mostSeats = math.MaxInt32
	lastYear  = 9998 // in every zone a year of four digits
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
	if year := moment.UTC().Year(); err != nil || year < 1 || year > lastYear {
		f.wrong("/"+name, "want a year from 1 to %d", lastYear)
	}
	return moment.UTC().Truncate(time.Microsecond)
}

// inOrder wants an end after its start, where there is one (AVL-11).
func (f *slotFields) inOrder(start, end time.Time) {
	if f.problems == nil && !end.IsZero() && !end.After(start) {
		f.wrong("/localDateTimeEnd", "want an end after the start")
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
		f.wrong("/"+name, "want at most %d seats", mostSeats)
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
		f.wrong("/"+name, "want at most %d prices", mostUnits)
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
