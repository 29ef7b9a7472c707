package partnerapi

// AvailabilityRequest is the body of POST /availability (AVL-1). Dates are
// YYYY-MM-DD in the product's zone, both inclusive.
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

// Slot is one start time or opening window of an option, an element of the
// answer of POST /availability (AVL-4 and those that follow).
type Slot struct {
	ID                 string        `json:"id"`                 // permanent for the same physical slot
	LocalDateTimeStart string        `json:"localDateTimeStart"` // RFC 3339 with offset
	LocalDateTimeEnd   string        `json:"localDateTimeEnd"`   // RFC 3339 with offset
	Status             SlotStatus    `json:"status"`
	Vacancies          *int          `json:"vacancies,omitempty"` // seats left; absent for FREESALE
	Capacity           *int          `json:"capacity,omitempty"`  // seats in all
	UnitPricing        []UnitPricing `json:"unitPricing,omitempty"`
}

// UnitPricing is a slot's own price for one unit; it stands before the
// option's static price. Amounts are integers in the smallest currency unit.
type UnitPricing struct {
	UnitID            string   `json:"unitId"`
	UnitType          UnitType `json:"unitType,omitempty"` // "type" is read where it is absent
	Original          int64    `json:"original"`           // "retail", then "price" are read where it is absent
	Currency          string   `json:"currency"`           // ISO 4217
	CurrencyPrecision *int     `json:"currencyPrecision,omitempty"`
}
