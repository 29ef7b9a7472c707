package partnerapi

import "encoding/json"

// AvailabilityRequest is the body of POST /availability (AVL-1). Dates are YYYY-MM-DD in the
// product's zone, both inclusive.
type AvailabilityRequest struct {
	ProductID      string         `json:"productId"`
	OptionID       string         `json:"optionId"`
	LocalDateStart string         `json:"localDateStart"`
	LocalDateEnd   string         `json:"localDateEnd"`
	Units          []UnitQuantity `json:"units"`
}

// UnitQuantity is a number of guests of one type.
type UnitQuantity struct {
	ID       string `json:"id"`
	Quantity int    `json:"quantity"` // at least 1
}

// Slot is one start time or opening window of an option, an element of the answer of POST
// /availability (AVL-4 and following).
type Slot struct {
	ID                 string        `json:"id"`                 // permanent for the same physical slot
	LocalDateTimeStart string        `json:"localDateTimeStart"` // ISO 8601 with offset
	LocalDateTimeEnd   string        `json:"localDateTimeEnd"`   // ISO 8601 with offset
	Status             SlotStatus    `json:"status"`
	Vacancies          *int          `json:"vacancies,omitempty"`  // seats left; absent for FREESALE
	Capacity           *int          `json:"capacity,omitempty"`   // total seats
	UnitPricing        []UnitPricing `json:"unitPricing,omitzero"` // nil is absent; empty is also lawful
}

// UnitPricing is a slot's own price for one unit. It takes precedence over the option's static
// price. Amounts are integers in the smallest currency unit.
type UnitPricing struct {
	UnitID            string   `json:"unitId"`
	UnitType          UnitType `json:"unitType,omitempty"` // if absent, "type" is read
	Original          int64    `json:"original"`           // if absent, "retail", then "price" are read
	Currency          string   `json:"currency"`           // ISO 4217
	CurrencyPrecision *int     `json:"currencyPrecision,omitempty"`
}

// UnmarshalJSON reads the alternatives of AVL-6 in order: the amount from original, else retail,
// else price; the guest type from unitType, else type. A null field counts as absent.
func (p *UnitPricing) UnmarshalJSON(text []byte) error {
	type plain UnitPricing // without this method
	read := struct {
		*plain
		Original *int64   `json:"original"`
		Retail   *int64   `json:"retail"`
		Price    *int64   `json:"price"`
		Type     UnitType `json:"type"`
	}{plain: (*plain)(p)}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	for _, amount := range []*int64{read.Original, read.Retail, read.Price} {
		if amount != nil {
			p.Original = *amount
			break
		}
	}
	if p.UnitType == "" {
		p.UnitType = read.Type
	}
	return nil
}
