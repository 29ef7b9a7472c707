package offer

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/schemas/partnerapi"
)

// unit returns a unit in the contract's form, and adds it to its option. It returns a unit without an id
// if the file of units says that it is not sold. Its error says why it cannot be sold.
func (t *translation) unit(o octo.Option, u octo.Unit, known *Option) (sold partnerapi.Unit, err error) {
	kind, ok := t.mapped.typeOf(u.ID, u.Type)
	if !ok {
		return sold, fmt.Errorf("the contract has no guest type %s: map it in the file of --units", u.Type)
	}
	if kind == notSold {
		return sold, nil
	}
	id := unitID(u.ID, kind)
	if other, taken := known.units[id]; taken {
		return sold, fmt.Errorf("unit %s is sold as %s: map this one to another type in the file of --units; any number may be STUDENT", other.id, kind)
	}
	prices := u.PricingFrom
	if t.of.PricingPer == octo.PricedPerBooking {
		if known.Limits.MaxUnits != 1 {
			return sold, errors.New("its option has one price for the whole booking, and the contract has prices for guests only")
		}
		prices = o.PricingFrom // a booking is one unit
	}
	if len(prices) == 0 {
		return sold, fmt.Errorf("it has no price: does the supplier have the capability %s?", octo.Pricing)
	}
	sold = partnerapi.Unit{ID: id, InternalName: u.InternalName, Type: kind}
	for _, price := range prices {
		entry, err := entryOf(price)
		if err != nil {
			return sold, err
		}
		sold.PricingFrom = append(sold.PricingFrom, entry)
	}
	if u.Restrictions.MinAge != nil || u.Restrictions.MaxAge != nil {
		sold.Restrictions = &partnerapi.Restrictions{MinAge: u.Restrictions.MinAge, MaxAge: u.Restrictions.MaxAge}
	}
	known.units[id], known.ids[u.ID] = unit{u.ID, kind}, id
	return sold, nil
}

// unitID returns the contract's id of a unit: the one that its type requires, or else OCTO's, which must
// not be one that another type requires (PRD-12).
func unitID(octoID string, kind partnerapi.UnitType) string {
	if fixed, ok := kind.FixedUnitID(); ok {
		return fixed
	}
	reserved := slices.ContainsFunc(partnerapi.UnitTypes(), func(other partnerapi.UnitType) bool {
		fixed, _ := other.FixedUnitID()
		return fixed == octoID
	})
	if reserved {
		return strings.ToLower(string(kind)) + "-" + octoID
	}
	return octoID
}

func entryOf(p octo.Price) (entry partnerapi.PricingEntry, err error) {
	entry = partnerapi.PricingEntry{Currency: p.Currency, CurrencyPrecision: p.CurrencyPrecision}
	if entry.Original, err = amount(p.Original); err != nil {
		return entry, err
	}
	if entry.Retail, err = optional(p.Retail); err != nil {
		return entry, err
	}
	entry.Net, err = optional(p.Net)
	return entry, err
}

func optional(n *json.Number) (*int64, error) {
	if n == nil {
		return nil, nil
	}
	number, err := amount(*n)
	return &number, err
}

// maxAmount is the maximum length of an amount as text. A longer one would take time to read.
const maxAmount = 30

// amount reads an amount in the smallest unit of its currency. 2500.0 is an integer.
func amount(n json.Number) (int64, error) {
	if exact, ok := new(big.Rat).SetString(n.String()); len(n) <= maxAmount && !strings.ContainsAny(n.String(), "eE") && ok && exact.IsInt() && exact.Num().IsInt64() {
		return exact.Num().Int64(), nil
	}
	return 0, fmt.Errorf("the amount %.40s is not an integer in the currency's smallest unit", n)
}
