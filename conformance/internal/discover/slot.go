package discover

import (
	"cmp"
	"slices"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Slot is a slot of POST /availability, as far as it can be read.
type Slot struct {
	ID        string
	Start     time.Time // zero if it cannot be read
	End       time.Time // zero if it cannot be read
	StartText string
	Status    partnerapi.SlotStatus
	Vacancies *int64
	Capacity  *int64
	Prices    []SlotPrice
}

// SlotPrice is what a slot costs for a unit, in the smallest unit of the currency.
type SlotPrice struct {
	UnitID, Currency string
	UnitType         partnerapi.UnitType // "" if it has none
	Amount           int64
}

// ReadSlot reads a decoded slot leniently. What is missing or of the wrong type is left empty.
func ReadSlot(value any) Slot {
	object, _ := value.(map[string]any)
	slot := Slot{
		ID:        text(object, "id"),
		StartText: text(object, "localDateTimeStart"),
		Status:    partnerapi.SlotStatus(text(object, "status")),
		Vacancies: integer(object, "vacancies"),
		Capacity:  integer(object, "capacity"),
	}
	slot.Start, _ = partnerapi.ParseDateTime(slot.StartText)
	slot.End, _ = partnerapi.ParseDateTime(text(object, "localDateTimeEnd"))
	for _, price := range list(object, "unitPricing") {
		slot.Prices = append(slot.Prices, readPrice(price))
	}
	return slot
}

func readPrice(object map[string]any) SlotPrice {
	price := SlotPrice{
		UnitID: text(object, "unitId"), Currency: text(object, "currency"),
		UnitType: partnerapi.UnitType(cmp.Or(text(object, "unitType"), text(object, "type"))), // in this order (AVL-6)
	}
	for _, name := range []string{"original", "retail", "price"} { // AVL-6
		if amount := integer(object, name); amount != nil {
			price.Amount = *amount
			break
		}
	}
	return price
}

// Contradicts returns the field in which another answer about the slot differs, of those that a sale
// does not change: its end, its capacity, its prices, and whether it is closed. It returns "" if none
// differs. What an answer leaves out contradicts nothing.
func (s Slot) Contradicts(other Slot) string {
	if s.Status != "" && other.Status != "" && (s.Status == partnerapi.StatusClosed) != (other.Status == partnerapi.StatusClosed) {
		return "status"
	}
	if s.Capacity != nil && other.Capacity != nil && *s.Capacity != *other.Capacity {
		return "capacity"
	}
	if !s.End.IsZero() && !other.End.IsZero() && !s.End.Equal(other.End) {
		return "localDateTimeEnd"
	}
	for _, price := range s.Prices {
		if slices.ContainsFunc(other.Prices, func(p SlotPrice) bool {
			return p.UnitID == price.UnitID && (p.Currency != price.Currency || p.Amount != price.Amount)
		}) {
			return "unitPricing"
		}
	}
	return ""
}

// Seats is how many seats a slot has left, if they are counted.
type Seats struct {
	Counted bool
	Left    int64
}

// IsUnlimited reports whether a slot of product is sold without limit.
func (s Slot) IsUnlimited(product Product) bool {
	return product.AllowFreesale || s.Status == partnerapi.StatusFreesale
}

// Seats returns the seats left in a slot of product (AVL-14).
func (s Slot) Seats(product Product) Seats {
	switch {
	case s.IsUnlimited(product):
		return Seats{}
	case s.Vacancies != nil:
		return Seats{Counted: true, Left: *s.Vacancies}
	case s.Status == partnerapi.StatusSoldOut:
		return Seats{Counted: true}
	default:
		return Seats{}
	}
}
