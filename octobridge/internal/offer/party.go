package offer

import (
	"fmt"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/schemas/partnerapi"
)

// Refusal is why a party cannot be booked, in words for the customer.
type Refusal string

func (r Refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return Refusal(fmt.Sprintf(format, args...)) }

// maxParty is the largest party that is passed on. OCTO has an item for each guest.
const maxParty = 1000

// Party returns the units of a request, by OCTO's ids. Its error is a Refusal.
func (o *Option) Party(units []partnerapi.UnitQuantity) (party []octo.UnitQuantity, err error) {
	guests := 0
	for _, one := range units {
		known, ok := o.units[one.ID]
		if !ok {
			return nil, refuse("There is no guest type %q here.", one.ID)
		}
		if one.Quantity > maxParty-guests {
			return nil, refuse("Parties of more than %s cannot be booked.", plural.Count(maxParty, "guest"))
		}
		guests += one.Quantity
		party = append(party, octo.UnitQuantity{ID: known.id, Quantity: one.Quantity})
	}
	return party, nil
}

// Items returns an item for each guest of the party. Its error is a Refusal, for a party that the option
// does not take.
func (o *Option) Items(party []octo.UnitQuantity) (items []octo.UnitItem, err error) {
	for _, one := range party {
		for range one.Quantity {
			items = append(items, octo.UnitItem{UnitID: one.ID})
		}
	}
	switch {
	case len(items) < o.Limits.MinUnits:
		return nil, refuse("This can be booked for at least %s.", plural.Count(o.Limits.MinUnits, "guest"))
	case o.Limits.MaxUnits > 0 && len(items) > o.Limits.MaxUnits:
		return nil, refuse("This can be booked for at most %s.", plural.Count(o.Limits.MaxUnits, "guest"))
	}
	return items, nil
}
